"""Command line: ``python -m benchmarks.paper ITEM [options]``.

Items are the paper's tables and figures, ``all``, and ``page`` for the page in ``docs``.
"""

import argparse
import sys
import time
from pathlib import Path

from benchmarks.paper.data import MissingData
from benchmarks.paper.report import print_table
from benchmarks.paper.runner import EXPERIMENTS, run
from benchmarks.paper.store import RESULTS, write_csv
from benchmarks.paper.summary import TABLES, summarize

FIGURES = ("fig2", "fig3", "fig4", "fig5", "fig6", "fig7", "fig8", "confusion")
PAGE = Path("docs/paper.md")


def parse(argv):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper", description=__doc__)
    parser.add_argument("item", nargs="+", choices=["all", *TABLES, *FIGURES, "page"])
    parser.add_argument("--quick", action="store_true", help="a small version, in seconds")
    parser.add_argument("--n-jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--seeds", type=int, help="number of data sets of each kind")
    parser.add_argument("--mnist", type=Path, help="file with MNIST (default: OpenML)")
    parser.add_argument(
        "--characters", type=Path, help="font, or .npz with images (default: an installed font)"
    )
    parser.add_argument("--results", type=Path, help=f"folder (default: {RESULTS})")
    parser.add_argument("--force", action="store_true", help="compute again what is stored")
    return parser.parse_args(argv)


def main(argv=None):
    """Run the command line."""
    args = parse(argv)
    folder = args.results or (RESULTS / "quick" if args.quick else RESULTS)
    items = [*TABLES, *FIGURES, "page"] if "all" in args.item else args.item
    if args.quick and "all" in args.item:
        items.remove("page")  # a page of small results would stand in the place of the real one
    needed = {name for name in items if name in EXPERIMENTS}
    if "confusion" in items:
        needed |= {"table4", "table6"}
    start = time.perf_counter()
    failures, afresh = run(
        needed,
        folder,
        n_seeds=args.seeds,
        quick=args.quick,
        n_jobs=args.n_jobs,
        force=args.force,
        sources={
            "table5": {"characters_path": args.characters},
            "table6": {"mnist": args.mnist},
        },
    )
    summarize(folder)
    for name in items:
        if name in TABLES and name not in failures:
            print_table(folder, name)
    failures.update(_draw([name for name in items if name in FIGURES], folder))
    if "all" in args.item and afresh and not failures:
        # What the page states is a whole run, not one that went on from another.
        seconds = round(time.perf_counter() - start, 1)
        write_csv(folder / "wall.csv", [{"seconds": seconds, "n_jobs": args.n_jobs}])
    if "page" in items:
        from benchmarks.paper.page import write_page

        write_page(folder, PAGE)
        print(f"Wrote {PAGE}")
    print(f"Results are in {folder} ({time.perf_counter() - start:.0f} s).")
    for name, message in failures.items():
        print(f"\n{name} is missing. {message}", file=sys.stderr)
    return 1 if failures else 0


def _draw(names, folder):
    """Draw figures and return the reasons of those that could not be drawn."""
    if not names:
        return {}
    try:
        from benchmarks.paper.figures import DRAW
    except ImportError as error:
        return {", ".join(names): f'Figures need matplotlib ({error}): pip install ".[plot]"'}
    failures = {}
    for name in names:
        try:
            for path in DRAW[name](folder):
                print(f"Drew {path}")
        except (ImportError, MissingData) as error:
            failures[name] = str(error)
    return failures


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nStopped. The same command goes on where this one ended.")
