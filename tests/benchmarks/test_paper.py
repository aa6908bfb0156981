"""Small versions of the paper's experiments, and the command that runs them."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.paper import chinese, looks, nearest_template, neighbours, phase, trends
from benchmarks.paper.__main__ import main
from benchmarks.paper.agreement import agrees, interval, is_misprint
from benchmarks.paper.data import (
    STRONG,
    TABLE4,
    MissingData,
    character_templates,
    linmnist,
    symbols,
)
from benchmarks.paper.fault import follow_rows, lose_270
from benchmarks.paper.features import curves, pool
from benchmarks.paper.report import blocks
from benchmarks.paper.store import is_done, read_csv, write_csv
from benchmarks.paper.summary import TABLES, published
from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, RadonCDT

ANGLES = (1, 4, 16, 64, 128)


@pytest.fixture(scope="module")
def affine():
    """Table 2's hardest data set, 5 samples per class: {(feature, angles): accuracy}."""
    data = symbols(5, STRONG, random_state=0)
    rows = nearest_template.accuracies(data, ANGLES, ["euclidean"], n_radii=401)
    return {(r["feature"], r["angles"]): r["value"] for r in rows if r["variant"] == "ours"}


def test_table2_max_is_perfect_from_64_angles_on(affine):
    assert affine["max", 64] == affine["max", 128] == 1


def test_table2_order_of_the_features(affine):
    # Pixels and R-CDT do not know about rotations.
    assert affine["max", 128] > affine["mean", 128] > 0.65
    assert affine["mean", 128] > affine["R-CDT", 128] + 0.3
    assert affine["R-CDT", 128] > affine["euclidean-image", ""]


def test_table2_accuracy_grows_with_the_angles(affine):
    assert np.all(np.diff([affine["max", n] for n in (1, 4, 16, 64)]) > 0)
    # The mean reaches its own limit earlier.
    assert np.all(np.diff([affine["mean", n] for n in (1, 4, 16)]) > 0)


def test_table2_one_angle_has_one_normalized_feature(affine):
    assert affine["max", 1] == affine["mean", 1]


def test_table3_mean_stands_strong_waves_better_than_max():
    ranges = nearest_template.TABLE3["freq[0.5,2] amp[8,13]"]
    data = symbols(8, ranges, random_state=0)
    rows = nearest_template.accuracies(data, [64], ["euclidean"], n_radii=401)
    found = {r["feature"]: r["value"] for r in rows if r["variant"] == "ours"}
    assert 1 > found["mean"] > found["max"] > found["R-CDT"] + 0.3


def test_table4_mean_above_max_under_salt_and_below_without():
    found = {}
    for name in TABLE4:
        data = symbols(25, TABLE4[name], random_state=0)
        full = pool(*curves(data.images, 64, 401), 64)
        features = {(feature, "ours"): values for feature, values in full.items()}
        for row, _ in neighbours.repeated(features, data.target, (5, 10), (1,), 5, seed=0):
            noise = "salt" if "salt" in name else "clean"
            found.setdefault((noise, row["feature"], row["train_per_class"]), []).append(
                row["value"]
            )
    mean_of = {key: np.mean(values) for key, values in found.items()}
    for size in (5, 10):
        assert mean_of["clean", "max", size] > 0.98 > mean_of["clean", "mean", size]
        salted = [mean_of["salt", name, size] for name in ("R-CDT", "max", "mean")]
        assert salted[0] + 0.2 < salted[1] < salted[2] < 0.9
    for feature in ("max", "mean"):
        assert mean_of["salt", feature, 10] > mean_of["salt", feature, 5]


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """Scikit-learn's digits in the place of MNIST, enlarged to about its size."""
    data = load_digits()
    images = np.kron(data.images, np.ones((3, 3)))
    path = tmp_path_factory.mktemp("digits") / "digits.npz"
    np.savez(path, images=images, labels=data.target)
    return path


def test_table6_order_of_the_features(digits):
    tables = neighbours.table6(0, quick=True, mnist=digits)
    for variant in ("ours", "dark"):
        found = {
            r["feature"]: r["value"]
            for r in tables["table6"]
            if (r["train_per_class"], r["k"], r["variant"]) == (25, 1, variant)
        }
        assert found["max"] > found["mean"] > max(found["R-CDT"], found["euclidean-image"]) + 0.1
    # A confusion map counts every prediction once.
    cells = [c for c in tables["confusion_linmnist"] if c["true"] == 3 and c["feature"] == "max"]
    cells = [c for c in cells if (c["train_per_class"], c["k"]) == (25, 1)]
    assert sum(c["value"] for c in cells) == 3 * (40 - 25)


