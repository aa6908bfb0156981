"""Ours against what else a user could take: every method on every task, in one table.

Processes of one thread each share the work. What is finished is written at once and not computed
again by the same command, unless told so by --force; --quick always starts afresh.
"""

import csv
import sys
import time
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from multiprocessing import get_context

from threadpoolctl import threadpool_limits

from benchmarks.accuracy.registry import all_methods
from benchmarks.accuracy.tasks import all_tasks
from benchmarks.data import MissingData
from benchmarks.tables import processor, read_csv, write_csv


def run(args):
    """Compute what is missing; say what cannot be had or failed."""
    table, wall = args.results / "comparison.csv", args.results / "wall.csv"
    if args.force or args.quick:
        table.unlink(missing_ok=True)
        wall.unlink(missing_ok=True)
    start, failures = time.perf_counter(), []
    with _pool(args.n_jobs) as pool:
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
    if todo:
        seconds = round(time.perf_counter() - start)
        _append(wall, [{"seconds": seconds, "n_jobs": args.n_jobs, "machine": processor()}])
    for name, reason in missing.items():
        print(f"{name} cannot be had: {reason}", file=sys.stderr)
    if failures:
        raise MissingData("\n".join(failures))


def _pool(n_jobs):
    if n_jobs == 1:
        return ThreadPoolExecutor(1)
    return ProcessPoolExecutor(n_jobs, get_context("spawn"))


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


_loaded: dict = {}  # the task that a process was last at work on


def _load(task):
    if task.name not in _loaded:
        _loaded.clear()
        _loaded[task.name] = task.load()
    return _loaded[task.name]


def _work(args, task, method, sizes):
    """Return the rows of a job, its seconds, and what went wrong."""
    start = time.perf_counter()
    rows, error = [], ""
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of images that leave the canvas, of deprecations
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
