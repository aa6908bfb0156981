"""Which room of the package may import which, read from the source of its modules."""

import ast
import graphlib
import sys
from pathlib import Path

import pytest

import sklearn_nrcdt

# A module imports from its own room and from those further left. The names of the top level
# (``__init__``) stand beside the public rooms, ``__main__`` beside the commands.
ORDER = [
    ["_kernels"],
    ["_support"],
    ["_estimators"],
    ["__init__", "datasets", "preprocessing", "display", "guarantees", "catalogue", "search"],
    ["_commands", "_desk", "__main__"],
]
RANK = {room: rank for rank, rooms in enumerate(ORDER) for room in rooms}
# The search is a subject of its own: it knows these rooms, and only commands know it.
FOR_SEARCH = {"_kernels", "_support", "_estimators", "search"}
KNOW_SEARCH = {"search", "_commands", "_desk", "__main__"}
# What an import of the package leaves alone: functions import it when they need it.
OPTIONAL = {"matplotlib", "pandas", "polars", "rich", "numba", "pyarrow", "starlette", "uvicorn"}
FOR_KERNELS = {"numpy", "scipy", "skimage", "numba", "sklearn_nrcdt", *sys.stdlib_module_names}


def imports(node, at_module_level=True):
    """Yield (line, what, whether at module level) of all imports below a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from ((child.lineno, alias.name, at_module_level) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            origin = "." * child.level + (child.module or "")
            for alias in child.names:
                yield child.lineno, f"{origin}.{alias.name}", at_module_level
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from imports(child, at_module_level and not inside)


def module_name(path):
    """Return ``datasets._draw`` of ``datasets/_draw.py``, and ``datasets`` of its ``__init__``."""
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def faults(sources):
    """Return what is wrong with the imports of modules, given as path -> source."""
    found = []
    modules = {module_name(path) for path in sources}
    # importing module -> imported module -> where
    graph = {module: {} for module in modules}
    for path, source in sources.items():
        room = module_name(path).partition(".")[0]
        if room not in RANK:
            found.append(f"{path}:1 is in no known room")
            continue
        for line, what, at_module_level in imports(ast.parse(source)):
            where = f"{path}:{line} imports {what}"
            package, *parts = what.split(".")
            if "_kernels/" in path and package not in FOR_KERNELS:
                found.append(f"{where}, but kernels import only NumPy, SciPy and scikit-image")
            if at_module_level and package in OPTIONAL and room != "_desk":
                found.append(f"{where}, which not everybody has, at the top")
            if not package:
                found.append(f"{where}, relative to itself")
            if package != "sklearn_nrcdt":
                continue
            target = parts[0] if parts and parts[0] in RANK else "__init__"
            names = parts if target == "__init__" else parts[1:]
            private = [n for n in names if n.startswith("_") and not n.endswith("__")]
            if RANK[target] > RANK[room]:
                found.append(f"{where}, but {room} stands before {target}")
            elif room == "search" and target not in FOR_SEARCH:
                found.append(f"{where}, but the search does without {target}")
            elif target == "search" and room not in KNOW_SEARCH:
                found.append(f"{where}, but only commands know the search")
            if path.startswith("search/_kernels/") and parts[:2] != ["search", "_kernels"]:
                found.append(f"{where}, but kernels of the search are by themselves")
            if target != room and private:
                found.append(f"{where}, but {private[0]} is for {target} alone")
            if at_module_level:
                for module in {".".join(parts), ".".join(parts[:-1]) or "__init__"} & modules:
                    graph[module_name(path)].setdefault(module, where)
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        # Each of them is imported by the next.
        circle = zip(error.args[1][1:], error.args[1], strict=False)
        found.append("a circle: " + ", ".join(graph[by][module] for by, module in circle))
    return found


@pytest.fixture(scope="module")
def package():
    """All modules of the package: path -> source."""
    root = Path(sklearn_nrcdt.__file__).parent
    paths = root.rglob("*.py")
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in paths}


def test_rooms_import_only_what_they_may(package):
    assert len(package) > 30
    found = faults(package)
    assert not found, "\n".join(found)


def test_at_the_top_are_only_rooms():
    entries = set(Path(sklearn_nrcdt.__file__).parent.iterdir())
    rooms = {entry for entry in entries if (entry / "__init__.py").exists()}
    assert {"_kernels", "_support", "_estimators"} <= {room.name for room in rooms} <= set(RANK)
    others = {entry.name for entry in entries - rooms} - {"__pycache__"}
    assert others == {"__init__.py", "__main__.py", "py.typed"}


def test_every_room_says_what_lives_there(package):
    rooms = {path: source for path, source in package.items() if path.endswith("/__init__.py")}
    silent = [path for path, source in rooms.items() if not ast.get_docstring(ast.parse(source))]
    assert rooms
    assert not silent


@pytest.mark.parametrize(
    ("path", "source", "fault"),
    [
        ("_kernels/cdt.py", "import numpy\nimport sklearn.utils", "cdt.py:2 imports sklearn.utils"),
        ("_kernels/cdt.py", "def f():\n    from joblib import Parallel", "only NumPy, SciPy"),
        ("_kernels/cdt.py", "from sklearn_nrcdt import RadonCDT", "_kernels stands before"),
        ("_kernels/cdt.py", "from sklearn_nrcdt._support import caller", "before _support"),
        ("_support/images.py", "import sklearn_nrcdt._estimators.base as b", "before _estimators"),
        ("_estimators/rcdt.py", "from sklearn_nrcdt import datasets", "before datasets"),
        ("_estimators/rcdt.py", "from sklearn_nrcdt import NRCDT", "before __init__"),
        ("datasets/_draw.py", "import sklearn_nrcdt.__main__", "before __main__"),
        ("datasets/_draw.py", "if 1:\n  from sklearn_nrcdt import _commands", "before _commands"),
        ("display/_match.py", "from sklearn_nrcdt._support.images import _stack", "_stack is for"),
        ("display/_match.py", "from sklearn_nrcdt.datasets._draw import fill", "_draw is for"),
        ("display/_match.py", "from sklearn_nrcdt import _hidden", "_hidden is for __init__"),
        ("__main__.py", "import sklearn_nrcdt.datasets._draw", "_draw is for datasets alone"),
        ("__init__.py", "from sklearn_nrcdt._kernels.cdt import _levels", "_levels is for"),
        ("search/_kernels/ridges.py", "def f():\n    import sklearn", "only NumPy, SciPy"),
        ("search/_kernels/ridges.py", "from sklearn_nrcdt.search import _draw", "by themselves"),
        ("search/_draw.py", "from sklearn_nrcdt.datasets import add_salt", "without datasets"),
        ("search/_draw.py", "from sklearn_nrcdt import NRCDT", "without __init__"),
        ("display/_match.py", "from sklearn_nrcdt.search import make_drawings", "only commands"),
        ("datasets/_draw.py", "from . import _mnist", "relative"),
        ("display/_match.py", "import matplotlib.pyplot as plt", "not everybody has, at the top"),
        ("_wrong.py", "", "no known room"),
    ],
)
def test_what_is_forbidden_is_found_and_its_line_named(path, source, fault):
    [message] = faults({path: source})
    assert message.startswith(f"{path}:")
    assert fault in message


def test_circles_are_found():
    by_name = "from sklearn_nrcdt.datasets._{} import draw"
    circle = {f"datasets/_{a}.py": "\n" + by_name.format(b) for a, b in ["ab", "bc", "ca"]}
    [message] = faults(circle)
    for a, b in ["ab", "bc", "ca"]:
        assert f"datasets/_{a}.py:2 imports sklearn_nrcdt.datasets._{b}.draw" in message
    room = {
        "datasets/__init__.py": by_name.format("a"),
        "datasets/_a.py": "from sklearn_nrcdt.datasets import draw",
    }
    assert "a circle: " in faults(room)[0]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("_kernels/cdt.py", "import math\nfrom scipy import ndimage\nimport skimage.filters"),
        ("_kernels/cdt.py", "from sklearn_nrcdt._kernels.radon import _own"),
        ("_support/images.py", "import sklearn\nfrom sklearn_nrcdt._kernels import cdt"),
        ("display/_match.py", "from sklearn_nrcdt import NRCDT, __version__"),
        ("display/_match.py", "from sklearn_nrcdt.datasets import load_symbols"),
        ("display/_match.py", "def f():\n    from sklearn_nrcdt.display import _match"),
        ("display/_match.py", "def f():\n    import matplotlib.pyplot as plt"),
        ("search/_draw.py", "import sklearn\nfrom sklearn_nrcdt._estimators import base"),
        ("search/_kernels/a.py", "import scipy\nfrom sklearn_nrcdt.search._kernels.b import c"),
        ("_commands/find.py", "from sklearn_nrcdt.search import DrawingSearch"),
        ("catalogue/_a.py", "from sklearn_nrcdt.datasets import iter_image_folder"),
        ("__main__.py", "import sklearn_nrcdt\nfrom sklearn_nrcdt.datasets import load_symbols"),
    ],
)
def test_what_is_allowed_is_no_fault(path, source):
    others = ["__init__.py", "_kernels/cdt.py", "_kernels/radon.py", "display/_match.py"]
    assert not faults(dict.fromkeys(others, "") | {path: source})
