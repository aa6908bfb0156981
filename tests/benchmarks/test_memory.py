"""What docs/performance.md promises about memory, each row of its table in a fresh process."""

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from processes import FRESH
from sklearn.base import BaseEstimator

import sklearn_nrcdt
from benchmarks.performance.memory import CASES, RADON
from benchmarks.tables import read_csv

STORED = Path(__file__).parents[2] / "benchmarks" / "performance" / "results" / "memory.csv"


# Transformers of the Radon way share their batches, the largest canvases take long, those of 256
# pixels lie between others, sparse rows make the same tables as dense ones, and tests/estimators
# fills a smaller `working_memory`: the command measures them, and the stored table must keep the
# promise.
MEASURED = [
    case
    for case in CASES
    if not any(f"`{name}`" == case.what for name in RADON if name != "MaxNRCDT")
    and "4096 x 4096, dense" not in case.given
    and "256 x 256" not in case.given
    and "1024 x 1024, sparse" not in case.given
    and "working_memory" not in case.given
]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("case", MEASURED, ids=lambda case: f"{case.what}-{case.given}")
def test_promise(case):
    with ProcessPoolExecutor(1, FRESH) as executor:
        assert executor.submit(case.measure).result() < case.promise


def test_the_page_shows_these_promises_kept():
    rows = read_csv(STORED)
    shown = [(row["what"], row["given"], row["promise_mb"]) for row in rows]
    assert shown == [(case.what, case.given, str(case.promise)) for case in CASES]
    assert all(int(row["measured_mb"]) < int(row["promise_mb"]) for row in rows)


def test_every_estimator_has_promises():
    public = [getattr(sklearn_nrcdt, name) for name in sklearn_nrcdt.__all__]
    estimators = [c for c in public if isinstance(c, type) and issubclass(c, BaseEstimator)]
    assert len(estimators) >= 8
    for estimator in estimators:
        given = " ".join(c.given for c in CASES if c.what == f"`{estimator.__name__}`")
        sides = ["28 x 28", "256 x 256", "1024 x 1024", "4096 x 4096"]
        of_images = hasattr(estimator, "transform") or estimator is sklearn_nrcdt.ShapeClassifier
        wanted = sides if of_images else ["10,000 x 10,000"]
        assert all(size in given for size in wanted), estimator
