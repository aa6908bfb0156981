"""README's promises: the headline command, the typed package."""

import runpy
import sys
from importlib.metadata import entry_points
from importlib.resources import files

import pytest

from sklearn_nrcdt._commands import cli
from sklearn_nrcdt._commands.demo import run
from sklearn_nrcdt.datasets import make_symbols


def test_headline_orders_the_features():
    lines = []
    accuracies = run(make_symbols(2, random_state=0), n_angles=64, report=lines.append)
    assert accuracies.pop("ShapeClassifier") == 1
    euclidean = {name: scores["Euclidean"] for name, scores in accuracies.items()}
    assert euclidean["max NR-CDT"] == euclidean["InvariantHOG"] == 1
    assert euclidean["max NR-CDT"] > euclidean["mean NR-CDT"] > euclidean["R-CDT"]
    assert euclidean["mean NR-CDT"] > euclidean["raw pixels"] + 0.3
    assert len(lines) == 2 + len(accuracies)


def test_module_prints_a_table(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["nrcdt", "--samples", "1", "--angles", "16"])
    with pytest.raises(SystemExit, match="0"):
        runpy.run_module("sklearn_nrcdt", run_name="__main__")
    assert "max NR-CDT" in capsys.readouterr().out


def test_nrcdt_is_installed():
    [*found] = entry_points(group="console_scripts", name="nrcdt")
    if not found:
        pytest.skip("the package is not installed beside this Python")
    assert found[0].load() is cli.main


def test_package_is_typed():
    assert (files("sklearn_nrcdt") / "py.typed").is_file()


def test_page_of_the_report_comes_with_the_package():
    assert (files("sklearn_nrcdt._commands") / "report.html").is_file()
