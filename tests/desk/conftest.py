"""A folder of drawings, pictures of them, and the desk with a browser's requests to it."""

import shutil
from contextlib import ExitStack, closing

import numpy as np
import pytest
from desks import NAMES, make_desk, png, write_drawings
from PIL import Image
from sheets import random_drawings, sheet

from sklearn_nrcdt.catalogue import Catalogue

pytest.importorskip("uvicorn", reason="uvicorn and Starlette are in the extras desk and test")


@pytest.fixture(scope="session")
def figures():
    """Seven figures of lines; the last is in no catalogue."""
    return random_drawings(len(NAMES) + 1, np.random.default_rng(2))


@pytest.fixture(scope="session")
def built(figures, tmp_path_factory):
    """A folder of drawings, and their catalogue beside it."""
    root = tmp_path_factory.mktemp("built")
    Catalogue.build(write_drawings(root / "drawings", figures)).close()
    return root


@pytest.fixture
def drawings(built, tmp_path):
    """A copy of the drawings, and of the catalogue beside them."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    return tmp_path / "drawings"


@pytest.fixture(scope="session")
def turned(figures):
    """Files of each figure, turned by some degrees, dark on white."""

    def draw(k, degrees):
        large = Image.fromarray(np.uint8(255 * np.pad(figures[k], 8))).resize((172, 212))
        lines = np.asarray(large.rotate(degrees, expand=True)) / 255
        return png(1 - lines)

    return draw


@pytest.fixture(scope="session")
def photo(figures):
    """The file of a photograph with a figure at row 60 and column 40 of 180 x 150."""
    image = sheet(figures[1], (180, 150), (60, 40), np.random.default_rng(0))
    return png(np.clip(image / 255, 0, 1))


@pytest.fixture
def open_desk(drawings):
    """Function that opens a desk on a catalogue beside the drawings."""
    with ExitStack() as stack:
        yield lambda *words: stack.enter_context(closing(make_desk(drawings, *words)))
