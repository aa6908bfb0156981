"""Small versions of the paper's experiments, and the command that runs them."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.command import run_room
from benchmarks.data import MissingData
from benchmarks.paper import neighbors, templates
from benchmarks.paper.__main__ import EXPERIMENTS
from benchmarks.paper.agreement import agrees, interval
from benchmarks.paper.data import STRONG, character_templates, symbols
from benchmarks.paper.summary import published
from benchmarks.paper.tables import TABLES
from benchmarks.paper.templates import curves, pool
from benchmarks.tables import read_csv
from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, RadonCDT
from sklearn_nrcdt.datasets import load_symbols


def test_table2_order_of_the_features():
    """Table 2's hardest data set, 5 samples per class."""
    data = symbols(5, STRONG, random_state=0)
    rows = templates.accuracies(data, (1, 4, 16, 64), ["euclidean"], n_radii=301)
    found = {(row["feature"], row["angles"]): row["value"] for row in rows}
    assert found["max", 64] == 1
    assert found["max", 64] > found["mean", 64] > 0.65
    # Pixels and R-CDT do not know about rotations.
    assert found["mean", 64] > found["R-CDT", 64] + 0.3
    assert found["R-CDT", 64] > found["euclidean-image", ""]
    assert found["max", 1] == found["mean", 1]  # one angle has one normalized feature
    assert np.all(np.diff([found["max", n] for n in (1, 4, 16, 64)]) > 0)


@pytest.mark.parametrize("n_angles", [1, 2, 32])
def test_fewer_angles_are_a_part_of_more_angles(n_angles, shapes):
    pooled = pool(*curves(shapes, 32, 101), n_angles)
    for name, transformer in (("R-CDT", RadonCDT), ("max", MaxNRCDT), ("mean", MeanNRCDT)):
        expected = transformer(n_angles, 101, quantiles="points").fit_transform(shapes)
        np.testing.assert_allclose(pooled[name], expected, atol=1e-12)


def test_half_of_the_circle_gives_the_same_neighbours(shapes):
    rcdt = curves(shapes, 128, 101)[0].reshape(len(shapes), -1)
    half = neighbors.features_of(shapes, 101)["R-CDT"]
    distances = [np.linalg.norm(x[:, None] - x[None], axis=2) for x in (rcdt, half)]
    np.testing.assert_allclose(distances[0], np.sqrt(2) * distances[1], atol=1e-10)


@pytest.mark.parametrize("k", [1, 4, 7])
def test_vote_is_that_of_scikit_learn(k, rng):
    points, labels = rng.normal(size=(60, 2)), rng.integers(3, 8, 60)
    model = KNeighborsClassifier(k).fit(points[:40], labels[:40])
    nearest = labels[:40][model.kneighbors(points[40:], return_distance=False)]
    predicted = neighbors.vote(nearest, np.unique(labels))
    np.testing.assert_array_equal(predicted, model.predict(points[40:]))


@pytest.mark.parametrize("n_near", [5, 199])
def test_neighbours_found_once_serve_all_splits(n_near, rng, monkeypatch):
    # With 5 neighbors most samples have no training sample among them.
    monkeypatch.setattr(neighbors, "N_NEAR", n_near)
    target = np.repeat(np.arange(10), 20)
    points = target[:, None] / 4 + rng.normal(size=(200, 2))
    found = list(neighbors.nearest_neighbour(points, target, 4, seed=0))
    rows = neighbors.repeated({"x": points}, target, (5, 10), (1,), 4, seed=0)
    for one, (other, _) in zip(found, rows, strict=True):
        assert {key: other[key] for key in one} == pytest.approx(one)


@pytest.mark.parametrize("n_seeds", [2, 20])
def test_interval_holds_95_percent_of_new_draws(n_seeds, rng):
    # Draws with a spread between data sets beyond the binomial one, ours and the paper's.
    for share in (0.2, 0.9):
        shares = np.clip(rng.normal(share, 0.03, size=(300, n_seeds + 1)), 0, 1)
        draws = rng.binomial(2500, shares) / 2500
        inside = [agrees(draw[0], *interval(draw[1:], 2500)) for draw in draws]
        assert 0.915 < np.mean(inside) <= (1 if n_seeds == 2 else 0.985)


def test_interval_without_spread_is_binomial():
    low, high = interval(np.full(20, 0.5), 120)
    assert 0.38 < low < 0.42
    assert 0.58 < high < 0.62
    assert not agrees("0.9500", *interval([1.0] * 10, 120))
    assert agrees("0.9916", *interval([1.0] * 10, 120))
    few, many = (interval([0.7, 0.7, 0.7], n) for n in (2000, 2001))
    np.testing.assert_allclose(few, many, atol=1e-3)


