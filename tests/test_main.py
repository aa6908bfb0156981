"""README's promises: the headline command, the five lines, the typed package."""

import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from sklearn_nrcdt._commands.demo import run
from sklearn_nrcdt.datasets import make_symbols

README = Path(__file__).parent.parent / "README.md"


def test_headline_orders_the_features():
    lines = []
    accuracies = run(make_symbols(3, random_state=0), n_angles=64, report=lines.append)
    euclidean = {name: scores["Euclidean"] for name, scores in accuracies.items()}
    assert euclidean["max NR-CDT"] == euclidean["InvariantHOG"] == 1
    assert euclidean["max NR-CDT"] > euclidean["mean NR-CDT"] > euclidean["R-CDT"]
    assert euclidean["mean NR-CDT"] > euclidean["raw pixels"] + 0.3
    assert len(lines) == 1 + len(accuracies)


@pytest.mark.parametrize("words", [[], ["demo"]])
def test_command_prints_a_table_and_saves_a_picture(words, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is part of the test extra")
    picture = tmp_path / "headline.png"
    command = [sys.executable, "-m", "sklearn_nrcdt", *words, "--samples", "1", "--angles", "16"]
    done = subprocess.run(
        [*command, "--picture", str(picture)], capture_output=True, text=True, check=True
    )
    assert "max NR-CDT" in done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_the_extra_is_named(capsys, monkeypatch, tmp_path):
    from sklearn_nrcdt._commands.cli import main

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["demo", "--picture", str(tmp_path / "a.png")]) == 2
    assert "sklearn-nrcdt[plot]" in capsys.readouterr().err


def test_nrcdt_is_installed():
    nrcdt = Path(sys.executable).with_name("nrcdt")
    if not nrcdt.exists():
        pytest.skip("the package is not installed beside this Python")
    done = subprocess.run([nrcdt, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("nrcdt ")


def test_five_lines_of_the_readme(capsys):
    code = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL).group(1)
    exec(code, {})
    assert float(capsys.readouterr().out) == 1


def test_package_is_typed():
    assert (files("sklearn_nrcdt") / "py.typed").is_file()


def test_page_of_the_report_comes_with_the_package():
    assert (files("sklearn_nrcdt._commands") / "report.html").is_file()
