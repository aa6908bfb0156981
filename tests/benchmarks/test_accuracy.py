"""The comparison of features: its images, its draws, what it stores, and the page that it makes."""

from argparse import Namespace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.utils import Bunch

from benchmarks.accuracy import bending, classics, comparison, local, methods, ours, page
from benchmarks.accuracy.elastic import displaced
from benchmarks.accuracy.methods import Draw, Features, Model, augment, draws
from benchmarks.accuracy.tasks import Task, quick_tasks
from benchmarks.data import MissingData
from benchmarks.tables import read_csv, write_csv
from sklearn_nrcdt.datasets import load_symbols

ROOT = Path(__file__).parents[2]


def mixture(matrix, size=96):
    """A smooth shape under a linear map about the centre, sampled without interpolation."""
    place = np.arange(size) - (size - 1) / 2
    inverse = np.linalg.inv(matrix)
    x, y = np.tensordot(inverse, np.meshgrid(place, place), axes=1)
    blobs = ((0, 0, 9, 5, 1.0), (9, 4, 4, 7, 0.7), (-7, 8, 5, 3, 0.5))
    return sum(a * np.exp(-(((x - u) / s) ** 2) - ((y - v) / t) ** 2) for u, v, s, t, a in blobs)


TURN = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
SHEAR = np.array([[1.3, 0.5], [-0.2, 0.8]])


@pytest.mark.parametrize(
    ("features", "matrix", "invariant"),
    [
        (classics.affine_moments, SHEAR, True),
        (partial(classics.zernike, whiten=True), SHEAR, True),
        (partial(classics.zernike, whiten=False), 0.8 * TURN, True),
        (partial(classics.zernike, whiten=False), SHEAR, False),
        (classics.hu, 0.8 * TURN, True),
        (classics.hu, SHEAR, False),
    ],
)
def test_moments_are_invariant_under_their_group_only(features, matrix, invariant):
    pytest.importorskip("cv2")
    same, moved, other = features(
        np.stack([mixture(np.eye(2)), mixture(matrix), mixture(np.eye(2)) ** 2])
    )
    changed = np.linalg.norm(moved - same) / np.linalg.norm(other - same)
    assert (changed < 0.1) == invariant


def test_the_displacement_has_the_size_that_was_asked_for():
    # On a ramp, what a pixel gets is where it came from.
    ramp = np.tile(np.arange(160.0), (160, 1))
    images = np.stack([ramp, ramp.T] * 20)
    moved = displaced(images, rms=5, width=10, rng=np.random.RandomState(0))
    inside = (moved - images)[:, 20:-20, 20:-20]
    # Each image shows one of two components.
    assert np.sqrt(2 * np.mean(inside**2)) == pytest.approx(5, rel=0.1)
    # Smooth: neighbours at a fifth of the width move together.
    steps = np.diff(inside[::2], axis=1)
    assert np.sqrt(np.mean(steps**2)) < 0.1 * np.sqrt(np.mean(inside[::2] ** 2))


def test_a_crop_is_the_square_around_the_shape():
    pytest.importorskip("cv2")
    image = np.zeros((2, 40, 60), np.float32)
    image[0, 5:13, 30:46] = 3
    seen, blank = classics.crop(image, 16)
    expected = np.zeros((16, 16))
    expected[4:12] = 1
    np.testing.assert_allclose(seen, expected)
    assert not blank.any()


@pytest.fixture
def data():
    """Noise of three classes that differ in brightness."""
    images = np.random.RandomState(0).rand(24, 12, 12)
    images *= np.repeat([1, 3, 6], 8)[:, None, None]
    return Bunch(images=images, target=np.repeat([3, 5, 9], 8))


TASK = Task("small", "digits", None, (1, 2, 4), templates=False)


@pytest.mark.parametrize("most_tested", [None, 6])
def test_draws(data, most_tested):
    found = list(draws(TASK, data, 3, most_tested))
    assert len({draw.train.tobytes() for draw in found}) == 3
    for draw in found:
        np.testing.assert_array_equal(data.images[draw.train], draw.images)
        before: set = set()
        for size in TASK.train_sizes:
            chosen, test = draw.chosen[size], draw.tests[size]
            assert (np.bincount(draw.target[chosen])[[3, 5, 9]] == size).all()
            assert before <= set(chosen)
            before = set(chosen)
            assert not set(draw.train[chosen]) & set(test)
            assert len(test) == (most_tested or 24 - 3 * size)
            if most_tested:
                assert test is draw.tests[1]


