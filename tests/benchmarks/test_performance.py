"""The benchmarks of time: fits, ratios and lines of the table, and the page that they make."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.performance import model, search_page, speed
from benchmarks.performance.jobs import WAYS, measure_jobs
from benchmarks.performance.libraries import OURS, VARIANTS, Variant
from benchmarks.performance.page import TABLES, headline, number, page
from benchmarks.performance.points import SWEEPS, measure, points
from benchmarks.performance.worker import _Server
from benchmarks.tables import read_csv

ROOT = Path(__file__).parents[2]


def settings(kind):
    """Rows as `benchmarks.performance.scaling` measures them, without times."""
    chosen = [point for point in points() if point.kind == kind]
    return [vars(p) | {"radii": 501 if p.radii == "auto" else p.radii} for p in chosen]


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_the_costs_of_the_model_are_found_again(kind):
    cost = {"call": 3e5, "pixels": 0.4, "entries": 1.7, "bins": 9.0, "levels": 20.0}
    rows = [row | {"ms": str(model.predict(cost, row))} for row in settings(kind)]
    found = model.fit(rows)
    assert found == pytest.approx(cost, rel=1e-6)
    assert np.max(abs(model.errors(found, rows))) < 1e-9


def test_what_is_measured_of_growth_and_workers():
    point = next(points())
    row = measure(replace(point, side=16, images=2, angles=8))
    assert float(row["ms"]) > 0
    assert list(row) == [*vars(point), "setup_ms", "ms", "peak_mb"]
    rows = list(measure_jobs("32 x 32", quick=True))
    assert [row["workers"] for row in rows if row["n_jobs"] == 1] == list(WAYS)
    assert all(row["speed_up"] == "1" for row in rows if row["n_jobs"] == 1)


def test_each_sweep_varies_one_quantity():
    for sweep, (name, values) in SWEEPS.items():
        here = [vars(point) for point in points() if point.sweep == sweep]
        assert {row[name] for row in here} == set(values)
        # Large images come in smaller numbers, and share of pixels decides on the kind.
        free = {name, "kind", "filled", *(["images"] if name == "side" else [])}
        assert all(len({row[k] for row in here}) == 1 for k in set(here[0]) - free)


def test_exponents():
    x = np.array([1, 2, 4, 8, 16, 32])
    assert model.exponent(x, 3 * x**1.5) == pytest.approx((1.5, 0), abs=1e-9)


def line(library, dtype, ms, **values):
    common = {"measure": "transform", "case": "a", "angles": 128}
    return common | {"library": library, "dtype": dtype, "ms": ms} | values


def test_ratios_compare_with_the_fastest_peer_in_the_same_precision():
    ours = line("MaxNRCDT", "float32", "2")
    lines = [
        ours,
        line("PyTransKit", "float64", "100"),
        line("torchcdt", "float32", "80"),
        line("torchcdt, corners cut", "float32", "60"),
        line("torchcdt", "float64", "10"),  # another precision
        line("skimage.radon", "float64", "6"),  # no such feature
        line("torchcdt", "float32", "4", case="b"),
        line("torchcdt", "float32", ""),  # missing
    ]
    assert speed.ratio(lines, ours) == (40, 30)
    assert speed.ratio([ours], ours) == (None, None)


def test_a_peer_that_cannot_be_used_has_a_line_with_the_reason(monkeypatch):
    peer = Variant("peer", "R-CDT", "no-such-package", "no_such_module", "float64", None)
    monkeypatch.setitem(VARIANTS, ("peer", "float64"), peer)
    with pytest.raises(ModuleNotFoundError, match="no_such_module") as caught:
        _Server().version(("peer", "float64"))
    found = {("peer", "float64"): str(caught.value)}
    (only,) = speed.lines_of("transform", "a", (1, 1), 128, [peer], None, found)
    assert "no_such_module" in only["missing"]
    assert only["ms"] == ""


def test_every_transformer_is_measured():
    import sklearn_nrcdt

    transformers = {
        n for n in sklearn_nrcdt.__all__ if hasattr(getattr(sklearn_nrcdt, n), "transform")
    }
    assert {variant.name for variant in OURS} == transformers


def test_filling():
    images = np.zeros((2, 8, 8))
    images[0, 3:5, 3:5] = 1  # a window of 2 x 2
    images[1, 4, 6] = 1  # 2.5 pixels from the centre: a window of 6 x 6
    share, window = speed.filling(images)
    assert share == pytest.approx(2.5 / 64)
    assert window == pytest.approx((4 + 36) / 2 / 64)


def test_the_small_table_has_ratios_as_soon_as_both_times_are_there():
    case = "256 x 256 symbols"
    lines = [
        line("SpectralNRCDT", "float32", "2", case=case, angles="128"),
        line("MaxNRCDT", "float32", "1", case=case, angles="128"),
    ]
    assert "InvariantHOG" not in headline(lines)
    lines.append(line("InvariantHOG", "float32", "3", case=case, angles="128"))
    lines.append(line("skimage.feature.hog", "float32", "12", case=case, angles="128"))
    shown = headline(lines).splitlines()
    assert "| InvariantHOG / Spectral | **1.5** |" in shown
    assert "| InvariantHOG / skimage | **0.25** |" in shown


def test_numbers_keep_three_digits():
    assert [number(x) for x in (0.01234, 1.234, 99.96, 12345.6, 0)] == [
        "0.0123",
        "1.23",
        "100",
        "12,300",
        "0",
    ]


def test_the_page_is_what_the_tables_say():
    results = ROOT / "benchmarks" / "performance" / "results"
    if not all((results / f"{name}.csv").exists() for name in TABLES):
        pytest.skip("the tables are not part of this installation")
    data = {name: read_csv(results / f"{name}.csv") for name in TABLES}
    data["search"] = search_page.load(results)
    assert (ROOT / "docs" / "performance.md").read_text() == page(data)
