"""How time and memory grow.

One quantity at a time is varied around 32 images of 256 x 256 pixels (float32), 1 % or all of
them not black, 128 angles, 64 levels. Each setting runs in a fresh process, on one core, whose
largest resident memory is read; the time is the shortest of several. Both are fitted and
compared with the model of `benchmarks.performance.model`.
"""

from dataclasses import replace

from benchmarks.performance import model
from benchmarks.performance.points import SWEEPS, measure, points
from benchmarks.performance.processes import each_in_a_fresh_process
from benchmarks.tables import print_and_write


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
    """Return the rows of all settings."""
    if quick:
        chosen = [replace(p, images=max(1, p.images // 8)) for p in points() if p.side <= 256]
        return map(measure, chosen)
    return each_in_a_fresh_process(measure, points())


def run(args):
    print_fits(print_and_write(args.results / "scaling.csv", growth(args.quick)))