def bright(images):
    return images.mean(axis=(1, 2))[:, None]


@pytest.mark.parametrize("options", [{}, {"copies": 2}, {"most_tested": 6}])
def test_features_with_standard_classifiers(data, options):
    method = Features("mean", "classic", splits=3, make=lambda: bright, **options)
    rows = list(method.rows(TASK, data, TASK.train_sizes, quick=False))
    assert {(row["classifier"], row["train"]) for row in rows} == set(
        method.cells(TASK, TASK.train_sizes)
    )
    # One sample is for the nearest neighbour, unless there are copies of it.
    assert {row["classifier"] for row in rows if row["train"] == 1} == (
        {"1-NN", "SVC", "PCA + LDA"} if options.get("copies") else {"1-NN"}
    )
    # Copies of what fills the canvas lose mass, so that brightness tells less.
    wanted = 0.3 if options.get("copies") else 0.95
    assert all(row["accuracy"] > wanted for row in rows if row["classifier"] != "SVC")
    assert all(row["splits"] == 3 for row in rows)


class Brightest:
    """A model of its own, for codes 0, 1, ..."""

    def fit(self, images, codes, seed):
        self.means = np.array([bright(images[codes == c]).mean() for c in range(codes.max() + 1)])

    def predict(self, images):
        return abs(bright(images) - self.means).argmin(axis=1)


def test_models_of_their_own(data):
    method = Model("own", "learned", splits=2, make=lambda *_: Brightest())
    assert method.jobs(TASK) == [(1,), (2,), (4,)]
    (row,) = method.rows(TASK, data, (4,), quick=False)
    assert row["accuracy"] > 0.95
    assert (row["classifier"], row["train"], row["splits"], row["tested"]) == ("own", 4, 2, 12)


def test_descriptors_vote_for_the_class_that_is_nearest_on_the_whole(monkeypatch):
    basis = np.eye(4, dtype=np.float32)
    images = [basis[:1], basis[1:3], basis[[3]], basis[[3, 1, 2]], np.zeros((0, 4), np.float32)]
    monkeypatch.setattr(local, "descriptors", lambda chosen: [images[i] for i in chosen])
    model = local.NearestDescriptors(3)
    model.fit([0, 1, 2], np.array([0, 1, 2]), seed=0)
    np.testing.assert_array_equal(model.predict([3, 4]), [1, 0])


@pytest.fixture
def small(monkeypatch, data, tmp_path):
    """A comparison of two methods on one task, and how often the first one was asked."""
    asked = []

    def make():
        asked.append(1)
        return bright

    methods = {
        "mean": Features("mean", "ours", splits=2, make=make),
        "gone": Features("gone", "classic", make=make, needs=("no_such_package",)),
    }
    task = Task("small", "digits", lambda: data, (1, 2), templates=False)
    monkeypatch.setattr(comparison, "all_methods", lambda: methods)
    monkeypatch.setattr(comparison, "all_tasks", lambda args: [task])
    monkeypatch.setattr(comparison, "_loaded", {})
    args = Namespace(results=tmp_path, n_jobs=1, force=False, quick=False)
    return args, asked, methods


def test_what_is_stored_is_not_computed_again(small):
    args, asked, _ = small
    comparison.run(args)
    table = args.results / "comparison.csv"
    rows = read_csv(table)
    assert len(rows) == 1 + 3  # the nearest neighbour, then all three classifiers
    assert len(asked) == 1
    comparison.run(args)
    assert len(asked) == 1
    write_csv(table, rows[:-1])  # as if stopped before the last one
    comparison.run(args)
    assert len(asked) == 2
    again = read_csv(table)
    keys = [(row["classifier"], row["train"], row["accuracy"]) for row in rows]
    assert [(row["classifier"], row["train"], row["accuracy"]) for row in again] == keys
    args.force = True
    comparison.run(args)
    assert len(asked) == 3
    assert len(read_csv(table)) == len(rows)
    assert len(read_csv(args.results / "wall.csv")) == 1


def test_what_cannot_be_had_is_said_once(small, capsys):
    args, _, _ = small
    comparison.run(args)
    assert capsys.readouterr().err.count("gone cannot be had") == 1
    (missing,) = read_csv(args.results / "missing.csv")
    assert missing == {"method": "gone", "reason": "No module named 'no_such_package'"}
    assert "gone" not in {row["method"] for row in read_csv(args.results / "comparison.csv")}
    (args.results / "salt.txt").write_text("")
    assert page.page(args.results).count("gone could not be had") == 1


