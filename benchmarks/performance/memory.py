"""Memory of a transform above input and output, each case in a process of its own."""

import itertools

import numpy as np

from benchmarks.command import keep_text
from benchmarks.performance.processes import each_in_a_fresh_process, peak
from sklearn_nrcdt import MaxNRCDT

SIZES = {256: 64, 1024: 8, 2048: 2}  # number of images
DENSITIES = {0.03: "3%", 1.1: "dense"}


def measure(case):
    """Return the largest resident size beyond that before `fit_transform`, in megabytes."""
    size, density, dtype = case
    rng = np.random.default_rng(0)
    images = np.empty((SIZES[size], size, size), dtype)
    for row in images.reshape(-1, size):  # row by row: nothing large to be freed
        row[:] = rng.random(size) < density
    MaxNRCDT(4).fit_transform(np.ones((2, 8, 8)))  # what importing and warming up takes
    before = peak()
    MaxNRCDT().fit_transform(images)
    return peak() - before


@keep_text
def run(args):
    sizes = [256] if args.quick else SIZES
    cases = list(itertools.product(sizes, DENSITIES, ("float32", "float64")))
    for case, megabytes in zip(cases, each_in_a_fresh_process(measure, cases), strict=True):
        size, density, dtype = case
        print(f"{size} x {size}, {DENSITIES[density]:5s} {dtype}: {megabytes:6.0f} MB", flush=True)
