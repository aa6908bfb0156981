"""More images than should be in memory.

Writes 100,000 images of 128 x 128 pixels (uint8, 1.6 GB) to a temporary directory, sends them
through `MaxNRCDT` from a memory map, by `transform_to_npy` and by `transform`, and reports
the largest resident memory of the process that did it. Pages of the memory map that the
system happens to keep mapped are resident, too, but can be taken back at any time: they
are counted apart. The features must equal those of images in memory, and each other.
Linux only: memory is read from /proc.
"""

import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from benchmarks.performance.processes import each_in_a_fresh_process, memory
from benchmarks.tables import print_and_write
from sklearn_nrcdt import MaxNRCDT, transform_to_npy
from sklearn_nrcdt.datasets import load_symbols, random_affine

WAYS = ("transform_to_npy", "transform")
SIDE = 128
CHECKED = 500


def write_images(path, n):
    """Write deformed symbols, each shifted in its own way."""
    templates = load_symbols(size=SIDE).images[np.arange(1200) % 12]
    drawn = (255 * random_affine(templates, random_state=0)).astype(np.uint8)
    images = np.lib.format.open_memmap(path, "w+", np.uint8, (n, SIDE, SIDE))
    rng = np.random.default_rng(0)
    for start in range(0, n, len(drawn)):
        part = images[start : start + len(drawn)]
        part[:] = np.roll(drawn, rng.integers(-12, 13, 2), axis=(1, 2))[: len(part)]
    images.flush()


class Peak:
    """The largest resident memory while the context is open, looked at every 20 ms."""

    def __enter__(self):
        self.total = self.without_pages = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self):
        while not self._done.wait(0.02):
            total = memory("VmRSS")
            self.total = max(self.total, total)
            self.without_pages = max(self.without_pages, total - memory("RssFile"))

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()


def transform(job):
    """Transform the file of images, write the features; return what it took."""
    way, source, target = job
    images = np.load(source, mmap_mode="r")
    start = time.perf_counter()
    with Peak() as peak:
        if way == "transform_to_npy":
            transform_to_npy(MaxNRCDT().fit(images[:1]), images, target, verbose=1)
        else:
            np.save(target, MaxNRCDT(verbose=1).fit(images[:1]).transform(images))
    seconds = time.perf_counter() - start
    return seconds, peak.total, peak.without_pages


def equal_to_memory(source, target):
    """Whether the first and last features are those of images in memory, bit by bit."""
    images, features = np.load(source, mmap_mode="r"), np.load(target, mmap_mode="r")
    ends = np.r_[: min(CHECKED, len(images)), max(0, len(images) - CHECKED) : len(images)]
    expected = MaxNRCDT().fit_transform(np.array(images[ends]))
    return len(features) == len(images) and np.array_equal(features[ends], expected)


def measure(folder, n_images):
    """Yield the rows of the table."""
    source = Path(folder) / "images.npy"
    write_images(source, n_images)
    targets = [Path(folder) / f"{way}.npy" for way in WAYS]
    jobs = [(way, source, target) for way, target in zip(WAYS, targets, strict=True)]
    for (way, _, target), took in zip(jobs, each_in_a_fresh_process(transform, jobs), strict=True):
        seconds, total, without_pages = (round(value) for value in took)
        yield {
            "way": way,
            "images": n_images,
            "file_mb": round(source.stat().st_size / 2**20),
            "seconds": seconds,
            "peak_mb": total,
            "peak_without_pages_mb": without_pages,
            "equal": equal_to_memory(source, target),
        }
    if not np.array_equal(*map(np.load, targets)):
        raise RuntimeError("The two ways differ.")


def run(args):
    with tempfile.TemporaryDirectory() as folder:
        rows = measure(folder, 1000 if args.quick else 100_000)
        print_and_write(args.results / "stream.csv", rows)
