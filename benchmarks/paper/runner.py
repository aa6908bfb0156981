"""Run what is missing, in parallel, and say how far it is."""

import importlib.metadata
import os
import platform
import sys
import time
from pathlib import Path

from joblib import Parallel, delayed

from benchmarks.paper import chinese, nearest_template, neighbours, phase
from benchmarks.paper.data import MissingData
from benchmarks.paper.store import is_done, save

# Item: function, number of seeds. Longest first, so that no worker is left alone at the end.
EXPERIMENTS = {
    "table5": (chinese.table5, 2),
    "table6": (neighbours.table6, 6),
    "fig8": (phase.fig8, 3),
    "fig7": (phase.fig7, 3),
    "table4": (neighbours.table4, 8),
    "table3": (nearest_template.table3, 20),
    "table2": (nearest_template.table2, 20),
}


def run(names, folder, *, n_seeds=None, quick=False, n_jobs=1, force=False, sources=None):
    """Run experiments for all seeds that are not stored yet.

    Returns the messages of those that found no data, and whether all was computed anew.
    """
    tasks = [
        (name, seed)
        for name, (_, usual) in EXPERIMENTS.items()
        if name in names
        for seed in range(n_seeds or (min(usual, 2) if quick else usual))
    ]
    missing = [task for task in tasks if force or not is_done(folder, *task)]
    if len(missing) < len(tasks):
        print(f"{len(tasks) - len(missing)} of {len(tasks)} runs are stored in {folder}.")
    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    calls = (delayed(_task)(*task, folder, quick, n_jobs, sources or {}) for task in missing)
    start, failures = time.perf_counter(), {}
    _show(0, len(missing), start, "")
    for done, (name, seed, seconds, failure) in enumerate(parallel(calls), 1):
        if failure:
            failures[name] = failure
        note = "no data" if failure else f"{seconds:.0f} s"
        _show(done, len(missing), start, f"{name}, seed {seed}: {note}")
    return failures, len(missing) == len(tasks)


def _task(name, seed, folder, quick, n_jobs, sources):
    function = EXPERIMENTS[name][0]
    start = time.perf_counter()
    try:
        tables = function(seed, quick=quick, **sources.get(name, {}))
    except MissingData as error:
        return name, seed, 0.0, str(error)
    seconds = time.perf_counter() - start
    timing = {
        "item": name,
        "seconds": round(seconds, 2),
        "n_jobs": n_jobs,
        "machine": machine(),
    }
    save(folder, name, seed, tables, timing)
    return name, seed, seconds, None


def machine():
    """Processor and versions in one line."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        lines = [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = lines[0].split(":")[1].strip() if lines else model
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in ("scikit-learn", "numpy", "scipy")
    )
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"


def _show(done, total, start, last):
    if total == 0:
        return
    elapsed = time.perf_counter() - start
    left = f", about {_clock(elapsed / done * (total - done))} left" if 0 < done < total else ""
    bar = "#" * (20 * done // total)
    line = f"[{bar:20s}] {done}/{total} runs, {_clock(elapsed)}{left}   {last}"
    # One line that is written over on a terminal, one line for each run in a log.
    end = "" if sys.stderr.isatty() and done < total else "\n"
    print(f"\r{line:100s}" if sys.stderr.isatty() else line, end=end, file=sys.stderr, flush=True)


def _clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
