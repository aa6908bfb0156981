"""Batches and workers: no words of warning, no threads of BLAS, memory that stays."""

import os
import sys
import warnings

import joblib
import numpy as np
import pytest
from processes import FRESH, printed
from threadpoolctl import threadpool_info, threadpool_limits

from sklearn_nrcdt import InvariantHOG, MaxNRCDT, NearestTemplateClassifier, ShapeClassifier
from sklearn_nrcdt._support.workers import n_workers, run_batches
from sklearn_nrcdt.preprocessing import Despeckle
from sklearn_nrcdt.search import DrawingSearch

IMAGES = np.zeros((6, 12, 12))
IMAGES[:, 3:9, 4:6] = IMAGES[:, 7:9, 4:9] = 1


def blas_threads():
    return [info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"]


def work_with_two_jobs(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(n_jobs=2)
        if hasattr(model, "transform"):
            return model.fit_transform(X).shape
        return model.fit(X, [0, 0, 0, 1, 1, 1]).predict(X).shape


def test_two_jobs_in_a_process_of_multiprocessing_are_threads_and_no_warning():
    """Distances of scikit-learn asked for processes, and warned."""
    work = {MaxNRCDT(): (6, 64), InvariantHOG(): (6, 3393), Despeckle(): (6, 12, 12)}
    work |= {ShapeClassifier(): (6,), DrawingSearch(): (6,)}
    tasks = [(model, IMAGES) for model in work]
    for metric in ("euclidean", "chebyshev", "canberra", "manhattan"):
        tasks.append((NearestTemplateClassifier(metric), IMAGES.reshape(6, -1)))
    with FRESH.Pool(1) as pool:
        assert pool.starmap(work_with_two_jobs, tasks) == [*work.values(), *[(6,)] * 4]


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_batches_have_one_thread_of_blas_and_leave_the_others_as_they_were(n_jobs):
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        seen = list(run_batches(blas_threads, [()] * 4, n_jobs))
        assert all(set(threads) == {1} for threads in seen)
        assert blas_threads() == before


def test_threads_that_work_at_once_leave_the_limit_as_it_was():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        first, second = (run_batches(blas_threads, [()] * 2, 2) for _ in range(2))
        next(first), next(second)
        list(first)  # to its end
        assert set(blas_threads()) == {1}
        list(second)
        assert blas_threads() == before


def test_the_number_of_workers_is_that_of_joblib():
    assert n_workers(None) == 1
    assert n_workers(3) == 3
    assert n_workers(-1) == joblib.cpu_count()
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert n_workers(None) == 2
    with joblib.parallel_config(backend="sequential"):
        assert n_workers(4) == 1


FAULTS = """
import resource
import numpy as np
from sklearn_nrcdt import InvariantHOG
images = np.random.default_rng(0).random((64, 28, 28)) < 0.2
hog = InvariantHOG().fit(images)
hog.transform(images)
faults = []
for _ in range(4):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    hog.transform(images)
    faults.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
print(min(faults) / 64)  # others may need memory, and take some of ours for a while
"""


@pytest.mark.skipif(sys.platform != "linux", reason="about the allocator of Linux")
@pytest.mark.skipif(
    any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ),
    reason="what a user asks of the allocator goes first, and stops it from learning",
)
def test_a_process_that_only_needs_contours_fetches_its_memory_once():
    """Was 155 pages for each image of 28 x 28 pixels, and two thirds more time."""
    assert float(printed(FAULTS)) < 20
