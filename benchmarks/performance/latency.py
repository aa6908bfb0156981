"""What a single image takes, as in a service that answers one request after the other."""

import time

import numpy as np

from benchmarks.command import store
from benchmarks.performance.images import make_images
from sklearn_nrcdt import InvariantHOG, MaxNRCDT

KINDS = (InvariantHOG, MaxNRCDT)
N_CALLS = 3000


def measure(kind, images, n_calls):
    """Return milliseconds for one image at a time, and for each image of a batch."""
    transformer = kind().fit(images)
    batch = min(seconds(transformer, images) for _ in range(3)) / len(images)
    alone = [
        seconds(transformer, images[k % len(images)][None]) for k in range(n_calls + len(images))
    ][len(images) :]
    times = {"ms": np.median(alone), "p99_ms": np.quantile(alone, 0.99), "batch_ms": batch}
    found = {name: f"{1000 * value:.3g}" for name, value in times.items()}
    return {"transformer": kind.__name__, "calls": n_calls, **found}


def seconds(transformer, images):
    start = time.perf_counter()
    transformer.transform(images)
    return time.perf_counter() - start


def run(args):
    images = make_images("28 x 28 digits", args.mnist).astype(np.float32)[:256]
    n_calls = 10 if args.quick else N_CALLS
    store(args, "latency", (measure(kind, images, n_calls) for kind in KINDS))