def test_a_failure_does_not_stop_the_others(small):
    args, _, methods = small

    def fail(images):
        raise RuntimeError("this one fails")

    methods.pop("gone")
    methods["bad"] = Features("bad", "classic", make=lambda: fail)
    with pytest.raises(MissingData, match="this one fails"):
        comparison.run(args)
    assert {row["method"] for row in read_csv(args.results / "comparison.csv")} == {"mean"}


def test_our_features_on_a_small_task():
    args = Namespace(mnist=None, characters=None, logos=None, quick=True)
    task = next(quick_tasks(args))
    found = task.load()
    for method in ours.methods():
        if not method.skip(task):
            rows = list(method.rows(task, found, (1,), quick=True))
            assert max(row["accuracy"] for row in rows) >= 0.7, method.name


@pytest.mark.parametrize(("size", "n_copies"), [(1, 50), (5, 20), (60, 1)])
def test_bent_copies_fill_a_class_and_keep_its_pose(size, n_copies):
    images = np.repeat(load_symbols(size=32).images[:2], 60, axis=0)
    chosen = np.r_[:size, 60 : 60 + size]
    draw = Draw(images, np.repeat([3, 7], 60), {size: chosen}, {})
    method = Features("ours", "ours", copies=50, only_bent=True)
    task = Task("task", "digits", None, templates=False)
    made, target, origin = augment(method, draw, (size,), task, 0, quick=False)
    assert set(origin) == set(chosen)
    np.testing.assert_array_equal(np.bincount(origin)[chosen], 1 + n_copies)
    np.testing.assert_array_equal(target, draw.target[origin])
    np.testing.assert_array_equal(made[: len(chosen)], images[chosen])
    copies, originals = made[len(chosen) :], images[origin[len(chosen) :]]
    assert np.abs(copies - originals).max() > 0.1
    # Upright still: more like the original than like the original upside down.
    assert np.sum(copies * originals) > np.sum(copies * originals[:, ::-1])


@pytest.mark.parametrize("bends", [False, True])
def test_copies_in_other_poses_are_bent_where_shapes_vary(monkeypatch, bends):
    bent = []
    monkeypatch.setattr(methods, "random_elastic", lambda x, **_: bent.append(len(x)) or x)
    draw = Draw(load_symbols(size=32).images, np.arange(12), {1: np.arange(12)}, {})
    task = Task("task", "digits", None, bends=bends)
    made, _, _ = augment(Features("HOG", "classic", copies=3), draw, (1,), task, 0, quick=False)
    assert len(made) == 48
    assert bent == [36] * bends


def test_bends_are_tried_in_each_width(monkeypatch, tmp_path):
    file = tmp_path / "shapes.npz"
    symbols = load_symbols(size=128).images[:10]
    np.savez(file, images=(255 * symbols / symbols.max()).astype(np.uint8))
    monkeypatch.setattr(bending, "METHODS", ("SpectralNRCDT",))
    monkeypatch.setattr(bending, "WIDTHS", (2, 40))
    args = Namespace(characters=None, logos=file, quick=True, n_jobs=1, results=tmp_path)
    bending.run(args)
    head, row = (tmp_path / "bending.txt").read_text().split("\n")[:2]
    assert head.split() == ["logos,", "by", "width", "in", "pixels", "2", "40"]
    crumpled, shifted = map(float, row.split()[1:])
    # Wide bends are almost affine maps.
    assert crumpled < 0.8 < shifted


def rows_of(task, train, accuracies, family="ours"):
    """Rows as stored: method -> classifier -> accuracy."""
    return [
        {
            "task": task,
            "method": method,
            "family": family,
            "classifier": classifier,
            "train": train,
            "accuracy": str(accuracy),
            "spread": "0.01",
            "train_seconds": "12.3",
            "ms_per_image": "0.5",
        }
        for method, found in accuracies.items()
        for classifier, accuracy in found.items()
    ]


def test_a_table_has_the_best_classifier_of_each_method():
    rows = rows_of(
        "LinMNIST",
        "11",
        {"A": {"1-NN": 0.5, "SVC": 0.7}, "B": {"1-NN": 0.6, "PCA + LDA": 0.55}, "C": {"own": 0.7}},
    )
    columns = {"digits": ("LinMNIST", "11"), "none": ("LinMNIST", "50")}
    head, lines = page.accuracy_table(rows, columns, ["A", "B", "C", "D"])
    assert head == ["method", "digits"]
    assert lines == [["A", "**0.700**"], ["B", "0.600"], ["C", "**0.700**"]]