def test_dark_pixels_are_dropped_before_the_maps(digits):
    plain, bright = (linmnist(3, digits, 0, threshold) for threshold in (None, 0.666))
    np.testing.assert_array_equal(plain.target, bright.target)
    np.testing.assert_array_equal(plain.params.matrix, bright.params.matrix)
    sums = [data.images.sum(axis=(1, 2)) for data in (plain, bright)]
    assert np.all(sums[1] < sums[0])
    assert np.all(sums[1] > 0.3 * sums[0])


def test_half_of_the_circle_gives_the_same_neighbours(shapes):
    rcdt = curves(shapes, 128, 101)[0].reshape(len(shapes), -1)
    half = neighbours.features_of(shapes, 101, fault=False)["R-CDT", "ours"]
    distances = [np.linalg.norm(x[:, None] - x[None], axis=2) for x in (rcdt, half)]
    np.testing.assert_allclose(distances[0], np.sqrt(2) * distances[1], atol=1e-10)


@pytest.mark.parametrize("k", [1, 4, 7])
def test_vote_is_that_of_scikit_learn(k, rng):
    points, labels = rng.normal(size=(60, 2)), rng.integers(3, 8, 60)
    model = KNeighborsClassifier(k).fit(points[:40], labels[:40])
    nearest = labels[:40][model.kneighbors(points[40:], return_distance=False)]
    predicted = neighbours.vote(nearest, np.unique(labels))
    np.testing.assert_array_equal(predicted, model.predict(points[40:]))


def test_ties_of_the_looks():
    labels = np.array([[3, 1, 1, 3, 5], [2, 9, 9, 2, 4], [1, 0, 0, 1, 7], [8, 8, 1, 1, 1]])
    by_order = [looks._vote(labels, order).tolist() for order in looks.VOTES.values()]
    assert by_order == [[1, 2, 0, 1], [3, 2, 0, 1], [3, 2, 1, 1]]


@pytest.mark.parametrize("n_near", [5, 199])
def test_neighbours_found_once_serve_all_splits(n_near, rng, monkeypatch):
    # With 5 neighbours most samples have no training sample among them.
    monkeypatch.setattr(chinese, "N_NEAR", n_near)
    target = np.repeat(np.arange(10), 20)
    points = target[:, None] / 4 + rng.normal(size=(200, 2))
    found = list(chinese._without_matrix(points, target, 10, 4, seed=0))
    rows = neighbours.repeated({("x", ""): points}, target, (5, 10), (1,), 4, seed=0)
    for one, (other, _) in zip(found, rows, strict=True):
        assert {key: other[key] for key in one} == pytest.approx(one)


def test_phase_transition_falls_with_salt():
    rows = phase.fig7(0, quick=True)["fig7"]
    found = {
        (r["feature"], r["angles"], r["x"], r["n_discs"]): r["value"]
        for r in rows
        if r["variant"] == "ours"
    }
    for feature in ("max", "mean"):
        assert found[feature, 64, 19, 0] == 1  # no salt, whatever its strength
        assert found[feature, 64, 19, 18] < 0.9
        by_number = [
            np.mean([v for k, v in found.items() if k[0] == feature and k[3] == n_discs])
            for n_discs in (0, 9, 18)
        ]
        assert by_number[0] > by_number[1] + 0.1 > by_number[2] + 0.1


@pytest.mark.parametrize("n_angles", [1, 2, 8, 32])
def test_fewer_angles_are_a_part_of_more_angles(n_angles, shapes):
    pooled = pool(*curves(shapes, 32, 101), n_angles)
    for name, transformer in (("R-CDT", RadonCDT), ("max", MaxNRCDT), ("mean", MeanNRCDT)):
        expected = transformer(n_angles, 101, quantiles="points").fit_transform(shapes)
        np.testing.assert_allclose(pooled[name], expected, atol=1e-12)


def test_fault_changes_the_angles_from_225_to_315_degrees(shapes):
    right = curves(shapes, 32, 301)
    wrong = follow_rows(shapes, *right, 301)
    for before, after in zip(right, wrong, strict=True):
        changed = np.abs(after - before).max(axis=(0, 2)) > 0
        np.testing.assert_array_equal(np.flatnonzero(changed), np.arange(21, 28))
    # At exactly 270 degrees all is lost.
    uniform = lose_270(right[1])
    np.testing.assert_allclose(wrong[1][:, 24], uniform[:, 24], atol=1e-9)
    np.testing.assert_array_equal(np.delete(uniform, 24, axis=1), np.delete(right[1], 24, axis=1))
    # Far from it, rays meet nearly all of their pixels.
    assert np.abs(wrong[1][:, 21] - right[1][:, 21]).mean() < 0.05
    np.testing.assert_allclose(wrong[1].mean(axis=2), 0, atol=1e-9)
    np.testing.assert_allclose(wrong[1].std(axis=2), 1)


