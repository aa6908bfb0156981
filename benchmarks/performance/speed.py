"""Milliseconds per image, side by side with the peers.

The same images and the same angles for every library: 128 on the full circle for us, the 64
lines that they are for the peers. Each library runs in a process of its own on one core.
Repetitions alternate between the libraries, the table has the median. What is done once (`fit`)
and the first call have a column of their own. A peer that cannot be used is reported.
"""

import importlib.metadata
import multiprocessing
import os
import pkgutil
import statistics
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack

import numpy as np

from benchmarks.command import store
from benchmarks.performance.images import CASES, make_images
from benchmarks.performance.libraries import OURS, PEERS, VARIANTS
from benchmarks.tables import machine
from sklearn_nrcdt import InvariantHOG, MaxNRCDT

N_LINES = 64
REPETITIONS = 5
# A peer gets three times the images until it takes this long (some gain from batches), and
# nobody is repeated beyond the latter.
CALL_SECONDS = 0.1
TOTAL_SECONDS = 0.8

# -- in the process of a library -------------------------------------------------------

_calls: dict = {}


def _one_core():
    if hasattr(os, "sched_setaffinity"):
        # Whatever a library thinks of the variables: there is one core.
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    warnings.simplefilter("ignore")  # the peers warn about their own deprecations


def version(name):
    """Import the library; return its version."""
    entry = pkgutil.resolve_name(VARIANTS[name].entry)
    try:
        return importlib.metadata.version(VARIANTS[name].package)
    except importlib.metadata.PackageNotFoundError:  # ours, from a checkout
        return entry.__version__


def prepare(name, path, n):
    """Read the first n images, do what is done once; return its seconds."""
    images = np.load(path, mmap_mode="r")[:n].astype(VARIANTS[name].dtype)
    start = time.perf_counter()
    _calls[name] = VARIANTS[name].prepare(images, N_LINES)
    return time.perf_counter() - start


def call(name):
    """Transform the images; return the seconds."""
    start = time.perf_counter()
    _calls[name]()
    return time.perf_counter() - start


# -- here ------------------------------------------------------------------------------


def set_up(ask, variant, path, n_all):
    """Return the seconds of set-up and how many images a call takes.

    Set-up is what `prepare` and the first image take beyond a later image; peers tabulate
    nothing in their first call, and for them it is `prepare` alone.
    """
    name, is_ours = variant.name, variant in OURS
    n = 1
    found = ask(prepare, name, path, n)
    seconds = ask(call, name)
    if is_ours:
        found += max(0, seconds - ask(call, name))
    while n < n_all and (is_ours or seconds < CALL_SECONDS):
        n = n_all if is_ours else min(3 * n, n_all)
        ask(prepare, name, path, n)
        seconds = ask(call, name)
    return found, n


def measure(variants, paths, n_images, repetitions):
    """Yield a row for each case and variant; one that fails has the reason instead of times."""
    context = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        places = {
            place: stack.enter_context(ProcessPoolExecutor(1, context, _one_core))
            for place in dict.fromkeys(v.name if v in OURS else v.package for v in variants)
        }

        def asker(variant):
            pool = places[variant.name if variant in OURS else variant.package]
            return lambda task, *args: pool.submit(task, *args).result()

        for case, path in paths.items():
            rows, active = [], []
            for variant in variants:
                ask = asker(variant)
                row = {"case": case, "library": variant.name, "computes": variant.computes}
                rows.append(row | {"dtype": variant.dtype})
                try:
                    rows[-1]["version"] = ask(version, variant.name)
                    found, n = set_up(ask, variant, path, n_images(case))
                except Exception as error:  # any: it becomes a line of the table
                    rows[-1]["missing"] = f"{type(error).__name__}: {error}".splitlines()[0]
                    continue
                rows[-1] |= {"images": n, "setup_s": f"{found:.3g}"}
                active.append((rows[-1], variant, ask, []))
            for _ in range(repetitions):
                for _, variant, ask, seconds in active:
                    if sum(seconds) < TOTAL_SECONDS:
                        seconds.append(ask(call, variant.name))
            for row, _, _, seconds in active:
                each = [1000 * s / row["images"] for s in seconds]
                times = {"ms": statistics.median(each), "ms_min": min(each), "ms_max": max(each)}
                row |= {name: f"{value:.4g}" for name, value in times.items()}
                row["repetitions"] = len(each)
            yield from rows


# -- one image at a time, as in a service that answers one request after the other -----


def one_by_one(kind, images, n_calls):
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


def latency(args):
    images = make_images("28 x 28 digits", args.mnist).astype(np.float32)[:256]
    n_calls = 10 if args.quick else 3000
    store(args, "latency", (one_by_one(kind, images, n_calls) for kind in (InvariantHOG, MaxNRCDT)))


# -- everything ------------------------------------------------------------------------


def run(args):
    repetitions = 1 if args.quick else REPETITIONS
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for case in list(CASES)[: -1 if args.quick else None]:
            paths[case] = f"{folder}/{len(paths)}.npy"
            np.save(paths[case], make_images(case, args.mnist))

        def n_images(case):
            return max(1, CASES[case][1] // (8 if args.quick else 1))

        store(args, "speed", measure([*OURS, *PEERS], paths, n_images, repetitions))
    store(args, "machine", [{"machine": machine(), "digits": "MNIST" if args.mnist else "sklearn"}])