def test_published_values_are_complete():
    tables = [published(table) for table in TABLES]
    assert sum(map(len, tables)) == 508
    assert all(0 <= float(row["paper"]) <= 1 for rows in tables for row in rows)


def run(*what):
    return run_room("paper", "", EXPERIMENTS, [*map(str, what), "--quick"])


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Folder with the quick version, smaller still: one data set, few pixels and radii."""
    pytest.importorskip("matplotlib")
    folder = tmp_path_factory.mktemp("quick")
    digits = load_digits()
    np.savez(folder / "digits.npz", images=digits.images, labels=digits.target)
    images = np.concatenate([load_symbols(size=64).images, load_symbols(size=64).images[:, ::-1]])
    np.savez(folder / "characters.npz", images=np.uint8(255 * np.clip(images[:20], 0, 1)))
    files = "--mnist", folder / "digits.npz", "--characters", folder / "characters.npz"

    def small(n_samples, ranges, random_state, **more):
        drawn = {"templates": load_symbols(size=64), "shift": (-5, 5)}
        return symbols(n_samples, {**ranges, **drawn}, random_state, **more)

    with pytest.MonkeyPatch.context() as patch:
        for module in (templates, neighbors):
            patch.setattr(module, "curves", lambda images, n, *_: curves(images, n, 101))
            patch.setattr(module, "symbols", small)
        patch.setattr(templates, "TABLE2", dict(list(templates.TABLE2.items())[:1]))
        patch.setattr(templates, "ANGLES", (1, 16, 128, 256))
        patch.setattr(neighbors, "N_ANGLES", 32)
        patch.setattr(neighbors, "CHARACTER_ANGLES", (2, 128))
        patch.setattr(neighbors, "TABLE4", {"3. affine, salt": neighbors.TABLE4["3. affine, salt"]})
        # The other tables and figures take the same way.
        what = "table2", "table4", "table5", "table6", "fig7", "confusion", "tables"
        assert run(*what, *files, "--results", folder) == 0
    return folder


def test_tables_and_figures_are_made(quick):
    figures = "fig7", "confusion_symbols", "confusion_linmnist", "images/paper_agreement"
    for name in figures:
        assert (quick / f"{name}.png").stat().st_size > 3000
    rows = read_csv(quick / "table2.csv")
    assert len(rows) == 2 * 7  # two norms; pixels, and three features with 1 and 16 angles
    assert {row["n_predictions"] for row in rows} == {"48"}
    assert "| Table 2 | 14 |" in (quick / "_tables" / "paper_outcome.md").read_text()
    # Max above mean above pixels, also for digits.
    rows = read_csv(quick / "table6.csv")
    found = {r["feature"]: float(r["value"]) for r in rows if r["train_per_class"] == "25"}
    assert found["max"] > found["mean"] > found["euclidean-image"]


def test_confusions_count_every_prediction(quick):
    rows = read_csv(quick / "confusion_linmnist.csv")
    for k in ("1", "5", "11"):
        chosen = [r for r in rows if (r["k"], r["true"], r["train_per_class"]) == (k, "3", "25")]
        for feature in ("max", "mean"):
            shares = [float(r["value"]) for r in chosen if r["feature"] == feature]
            assert sum(shares) == pytest.approx(1, abs=1e-3)


def test_phase_transition_falls_with_salt(quick):
    rows = read_csv(quick / "fig7.csv")
    for feature in ("max", "mean"):
        mine = [row for row in rows if row["feature"] == feature]
        by_number = [
            np.mean([float(r["value"]) for r in mine if r["n_discs"] == n])
            for n in ("0", "9", "18")
        ]
        assert by_number[0] > by_number[1] + 0.1 > by_number[2] + 0.1


def test_missing_data_are_named(tmp_path, capsys):
    missing = tmp_path / "no.npz"
    files = "--mnist", missing, "--characters", missing
    assert run("table6", "table5", *files, "--results", tmp_path) == 1
    error = capsys.readouterr().err
    assert "--mnist PATH" in error
    assert "--characters PATH" in error
    with pytest.raises(MissingData, match="--characters"):
        character_templates(3, tmp_path / "font.ttf")


def test_transport_of_a_shift():
    pytest.importorskip("ot")
    pytest.importorskip("matplotlib")
    from benchmarks.paper.figures import transport

    image = np.zeros((64, 64))
    image[20:30, 20:24] = 1
    distance, (_, _, dx, dy) = transport(image, np.roll(image, (6, 8), axis=(0, 1)))
    assert distance == pytest.approx(10 * np.sqrt(2) / 64)
    np.testing.assert_allclose(np.mean(dx), 8)
    np.testing.assert_allclose(np.mean(dy), 6)
