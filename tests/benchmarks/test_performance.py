"""The benchmarks of time: what they measure, and what they say of a library that is missing."""

from argparse import Namespace
from dataclasses import replace

import numpy as np

from benchmarks.performance import filters, speed
from benchmarks.performance import search as times
from benchmarks.performance.jobs import WAYS, measure_jobs
from benchmarks.performance.libraries import OURS, VARIANTS, Variant
from benchmarks.performance.scaling import SWEEPS, measure, points
from benchmarks.tables import read_csv
from sklearn_nrcdt import MaxNRCDT
from sklearn_nrcdt.search import DrawingSearch, make_drawings, make_paper_scans


def test_what_is_measured_of_growth_and_workers(monkeypatch):
    point = next(points())
    row = measure(replace(point, side=16, images=2, angles=8))
    assert float(row["ms"]) > 0
    assert list(row) == [*vars(point), "setup_ms", "ms", "peak_mb"]
    monkeypatch.setattr("benchmarks.performance.jobs.WAYS", {"threads": WAYS["threads"]})
    rows = list(measure_jobs("32 x 32", quick=True))
    assert all(row["speed_up"] == "1" for row in rows if row["n_jobs"] == 1)


def test_one_image_at_a_time_is_timed():
    row = speed.one_by_one(MaxNRCDT, np.ones((3, 8, 8)), 5)
    assert float(row["p99_ms"]) >= float(row["ms"]) > 0
    assert list(row) == ["transformer", "calls", "ms", "p99_ms", "batch_ms"]


def test_each_sweep_varies_one_quantity():
    for sweep, (name, values) in SWEEPS.items():
        here = [vars(point) for point in points() if point.sweep == sweep]
        assert {row[name] for row in here} == set(values)
        # Large images come in smaller numbers, and share of pixels decides on the kind.
        free = {name, "kind", "filled", *(["images"] if name == "side" else [])}
        assert all(len({row[k] for row in here}) == 1 for k in set(here[0]) - free)


def test_libraries_side_by_side(monkeypatch, tmp_path):
    """One that cannot be used has a line with the reason."""
    peer = Variant("peer", "R-CDT", "no-such-package", "no_such_module", "float64", None)
    monkeypatch.setitem(VARIANTS, "peer", peer)
    np.save(tmp_path / "images.npy", np.ones((2, 8, 8)))
    paths = {"some": tmp_path / "images.npy"}
    monkeypatch.setattr(speed, "ProcessPoolExecutor", Here)
    ours, missing = speed.measure([OURS[0], peer], paths, lambda case: 2, 2)
    assert float(ours["ms_min"]) <= float(ours["ms"]) <= float(ours["ms_max"])
    assert (ours["images"], ours["repetitions"]) == (2, 2)
    assert "no_such_module" in missing["missing"]
    assert "ms" not in missing


class Here:
    """What the executor does, in this process."""

    def __init__(self, *_):
        self.done = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def submit(self, task, *args):
        return Namespace(result=lambda: task(*args))


def test_every_transformer_is_measured():
    import sklearn_nrcdt

    public = sklearn_nrcdt.__all__
    transformers = {name for name in public if hasattr(getattr(sklearn_nrcdt, name), "transform")}
    assert {variant.name for variant in OURS} == transformers


def test_filters_are_timed(monkeypatch, tmp_path):
    scans = np.full((2, 16, 16), 200, np.uint8)
    scans[:, 4:9, 5:8] = 10
    monkeypatch.setattr(filters, "scans", lambda n: scans)
    filters.preprocessing(Namespace(quick=True, results=tmp_path))
    assert len(read_csv(tmp_path / "preprocessing.csv")) == 3


def test_searches_are_timed():
    drawings = make_drawings(3, random_state=0).images
    photo = make_paper_scans(drawings[:1], random_state=0).images[0]
    [row] = times.points(drawings, {photo.shape: photo}, [(6, 2, photo.shape, False, 1)])
    assert (row["drawings"], row["poses"], row["photo"]) == (6, 2, "512 x 400")
    assert all(float(row[key]) > 0 for key in ("fit_s", "photo_s", "bytes"))
    search = DrawingSearch(polarity="dark").fit(drawings)
    rows = list(times.sums(search, photo))
    assert {"NumPy", "line elements by FFT"} <= {row["sums"] for row in rows}
    assert all(float(row["us"]) > 0 for row in rows)
