"""Work in batches, by one worker or several, each with one thread of BLAS."""

from functools import cache, partial
from itertools import starmap

import numpy as np
from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import ThreadpoolController

from sklearn_nrcdt._kernels.caches import fork_safe_lock


def n_workers(n_jobs):
    """Return the number of workers, threads unless `joblib.parallel_config` says otherwise.

    `joblib.effective_n_jobs` asks about processes, and complains where there cannot be any.
    """
    backend, n_default = get_active_backend(prefer="threads")
    return backend.effective_n_jobs(n_default if n_jobs is None else n_jobs)


def run_batches(function, batches, n_jobs):
    """Yield ``function(*batch)`` for each batch, in order, as soon as the backend can.

    A single worker is this thread, without the fixed cost of `Parallel`.
    """
    run = partial(_run_alone, function)
    if n_jobs == 1 or n_workers(n_jobs) == 1:
        yield from starmap(run, batches)
        return
    backend, _ = get_active_backend(prefer="threads")
    # Not "multiprocessing" and "ray".
    return_as = "generator" if backend.supports_return_generator else "list"
    with one_blas_thread:
        parallel = Parallel(n_jobs=n_jobs, prefer="threads", return_as=return_as)
        yield from parallel(delayed(run)(*batch) for batch in batches)


def _run_alone(function, *batch):
    _keep_freed_memory()
    with one_blas_thread:  # of a worker that is a process; threads share that of `run_batches`
        return function(*batch)


class _OneBlasThread:
    """Limit BLAS: for matrices as small as ours, its threads wait more than they work.

    The first of several threads sets the limit of the process, the last one puts back what was
    there; threadpoolctl's own context would leave the limit of another thread. No fork comes in the
    middle of a change, when BLAS holds a lock of its own.
    """

    def __init__(self):
        self._lock, self._users, self._before = fork_safe_lock(), 0, []

    def __enter__(self):
        with self._lock:
            if self._users == 0:
                self._before = [(library, library.num_threads) for library in _blas()]
                for library, _ in self._before:
                    library.set_num_threads(1)
            self._users += 1

    def __exit__(self, *exception):
        with self._lock:
            self._users -= 1
            if self._users == 0:
                for library, n_threads in self._before:
                    library.set_num_threads(n_threads)


@cache
def _blas():  # to find it takes milliseconds
    return ThreadpoolController().select(user_api="blas").lib_controllers


one_blas_thread = _OneBlasThread()


@cache
def _keep_freed_memory():
    # Unless it has seen an array of this size come and go, the allocator of Linux gives memory
    # back to the system, and fetches it page by page, again and again.
    np.empty(31 * 2**20, np.uint8)
