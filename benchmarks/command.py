"""The command of a room: what it runs, where results go, and jobs that go on after a stop."""

import argparse
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from typing import NamedTuple

from joblib import Parallel, delayed

from benchmarks.data import MissingData
from benchmarks.tables import machine, read_csv, write_csv

ROOT = Path(__file__).parent.parent
FILES = {
    "--mnist": ".npz with images and labels of MNIST (default: OpenML)",
    "--characters": "font, or .npz with images of characters",
    "--logos": ".npz with images of logos",
    "--omniglot": ".npz with one-shot runs: train, test and perhaps test_label",
    "--leaves": ".npz with images of silhouettes and labels",
    "--watermarks": ".npz with photographs of paper and drawings of the marks in it",
    "--published": "folder of an archive: drawings, photos, sheets",
}


def parse(room, doc, experiments, argv):
    """Return the arguments, with the folders of results, `results`, and of pages, `docs`."""

    def known(name):  # `choices` would refuse to have none of them
        if name not in experiments:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(experiments)}")
        return name

    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{room}",
        description=doc,
        epilog="WHAT is any of\n"
        + "\n".join(f"  {name:15s}{says}" for name, (_, says) in experiments.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    home = f"benchmarks/{room}/results"
    parser.add_argument("what", nargs="*", metavar="WHAT", type=known, help="see below")
    parser.add_argument("--quick", action="store_true", help="a small version: does it run?")
    parser.add_argument("--force", action="store_true", help="compute again what is stored")
    parser.add_argument("--n-jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FOLDER",
        help=f"for all that is written (default: {home} and docs; with --quick: {home}/quick)",
    )
    for option, text in FILES.items():
        parser.add_argument(option, type=Path, metavar="FILE", help=text)
    args = parser.parse_args(argv)
    folder = args.results or (ROOT / home / "quick" if args.quick else None)
    args.results, args.docs = folder or ROOT / home, folder or ROOT / "docs"
    return args


def run_room(room, doc, experiments, argv=None):
    """Run experiments, all if none is named, and return the exit status.

    `experiments` has for each name what to call with the arguments, "MODULE:FUNCTION" of the
    room, and what to say about it.
    """
    args = parse(room, doc, experiments, argv)
    for needed in (args.results, args.docs / "images", args.docs / "_tables"):
        needed.mkdir(parents=True, exist_ok=True)
    failures = {}
    for name in args.what or experiments:
        target, says = experiments[name]
        print(f"\n== {name}: {says}", flush=True)
        start = time.perf_counter()
        try:
            resolve_name(f"benchmarks.{room}.{target}")(args)
        except (ImportError, FileNotFoundError, MissingData) as error:
            failures[name] = error
        except KeyboardInterrupt:
            raise SystemExit("\nStopped. The same command goes on where this one ended.") from None
        print(f"== {name}: {time.perf_counter() - start:.0f} s", flush=True)
    for name, reason in failures.items():
        print(f"\n{name} is missing. {reason}", file=sys.stderr)
    return 1 if failures else 0


def store(args, name, rows):
    """Print rows as they come and keep them as NAME.csv among the results; return them."""
    found = []
    for row in rows:
        if list(row) != (list(found[-1]) if found else []):
            print(*row, sep="  ")
        found.append(row)
        print(*row.values(), sep="  ", flush=True)
    write_csv(args.results / f"{name}.csv", found)
    return found


class Job(NamedTuple):
    """A function that returns rows, and the values of the columns that identify them."""

    key: dict
    function: Callable
    arguments: tuple = ()


def run_jobs(args, path, jobs):
    """Run the jobs that are not stored in a CSV, and store the rows of each at once.

    A stopped command goes on where it was. Jobs that fail are named at the end.
    """
    jobs = list(jobs)
    columns = list(jobs[0].key) if jobs else []
    rows = read_csv(path) if path.is_file() and not (args.force or args.quick) else []
    done = {tuple(row[column] for column in columns) for row in rows}
    todo = [job for job in jobs if tuple(map(str, job.key.values())) not in done]
    print(f"{len(jobs)} jobs, {len(jobs) - len(todo)} of them done before.", flush=True)
    start, failures = time.perf_counter(), []
    run = Parallel(args.n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs")
    for number, (job, found, seconds) in enumerate(run(map(delayed(_do), todo)), 1):
        name = ", ".join(map(str, job.key.values()))
        print(f"{number}/{len(todo)}: {name} ({seconds:.0f} s)", flush=True)
        if isinstance(found, str):
            failures.append(f"{name}: {found}")
            continue
        rows += [job.key | row for row in found]
        write_csv(path, rows)
    if todo:
        file = args.results / "wall.csv"
        walls = read_csv(file) if file.is_file() else []
        if len(todo) == len(jobs):
            walls = [row for row in walls if row["item"] != path.stem]
        seconds = round(time.perf_counter() - start)
        wall = {"item": path.stem, "seconds": seconds, "n_jobs": args.n_jobs}
        write_csv(file, [*walls, wall | {"machine": machine()}])
    if failures:
        raise MissingData("\n".join(failures))
    return read_csv(path) if path.is_file() else []


def _do(job):
    """Return the job, its rows or why it failed, and its seconds."""
    start = time.perf_counter()
    try:
        found = list(job.function(*job.arguments))
    except MissingData as error:
        found = str(error)
    except Exception:  # the other jobs go on
        found = traceback.format_exc()
    return job, found, time.perf_counter() - start
