"""The same estimator on a real dask cluster: two worker processes on loopback."""

import contextlib
import os

import joblib
import numpy as np
import pytest
from processes import FRESH, gone, start_server
from sheets import random_drawings, sheet

import sklearn_nrcdt._estimators.base as base
from sklearn_nrcdt import MaxNRCDT
from sklearn_nrcdt.search import DrawingSearch

distributed = pytest.importorskip(
    "distributed", reason="dask.distributed is part of the extra 'cluster'"
)
dask = pytest.importorskip("dask")
dask_array = pytest.importorskip("dask.array", reason="dask is part of the extra 'cluster'")

pytestmark = [
    # dask's own, on the way down
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*Port .* is already in use:UserWarning"),
    pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning"),
]


@pytest.fixture(scope="module")
def cluster():
    """One cluster for all tests, which replaces killed workers; nothing of it is left behind."""
    environment = dict(os.environ)
    start_server()
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": FRESH.get_start_method()}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=0,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
        pids = client.run(os.getpid).values()
    assert all(gone(pid) for pid in pids)
    # dask leaves what it asks for its workers: MALLOC_TRIM_THRESHOLD_, OMP_NUM_THREADS, ...
    os.environ.clear()
    os.environ.update(environment)


@pytest.fixture
def client(cluster):
    cluster.wait_for_workers(2, timeout=60)
    return cluster


def test_dask_backend_and_dask_arrays_give_the_same_rows(client, rng, tmp_path):
    images = rng.random((60, 32, 32))
    transformer = MaxNRCDT(16, n_jobs=2).fit(images)
    expected = transformer.transform(images)
    with joblib.parallel_config(backend="dask"):
        np.testing.assert_array_equal(transformer.transform(images), expected)
    np.save(tmp_path / "images.npy", images)
    mapped = np.load(tmp_path / "images.npy", mmap_mode="r")
    blocks = dask_array.from_array(mapped, chunks=(20, 32, 32))
    features = blocks.map_blocks(
        transformer.transform, dtype=float, drop_axis=2, chunks=(blocks.chunks[0], (64,))
    )
    dask_array.to_npy_stack(tmp_path / "features", features)
    parts = [np.load(path) for path in sorted((tmp_path / "features").glob("*.npy"))]
    np.testing.assert_array_equal(np.concatenate(parts), expected)


def test_blocks_of_a_killed_worker_are_computed_again(client, slow, killed):
    slow, images = slow
    blocks = dask_array.from_array(images, chunks=(2, 32, 32))
    features = blocks.map_blocks(
        slow.transform, dtype=float, drop_axis=2, chunks=(blocks.chunks[0], (64,))
    )
    result = features.compute()
    assert killed()
    np.testing.assert_array_equal(result, MaxNRCDT(16).fit_transform(images))


def test_a_killed_worker_of_joblib_is_an_error_or_no_loss(client, slow, killed, monkeypatch):
    slow, images = slow
    monkeypatch.setattr(base, "BATCH_ELEMENTS", 1)  # one task for each image
    expected = MaxNRCDT(16).fit_transform(images)
    lost = (distributed.client.FutureCancelledError, distributed.scheduler.KilledWorker)
    with joblib.parallel_config(backend="dask"), contextlib.suppress(*lost):
        np.testing.assert_array_equal(slow.transform(images), expected)
    assert killed()


def test_search_for_drawings_on_a_cluster(client, rng):
    drawings = random_drawings(6, rng)
    photos = [sheet(drawing, (150, 160), (30, 50), rng) for drawing in drawings[:3]]
    search = DrawingSearch(polarity="dark", n_jobs=2).fit(drawings)
    expected, _ = search.kneighbors(photos, 2)
    with joblib.parallel_config(backend="dask"):
        for given in (photos, photos[:1]):  # shares of photographs, shares of drawings
            scores, indices = search.kneighbors(given, 2)
            np.testing.assert_allclose(scores, expected[: len(given)], rtol=1e-6)
            assert indices[:, 0].tolist() == list(range(len(given)))
