"""README's promises: the headline command, the five lines, the typed package."""

import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from sklearn_nrcdt.__main__ import main, run
from sklearn_nrcdt.datasets import make_symbols

README = Path(__file__).parent.parent / "README.md"


def test_headline_orders_the_features():
    lines = []
    accuracies = run(make_symbols(3, random_state=0), n_angles=64, report=lines.append)
    euclidean = {name: scores["Euclidean"] for name, scores in accuracies.items()}
    assert euclidean["max NR-CDT"] == 1
    assert euclidean["max NR-CDT"] > euclidean["mean NR-CDT"] > euclidean["R-CDT"]
    assert euclidean["mean NR-CDT"] > euclidean["raw pixels"] + 0.3
    assert len(lines) == 1 + len(accuracies)


def test_command_prints_a_table_and_saves_a_picture(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is part of the test extra")
    picture = tmp_path / "headline.png"
    command = [sys.executable, "-m", "sklearn_nrcdt", "--samples", "1", "--angles", "16"]
    done = subprocess.run(
        [*command, "--picture", str(picture)], capture_output=True, text=True, check=True
    )
    assert "max NR-CDT" in done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_bad_arguments_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--samples", "0"])
    assert "at least 1" in capsys.readouterr().err


def test_five_lines_of_the_readme(capsys):
    code = re.search(r"```python\n(.*?)```", README.read_text(), re.DOTALL).group(1)
    exec(code, {})
    assert float(capsys.readouterr().out) == 1


def test_package_is_typed():
    assert (files("sklearn_nrcdt") / "py.typed").is_file()
