"""How smooth must an elastic map be: accuracy against the width of its bends.

One template of each of 200 characters and logos, as in the comparison. Pixels always move by 5
pixels in the root mean square; what varies is over which distance they move together.
"""

from functools import partial

from benchmarks.accuracy.comparison import all_methods, available
from benchmarks.accuracy.tasks import ELASTIC, Task, shapes
from benchmarks.command import Job, run_jobs
from benchmarks.data import MissingData

WIDTHS = (7, 8, 10, 14, 20)
METHODS = (
    "InvariantHOG",
    "InvariantHOG, aligned",
    "InvariantHOG, copies",
    "SpectralNRCDT",
    "whitened Zernike moments",
    "RootSIFT",
)


def run(args):
    kinds = [kind for kind in ("characters", "logos") if getattr(args, kind)]
    if not kinds:
        raise MissingData("Give --characters FILE or --logos FILE.")
    n_classes, n_samples = (10, 1) if args.quick else (200, 5)
    methods = list(available(all_methods()[name] for name in METHODS))
    jobs = []
    for kind in kinds:
        for width in WIDTHS:
            elastic = {**ELASTIC, "width": width}
            make = partial(shapes, getattr(args, kind), n_classes, n_samples, elastic)
            task = Task(f"{kind}, {width}", make, bends=True)
            for method in methods:
                key = {"kind": kind, "method": method.name, "width": width}
                jobs.append(Job(key, best, (method, task, args.quick)))
    run_jobs(args, args.results / "bending.csv", jobs)


def best(method, task, quick):
    """Return the accuracy of a method with its best classifier, as a row."""
    accuracy = max(row["accuracy"] for row in method.rows(task, 1, quick))
    return [{"accuracy": f"{accuracy:.3f}"}]
