"""Cleaning of scans: a picture of the steps, and their times.

``python -m benchmarks.preprocessing [folder]`` prints milliseconds of processor time
per image and writes the picture to ``docs/images``.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from PIL import Image
from skimage.morphology import area_opening

from benchmarks.pictures.datasets import tile
from sklearn_nrcdt.datasets import add_salt, make_symbols
from sklearn_nrcdt.preprocessing import Despeckle, Invert, RemoveBackground

REPETITIONS = 5


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


def draw():
    """One row of images before and after each step."""
    rows = steps(scans(1, classes=[1, 5, 8, 12]))
    return tile(np.concatenate(rows) / 255, 4)


def milliseconds(function, images):
    """Return the best processor time per image."""
    times = []
    for _ in range(REPETITIONS):
        start = time.process_time()
        function(images)
        times.append(time.process_time() - start)
    return 1e3 * min(times) / len(images)


def report():
    """Print the times."""
    scan, inverted, drawing, _ = steps(scans(5))
    rng = np.random.default_rng(0)
    dense = rng.random((60, 256, 256))
    dust = dense * (rng.random(dense.shape) < 0.1)
    print("ms of processor time per image of 256 x 256 pixels")
    for name, filter_, images in [
        ("Invert, uint8", Invert(), scan),
        ("RemoveBackground('otsu'), uint8", RemoveBackground(), inverted),
        ("RemoveBackground('median'), uint8", RemoveBackground("median"), inverted),
        ("Despeckle, drawings, uint8", Despeckle(), drawing),
        ("Despeckle, drawings, float64", Despeckle(), drawing / 255),
        ("Despeckle, no black pixel, float64", Despeckle(), dense + 0.1),
        ("Despeckle, every tenth pixel bright, float64", Despeckle(), dust),
    ]:
        print(f"{name:50}{milliseconds(filter_.transform, images):8.2f}")
    opened = milliseconds(lambda images: [area_opening(image, 30) for image in images], drawing[:6])
    print(f"{'skimage.morphology.area_opening, drawings, uint8':50}{opened:8.2f}")


def main(argv=None):
    """Print the times and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default="docs/images", type=Path)
    folder = parser.parse_args(argv).folder
    folder.mkdir(parents=True, exist_ok=True)
    report()
    file = folder / "preprocessing.png"
    Image.fromarray(np.rint(255 * draw()).astype(np.uint8)).save(file, optimize=True)
    print(f"{file}  {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
