"""Fresh processes, and how much memory they take."""

import multiprocessing
import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path


def each_in_a_fresh_process(function, items):
    """Yield the results: memory that was once used is not given back to the system."""
    context = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
    if context.get_start_method() == "forkserver":
        context.set_forkserver_preload([function.__module__])  # imports once, for all of them
    for item in items:
        with ProcessPoolExecutor(1, context) as executor:
            yield executor.submit(function, item).result()


def memory(name):
    """A line of what Linux says about this process, in megabytes, such as VmRSS."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))


def peak():
    """Largest resident memory of this process so far, in megabytes."""
    if Path("/proc/self/status").exists():
        return memory("VmHWM")
    # In bytes, as macOS says it; on Linux it would count what the parent had before, too.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
