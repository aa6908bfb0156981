"""The page about the command line: its commands run, and print what it says."""

import re
from pathlib import Path

import numpy as np
import pytest
from drawings import font
from PIL import Image

from sklearn_nrcdt.datasets import load_symbols, make_glyphs, make_symbols

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
NUMBER = re.compile(r"\d+\.\d+")


def save(image, file, size):
    file.parent.mkdir(parents=True, exist_ok=True)
    paper = Image.fromarray(np.uint8(255 * (1 - np.clip(image, 0, 1))))
    paper.resize((size, size), Image.Resampling.LANCZOS).save(file)


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """The folders that the page takes for granted."""
    monkeypatch.chdir(tmp_path)
    symbols, moved = load_symbols(), make_symbols(1, random_state=0)
    for k in range(12):
        save(symbols.images[k], tmp_path / f"drawings/symbol{k + 1:02d}.png", 300)
    for k in range(6):
        save(moved.images[k], tmp_path / f"scans/scan{k + 1:02d}.png", 200 + 50 * k)
    letters = make_glyphs("AKRS", font())
    letters = make_symbols(6, templates=letters, shear=(-15, 15), shift=(-5, 5), random_state=0)
    for k, (image, label) in enumerate(zip(letters.images, letters.target, strict=True)):
        save(image, tmp_path / f"letters/{'AKRS'[label]}/{k}.png", 128)


def test_commands_print_what_the_page_says(nrcdt, folders):
    text = PAGE.read_text("utf-8")
    [program] = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(program, {})
    runs = re.findall(r"```bash\nnrcdt (.*?)\n```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert len(runs) == 4
    for command, claimed in runs:
        status, printed, errors = nrcdt(*command.split())
        assert (status, errors) == (0, "")
        # Distances and scores depend on the versions of others, a little.
        assert NUMBER.sub("#", printed) == NUMBER.sub("#", claimed)
        numbers = [[float(number) for number in NUMBER.findall(t)] for t in (printed, claimed)]
        assert numbers[0] == pytest.approx(numbers[1], rel=0.02, abs=0.01)