def test_fault_of_a_single_pixel():
    # One pixel, 300 degrees: its projection, a trapezoid of half width (cos + sin) / 2, is cut
    # off at cos = 1/2 of a pixel.
    image = np.zeros((1, 16, 16))
    image[0, 8, 8] = 1
    right = curves(image, 12, 8001)
    wrong = follow_rows(image, *right, 8001)[0][0, 10]
    side = np.sqrt(2) / 16
    centre = 0.5 * side * np.cos(np.pi / 3) + 0.5 * side * np.sin(np.pi / 3)
    width = wrong.max() - wrong.min()
    assert centre == pytest.approx(wrong.mean(), abs=1e-3)
    assert width == pytest.approx(2 * 0.5 * side * 63 / 65, rel=0.05)
    assert np.ptp(right[0][0, 10]) > 1.15 * width


def test_fault_makes_the_maximum_fall_with_256_angles():
    # The paper's own maximum falls from 128 to 256 angles in the Chebyshev norm.
    data = symbols(5, STRONG, random_state=0)
    rows = nearest_template.accuracies(data, (64, 128, 256), ["chebyshev"])
    found = {(r["variant"], r["feature"], r["angles"]): r["value"] for r in rows}
    assert found["ours", "max", 256] == found["ours", "max", 128] == 1
    assert found["fault", "max", 256] < found["fault", "max", 128] - 0.02


@pytest.mark.parametrize("n_seeds", [2, 5, 20])
def test_interval_holds_95_percent_of_new_draws(n_seeds, rng):
    # Draws with a spread between data sets beyond the binomial one, ours and the paper's.
    for share in (0.2, 0.9):
        shares = np.clip(rng.normal(share, 0.03, size=(300, n_seeds + 1)), 0, 1)
        draws = rng.binomial(1000, shares) / 1000
        inside = [agrees(draw[0], *interval(draw[1:], 1000)) for draw in draws]
        assert 0.915 < np.mean(inside) <= (1 if n_seeds == 2 else 0.985)


def test_interval_without_spread_is_binomial(rng):
    draws = rng.binomial(120, 0.999, size=(300, 21)) / 120
    assert np.mean([agrees(d[0], *interval(d[1:], 120)) for d in draws]) > 0.93
    assert not agrees("0.9500", *interval([1.0] * 10, 120))
    assert agrees("0.9916", *interval([1.0] * 10, 120))


def test_interval_of_many_predictions_goes_on_from_that_of_few():
    few, many = (interval([0.7, 0.7, 0.7], n) for n in (2000, 2001))
    np.testing.assert_allclose(few, many, atol=1e-3)
    assert interval([1.0, 1.0], 10**6)[0] > 0.9999


def test_trends_compare_what_differs_in_one_setting():
    rows = published("table5")
    for row in rows:
        row["value"] = row["paper"]
    pairs = list(trends.comparisons(rows))
    assert {kind for kind, _, _ in pairs} == set(trends.KINDS)
    assert len(pairs) == 102
    assert all(paper == ours for paper, ours in (trends.outcome(a, b) for _, a, b in pairs))
    assert all(a == b > 0 for a, b in trends.by_cell(rows))
    # Turn one value round: nothing else changes.
    rows[21]["value"] = "0.9"
    wrong = [i for i, (a, b) in enumerate(trends.by_cell(rows)) if a != b]
    assert 21 in wrong
    assert len(wrong) < 8


def test_trends_have_signs():
    assert [trends.sign(x) for x in (0.5, 0.011, 0.009, 0, -0.009, -0.2)] == [1, 1, 0, 0, 0, -1]


def test_interval_is_not_everything():
    low, high = interval(np.full(20, 0.5), 120)
    assert 0.38 < low < 0.42
    assert 0.58 < high < 0.62
    low, high = interval([1.0] * 10, 120)
    assert high == 1
    assert 0.97 < low < 1


def test_misprints_are_no_multiples():
    assert is_misprint("0.1266", 120)
    assert not is_misprint("0.1666", 120)  # cut off
    assert not is_misprint("0.1667", 120)  # rounded


