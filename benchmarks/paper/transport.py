"""Figure 3: optimal transport from a corrupted symbol to its template. Needs POT."""

from typing import NamedTuple

import numpy as np

from benchmarks.paper.data import BENT
from sklearn_nrcdt.datasets import add_salt, load_symbols, random_wave

# Pixels are put together in squares of this side; the distance changes by less than that.
BLOCK = 2


class Case(NamedTuple):
    """A corrupted image, its distance to the template, and where its mass goes."""

    title: str
    image: np.ndarray
    distance: float  # in units of the disc's radius
    field: tuple  # x, y and their displacements, in pixels


def transport_maps():
    """Yield the three cases of the paper, for symbol 5."""
    template = load_symbols().images[[4]]
    bent = random_wave(template, **BENT, random_state=1)
    cases = {
        "non-affine": bent,
        "salt of strength 9": add_salt(template, n_discs=6, strength=9, random_state=1),
        "non-affine and salt": add_salt(bent, n_discs=6, strength=9, random_state=1),
    }
    for title, image in cases.items():
        distance, field = transport(image[0], template[0])
        yield Case(title, image[0], distance, field)


def transport(image, template):
    """Wasserstein-2 distance of two images, and the mean displacement of every place."""
    try:
        import ot
    except ImportError as error:
        raise ImportError("Figure 3 needs POT: pip install POT") from error
    (places, mass), (goals, wanted) = _points(image), _points(template)
    plan, log = ot.emd(mass, wanted, ot.dist(places, goals), numItermax=10**7, log=True)
    mean_goal = plan @ goals / mass[:, None]
    side = np.sqrt(2) / max(image.shape)
    return side * np.sqrt(log["cost"]), (*places.T, *(mean_goal - places).T)


def _points(image):
    """Places (x, y) in pixels, and shares of the mass."""
    height, width = (side // BLOCK for side in image.shape)
    blocks = image.reshape(height, BLOCK, width, BLOCK).sum(axis=(1, 3)).astype(np.float64)
    rows, columns = np.nonzero(blocks)
    mass = blocks[rows, columns]
    return BLOCK * (np.column_stack([columns, rows]) + 0.5), mass / mass.sum()
