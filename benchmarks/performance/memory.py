"""What we promise about memory: one list of cases, for the table of the page and for the tests.

A case is measured in a process of its own: the largest resident memory above that with the
input, less the output. The tests hold the promise; the table shows both.
"""

import gc
import multiprocessing
import resource
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import sklearn

import sklearn_nrcdt
from benchmarks.command import store
from sklearn_nrcdt import MaxNRCDT, aligned_pairwise_distances, transform_to_npy


def each_in_a_fresh_process(function, items):
    """Yield the results: memory that was once used is not given back to the system."""
    context = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
    if context.get_start_method() == "forkserver":
        context.set_forkserver_preload([function.__module__])  # imports once, for all of them
    for item in items:
        with ProcessPoolExecutor(1, context) as executor:
            yield executor.submit(function, item).result()


def memory(name):
    """A line of what Linux says about this process, in megabytes, such as VmRSS."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))


def peak():
    """Largest resident memory of this process so far, in megabytes."""
    if Path("/proc/self/status").exists():
        return memory("VmHWM")
    # In bytes, as macOS says it; on Linux it would count what the parent had before, too.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


@dataclass(frozen=True)
class Case:
    """What is done with which input, how much it may take, and the function that measures it."""

    what: str
    given: str
    promise: int  # megabytes
    measure: Callable[[], float]


def _above(function, *arguments):
    """Return the megabytes that a call takes beyond its arguments and what it returns."""
    before = peak()
    output = function(*arguments)
    return peak() - before - output.nbytes / 2**20


# -- transformers ------------------------------------------------------------------------


def dense(dtype, n, side):
    """Noise, no pixel black; row by row, so that nothing large is freed."""
    rng = np.random.default_rng(0)
    images = np.empty((n, side, side), dtype)
    for row in images.reshape(-1, side):
        row[:] = rng.integers(1, 256, side)
    return images


def sparse(dtype, n, side):
    """Rows with 1 % of the pixels, anywhere on the canvas."""
    rng = np.random.default_rng(0)
    filled = max(1, side * side // 100)
    images = [rng.choice(side * side, filled, replace=False, shuffle=False) for _ in range(n)]
    indices = np.concatenate(images).astype(np.int32)
    indptr = np.arange(n + 1, dtype=np.int32) * filled
    return sp.csr_array((np.ones(n * filled, dtype), indices, indptr), (n, side * side))


def transform(name, kind, dtype, n, side, **parameters):
    """Memory of `fit_transform`."""
    transformer = getattr(sklearn_nrcdt, name)
    transformer().fit_transform(np.eye(4)[None])  # what importing and warming up takes
    return _above(transformer(**parameters).fit_transform, kind(dtype, n, side))


# Integers are computed in float64, which takes more than float32.
KINDS = {
    "dense uint8": (dense, np.uint8),
    "dense float32": (dense, np.float32),
    "sparse rows, 1 %": (sparse, np.float64),
}
RADON = ("RadonCDT", "NRCDT", "MaxNRCDT", "MeanNRCDT", "SpectralNRCDT")
N_IMAGES = {28: 1000, 256: 16, 1024: 2, 4096: 1}


def classify_images(name, kind, dtype, n, side):
    """Memory of `fit` and `predict`, and of the templates."""
    model = getattr(sklearn_nrcdt, name)
    few = np.eye(12)[None] + np.triu(np.ones((4, 12, 12)))
    model().fit(few, [0, 1, 1, 2]).predict(few)
    images = kind(dtype, n, side)
    return _above(lambda: model().fit(images, np.arange(n)).predict(images[:50]))


def images_case(promise, name, kind, side, **parameters):
    make, dtype = KINDS[kind]
    n = N_IMAGES[side]
    measure = classify_images if name == "ShapeClassifier" else transform
    call = ", ".join(f"{key}={value}" for key, value in parameters.items())
    return Case(
        f"`{name}({call})`" if call else f"`{name}`",
        f"{n:,} x {side} x {side}, {kind}",
        promise,
        partial(measure, name, make, dtype, n, side, **parameters),
    )


# -- distances -----------------------------------------------------------------------------


def features(n, length=64):
    return np.random.default_rng(0).standard_normal((n, length), np.float32)


def circles(n, n_channels=512):
    """Functions on a circle; those of order 0 are real."""
    rows = features(n, 16 * n_channels)
    rows[:, n_channels : 2 * n_channels] = 0
    return rows


def duplicates(n):
    """Features that are all the same, as those of blank or equal images are."""
    return np.ones((n, 64), np.float32)


def classify(name, make, n, n_classes, working_memory):
    """Memory of `fit` and `predict`, with as many samples as templates."""
    classifier = getattr(sklearn_nrcdt, name)
    classifier().fit(features(12), np.arange(12) % 3).predict(features(12))
    X, y = make(n), np.arange(n) % n_classes
    with sklearn.config_context(working_memory=working_memory):
        return _above(lambda: classifier().fit(X, y).predict(X))


def classifier_case(promise, name, make, n, n_classes, working_memory=1024):
    given = {features: "rows", duplicates: "equal rows"}[make]
    note = f", working_memory={working_memory}" if working_memory != 1024 else ""
    return Case(
        f"`{name}`",
        f"{n:,} x {n:,} {given} of 64 features, {n_classes:,} classes{note}",
        promise,
        partial(classify, name, make, n, n_classes, working_memory),
    )


def align(n_left, n_right):
    """Memory of distances under the best rotation, of rows as long as those of `NRCDT`."""
    aligned_pairwise_distances(circles(2))
    left, right = circles(n_left), circles(n_right)
    return _above(aligned_pairwise_distances, left, right)


# -- what lasts, and what need not fit -----------------------------------------------------


def left_behind(n_angles, *sides):
    """What a process still holds when images, features and transformers are gone."""
    MaxNRCDT().fit_transform(np.eye(4)[None])
    before = memory("VmRSS")
    for side in sides:
        MaxNRCDT(n_angles).fit_transform(dense(np.float32, 1, side))
    gc.collect()
    return memory("VmRSS") - before


def stream(n, side, as_batches):
    """Memory of `transform_to_npy`, from a memory map or from batches, to a file."""
    transformer = MaxNRCDT(4).fit(np.ones((1, side, side)))
    images = (np.full((500, side, side), i + 1, np.uint8) for i in range(n // 500))
    with tempfile.TemporaryDirectory() as folder:
        transform_to_npy(transformer, np.ones((2, side, side)), f"{folder}/few.npy")
        if not as_batches:
            with open(f"{folder}/images", "wb") as file:
                for batch in images:
                    batch.tofile(file)
            images = np.memmap(f"{folder}/images", np.uint8, "r", shape=(n, side, side))
        before = peak()
        transform_to_npy(transformer, images, f"{folder}/features.npy")
        return peak() - before


LEFT = "left when all is deleted"
CLASSIFIERS = ("NearestTemplateClassifier", "NearestSubspaceClassifier")
CASES = [
    *(images_case(50, name, "dense uint8", 28) for name in RADON),
    *(images_case(100, name, "dense uint8", 256) for name in RADON),
    *(images_case(350, name, "dense uint8", 1024) for name in RADON),
    *(images_case(150, name, "sparse rows, 1 %", 4096) for name in RADON),
    images_case(450, "MaxNRCDT", "dense uint8", 4096),
    # With so few angles the table of footprints is just small enough to be kept: the worst case.
    images_case(1100, "MaxNRCDT", "dense uint8", 4096, n_angles=16),
    images_case(70, "MaxNRCDT", "dense float32", 256),
    images_case(250, "MaxNRCDT", "dense float32", 1024),
    images_case(70, "MaxNRCDT", "sparse rows, 1 %", 256),
    images_case(350, "MaxNRCDT", "sparse rows, 1 %", 1024),
    images_case(30, "InvariantHOG", "dense uint8", 28),
    images_case(30, "InvariantHOG", "dense uint8", 256),
    images_case(50, "InvariantHOG", "dense uint8", 1024),
    images_case(450, "InvariantHOG", "dense uint8", 4096),
    images_case(50, "InvariantHOG", "sparse rows, 1 %", 4096),
    # 17 kB for each template.
    images_case(80, "ShapeClassifier", "dense uint8", 28),
    images_case(50, "ShapeClassifier", "dense uint8", 256),
    images_case(70, "ShapeClassifier", "dense uint8", 1024),
    images_case(450, "ShapeClassifier", "dense uint8", 4096),
    images_case(60, "ShapeClassifier", "sparse rows, 1 %", 4096),
    *(classifier_case(100, name, features, 10_000, 10) for name in CLASSIFIERS),
    # These fill scikit-learn's working memory, whatever it is.
    *(
        classifier_case(150, name, make, n, n_classes, 64)
        for name in CLASSIFIERS
        for make, n, n_classes in ((duplicates, 3000, 10), (features, 10_000, 1000))
    ),
    *(
        Case(what, given, promise, partial(*call))
        for what, given, promise, *call in (
            ("`aligned_pairwise_distances`", "1 x 1,000 rows of `NRCDT`", 50, align, 1, 1000),
            ("`aligned_pairwise_distances`", "100 x 100 rows of `NRCDT`", 50, align, 100, 100),
            ("`transform_to_npy`", "a file of 4,000 x 128 x 128", 50, stream, 4000, 128, False),
            ("`transform_to_npy`", "batches of 500, 4,000 x 128 x 128 in all", 50, stream, 4000,
             128, True),
            (LEFT, "`MaxNRCDT(256)`, 1 x 1024 x 1024", 80, left_behind, 256, 1024),
            (LEFT, "`MaxNRCDT`, 128, 256, 384, 512 and 768 pixels", 200, left_behind, 128, 128, 256,
             384, 512, 768),
        )
    ),
]  # fmt: skip


def measure(case):
    """Return the megabytes of a case."""
    return case.measure()


def table(cases):
    """Yield the rows of the table."""
    for case, megabytes in zip(cases, each_in_a_fresh_process(measure, cases), strict=True):
        yield {
            "what": case.what,
            "given": case.given,
            "promise_mb": case.promise,
            "measured_mb": max(0, round(megabytes)),
        }


def run(args):
    cases = [case for case in CASES if "28 x 28" in case.given] if args.quick else CASES
    store(args, "memory", table(cases))