def test_published_values_are_complete():
    assert sum(len(published(table)) for table in TABLES) == 508
    for table in TABLES:
        rows = published(table)
        assert all(0 <= float(row["paper"]) <= 1 for row in rows)
        for row in rows:
            row.update(agrees="yes", value="0.5", std="")
        shown = [
            cell for _, _, lines in blocks(table, rows) for _, cells in lines for cell in cells
        ]
        # Every value has its place in the printed tables.
        assert sum(cell is not None for cell in shown) == len(rows)


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Folder with the quick version of Table 2, one seed."""
    folder = tmp_path_factory.mktemp("quick")
    assert main(["table2", "--quick", "--seeds", "1", "--results", str(folder)]) == 0
    return folder


def test_results_have_settings_and_counts(quick):
    rows = read_csv(quick / "table2.csv")
    assert len(rows) == 176  # no 128 and 256 angles
    assert {"value", "std", "paper", "dataset", "angles", "feature", "norm"} <= set(rows[0])
    assert {row["n_predictions"] for row in rows} == {"24"}


def test_command_resumes(quick, tmp_path, capsys):
    folder = tmp_path / "results"
    shutil.copytree(quick, folder)
    arguments = ["table2", "--quick", "--results", str(folder)]
    run = folder / "runs" / "table2-seed0.csv"
    run.write_text(run.read_text().replace("chebyshev", "stored"))
    assert main([*arguments, "--seeds", "1"]) == 0
    assert "1 of 1 runs are stored" in capsys.readouterr().out
    assert "stored" in run.read_text()
    # One more seed: only that one is run.
    assert main([*arguments, "--seeds", "2"]) == 0
    assert "1 of 2 runs are stored" in capsys.readouterr().out
    assert "stored" in run.read_text()
    assert main([*arguments, "--seeds", "1", "--force"]) == 0
    assert run.read_text() == (quick / "runs" / run.name).read_text()
    assert {row["n_seeds"] for row in read_csv(folder / "table2.csv")} == {"2"}


def test_a_killed_run_counts_as_not_done(tmp_path):
    write_csv(tmp_path / "runs" / "table2-seed0.csv", [{"value": 1}])
    assert not is_done(tmp_path, "table2", 0)  # its time is written last


def test_parallel_runs_give_the_same(quick, tmp_path):
    arguments = ["--quick", "--seeds", "1", "--n-jobs", "2", "--results", str(tmp_path)]
    assert main(["table2", *arguments]) == 0
    assert read_csv(tmp_path / "table2.csv") == read_csv(quick / "table2.csv")


def test_missing_data_are_named(tmp_path, capsys):
    arguments = ["--quick", "--seeds", "1", "--results", str(tmp_path)]
    missing = str(tmp_path / "no.npz")
    assert main(["table6", "table5", *arguments, "--mnist", missing, "--characters", missing]) == 1
    error = capsys.readouterr().err
    assert "--mnist PATH" in error
    assert "--characters PATH" in error


def test_characters_from_an_archive_and_a_font(tmp_path):
    images = np.zeros((3, 64, 64), np.uint8)
    images[:, 20:40, 30:34] = 255
    np.savez(tmp_path / "characters.npz", images=images)
    templates = character_templates(3, tmp_path / "characters.npz")
    assert templates.shape == (3, 128, 128)
    assert templates.max() == 1
    with pytest.raises(MissingData, match="--characters"):
        character_templates(3, tmp_path / "font.ttf")


def test_page_and_figures(quick, tmp_path):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "results"
    shutil.copytree(quick, folder)
    assert main(["fig7", "fig2", "--quick", "--seeds", "1", "--results", str(folder)]) == 0
    from benchmarks.paper.page import write_page

    # A value that cannot agree must be listed as an exception.
    rows = read_csv(folder / "table2.csv")
    rows[0].update(paper="0.9999", agrees="no", fault_agrees="no")
    write_csv(folder / "table2.csv", rows)
    write_page(folder, tmp_path / "docs" / "paper.md")
    text = (tmp_path / "docs" / "paper.md").read_text()
    assert "of 176 values agree" in text
    assert "| a misprint: not a multiple of 1/120 |" in text
    assert "[differences.csv](../results/differences.csv) lists all" in text
    exceptions = read_csv(folder / "differences.csv")
    assert "0.9999" in {row["paper"] for row in exceptions}
    assert any("not a multiple of 1 / 24" in row["finding"] for row in exceptions)
    assert "[table2.csv](../results/table2.csv) has all 176 values" in text
    assert (tmp_path / "docs" / "images" / "paper_agreement.png").stat().st_size > 5000
    for name in ("fig2", "fig7"):
        assert f"../results/{name}.png" in text
        assert (folder / f"{name}.png").stat().st_size > 5000


def test_transport_of_a_shift():
    pytest.importorskip("ot")
    from benchmarks.paper.transport import transport

    image = np.zeros((64, 64))
    image[20:30, 20:24] = 1
    distance, (_, _, dx, dy) = transport(image, np.roll(image, (6, 8), axis=(0, 1)))
    assert distance == pytest.approx(10 * np.sqrt(2) / 64)
    np.testing.assert_allclose(np.mean(dx), 8)
    np.testing.assert_allclose(np.mean(dy), 6)


def test_the_page_is_the_one_that_is_stored():
    from benchmarks.paper.page import text

    root = Path(__file__).parents[2]
    stored = (root / "docs" / "paper.md").read_text(encoding="utf-8")
    assert text(root / "benchmarks" / "paper" / "results", root / "docs") == stored
