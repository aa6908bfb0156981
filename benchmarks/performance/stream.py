"""More images than should be in memory: ``python -m benchmarks.stream``.

Writes 100,000 images of 128 x 128 pixels (uint8, 1.6 GB) to a temporary directory, sends them
through `MaxNRCDT` from a memory map, by `transform_to_npy` and by `transform`, and reports
the largest resident memory of the process that did it. Pages of the memory map that the
system happens to keep mapped are resident, too, but can be taken back at any time: they
are counted apart. The features must equal those of images in memory, and each other.
Linux only: memory is read from /proc.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from sklearn_nrcdt import MaxNRCDT, transform_to_npy
from sklearn_nrcdt.datasets import load_symbols, random_affine

RESULTS = Path(__file__).parent / "results" / "stream.csv"
COLUMNS = ["way", "images", "file_mb", "seconds", "peak_mb", "peak_without_pages_mb", "equal"]
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


def resident():
    """Return the megabytes of this process: all, and without pages of files."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    total, pages = (int(status[name].split()[0]) / 1024 for name in ("VmRSS", "RssFile"))
    return total, total - pages


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
            total, without_pages = resident()
            self.total = max(self.total, total)
            self.without_pages = max(self.without_pages, without_pages)

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()


def run(way, source, target):
    """Transform the file of images, write the features; print what it took as JSON."""
    images = np.load(source, mmap_mode="r")
    start = time.perf_counter()
    with Peak() as peak:
        if way == "transform_to_npy":
            transform_to_npy(MaxNRCDT().fit(images[:1]), images, target, verbose=1)
        else:
            np.save(target, MaxNRCDT(verbose=1).fit(images[:1]).transform(images))
    seconds = time.perf_counter() - start
    print(json.dumps([seconds, peak.total, peak.without_pages]))


def equal_to_memory(source, target):
    """Whether the first and last features are those of images in memory, bit by bit."""
    images, features = np.load(source, mmap_mode="r"), np.load(target, mmap_mode="r")
    ends = np.r_[: min(CHECKED, len(images)), max(0, len(images) - CHECKED) : len(images)]
    expected = MaxNRCDT().fit_transform(np.array(images[ends]))
    return len(features) == len(images) and np.array_equal(features[ends], expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--folder", help="where the temporary directory is made")
    parser.add_argument("--csv", type=Path, default=RESULTS, help="file for the table")
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)  # what the child process does
    args = parser.parse_args()
    if args.run:
        run(*args.run)
        return
    lines = []
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        source = Path(folder) / "images.npy"
        write_images(source, args.images)
        for way in ("transform_to_npy", "transform"):
            target = Path(folder) / f"{way}.npy"
            child = [sys.executable, "-m", "benchmarks.stream", "--run", way, source, target]
            with subprocess.Popen(child, stdout=subprocess.PIPE, text=True) as process:
                for text in process.stdout:
                    print(text, end="", flush=True)
            if process.returncode:
                raise SystemExit(f"{way} failed.")
            seconds, peak, without_pages = json.loads(text)
            same = equal_to_memory(source, target)
            size = source.stat().st_size / 2**20
            rounded = [round(value) for value in (size, seconds, peak, without_pages)]
            values = [way, args.images, *rounded, same]
            lines.append(dict(zip(COLUMNS, values, strict=True)))
            print(lines[-1], flush=True)
        first, second = (np.load(Path(folder) / f"{line['way']}.npy") for line in lines)
        if not np.array_equal(first, second):
            raise SystemExit("The two ways differ.")
    with open(args.csv, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(lines)


if __name__ == "__main__":
    main()
