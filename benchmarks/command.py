"""The command of a room: its options, what it runs, and where the results go."""

import argparse
import contextlib
import functools
import importlib
import io
import sys
import time
from pathlib import Path

from benchmarks.data import MissingData

ROOT = Path(__file__).parent.parent
FILES = {
    "--mnist": "file with MNIST: .npz, .npy or idx (default: OpenML)",
    "--characters": "font, or .npz with images of characters",
    "--logos": ".npz with images of logos",
    "--watermarks": ".npz with photographs of paper and drawings of the marks in it",
}


def parser(room, doc, what, options=()):
    """Return the parser of a room; `what` says in a line what each name runs."""

    def known(name):  # `choices` would refuse to have none of them
        if name not in what:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(what)}")
        return name

    found = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{room}",
        description=doc,
        epilog="WHAT is any of\n" + "\n".join(f"  {name:15s}{what[name]}" for name in what),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("what", nargs="*", metavar="WHAT", type=known, help="see below")
    found.add_argument("--quick", action="store_true", help="a small version: does it run?")
    found.add_argument(
        "--results",
        type=Path,
        metavar="FOLDER",
        help=f"for all that is written (default: benchmarks/{room}/results and docs; with "
        f"--quick: benchmarks/{room}/results/quick)",
    )
    for option in options:
        found.add_argument(option, type=Path, metavar="FILE", help=FILES[option])
    return found


def parse(parser, room, argv):
    """Return the arguments, with the folders of tables, `results`, and of pages, `docs`."""
    args = parser.parse_args(argv)
    home = ROOT / "benchmarks" / room / "results"
    folder = args.results or (home / "quick" if args.quick else None)
    args.results, args.docs = folder or home, folder or ROOT / "docs"
    return args


def run_room(room, doc, experiments, options=(), argv=None, add_options=lambda parser: None):
    """Run experiments, all if none is named: each is `run(args)` of the module of its name."""
    found = parser(room, doc, experiments, options)
    add_options(found)
    args = parse(found, room, argv)
    for needed in (args.results, args.docs / "images"):
        needed.mkdir(parents=True, exist_ok=True)
    failures = {}
    for name in args.what or experiments:
        print(f"\n== {name}: {experiments[name]}", flush=True)
        start = time.perf_counter()
        try:
            importlib.import_module(f"benchmarks.{room}.{name}").run(args)
        except (ImportError, FileNotFoundError, MissingData) as error:
            failures[name] = error
        print(f"== {name}: {time.perf_counter() - start:.0f} s", flush=True)
    return finish(failures)


def finish(failures):
    """Say what is missing and why; return the exit status."""
    for name, reason in failures.items():
        print(f"\n{name} is missing. {reason}", file=sys.stderr)
    return 1 if failures else 0


class _Tee(io.StringIO):
    def write(self, text):
        sys.__stdout__.write(text)
        sys.__stdout__.flush()
        return super().write(text)


def keep_text(run):
    """Keep what an experiment prints as NAME.txt among the results."""

    @functools.wraps(run)
    def keeping(args):
        with contextlib.redirect_stdout(_Tee()) as printed:
            run(args)
        name = run.__module__.rpartition(".")[2]
        args.results.mkdir(parents=True, exist_ok=True)
        (args.results / f"{name}.txt").write_text(printed.getvalue())

    return keeping
