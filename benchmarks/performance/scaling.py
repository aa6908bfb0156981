"""How time and memory grow.

One quantity at a time is varied around 32 images of 256 x 256 pixels (float32), 1 % or all of
them not black, 128 angles, 64 levels. Each setting runs in a fresh process, on one core, whose
largest resident memory is read; the time is the shortest of several.
"""

import time
from dataclasses import asdict, dataclass, replace

import numpy as np

from benchmarks.command import store
from benchmarks.performance.memory import each_in_a_fresh_process, peak
from sklearn_nrcdt import MaxNRCDT
from sklearn_nrcdt._kernels.radon import SPARSE_DENSITY

# Windows with a smaller share of non-zero pixels are sparse, for four bytes of float32.
SPARSE = 4 * SPARSE_DENSITY


@dataclass(frozen=True)
class Point:
    """One setting: images of side x side pixels, a share of them not black."""

    sweep: str
    kind: str
    side: int = 256
    filled: float = 0.01
    angles: int = 128
    radii: int | str = "auto"
    levels: int = 64
    images: int = 32


SWEEPS = {
    "image side": ("side", (32, 64, 128, 256, 512, 1024)),
    "non-zero pixels": ("filled", (0.0025, 0.005, 0.01, 0.02, 0.03, 0.06, 0.15, 0.25, 0.5, 1.0)),
    "angles": ("angles", (16, 32, 64, 128, 256, 512)),
    "radii": ("radii", (101, 201, 401, 801, 1601)),
    "levels": ("levels", (8, 16, 32, 64, 128, 256, 512)),
    "images in a call": ("images", (1, 2, 4, 8, 16, 32, 64)),
    "number of images": ("images", (128, 512, 2048)),
}


def points():
    """Yield all settings; those of one sweep and kind differ in one parameter."""
    for sweep, (name, values) in SWEEPS.items():
        for kind, filled in (("sparse", 0.01), ("dense", 1.0)):
            if sweep == "non-zero pixels" and kind == "dense":
                continue  # it covers both
            base = Point(sweep, kind, filled=filled)
            if sweep == "number of images":
                base = replace(base, side=64)
            for value in values:
                point = replace(base, **{name: value})
                if sweep == "image side" and value > 256:
                    point = replace(point, images=8 if value == 512 else 4)
                if sweep == "non-zero pixels":
                    point = replace(point, kind="sparse" if value <= SPARSE else "dense")
                yield point


def make_images(point):
    """Random grey values in random pixels; made row by row, so that nothing is freed."""
    rng = np.random.default_rng(0)
    images = np.zeros((point.images, point.side, point.side), np.float32)
    for row in images.reshape(-1, point.side):
        row[:] = (rng.random(point.side) + 0.01) * (rng.random(point.side) < point.filled)
    images[:, 0, 0] = 1  # none is blank
    return images


def measure(point):
    """Return a row of the table: set-up, time for each image, memory above in- and output."""
    images = make_images(point)
    MaxNRCDT(4).fit_transform(np.ones((2, 8, 8), np.float32))  # what importing leaves to do
    before = peak()
    start = time.perf_counter()
    transformer = MaxNRCDT(point.angles, point.radii, point.levels).fit(images[:1])
    set_up = time.perf_counter() - start
    features = transformer.transform(images)
    # Input is there before, features are output: what is left is what the work needs.
    memory = peak() - before - features.nbytes / 2**20
    seconds = []
    while not seconds or sum(seconds) < (2 if len(seconds) < 3 else 0.3):
        start = time.perf_counter()
        transformer.transform(images)
        seconds.append(time.perf_counter() - start)
    return asdict(point) | {
        "radii": len(transformer.radii_),
        "setup_ms": f"{1000 * set_up:.4g}",
        "ms": f"{1000 * min(seconds) / point.images:.4g}",
        "peak_mb": f"{max(memory, 0):.1f}",
    }


def run(args):
    chosen = points()
    if args.quick:
        chosen = (replace(p, images=max(1, p.images // 8)) for p in points() if p.side <= 256)
    rows = map(measure, chosen) if args.quick else each_in_a_fresh_process(measure, chosen)
    store(args, "scaling", rows)
