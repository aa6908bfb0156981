"""Run tests/clients and print what was tried with which versions: python .ci/clients.py [--page]

A module of these tests says in its first line which packages it is about and what it does with
them. With --page, the table of docs/clients.md is replaced, too.
"""

import ast
import importlib.metadata
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "clients.md"


class Results:
    """How the tests of each module ended."""

    def __init__(self):
        self.counts = {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or (report.when == "setup" and not report.passed):
            name = Path(report.nodeid.partition("::")[0]).name
            self.counts.setdefault(name, Counter())[report.outcome] += 1


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def table(results):
    lines = ["| client | version | tried | tests |", "| --- | --- | --- | --- |"]
    for module in sorted((ROOT / "tests" / "clients").glob("test_*.py")):
        names, _, tried = ast.get_docstring(ast.parse(module.read_text())).partition(": ")
        packages = names.split(", ")
        counts = results.counts.get(module.name, Counter(skipped=1))
        ended = ", ".join(f"{counts[key]} {key}" for key in sorted(counts))
        versions = ", ".join(map(version, packages))
        lines.append(f"| {', '.join(packages)} | {versions} | {tried.rstrip('.')} | {ended} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    results = Results()
    status = pytest.main([str(ROOT / "tests" / "clients"), "-q", "--rootdir", str(ROOT)], [results])
    found = table(results)
    print(found)
    if "--page" in sys.argv:
        PAGE.write_text(re.sub(r"\| client \|(.*\n)+?(?!\|)", lambda _: found, PAGE.read_text()))
    sys.exit(status)
