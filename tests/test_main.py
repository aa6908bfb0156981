"""README's promises: the headline command, the typed package."""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from sklearn_nrcdt._commands.demo import run
from sklearn_nrcdt.datasets import make_symbols


def test_headline_orders_the_features():
    lines = []
    accuracies = run(make_symbols(3, random_state=0), n_angles=64, report=lines.append)
    assert accuracies.pop("ShapeClassifier") == 1
    euclidean = {name: scores["Euclidean"] for name, scores in accuracies.items()}
    assert euclidean["max NR-CDT"] == euclidean["InvariantHOG"] == 1
    assert euclidean["max NR-CDT"] > euclidean["mean NR-CDT"] > euclidean["R-CDT"]
    assert euclidean["mean NR-CDT"] > euclidean["raw pixels"] + 0.3
    assert len(lines) == 2 + len(accuracies)


def test_command_prints_a_table():
    command = [sys.executable, "-m", "sklearn_nrcdt", "--samples", "1", "--angles", "16"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "max NR-CDT" in done.stdout


def test_nrcdt_is_installed():
    nrcdt = Path(sys.executable).with_name("nrcdt")
    if not nrcdt.exists():
        pytest.skip("the package is not installed beside this Python")
    done = subprocess.run([nrcdt, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("nrcdt ")


def test_package_is_typed():
    assert (files("sklearn_nrcdt") / "py.typed").is_file()


def test_page_of_the_report_comes_with_the_package():
    assert (files("sklearn_nrcdt._commands") / "report.html").is_file()
