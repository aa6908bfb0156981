"""Speed-up over the number of workers, threads and processes."""

import itertools
import os
import tempfile
import time
from dataclasses import replace

import joblib
import numpy as np

from benchmarks.command import store
from benchmarks.performance.scaling import Point, make_images
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


def measure_jobs(kind, quick=False):
    """Yield rows: seconds for the same images with more and more workers, taking turns."""
    array = make_images(replace(KINDS[kind], images=8) if quick else KINDS[kind])
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/images.npy", array)
        mapped = np.load(f"{folder}/images.npy", mmap_mode="r")
        for name, (backend, from_file) in WAYS.items():
            images = mapped if from_file else array
            for n, seconds in time_workers(backend, images).items():
                yield {"kind": kind, "workers": name, "n_jobs": n, "images": len(images), **seconds}


def time_workers(backend, images):
    """Return times and speed-ups for 1, 2, 4, ... workers, as far as there are cores."""
    numbers = [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= (os.cpu_count() or 1)]
    seconds = {n: [] for n in numbers}
    with joblib.parallel_config(backend=backend):
        for repetition in range(REPETITIONS + 1):
            for n in seconds:
                transformer = MaxNRCDT(n_jobs=n).fit(images[:1])
                start = time.perf_counter()
                transformer.transform(images)
                if repetition:  # the first starts the workers and builds their tables
                    seconds[n].append(time.perf_counter() - start)
    found = {}
    for n in numbers:
        ratios = np.divide(seconds[1], seconds[n])
        one = {"ms": f"{1000 * np.median(seconds[n]) / len(images):.4g}"}
        gains = {"speed_up": np.median(ratios), "least": min(ratios), "most": max(ratios)}
        found[n] = one | {name: f"{gain:.3g}" for name, gain in gains.items()}
    return found


def run(args):
    rows = (measure_jobs(kind, args.quick) for kind in KINDS)
    store(args, "jobs", itertools.chain.from_iterable(rows))