def test_the_answer_names_the_best_alternative():
    rows = [
        *rows_of("LinMNIST", "11", {"InvariantHOG": {"1-NN": 0.8, "PCA + LDA": 0.9}}),
        *rows_of("LinMNIST", "11", {"MaxNRCDT": {"1-NN": 0.4, "SVC": 0.5}}, "paper"),
        *rows_of("LinMNIST", "11", {"HOG": {"1-NN": 0.5}, "small CNN": {"own": 0.7}}, "learned"),
        *rows_of("LinMNIST", "11", {"InvariantHOG, copies": {"PCA + LDA": 0.95}}),
        *rows_of(page.ELASTIC_CHARACTERS, "1", {"InvariantHOG, aligned": {"aligned 1-NN": 0.6}}),
        *rows_of(page.ELASTIC_CHARACTERS, "1", {"InvariantHOG, copies": {"PCA + LDA": 0.8}}),
        *rows_of(page.ELASTIC_CHARACTERS, "1", {"HOG": {"1-NN": 0.3}}, "classic"),
    ]
    text = " ".join(page.answer(rows).split())
    assert "With bent copies it finds 80.0 %, in 0.5 ms per character" in text
    for part in (
        "recognises 90.0 % of the others, and 95.0 % if bent copies",
        "finds 60.0 % at the best rotation",
        "reach 50.0 % with their best classifier (40.0 % with the paper's nearest neighbour)",
        "a small CNN, reaches 70.0 %",
        "finds 30.0 %",
    ):
        assert part in text


def test_losses_are_told():
    cell = page.GROUPS["Upright digits"][1]["upright digits, 11 samples"]
    rows = [
        *rows_of(*cell, {"InvariantHOG": {"1-NN": 0.8}}),
        *rows_of(*cell, {"HOG": {"SVC": 0.85}}, "classic"),
    ]
    for row in rows:
        row["spread"] = "0.01"
    (line,) = page.losses(rows).strip().splitlines()[2:]
    assert line.endswith("HOG, with copies 85.0 %, InvariantHOG 80.0 %")
    rows[0]["accuracy"] = "0.84"  # within the spread
    assert page.losses(rows) == ""


def test_the_page_is_the_one_that_is_stored():
    stored = (ROOT / "docs" / "accuracy.md").read_text()
    assert page.page(ROOT / "benchmarks" / "accuracy" / "results") == stored


def test_the_table_of_the_readme_is_the_one_that_is_stored():
    rows = read_csv(ROOT / "benchmarks" / "accuracy" / "results" / "comparison.csv")
    stored = (ROOT / "README.md").read_text(encoding="utf-8")
    assert page.readme(rows, stored) == stored
    other = [row | {"accuracy": "0.123"} if row["method"] == "HOG" else row for row in rows]
    line = "| HOG, with copies | nothing | copies in many poses | 0.123 | 0.123 |"
    assert line in page.readme(other, stored)


def test_salt_is_told_by_what_was_printed():
    text = "1-NN by levels  8  16  32  64  128\nmax NR-CDT  0.9  0.8  0.7  0.6  0.5\n\norders\n"
    answer, table = page.salt_levels(text)
    assert answer.endswith("the max NR-CDT reaches 0.600, with 16 levels 0.800.")
    assert table.splitlines()[0] == "| 1-NN by levels | 8 | 16 | 32 | 64 | 128 |"
    assert "orders" not in table


@pytest.mark.parametrize(
    ("accuracy", "ms", "words"),
    [
        ("0.82", "50", "as accurate, within the spread, as the best alternative there, HOG, with "
         "copies (82.0 %), and 25 times faster"),
        ("0.84", "1", "and 2 times slower"),
        ("0.70", "50", "HOG, with copies, finds 70.0 % in 50.0 ms"),
        ("0.90", "50", "HOG, with copies, finds 90.0 % in 50.0 ms"),
    ],
)  # fmt: skip
def test_a_difference_within_the_spread_is_no_win(accuracy, ms, words):
    ours = {"method": "InvariantHOG", "accuracy": "0.83", "spread": "0.01", "ms_per_image": "2"}
    rival = {"method": "HOG", "accuracy": accuracy, "spread": "0.01", "ms_per_image": ms}
    assert page.beside(ours, rival).endswith(words)
