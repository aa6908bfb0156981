"""Time and room of a kept catalogue: the first question of a new process, and further ones.

Catalogues are simulated: what is kept of a few hundred made-up drawings is repeated, with noise of
a tenth of its size, and written as `Catalogue.build` writes it.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.command import ROOT, store
from sklearn_nrcdt.catalogue import Catalogue
from sklearn_nrcdt.search import make_drawings

N_MADE = 300
SIZES = (1_000, 10_000, 100_000)
# Asks in a process of its own, with imports; prints seconds for all of it, then for each of
# nine further queries, one by one, and the largest size of the process in MB.
QUESTION = """
import time
start = time.perf_counter()
import resource, sys
import numpy as np
from sklearn_nrcdt.catalogue import Catalogue
queries = np.load(sys.argv[2])
catalogue = Catalogue(sys.argv[1])
catalogue.identify(queries[:1])
marks = [start, time.perf_counter()]
for query in queries[1:10]:
    catalogue.identify(query[None])
    marks.append(time.perf_counter())
first, *further = np.diff(marks)
print(first, np.median(further), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def simulate(folder, drawings, n):
    """Write a catalogue of n drawings, the first of which are those given."""
    (folder / "nothing").mkdir()
    kept = Catalogue.build(folder / "nothing", folder / "kept")
    kept.add(drawings, [f"{k:06d}" for k in range(len(drawings))])
    # As the catalogue itself would, but without images.
    files, rng = kept._store, np.random.default_rng(0)
    columns, *others = files.arrays().values()
    rows = np.arange(len(drawings))
    parts = [columns[rows // 1024, ..., rows % 1024], *(np.array(part) for part in others)]
    names = list(files.arrays())
    for start in range(len(drawings), n, len(drawings)):
        some = slice(0, min(len(drawings), n - start))
        arrays = {name: _noisy(part[some], rng) for name, part in zip(names, parts, strict=True)}
        squares = np.square(arrays["harmonics"].view(np.float32), dtype=np.float64)
        arrays["squares"] = squares.sum(axis=(1, 2))
        new = [f"{start + k:06d}" for k in range(len(squares))]
        files.append([(f"{name}.png", name, 1, 1) for name in new], arrays)
    kept.close()
    return folder / "kept"


def _noisy(part, rng):
    deviation = 0.1 * np.abs(part).mean()
    noise = rng.normal(0, deviation, (*part.shape, 2)) @ [1, 1j if part.dtype.kind == "c" else 0]
    noise = noise if part.dtype.kind == "c" else noise.real
    if part.dtype.kind == "i":
        # Where nothing is drawn, nothing is drawn in the copy.
        return np.clip(np.rint(part + noise * (part != 0)), -32767, 32767).astype(part.dtype)
    return (part + noise).astype(part.dtype)


def measure(folder, drawings, n):
    """Return a row for a catalogue of n drawings."""
    path = simulate(folder, drawings, n)
    np.save(folder / "queries.npy", np.rot90(drawings[:10], axes=(1, 2)))
    command = [sys.executable, "-c", QUESTION, str(path), str(folder / "queries.npy")]
    # The first process finds the files in memory as well: they have just been written.
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    first, further, peak = map(float, printed.split())
    size = sum(file.stat().st_size for file in path.iterdir() if file.is_file())
    return {
        "drawings": n,
        "disk_mb": f"{size / 1e6:.0f}",
        "first_s": f"{first:.2f}",
        "further_ms": f"{1000 * further:.1f}",
        "peak_mb": f"{peak:.0f}",
    }


def run(args):
    drawings = make_drawings(10 if args.quick else N_MADE, random_state=0).images

    def rows():
        for n in (20,) if args.quick else SIZES:
            with tempfile.TemporaryDirectory() as folder:
                row = measure(Path(folder), drawings, n)
            yield row

    store(args, "catalogue", rows())
