"""Ours against what else a user could take: every method on every task, in one table.

Processes of one thread each share the work. What is finished is written at once and not computed
again by the same command, unless told so by --force; --quick always starts afresh.
"""

import csv
import os
import sys
import time
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import lru_cache
from multiprocessing import get_context

from benchmarks.accuracy.registry import all_methods
from benchmarks.accuracy.tasks import all_tasks
from benchmarks.data import MissingData
from benchmarks.tables import read_csv, write_csv


def run(args):
    """Compute what is missing; say what cannot be had or failed."""
    table, wall = args.results / "comparison.csv", args.results / "wall.csv"
    if args.force or args.quick:
        table.unlink(missing_ok=True)
        wall.unlink(missing_ok=True)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # read by the processes when they start
    start, failures = time.perf_counter(), []
    with ProcessPoolExecutor(args.n_jobs, get_context("spawn")) as pool:
        missing = _missing(pool)
        write_csv(
            args.results / "missing.csv",
            [{"method": name, "reason": reason} for name, reason in missing.items()]
            or [{"method": "", "reason": ""}],
        )
        jobs = [job for job in _jobs(args) if job[1] not in missing]
        done = _cells(read_csv(table)) if table.is_file() else set()
        todo = [job for job in jobs if not job[3] <= done]
        print(f"{len(jobs)} jobs, {len(jobs) - len(todo)} of them done before.", flush=True)
        running = {pool.submit(_work, args, *job[:3]): job for job in todo}
        try:
            for number, future in enumerate(as_completed(running), 1):
                task, method, _, _ = running[future]
                rows, seconds, error = future.result()
                _append(table, [row for row in rows if not _cells([row]) <= done])
                minutes = (time.perf_counter() - start) / 60
                print(
                    f"{number}/{len(todo)} after {minutes:.1f} min: {task.name}, {method}", end=""
                )
                print(f" ({seconds:.0f} s): " + "; ".join(map(_brief, rows)), flush=True)
                if error:
                    failures.append(f"{task}, {method}: {error}")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    _append(wall, [{"seconds": round(time.perf_counter() - start), "n_jobs": args.n_jobs}])
    for name, reason in missing.items():
        print(f"{name} cannot be had: {reason}", file=sys.stderr)
    if failures:
        raise MissingData("\n".join(failures))


def _jobs(args):
    """Yield tasks, methods, training sizes and the cells that come out."""
    for task in all_tasks(args):
        for method in all_methods().values():
            if method.skip(task):
                continue
            for sizes in method.jobs(task):
                cells = {
                    (task.name, method.name, classifier, str(size))
                    for classifier, size in method.cells(task, sizes)
                }
                yield task, method.name, sizes, cells


def _cells(rows):
    return {(row["task"], row["method"], row["classifier"], str(row["train"])) for row in rows}


def _append(path, rows):
    if not rows:
        return
    new = not path.is_file()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows(rows)


def _brief(row):
    return f"{row['classifier']} {row['train']}: {row['accuracy']:.3f}"


@lru_cache(maxsize=1)
def _load(task):
    return task.load()


def _work(args, task, method, sizes):
    """Return the rows of a job, its seconds, and what went wrong."""
    warnings.simplefilter("ignore")  # of images that leave the canvas, of peers' deprecations
    start = time.perf_counter()
    rows, error = [], ""
    try:
        for row in all_methods()[method].rows(task, _load(task), sizes, args.quick):
            rows.append(row)
    except Exception:  # the other jobs go on
        error = traceback.format_exc()
    return rows, time.perf_counter() - start, error


def _missing(pool):
    """Return the methods that cannot be had, and why."""
    reasons = {name: pool.submit(_reason, name) for name in all_methods()}
    return {name: found.result() for name, found in reasons.items() if found.result()}


def _reason(method):
    try:
        all_methods()[method].check()
    except Exception as error:  # an import that fails in any way
        # Python adds the file in parentheses, which is nobody's business.
        return str(error).split(" (")[0]
    return ""
