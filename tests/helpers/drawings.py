"""Drawings on white paper, as files in folders."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

CHARACTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ2345"


def put_on_paper(path, image, size=None, *, invert=True):
    """Save a bright drawing as dark ink on white paper, of so many pixels on a side."""
    path.parent.mkdir(parents=True, exist_ok=True)
    grey = np.uint8(255 * np.clip(image, 0, 1))
    picture = Image.fromarray(255 - grey if invert else grey)
    picture.resize((size, size) if size else picture.size, Image.Resampling.LANCZOS).save(path)


def font():
    """Return the path of a font, which comes with matplotlib."""
    matplotlib = pytest.importorskip("matplotlib")
    return Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")
