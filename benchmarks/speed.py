# ruff: noqa: E402 -- the number of threads is read when the libraries are imported
"""Milliseconds per image, side by side with the peers: ``python -m benchmarks.speed``.

One core, one run, the same images and the same angles for every library: half-circle
angles for the peers, the full circle (which projects the same half) for us. Set-up
(`fit`) and the first call are timed apart. A peer that is not installed is reported.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import csv
import importlib.metadata
import time
import warnings
from functools import partial

import numpy as np

from sklearn_nrcdt import NRCDT, MaxNRCDT, MeanNRCDT, RadonCDT
from sklearn_nrcdt.datasets import load_symbols, random_affine


def symbols(n):
    """Deformed line drawings of 256 x 256 pixels, about 3 % of them not black."""
    templates = load_symbols().images
    return random_affine(templates[np.arange(n) % 12], rotation=(0, 360), random_state=0)


def dense_grey(n):
    """Noise of 256 x 256 pixels, none of them black."""
    return np.random.default_rng(0).random((n, 256, 256)) + 0.01


CASES = {"256 x 256 symbols": symbols, "256 x 256 dense grey": dense_grey}


def per_image(call, images, repeats):
    """Return seconds of the first call and milliseconds per image of the best repeat."""
    start = time.perf_counter()
    call(images)
    first = time.perf_counter() - start
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call(images)
        times.append(time.perf_counter() - start)
    return first, 1000 * min(times) / len(images)


def ours(transformer, dtype, n_half_angles):
    def prepare(images):
        fitted = transformer(2 * n_half_angles).fit(images[:1].astype(dtype))
        return lambda batch: fitted.transform(batch.astype(dtype, copy=False))

    return prepare


def pytranskit(n_half_angles):
    from pytranskit.optrans.continuous import RadonCDT as Peer

    def prepare(images):
        peer = Peer(theta=np.arange(n_half_angles) * 180 / n_half_angles)
        reference = np.ones(images.shape[1:]) / images[0].size

        def call(batch):
            for image in batch:
                # It accepts only positive densities.
                density = image + 1e-8
                peer.forward([0, 1], reference, [0, 1], density / density.sum())

        return call

    return prepare


def torchcdt(n_half_angles, dtype, circle):
    import torch
    from torchcdt.functional import rcdt

    torch.set_num_threads(1)

    def prepare(images):
        theta = torch.arange(n_half_angles) * 180 / n_half_angles

        def call(batch):
            tensor = torch.as_tensor(batch[:, None], dtype=getattr(torch, dtype))
            rcdt(tensor, normalization="max", theta=theta, circle=circle)

        return call

    return prepare


def skimage_radon(n_half_angles):
    from skimage.transform import radon

    def prepare(images):
        theta = np.arange(n_half_angles) * 180 / n_half_angles
        return lambda batch: [radon(image, theta, circle=False) for image in batch]

    return prepare


PEERS = {
    "PyTransKit RadonCDT.forward": (pytranskit, "pytranskit"),
    **{
        # Its default, circle=True, cuts off the corners of the image.
        f"torchcdt max {dtype}{', corners cut' * circle}": (
            partial(torchcdt, dtype=dtype, circle=circle),
            "torchcdt",
        )
        for dtype in ("float32", "float64")
        for circle in (False, True)
    },
    "skimage.radon (projection only)": (skimage_radon, "scikit-image"),
}


def version(package):
    return importlib.metadata.version(package)


def libraries(n_half_angles):
    """Yield name, preparing function or None, number of images."""
    for transformer in (MaxNRCDT, MeanNRCDT, NRCDT, RadonCDT):
        for dtype in ("float32", "float64"):
            name = f"sklearn-nrcdt {transformer.__name__} {dtype}"
            yield name, ours(transformer, dtype, n_half_angles), 64
    for name, (make, package) in PEERS.items():
        try:
            yield f"{name} {version(package)}", make(n_half_angles), 8
        except ImportError as error:
            yield f"{name} (missing: {error})", None, 0


def run(n_half_angles, repeats):
    rows = []
    for case, make_images in CASES.items():
        images = make_images(64)
        share = np.mean(images > 0)
        print(f"\n{case} ({share:.1%} of the pixels not black), {n_half_angles} half-circle angles")
        for name, prepare, n in libraries(n_half_angles):
            if prepare is None:
                print(f"  {name}")
                continue
            start = time.perf_counter()
            call = prepare(images)
            set_up = time.perf_counter() - start
            first, milliseconds = per_image(call, images[:n], repeats)
            rows.append([case, name, n, set_up, first, milliseconds])
            print(f"  {name:55s} {milliseconds:9.2f} ms/image   set-up {set_up:6.3f} s")
        print_ratios([row for row in rows if row[0] == case])
    return rows


def print_ratios(rows):
    """Ratios against PyTransKit (always float64) and torchcdt in the same precision."""
    for _, name, *_, milliseconds in rows:
        if not name.startswith("sklearn-nrcdt"):
            continue
        dtype = name.split()[-1]
        peers = [row for row in rows if row[1].startswith(("PyTransKit", f"torchcdt max {dtype}"))]
        for label, cut in (("whole image", False), ("corners may be cut", True)):
            times = [row[-1] for row in peers if cut or "cut" not in row[1]]
            if times:
                print(f"  {name:45s} {min(times) / milliseconds:7.1f} x the fastest peer, {label}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--angles", type=int, default=64, help="angles on the half circle")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--csv", help="file for the table")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # the peers warn about their own deprecations
    rows = run(args.angles, args.repeats)
    if args.csv:
        with open(args.csv, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(
                ["case", "library", "images", "setup_s", "first_call_s", "ms_per_image"]
            )
            writer.writerows(rows)


if __name__ == "__main__":
    main()
