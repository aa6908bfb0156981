"""The paper's tables and figures beside its own numbers, and the page docs/paper.md.

Without WHAT: all but "looks". Runs that are stored are not computed again.
"""

import sys
import time

from benchmarks import command
from benchmarks.data import MissingData
from benchmarks.paper.report import print_table
from benchmarks.paper.runner import EXPERIMENTS, run
from benchmarks.paper.summary import TABLES, summarize
from benchmarks.tables import write_csv

FIGURES = ("fig2", "fig3", "fig4", "fig5", "fig6", "fig7", "fig8", "confusion")
ITEMS = {
    **{name: f"Table {name[-1]}" for name in TABLES},
    **{name: f"Figure {name[-1]}" for name in FIGURES[:-1]},
    "confusion": "confusion maps of Tables 4 and 6",
    "page": "docs/paper.md, from what is stored",
    "looks": "guesses about what differs from the paper, on Tables 2 and 4 and, with --mnist, 6",
}
NEEDS_MATPLOTLIB = 'Pictures need matplotlib ({}): pip install ".[plot]"'


def parse(argv):
    """Return the arguments."""
    parser = command.parser("paper", __doc__, ITEMS, ("--mnist", "--characters"))
    parser.add_argument("--n-jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--seeds", type=int, help="number of data sets of each kind")
    parser.add_argument("--force", action="store_true", help="compute again what is stored")
    return command.parse(parser, "paper", argv)


def main(argv=None):
    """Run the command line."""
    args = parse(argv)
    folder = args.results
    items = args.what or [name for name in ITEMS if name != "looks"]
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
    if not args.what and afresh and not failures:
        # What the page states is a whole run, not one that went on from another.
        seconds = round(time.perf_counter() - start, 1)
        write_csv(folder / "wall.csv", [{"seconds": seconds, "n_jobs": args.n_jobs}])
    if "page" in items:
        failures.update(_write(folder, args.docs / "paper.md"))
    if "looks" in items:
        from benchmarks.paper import looks

        looks.run(args)
    print(f"Results are in {folder} ({time.perf_counter() - start:.0f} s).")
    return command.finish(failures)


def _draw(names, folder):
    """Draw figures and return the reasons of those that could not be drawn."""
    if not names:
        return {}
    try:
        from benchmarks.paper.figures import DRAW
    except ImportError as error:
        return {", ".join(names): NEEDS_MATPLOTLIB.format(error)}
    failures = {}
    for name in names:
        try:
            for path in DRAW[name](folder):
                print(f"Drew {path}")
        except (ImportError, MissingData) as error:
            failures[name] = str(error)
    return failures


def _write(folder, page):
    """Write the page, which has a picture, or return why not."""
    from benchmarks.paper.page import write_page

    try:
        write_page(folder, page)
    except ImportError as error:
        return {"page": NEEDS_MATPLOTLIB.format(error)}
    print(f"Wrote {page}")
    return {}


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nStopped. The same command goes on where this one ended.")
