"""Speed-up over the number of workers, threads and processes."""

import itertools
import os
import statistics
import tempfile
import time
from dataclasses import replace

import joblib
import numpy as np

from benchmarks.performance.points import Point, make_images
from benchmarks.tables import print_and_write
from sklearn_nrcdt import MaxNRCDT

# Name -> backend of joblib, and whether the images come from a file that all workers read.
WAYS = {
    "threads": ("threading", False),
    "processes": ("loky", False),
    "processes, memory map": ("loky", True),
}
# Name -> images of 256 x 256 pixels, or sixteen times as many small ones.
KINDS = {
    "sparse": Point("", "sparse", images=512),
    "dense": Point("", "dense", filled=1.0, images=512),
    "32 x 32": Point("", "dense", filled=1.0, side=32, images=8192),
}
REPETITIONS = 5


def numbers_of_jobs():
    """1, 2, 4, ... as far as there are cores."""
    cores = os.cpu_count() or 1
    return [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= cores]


def measure_jobs(kind, quick=False):
    """Yield rows: seconds for the same images with more and more workers, taking turns."""
    array = make_images(replace(KINDS[kind], images=8) if quick else KINDS[kind])
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/images.npy", array)
        mapped = np.load(f"{folder}/images.npy", mmap_mode="r")
        for name, (backend, from_file) in WAYS.items():
            yield from _measure(kind, name, backend, mapped if from_file else array)


def _measure(kind, name, backend, images):
    seconds = {n: [] for n in numbers_of_jobs()}
    with joblib.parallel_config(backend=backend):
        for repetition in range(REPETITIONS + 1):
            for n in seconds:
                transformer = MaxNRCDT(n_jobs=n).fit(images[:1])
                start = time.perf_counter()
                transformer.transform(images)
                if repetition:  # the first starts the workers and builds their tables
                    seconds[n].append(time.perf_counter() - start)
    medians = {n: statistics.median(values) for n, values in seconds.items()}
    for n, value in medians.items():
        ratios = np.divide(seconds[1], seconds[n])
        yield {
            "kind": kind,
            "workers": name,
            "n_jobs": n,
            "images": len(images),
            "ms": f"{1000 * value / len(images):.4g}",
            "speed_up": f"{statistics.median(ratios):.3g}",
            "least": f"{min(ratios):.3g}",
            "most": f"{max(ratios):.3g}",
        }


def run(args):
    rows = (measure_jobs(kind, args.quick) for kind in KINDS)
    print_and_write(args.results / "jobs.csv", itertools.chain.from_iterable(rows))
