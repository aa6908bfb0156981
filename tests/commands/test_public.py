"""The commands and the desk are built from what every user has: public names only."""

import ast
from pathlib import Path

from sklearn_nrcdt import _commands, _desk


def test_commands_import_public_names_only():
    modules = [m for room in (_commands, _desk) for m in Path(room.__file__).parent.glob("*.py")]
    assert len(modules) > 5
    for module in modules:
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not node.module.startswith("sklearn_nrcdt"):
                continue
            rooms = node.module.split(".")[1:]
            own = rooms and rooms[0] in ("_commands", "_desk")
            assert own or not any(r.startswith("_") for r in rooms), module
