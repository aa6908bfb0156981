"""A process for one library, on one core, that does what it is told and says how long it took.

All libraries stay loaded while their calls alternate, without a thread pool or an allocator
of one of them in the way of another.
"""

import importlib.metadata
import multiprocessing
import os
import pkgutil
import time
import warnings

import numpy as np

from benchmarks.performance.libraries import VARIANTS


class Worker:
    """Handle of a process that runs one variant after the other, asked for by their keys."""

    def __init__(self):
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, task, *args):
        """Return what a task of `_Server` returns; raise RuntimeError if it failed."""
        try:
            self._connection.send((task, args))
            failed, answer = self._connection.recv()
        except (EOFError, OSError) as error:
            self._process.join(10)
            raise RuntimeError(f"process ended with {self._process.exitcode}") from error
        if failed:
            raise RuntimeError(answer)
        return answer

    def close(self):
        self._connection.close()
        self._process.join(10)
        if self._process.is_alive():
            self._process.kill()


class _Server:
    """What a worker can be asked for, each with the key of a variant."""

    def __init__(self):
        self.calls = {}

    def version(self, key):
        """Import the library; return its version."""
        entry = pkgutil.resolve_name(VARIANTS[key].entry)
        try:
            return importlib.metadata.version(VARIANTS[key].package)
        except importlib.metadata.PackageNotFoundError:  # ours, from a checkout
            return entry.__version__

    def prepare(self, key, path, n, n_lines):
        """Read the first n images, do what is done once; return its seconds."""
        images = _images(key, path, n)
        start = time.perf_counter()
        self.calls[key] = VARIANTS[key].prepare(images, n_lines)
        return time.perf_counter() - start

    def call(self, key):
        """Transform the images; return the seconds."""
        start = time.perf_counter()
        self.calls[key]()
        return time.perf_counter() - start

    def forget(self, key):
        self.calls.pop(key, None)

    def first_result(self, key, path, n_lines):
        """Return the seconds from one image to its features, and of the same once more.

        To be asked in a fresh process that has imported the library, but not used it. The
        second time, what is done once has been done.
        """
        variant, images = VARIANTS[key], _images(key, path, 1)
        start = time.perf_counter()
        (variant.at_once or variant.prepare)(images, n_lines)()
        first = time.perf_counter() - start
        self.calls[key] = variant.prepare(images, n_lines)
        return first, self.call(key)


def _images(key, path, n):
    return np.load(path, mmap_mode="r")[:n].astype(VARIANTS[key].dtype)


def _serve(connection):
    if hasattr(os, "sched_setaffinity"):
        # Whatever a library thinks of the variables: there is one core.
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    warnings.simplefilter("ignore")  # the peers warn about their own deprecations
    server = _Server()
    while True:
        try:
            task, args = connection.recv()
        except EOFError:
            return
        try:
            connection.send((False, getattr(server, task)(*args)))
        except Exception as error:  # any: it becomes a line of the table
            connection.send((True, f"{type(error).__name__}: {error}".splitlines()[0]))
