"""Folders of pictures, and the command line without a new process."""

import json
import re
from contextlib import redirect_stdout
from io import StringIO
from unittest.mock import patch

import numpy as np
import pytest
from drawings import CHARACTERS, font, put_on_paper
from sheets import random_drawings, sheet

from sklearn_nrcdt._commands.cli import main
from sklearn_nrcdt.datasets import load_symbols, make_glyphs, make_symbols


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory):
    """40 templates, symbols and letters; 50 queries: affine maps of every fourth template.

    Queries have 60 to 900 pixels on a side; their names are that of the template and 7, ..., 11.
    """
    root, rng = tmp_path_factory.mktemp("catalogue"), np.random.RandomState(0)
    letters = make_glyphs(CHARACTERS, font(), canvas=256)
    images = np.concatenate([load_symbols().images, letters.images])
    names = [f"symbol{k}" for k in range(12)] + [f"letter{c}" for c in CHARACTERS]
    for name, image in zip(names, images, strict=True):
        put_on_paper(root / "templates" / f"{name}.png", image, rng.randint(120, 401))
    poses = {"scale": (0.5, 1.0), "shear": (-20, 20), "shift": (-20, 20), "random_state": 0}
    templates = {"images": images[::4], "target": np.arange(0, 40, 4)}
    moved = make_symbols(5, templates=templates, **poses)
    for k, (image, label) in enumerate(zip(moved.images, moved.target, strict=True)):
        file = root / "queries" / f"{names[label]}_{7 + k % 5}.png"
        put_on_paper(file, image, rng.randint(60, 901))
    return root


@pytest.fixture(scope="session")
def matched(catalogue, tmp_path_factory):
    """What `nrcdt match` prints of the catalogue and its queries; its table and its page.

    Pictures are read in several batches.
    """
    folder, printed = tmp_path_factory.mktemp("matched"), StringIO()
    table, page = folder / "answers.csv", folder / "match.html"
    words = [catalogue / "templates", catalogue / "queries", "--csv", table, "--report", page]
    with redirect_stdout(printed), patch("sklearn_nrcdt._commands.folder.BATCH", 16):
        assert main(["match", *map(str, words), "--n-jobs", "1"]) == 0
    return printed.getvalue(), table, page


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """A folder with the subfolders A, L and R, of four affine maps of each letter."""
    root = tmp_path_factory.mktemp("classes")
    letters = make_glyphs("ALR", font(), canvas=96)
    moved = make_symbols(4, templates=letters, shear=(-15, 15), shift=(-5, 5), random_state=0)
    for k, (image, label) in enumerate(zip(moved.images, moved.target, strict=True)):
        put_on_paper(root / letters.target_names[label] / f"{k}.png", image, 70 + 10 * k)
    return root


@pytest.fixture(scope="session")
def paper(tmp_path_factory):
    """Five drawings, dark or bright, and photographs: bell, a turned eagle, none of them."""
    root, rng = tmp_path_factory.mktemp("paper"), np.random.default_rng(2)
    drawings = random_drawings(6, rng)
    for k, name in enumerate(["anchor", "bell", "crown", "dove", "eagle"]):
        put_on_paper(root / "drawings" / f"{name}.png", np.pad(drawings[k], 8), invert=k % 2 == 0)
    bell = sheet(drawings[1], (180, 150), (60, 40), rng)
    eagle = np.rot90(sheet(drawings[4], (180, 150), (50, 60), rng, sign=1))
    other = sheet(drawings[5], (180, 150), (50, 60), rng)
    for name, photo in {"bell.jpg": bell, "turned eagle.png": eagle, "other.png": other}.items():
        put_on_paper(root / "photos" / name, photo / 255, invert=False)
    return root


@pytest.fixture
def nrcdt(capsys):
    """The command line: arguments -> exit status, output, errors."""

    def run(*args):
        status = main([*map(str, args), "--n-jobs", "1"])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def page_data():
    """The data in a page."""

    def read(page):
        script = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
        return json.loads(script[1])

    return read
