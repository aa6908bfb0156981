"""The comparison of features: its images, its draws, and what it counts."""

from argparse import Namespace
from functools import partial

import numpy as np
import pytest
from sklearn.utils import Bunch

from benchmarks.accuracy import (
    certainty,
    comparison,
    features,
    methods,
    models,
    oneshot,
    search,
)
from benchmarks.accuracy.methods import Draw, Features, Model, augment, draws
from benchmarks.accuracy.tasks import Task, displaced
from benchmarks.tables import read_csv
from sklearn_nrcdt.datasets import load_symbols


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
    ("moments", "matrix", "invariant"),
    [
        (features.zernike, SHEAR, True),
        (partial(features.zernike, whiten=False), 0.8 * TURN, True),
        (partial(features.zernike, whiten=False), SHEAR, False),
    ],
)
def test_moments_are_invariant_under_their_group_only(moments, matrix, invariant):
    pytest.importorskip("cv2")
    same, moved, other = moments(
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
    seen, blank = features.crop(image, 16)
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


TASK = Task("small", None, (1, 2, 4), templates=False)


@pytest.mark.parametrize("most_tested", [None, 6])
def test_draws(data, most_tested):
    by_size = [list(draws(TASK, data, size, 3, most_tested)) for size in TASK.train_sizes]
    assert len({draw.train.tobytes() for draw in by_size[0]}) == 3
    for found in zip(*by_size, strict=True):
        before: set = set()
        for size, draw in zip(TASK.train_sizes, found, strict=True):
            np.testing.assert_array_equal(data.images[draw.train], draw.images)
            assert (np.bincount(draw.target[draw.chosen])[[3, 5, 9]] == size).all()
            assert before <= set(draw.chosen)
            before = set(draw.chosen)
            assert not set(draw.train[draw.chosen]) & set(draw.test)
            assert len(draw.test) == (most_tested or 24 - 3 * size)
            if most_tested:
                np.testing.assert_array_equal(draw.test, found[0].test)


def bright(images):
    return images.mean(axis=(1, 2))[:, None]


@pytest.mark.parametrize("options", [{}, {"copies": 2}, {"most_tested": 6}])
def test_features_with_standard_classifiers(data, options):
    task = Task("small", lambda: data, TASK.train_sizes, templates=False)
    method = Features("mean", "classic", lambda: bright, splits=3, **options)
    for size in task.train_sizes:
        methods._loaded.clear()
        rows = method.rows(task, size, quick=False)
        # One sample is for the nearest neighbour, unless there are copies of it.
        alone = size == 1 and not options.get("copies")
        names = ["1-NN"] if alone else ["1-NN", "SVC", "PCA + LDA"]
        assert [row["classifier"] for row in rows] == names
        # Copies of what fills the canvas lose mass, so that brightness tells less.
        wanted = 0.3 if options.get("copies") else 0.95
        assert all(row["accuracy"] > wanted for row in rows if row["classifier"] != "SVC")
        assert all(row["splits"] == 3 for row in rows)


class Brightest:
    """A model of its own, for codes 0, 1, ..."""

    def fit(self, images, codes):
        self.means = np.array([bright(images[codes == c]).mean() for c in range(codes.max() + 1)])

    def predict(self, images):
        return abs(bright(images) - self.means).argmin(axis=1)


def test_models_of_their_own(data):
    methods._loaded.clear()
    method = Model("own", "learned", lambda *_: Brightest(), splits=2)
    task = Task("small", lambda: data, TASK.train_sizes, templates=False)
    (row,) = method.rows(task, 4, quick=False)
    assert row["accuracy"] > 0.95
    assert (row["classifier"], row["splits"], row["tested"]) == ("own", 2, 12)


def test_descriptors_vote_for_the_class_that_is_nearest_on_the_whole(monkeypatch):
    basis = np.eye(4, dtype=np.float32)
    images = [basis[:1], basis[1:3], basis[[3]], basis[[3, 1, 2]], np.zeros((0, 4), np.float32)]
    monkeypatch.setattr(models, "descriptors", lambda chosen: [images[i] for i in chosen])
    model = models.NearestDescriptors()
    model.fit([0, 1, 2], np.array([0, 1, 2]))
    np.testing.assert_array_equal(model.predict([3, 4]), [1, 0])


def arguments(folder, **files):
    known = {"mnist": None, "characters": None, "logos": None, "watermarks": None} | files
    return Namespace(results=folder, docs=folder, n_jobs=1, force=False, quick=True, **known)


def test_a_small_comparison(monkeypatch, tmp_path, capsys):
    gone = Features("gone", "classic", None, needs=("no_such_package",))
    ours = {m.name: m for m in features.methods() if m.family != "classic" and not m.needs}
    monkeypatch.setattr(comparison, "all_methods", lambda: ours | {"gone": gone})
    tasks = list(comparison.all_tasks(arguments(tmp_path)))
    monkeypatch.setattr(comparison, "all_tasks", lambda args: tasks[:1])
    comparison.run(arguments(tmp_path))
    rows = read_csv(tmp_path / "comparison.csv")
    expected = {name for name, method in ours.items() if not method.skip(tasks[0])}
    assert {row["method"] for row in rows} == expected
    assert all(float(row["accuracy"]) >= 0.7 for row in rows)
    assert capsys.readouterr().err.count("gone cannot be had: No module named") == 1


@pytest.mark.parametrize(("size", "n_copies"), [(1, 50), (5, 20), (60, 1)])
def test_bent_copies_fill_a_class_and_keep_its_pose(size, n_copies):
    images = np.repeat(load_symbols(size=32).images[:2], 60, axis=0)
    chosen = np.r_[:size, 60 : 60 + size]
    draw = Draw(images, np.repeat([3, 7], 60), chosen, None)
    method = Features("ours", "ours", None, copies=50, only_bent=True)
    task = Task("task", None, templates=False)
    made, target, origin = augment(method, draw, chosen, size, task, 0, quick=False)
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
    every = np.arange(12)
    draw = Draw(load_symbols(size=32).images, every, every, None)
    task = Task("task", None, bends=bends)
    method = Features("HOG", "classic", None, copies=3)
    made, _, _ = augment(method, draw, every, 1, task, 0, quick=False)
    assert len(made) == 48
    assert bent == [36] * bends


def test_scores_of_right_and_wrong_drawings():
    positions = np.array([[0, 5], [7, 1], [2, 9], [3, 8]])
    scores = np.array([[9.0, 5.0], [6.0, 5.0], [5.5, 4.0], [12.0, 6.0]])
    found = search.score_levels(scores, positions, [0, 1, 2, 3])
    assert found["score"] == 7.5
    assert 5.9 < found["wrong95"] <= 6
    assert found["sure"] == 0.5  # the second is wrong, the third below the limit
    assert search.top(positions, [0, 1, 2, 3]) == {"top1": 0.75, "top5": 1.0}


def one_shot_files(folder):
    """Two runs of symbols in the place of Omniglot's, and 3 silhouettes of 4 classes."""
    images = np.uint8(255 * load_symbols(size=96).images[[0, 2, 4, 6, 9, 11]])
    turned = images[:, ::-1, ::-1]  # "upright" shapes are not recognized any more
    np.savez(
        folder / "omniglot.npz",
        train=np.stack([images, images]),
        test=np.stack([images[::-1], turned[::-1]]),
        test_label=np.tile(np.arange(6)[::-1], (2, 1)),
    )
    labels = np.repeat(np.arange(4), 6)
    leaves = np.stack([np.roll(images[k], i % 6, axis=0) for i, k in enumerate(labels)])
    np.savez(folder / "leaves.npz", images=leaves, labels=labels)
    return Namespace(
        quick=True,
        omniglot=folder / "omniglot.npz",
        leaves=folder / "leaves.npz",
        **dict.fromkeys(("characters", "logos", "mnist")),
    )


def test_one_shot_tasks_use_the_labels_of_each_run(tmp_path):
    rows = list(oneshot.rows(one_shot_files(tmp_path)))
    found = {(row["task"], row["method"]): row["accuracy"] for row in rows}
    # The first run has equal drawings in another order, the second one turned ones.
    assert 0.5 <= found["Omniglot, upright", "ShapeClassifier, scale"] < 0.8
    assert found["leaves, 1 of each", "ShapeClassifier, similarity"] == 1
    assert found["leaves, bull's eye", "ShapeClassifier, similarity"] == 1


def test_marks_are_counted_for_right_wrong_and_absent(tmp_path):
    *rows, last = certainty.rows(one_shot_files(tmp_path))
    leaves = {row["answers"]: row for row in rows if row["data"] == "leaves, 1 of each"}
    # Half of the four classes are left out; one of six samples of each is a template.
    assert leaves["right"]["number"] == leaves["absent"]["number"] == 10
    assert leaves["right"]["clear"] + leaves["right"]["likely"] == 10
    assert 0 <= float(last["number"]) <= 1
