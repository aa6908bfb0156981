"""How smooth must an elastic map be: accuracy against the width of its bends.

One template of each of 200 characters and logos, as in the comparison. Pixels always move by 5
pixels in the root mean square; what varies is over which distance they move together.
"""

from functools import partial

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from benchmarks.accuracy.registry import all_methods
from benchmarks.accuracy.tasks import ELASTIC, Task, shapes
from benchmarks.command import keep_text
from benchmarks.data import MissingData

WIDTHS = (7, 8, 10, 14, 20)
METHODS = (
    "InvariantHOG",
    "InvariantHOG, aligned",
    "InvariantHOG, copies",
    "SpectralNRCDT",
    "whitened Zernike moments",
)
SLOW = ("RootSIFT",)


def accuracy(path, width, name, quick):
    """Return the accuracy of a method with its best classifier."""
    n_classes, n_samples = (10, 1) if quick else (200, 5)
    make = partial(shapes, path, n_classes, n_samples, {**ELASTIC, "width": width})
    method = all_methods()[name]
    task = Task("bent", "templates", make, bends=True)
    with threadpool_limits(1):
        rows = list(method.rows(task, task.load(), (1,), quick))
    return max(row["accuracy"] for row in rows)


def available(names):
    """Return the methods whose packages are installed, and name the others."""
    found = []
    for name in names:
        try:
            all_methods()[name].check()
            found.append(name)
        except ImportError as error:
            print(f"{name}: missing. {error}")
    return found


@keep_text
def run(args):
    kinds = [kind for kind in ("characters", "logos") if getattr(args, kind)]
    if not kinds:
        raise MissingData("Give --characters FILE or --logos FILE.")
    names = available(METHODS if args.quick else METHODS + SLOW)
    cells = [(kind, name, width) for kind in kinds for name in names for width in WIDTHS]
    found = Parallel(args.n_jobs)(
        delayed(accuracy)(getattr(args, kind), width, name, args.quick)
        for kind, name, width in cells
    )
    table = np.reshape(found, (len(kinds), len(names), len(WIDTHS)))
    for kind, rows in zip(kinds, table, strict=True):
        heading = f"{kind}, by width in pixels"
        print(f"{heading:34s}" + "".join(f"{width:8d}" for width in WIDTHS))
        for name, row in zip(names, rows, strict=True):
            print(f"{name:34s}" + "".join(f"{value:8.3f}" for value in row))
        print()
