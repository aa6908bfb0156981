"""Type checkers find a user's mistakes, and no others."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import typing
from pathlib import Path

import pytest
from sklearn.utils._param_validation import StrOptions

import sklearn_nrcdt
from sklearn_nrcdt import catalogue, datasets, display, guarantees, preprocessing, search

ROOT = Path(sklearn_nrcdt.__file__).parents[1]
ROOMS = [sklearn_nrcdt, catalogue, datasets, display, guarantees, preprocessing, search]

# What comes after "# error:" is part of both checkers' messages.
USER = """
import numpy as np
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import InvariantHOG, MaxNRCDT, NearestSubspaceClassifier, ShapeClassifier
from sklearn_nrcdt import NearestTemplateClassifier, SpectralNRCDT, aligned_pairwise_distances
from sklearn_nrcdt.datasets import affine, load_image_folder, make_symbols, random_elastic
from sklearn_nrcdt.guarantees import certified_radius
from sklearn_nrcdt.preprocessing import Despeckle, RemoveBackground
from sklearn_nrcdt.search import DrawingSearch

images = np.zeros((3, 32, 32), np.uint8)
labels = ["a", "b", "c"]

# As in the guide.
model = ShapeClassifier("similarity", reflection="ignore").fit(list(images), labels)
probabilities: np.ndarray = model.predict_proba(images)
features: np.ndarray = InvariantHOG("slant", n_cells=32).fit(images).transform(images)
features = InvariantHOG(keep="circle", n_jobs=-1).fit_transform(images)
features = MaxNRCDT(64, n_radii=301, image_shape=(8, 8)).fit_transform([[0.0] * 64])
features = SpectralNRCDT(reflection="ignore").fit_transform([images[0], images[1, :20]])
nearest = NearestTemplateClassifier("aligned", reject_distance="auto").fit(features, labels)
nearest = NearestTemplateClassifier(lambda a, b: 1.0, reject_distance=0.3).fit(features, [0, 1, 2])
distances, indices = nearest.kneighbors(features, 2)
distances = aligned_pairwise_distances(features, reflection="ignore")
predicted: np.ndarray = nearest.predict(features)
NearestSubspaceClassifier(0.99).fit(features, labels).decision_function(features).argmax(axis=1)
make_pipeline(InvariantHOG(), NearestTemplateClassifier()).fit(images, labels)
symbols = make_symbols(2, classes=[1, 5], shift=(-3, 3), random_state=0)
symbols.images.mean()
moved = random_elastic(affine(images, np.eye(2), shift=(1, 2)), random_state=1).sum()
folder = load_image_folder("scans", invert="auto", background="otsu").images
RemoveBackground(0.5).fit_transform(Despeckle(20).fit_transform(images))
DrawingSearch(polarity="dark", rotations=range(0, 360, 6)).fit(list(images)).predict(images)
print(certified_radius(images, labels, "mean", rigorous=True).worst_pair)

ShapeClassifier("afine")  # error: afine
InvariantHOG("afine")  # error: afine
InvariantHOG(n_cells="many")  # error: n_cells
InvariantHOG(n_cell=32)  # error: n_cell
MaxNRCDT(n_radii="all")  # error: n_radii
MaxNRCDT().fit()  # error: X
SpectralNRCDT(keep="circles")  # error: circles
NearestTemplateClassifier(reject_distance="no")  # error: reject_distance
nearest.kneighbors(features, k=2)  # error: k
aligned_pairwise_distances(features, reflection=True)  # error: reflection
affine(images, np.eye(2), cut="redraw")  # error: redraw
load_image_folder("scans", errors="ignore")  # error: ignore
make_symbols(2, shift=3)  # error: shift
certified_radius(images, labels, "median")  # error: median
RemoveBackground("triangle")  # error: triangle
DrawingSearch(polarity="light")  # error: light
"""

CHECKERS = {
    "mypy": (
        ["mypy", "--no-error-summary", "--no-incremental", "user.py"],
        r"user.py:(\d+): error",
    ),
    "pyright": (
        ["pyright", "--pythonpath", sys.executable, "user.py"],
        r"user.py:(\d+):\d+ - error",
    ),
}
# Types of others, and how we do what our types say, take most of the time and are not asked for.
MYPY = """
[mypy]
[mypy-sklearn_nrcdt.*]
ignore_errors = True
[mypy-sklearn.*,scipy.*,skimage.*,joblib.*]
follow_imports = skip
ignore_missing_imports = True
"""


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_checker_finds_the_mistakes_of_a_user(checker, tmp_path):
    pytest.importorskip(checker)
    if checker == "pyright" and not shutil.which("node"):
        pytest.skip("pyright would download node")
    command, pattern = CHECKERS[checker]
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "mypy.ini").write_text(MYPY)
    # Without a look into scikit-learn, pyright takes a third of the time and finds the same.
    config = {"extraPaths": [str(ROOT)], "useLibraryCodeForTypes": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    env = {**os.environ, "MYPYPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "-m", *command], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    found = {}
    for line in result.stdout.splitlines():
        if match := re.search(pattern, line):
            number = int(match[1])
            found[number] = found.get(number, "") + line
        elif found:
            found[number] += line
    lines = enumerate(USER.splitlines(), start=1)
    expected = {k: text.split("# error: ")[1] for k, text in lines if "# error: " in text}
    assert found.keys() == expected.keys(), result.stdout + result.stderr
    for number, word in expected.items():
        assert word in found[number], found[number]


def public_callables():
    """Yield names, functions, and their constraints as scikit-learn knows them."""
    for room in ROOMS:
        for name in room.__all__:
            thing = getattr(room, name)
            if inspect.isfunction(thing):
                yield name, thing, getattr(thing, "_skl_parameter_constraints", {})
            elif inspect.isclass(thing) and not issubclass(thing, Exception):
                yield name, thing.__init__, getattr(thing, "_parameter_constraints", {})
                for method, function in inspect.getmembers(thing, inspect.isroutine):
                    module = getattr(function, "__module__", None) or ""
                    if module.startswith("sklearn_nrcdt") and not method.startswith("_"):
                        yield f"{name}.{method}", function, {}


def literals(hint):
    """Return the strings of all Literals in a type."""
    if typing.get_origin(hint) is typing.Literal:
        return {value for value in typing.get_args(hint) if isinstance(value, str)}
    return set().union(*map(literals, typing.get_args(hint)))


def test_types_say_what_the_checks_accept():
    wrong = []
    for called, function, constraints in public_callables():
        hints = typing.get_type_hints(inspect.unwrap(function))
        names = [name for name in inspect.signature(function).parameters if name != "self"]
        wrong += [f"{called}: {name} has no type" for name in {*names, "return"} - hints.keys()]
        for name in constraints.keys() & hints.keys() - {"metric"}:  # which are too many
            options = [c.options for c in constraints[name] if isinstance(c, StrOptions)]
            if literals(hints[name]) != set().union(*options):
                wrong.append(f"{called}: {name} is {hints[name]}, but checked for {options}")
    assert wrong == []
