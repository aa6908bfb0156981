"""How time and memory grow: ``python -m benchmarks.scaling``.

One quantity at a time is varied around 32 images of 256 x 256 pixels (float32), 1 % or all of
them not black, 128 angles, 64 levels. Each setting runs in a fresh process, on one core, whose
largest resident memory is read; the time is the shortest of several. Both are fitted and
compared with the model of `benchmarks.performance.model`. Then the speed-up with more workers.
"""

import argparse
import csv
import itertools
import multiprocessing
from dataclasses import replace
from pathlib import Path

from benchmarks.performance import model
from benchmarks.performance.jobs import KINDS, measure_jobs
from benchmarks.performance.points import SWEEPS, measure, points

RESULTS = Path(__file__).parent.parent / "results" / "scaling.csv"
JOBS = RESULTS.with_name("scaling_jobs.csv")


def write(path, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def print_fits(rows):
    for kind in ("sparse", "dense"):
        chosen = [row for row in rows if row["kind"] == kind]
        cost = model.fit(chosen)
        worst = abs(model.errors(cost, chosen))
        print(f"\n{kind}: nanoseconds for each of")
        for term, meaning in model.TERMS.items():
            print(f"  {meaning:45s} {cost[term]:12.4g}")
        print(f"  error of the model: mean {worst.mean():.0%}, largest {worst.max():.0%}")
        for sweep, (name, _) in SWEEPS.items():
            here = [row for row in chosen if row["sweep"] == sweep]
            if len(here) < 3:
                continue
            x = [float(row[name]) for row in here]
            slope, error = model.exponent(x, [row["ms"] for row in here])
            expected = model.EXPECTED[sweep][kind]
            print(f"  {sweep:20s} exponent {slope:5.2f} +- {error:.2f}, expected {expected}")


def growth(quick):
    """Yield the rows of all settings."""
    if quick:
        chosen = [replace(p, images=max(1, p.images // 8)) for p in points() if p.side <= 256]
        yield from map(measure, chosen)
        return
    # A new process for each setting: memory that was once used is not given back.
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        yield from pool.imap(measure, list(points()), chunksize=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--quick", action="store_true", help="few images, one process: does it run?"
    )
    parser.add_argument("--jobs", action="store_true", help="only the speed-up with more workers")
    parser.add_argument("--folder", type=Path, default=RESULTS.parent, help="for the tables")
    args = parser.parse_args()
    if not args.jobs:
        rows = []
        for row in growth(args.quick):
            rows.append(row)
            print(*row.values(), sep="  ", flush=True)
        print_fits(rows)
        write(args.folder / RESULTS.name, rows)
    jobs = []
    for row in itertools.chain.from_iterable(measure_jobs(kind, args.quick) for kind in KINDS):
        jobs.append(row)
        print(*row.values(), sep="  ", flush=True)
    write(args.folder / JOBS.name, jobs)


if __name__ == "__main__":
    main()
