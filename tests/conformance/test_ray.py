"""The same estimator under ray's backend for joblib: two workers on this machine."""

import contextlib

import joblib
import numpy as np
import pytest

import sklearn_nrcdt._estimators.base as base
from sklearn_nrcdt import MaxNRCDT

ray = pytest.importorskip("ray", reason="ray is part of the extra 'ray'")

pytestmark = [
    # ray's own
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def cluster():
    from ray.util.joblib import register_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
    register_ray()
    yield
    ray.shutdown()


@pytest.mark.filterwarnings("ignore::sklearn_nrcdt.BlankImageWarning")
def test_ray_backend_gives_the_same_rows(cluster, rng, monkeypatch):
    monkeypatch.setattr(base, "BATCH_ELEMENTS", 1)  # one task for each image
    images = rng.random((20, 16, 16))
    images[7] = 0
    transformer = MaxNRCDT(16, n_jobs=2).fit(images)
    expected = transformer.transform(images)
    with joblib.parallel_config(backend="ray"):
        np.testing.assert_array_equal(transformer.transform(images), expected)


def test_a_killed_worker_of_ray_is_an_error_or_no_loss(cluster, slow, killed, monkeypatch):
    monkeypatch.setattr(base, "BATCH_ELEMENTS", 1)  # one task for each image
    slow, images = slow
    lost = ray.exceptions.RayActorError
    with joblib.parallel_config(backend="ray"), contextlib.suppress(lost):
        np.testing.assert_array_equal(slow.transform(images), MaxNRCDT(16).fit_transform(images))
    assert killed()
