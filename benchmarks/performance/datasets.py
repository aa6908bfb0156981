"""Deformations: mass that leaves the canvas, and time."""

import time
import warnings

from benchmarks.command import keep_text
from sklearn_nrcdt.datasets import load_symbols, make_symbols, random_affine


def cut(n_each):
    """Say how many images the paper's widest ranges move off the canvas."""
    images = load_symbols().images.repeat(n_each, axis=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        random_affine(
            images,
            scale=(0.5, 1.25),
            rotation=(0, 360),
            shear=(-45, 45),
            shift=(-20, 20),
            random_state=0,
        )
    print("\n".join(str(warning.message) for warning in caught) or "No mass left the canvas.")


def speed(n_samples):
    """Time the deformation of small drawings, with one thread and with two."""
    templates = load_symbols(size=128)
    for n_jobs in (1, 2):
        start = time.perf_counter()
        make_symbols(
            n_samples // 12, templates=templates, shift=(-10, 10), n_jobs=n_jobs, random_state=0
        )
        seconds = time.perf_counter() - start
        print(f"{n_samples} drawings of 128 x 128 pixels, n_jobs={n_jobs}: {seconds:.1f} s")


@keep_text
def run(args):
    cut(10 if args.quick else 250)
    speed(600 if args.quick else 10_000)
