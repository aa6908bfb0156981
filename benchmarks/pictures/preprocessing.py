"""Cleaning of scans, step by step."""

import numpy as np

from benchmarks.pictures.datasets import save, tile
from sklearn_nrcdt.datasets import add_salt, make_symbols
from sklearn_nrcdt.preprocessing import Despeckle, Invert, RemoveBackground


def scans(n_per_class, classes=None):
    """Dark figures on shimmering paper, with specks: 256 x 256 pixels, uint8."""
    rng = np.random.default_rng(0)
    made = make_symbols(n_per_class, classes=classes, scale=(0.75, 1.25), random_state=0)
    ink = add_salt(made.images, n_discs=(6, 12), strength=9, random_state=0)
    paper = rng.normal(0.8, 0.04, ink.shape)
    return np.rint(255 * np.clip(paper * (1 - ink) + 0.1 * ink, 0, 1)).astype(np.uint8)


def steps(images):
    """Return the images before and after each step."""
    shown = [images]
    for step in (Invert(), RemoveBackground(), Despeckle()):
        shown.append(step.transform(shown[-1]))
    return shown


def run(args):
    rows = steps(scans(1, classes=[1, 5, 8, 12]))
    save(tile(np.concatenate(rows) / 255, 4), args.docs / "images" / "preprocessing.png")
