"""Run what is missing, in parallel, and say how far it is."""

import importlib.metadata
import os
import platform
import sys
import threading
import time

from joblib import Parallel, delayed

from benchmarks.data import MissingData
from benchmarks.paper import chinese, nearest_template, neighbours, phase
from benchmarks.paper.store import is_done, save
from benchmarks.tables import processor

# Item: function, number of seeds. Longest first, so that no worker is left alone at the end.
EXPERIMENTS = {
    "table5": (chinese.table5, 2),
    "fig8": (phase.fig8, 1),
    "fig7": (phase.fig7, 1),
    "table6": (neighbours.table6, 8),
    "table4": (neighbours.table4, 8),
    "table3": (nearest_template.table3, 16),
    "table2": (nearest_template.table2, 16),
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
    parallel = Parallel(n_jobs=n_jobs, return_as="generator", pre_dispatch="n_jobs")
    calls = (
        delayed(_task)(*task, folder, quick, n_jobs, sources or {}, os.getpid()) for task in missing
    )
    failures = {}
    with Progress(len(missing)) as progress:
        for name, seed, seconds, failure in parallel(calls):
            if failure:
                failures[name] = failure
            progress.step(f"{name}, seed {seed}: {'no data' if failure else f'{seconds:.0f} s'}")
    return failures, len(missing) == len(tasks)


def _task(name, seed, folder, quick, n_jobs, sources, parent):
    if os.getpid() != parent:
        threading.Thread(target=_die_with, args=(os.getppid(),), daemon=True).start()
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


def _die_with(parent):
    """End this process when the one that started it is gone, however it went."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def machine():
    """Processor and versions in one line."""
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in ("scikit-learn", "numpy", "scipy")
    )
    return f"{processor()}, Python {platform.python_version()}, {versions}"


class Progress:
    """How many runs are done. Shown with each of them, and in between by a clock that ticks.

    One line that is written over on a terminal; in a log one line for each run, and one every
    minute.
    """

    def __init__(self, total):
        self.total = total
        self.done = 0
        self.last = ""
        self.is_terminal = sys.stderr.isatty()
        self.stop = threading.Event()
        self.clock = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self):
        self.start = time.perf_counter()
        self.show()
        self.clock.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        if self.is_terminal and self.total:
            print(file=sys.stderr)

    def step(self, last):
        self.done += 1
        self.last = last
        self.show()

    def _tick(self):
        while not self.stop.wait(1 if self.is_terminal else 60):
            self.show()

    def show(self):
        if self.total == 0:
            return
        elapsed = time.perf_counter() - self.start
        bar = "#" * (20 * self.done // self.total)
        line = f"[{bar:20s}] {self.done}/{self.total} runs, {_clock(elapsed)}   {self.last}"
        start, end = ("\r", "") if self.is_terminal else ("", "\n")
        print(f"{start}{line:90s}".rstrip(" "), end=end, file=sys.stderr, flush=True)


def _clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
