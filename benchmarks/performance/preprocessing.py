"""Processor time of the filters for scans, and of scikit-image's area opening."""

import time

import numpy as np
from skimage.morphology import area_opening

from benchmarks.command import keep_text
from benchmarks.pictures.preprocessing import scans, steps
from sklearn_nrcdt.preprocessing import Despeckle, Invert, RemoveBackground


def milliseconds(function, images, repetitions):
    """Return the best processor time per image."""
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        function(images)
        times.append(time.process_time() - start)
    return 1e3 * min(times) / len(images)


@keep_text
def run(args):
    repetitions = 1 if args.quick else 5
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
        print(f"{name:50}{milliseconds(filter_.transform, images, repetitions):8.2f}")
    drawing = drawing[:6]
    opened = milliseconds(
        lambda images: [area_opening(i, 30) for i in images], drawing, repetitions
    )
    print(f"{'skimage.morphology.area_opening, drawings, uint8':50}{opened:8.2f}")
