"""`ShapeClassifier`: what it recognizes, how sure it is, and what must make no difference."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import BlankImageWarning, ShapeClassifier
from sklearn_nrcdt._kernels.discriminant import learn_weights
from sklearn_nrcdt._support.samples import some_of_each
from sklearn_nrcdt.datasets import load_symbols, random_affine, random_elastic
from sklearn_nrcdt.preprocessing import Invert

SIZE = 48


def letters():
    """Return six shapes, two of which are mirror images."""
    images = np.zeros((6, SIZE, SIZE), np.float32)
    images[0, 8:40, 12:18] = images[0, 34:40, 12:36] = 1  # L
    images[1] = images[0, :, ::-1]  # J
    images[2, 8:40, 12:18] = images[2, 8:14, 12:36] = images[2, 22:28, 12:30] = 1  # F
    images[3, 8:14, 10:38] = images[3, 8:40, 21:27] = 1  # T
    images[4, 8:40, 10:16] = images[4, 8:40, 32:38] = images[4, 21:27, 10:38] = 1  # H
    row, column = np.indices((SIZE, SIZE)) - SIZE / 2
    images[5] = abs(np.hypot(row, 1.5 * column + 4 * np.sin(row / 5)) - 15) < 4  # a bent ring
    return images


NAMES = np.array(["L", "J", "F", "T", "H", "ring"])


@pytest.fixture(scope="module")
def templates():
    return letters()


@pytest.fixture(scope="module")
def queries(templates):
    padded = np.pad(templates, ((0, 0), (16, 16), (16, 16)))
    bent = random_elastic(padded, random_state=0)
    return random_affine(bent, rotation=(0, 360), scale=(0.7, 1), random_state=1)


@pytest.fixture(scope="module")
def model(templates):
    return ShapeClassifier().fit(templates, NAMES)


@pytest.fixture(scope="module")
def several(templates):
    padded = np.pad(templates, ((0, 0), (16, 16), (16, 16)))
    images = random_affine(np.repeat(padded, 4, axis=0), rotation=(0, 360), random_state=0)
    return images, np.repeat(NAMES, 4)


def test_bent_and_mapped_shapes_are_recognized(model, queries):
    assert model.predict(queries).tolist() == NAMES.tolist()


def test_several_samples(several, queries):
    model = ShapeClassifier().fit(*several)
    assert model.predict(queries).tolist() == NAMES.tolist()
    assert model.fusion_weights_.shape == (2,)
    chances = model.predict_proba(queries)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert (model.classes_[chances.argmax(axis=1)] == NAMES).all()
    assert (model.decision_function(queries).argmax(axis=1) == chances.argmax(axis=1)).all()


@pytest.mark.parametrize("invariance", ["affine", "similarity", "slant", "scale"])
def test_equal_images_cost_nothing_padded_brighter_or_in_other_forms(templates, invariance):
    model = ShapeClassifier(invariance).fit(templates, NAMES)
    padded = np.pad(3.5 * templates, ((0, 0), (3, 9), (0, 5)))
    for images in (templates, padded, padded[:, 2:-8, 3:], list(templates)):
        costs, indices = model.kneighbors(images, 1)
        assert indices[:, 0].tolist() == list(range(6))
        assert costs.max() <= 2e-4


def test_quarter_turns_cost_nothing(model, templates):
    for n in range(1, 4):
        costs, indices = model.kneighbors(np.rot90(templates, n, (1, 2)), 1)
        assert indices[:, 0].tolist() == list(range(6))
        assert costs.max() <= 2e-4


@pytest.mark.parametrize("invariance", ["affine", "scale"])
def test_mirror_images(templates, invariance):
    apart = ShapeClassifier(invariance).fit(templates[2:], NAMES[2:])
    alike = ShapeClassifier(invariance, reflection="ignore").fit(templates[2:], NAMES[2:])
    flipped = templates[2:3, :, ::-1]
    assert apart.kneighbors(flipped, 1)[0] > 0.05
    assert alike.kneighbors(flipped, 1)[0] <= 2e-4


@pytest.mark.parametrize(("invariance", "off"), [("affine", 0.03), ("slant", 0), ("scale", 0)])
def test_costs_are_symmetric(templates, invariance, off):
    """Up to the turns of one of the two."""
    model = ShapeClassifier(invariance).fit(templates, NAMES)
    costs, indices = model.kneighbors(templates, 6)
    matrix = np.take_along_axis(costs, np.argsort(indices, axis=1), axis=1)
    np.testing.assert_allclose(matrix, matrix.T, rtol=off, atol=5e-6)


def test_results_depend_neither_on_order_nor_on_batches_nor_on_workers(several, queries):
    images, labels = several
    model = ShapeClassifier().fit(images, labels)
    order = np.random.RandomState(0).permutation(len(images))
    other = ShapeClassifier(n_jobs=2).fit(images[order], labels[order])
    for name in ("usual_cost_", "usual_gap_", "twin_rate_", "circle_weight_", "fusion_weights_"):
        np.testing.assert_allclose(getattr(model, name), getattr(other, name), rtol=1e-6)
    costs, indices = model.kneighbors(queries, 3)
    other_costs, other_indices = other.kneighbors(queries, 3)
    np.testing.assert_array_equal(costs, other_costs)
    np.testing.assert_array_equal(indices, order[other_indices])
    np.testing.assert_allclose(
        model.predict_proba(queries), other.predict_proba(queries), rtol=1e-5, atol=1e-9
    )
    one_by_one = np.concatenate([model.kneighbors(query[None], 3)[0] for query in queries])
    np.testing.assert_array_equal(costs, one_by_one)


def test_marks(model, templates, queries):
    found = model.identify(queries, 2)
    assert set(found.marks) <= {"clear", "likely", "doubtful"}
    assert (found.labels == NAMES).all()
    assert found.costs.shape == found.indices.shape == (6, 2)
    assert (found.right + found.none <= 1).all()
    without = ShapeClassifier().fit(templates[:5], NAMES[:5])
    stranger = without.identify(templates[5:])
    assert stranger.marks[0] in ("doubtful", "unknown")
    assert stranger.right[0] < model.identify(templates[5:]).right[0]


def test_equal_pictures_in_two_classes_are_not_sure(templates):
    images = np.concatenate([templates, templates[:1]])
    model = ShapeClassifier().fit(images, [*NAMES, "Z"])
    found = model.identify(templates[:1])
    assert found.labels[0] == "L"  # the first of the two
    assert found.marks[0] == "doubtful"
    chances = model.predict_proba(templates[:1])[0]
    assert chances[model.classes_.tolist().index("Z")] == chances.max() <= 0.5


def test_every_picture_under_two_names_is_no_stranger_to_itself(model, templates):
    names = [*NAMES, *np.char.add(NAMES, "2")]
    doubled = ShapeClassifier().fit(np.tile(templates, (2, 1, 1)), names)
    assert doubled.usual_cost_ == model.usual_cost_
    assert doubled.circle_weight_ == model.circle_weight_
    assert doubled.twin_rate_ > model.twin_rate_
    assert set(doubled.identify(templates).marks) == {"doubtful"}


def test_more_neighbors_do_not_change_the_answer(several, queries):
    model = ShapeClassifier().fit(*several)
    few, all_of_them = (model.identify(queries, n) for n in (1, len(several[0])))
    for name in ("labels", "right", "none"):
        np.testing.assert_array_equal(few[name], all_of_them[name])


def test_unknown_label(templates, queries):
    y = [*NAMES[:4], "none", "none"]
    model = ShapeClassifier(unknown_label="none").fit(templates, y)
    assert model.classes_.tolist() == ["F", "J", "L", "T"]
    found = model.identify(queries)
    assert ((found.labels == "none") == (found.marks == "unknown")).all()
    with pytest.raises(ValueError, match="unknown_label=-1 must be of the type"):
        ShapeClassifier(unknown_label=-1).fit(templates, NAMES)
    with pytest.raises(ValueError, match="there is no template"):
        ShapeClassifier(unknown_label="none").fit(templates, ["none"] * 6)
    with pytest.raises(ValueError, match="booleans"):
        ShapeClassifier(unknown_label=-1).fit(templates, np.arange(6) > 2)


def test_forms_of_images_give_the_same(model, templates, queries):
    expected = model.kneighbors(templates, 2)
    rows = templates.reshape(6, -1)
    fitted = ShapeClassifier().fit(sp.csr_array(rows), NAMES)
    assert fitted.n_features_in_ == SIZE**2
    for X in (rows, sp.csr_array(rows), rows.tolist()):
        for one, other in zip(expected, fitted.kneighbors(X, 2), strict=True):
            np.testing.assert_allclose(one, other, atol=2e-6)
    sizes = [np.pad(image, k) for k, image in enumerate(templates)]
    mixed = ShapeClassifier().fit(sizes, NAMES)
    assert mixed.n_features_in_ is None
    assert mixed.predict(list(queries)).tolist() == model.predict(queries).tolist()


def test_data_frames(templates):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(templates.reshape(6, -1)).rename(columns=str)
    model = ShapeClassifier().fit(frame, pd.Series(NAMES))
    assert len(model.feature_names_in_) == SIZE**2
    assert model.predict(frame).tolist() == NAMES.tolist()


def test_degenerate_shapes_have_finite_answers():
    images = np.zeros((7, 9, 9))
    images[1, 4, 4] = 1  # a pixel
    images[2, 4] = images[3, :, 4] = 1  # lines
    images[4] = 1  # everything
    images[5, 2:7, 3:5] = 1
    images[6, 1:8, 1:8] = np.eye(7)
    with pytest.warns(BlankImageWarning, match="They match other blank images only"):
        model = ShapeClassifier().fit(images, np.arange(7))
    with pytest.warns(BlankImageWarning):
        found = model.identify(images, 7)
    with pytest.warns(BlankImageWarning):
        chances = model.predict_proba(images)
    assert np.isfinite(found.costs).all()
    assert found.labels[0] == 0
    assert found.costs[0, 0] == 0
    assert (found.costs[0, 1:] > 1000).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1)


def test_a_blank_template_makes_other_answers_no_less_sure(model, templates, queries):
    images = np.concatenate([templates, 0 * templates[:1]])
    with pytest.warns(BlankImageWarning):
        other = ShapeClassifier().fit(images, [*NAMES, "blank"])
    found, expected = (each.identify(queries).right for each in (other, model))
    np.testing.assert_allclose(found, expected, atol=0.03)  # of one more class


def test_many_equal_templates(templates):
    images = np.repeat(templates[:2], [50, 1], axis=0)
    model = ShapeClassifier("slant").fit(images, ["a"] * 50 + ["b"])
    assert model.predict(templates[:2]).tolist() == ["a", "b"]
    costs, indices = model.kneighbors(templates[:1], 3)
    assert indices[0].tolist() == [0, 1, 2]
    assert (costs == 0).all()


def test_one_class_and_one_template(templates, queries):
    for n in (1, 3):
        model = ShapeClassifier().fit(templates[:n], ["only"] * n)
        assert model.predict(queries).tolist() == ["only"] * 6
        assert (model.predict_proba(queries) == 1).all()
        found = model.identify(np.concatenate([templates[:1], templates[5:]]), 1)
        assert found.marks[0] == "clear"
        assert found.right[1] < found.right[0]


def test_two_classes_have_one_score(templates, queries):
    model = ShapeClassifier().fit(templates[:2], [1, 0])
    scores, chances = model.decision_function(queries), model.predict_proba(queries)
    np.testing.assert_allclose(scores, chances[:, 1] - chances[:, 0])
    np.testing.assert_array_equal(model.predict(queries), (scores > 0).astype(int))


def test_large_images_and_thin_ones(model, templates):
    large = np.kron(templates[2], np.ones((40, 40), np.float32))
    assert model.predict([large]).tolist() == ["F"]
    small = np.zeros((8, 8))
    small[1:7, 2] = small[6, 2:6] = 1
    assert model.predict([small]).tolist() == ["L"]


def test_pickle_search_and_pipeline(several, queries):
    images, labels = several
    model = pickle.loads(pickle.dumps(ShapeClassifier().fit(images, labels)))
    assert model.predict(queries).tolist() == NAMES.tolist()
    search = GridSearchCV(ShapeClassifier(), {"invariance": ["similarity", "scale"]}, cv=2)
    assert search.fit(images[::2], labels[::2]).best_params_ == {"invariance": "similarity"}
    pipeline = make_pipeline(Invert(), ShapeClassifier()).fit(2 - images, labels)
    assert pipeline.predict(2 - queries).tolist() == NAMES.tolist()


def test_samples_of_discriminant_analysis_are_bounded():
    codes = np.repeat([0, 1, 2], [100, 3, 1])
    chosen = some_of_each(np.arange(104), codes, 30)
    counts = np.bincount(codes[chosen])
    assert counts.tolist() == [10, 3, 1]
    assert chosen[:2].tolist() == [0, 10]


def test_weight_of_costs_is_learned():
    rng = np.random.RandomState(0)
    codes = rng.randint(5, size=200)
    good = np.eye(5)[codes] + 0.1 * rng.standard_normal((200, 5))
    noise = rng.standard_normal((200, 5))
    scores_only = learn_weights(good, noise, codes)
    costs_only = learn_weights(noise, -good, codes)
    assert scores_only[1] == 0 < scores_only[0]
    assert costs_only[1] >= 5 * costs_only[0]


@pytest.mark.parametrize("invariance", ["similarity", "nonsense"])
def test_images_were_seen_in_another_frame_than_the_templates(model, queries, invariance):
    changed = pickle.loads(pickle.dumps(model)).set_params(invariance=invariance)
    with pytest.raises(ValueError, match="invariance"):
        changed.predict(queries)
    changed.set_params(invariance="affine", reflection="ignore")
    with pytest.raises(ValueError, match=r"reflection has changed since fit.*'dist"):
        changed.kneighbors(queries)
    changed.set_params(reflection="distinguish", unknown_label=[])
    with pytest.raises(ValueError, match="unknown_label"):
        changed.predict(queries)
    expected = model.predict(queries).tolist()
    assert changed.set_params(unknown_label=None, n_jobs=2).predict(queries).tolist() == expected


def test_a_label_for_the_unknown_that_was_set_after_fit_became_a_class_or_changed_its_type(
    model, templates, queries
):
    changed = pickle.loads(pickle.dumps(model))
    for label, message in [(-1, "type of the classes"), (NAMES[0], "is one of the classes")]:
        with pytest.raises(ValueError, match=message):
            changed.set_params(unknown_label=label).predict(queries)
    assert changed.set_params(unknown_label="none").predict(templates).tolist() == NAMES.tolist()
    truth = ShapeClassifier().fit(templates, np.arange(6) > 2)
    with pytest.raises(ValueError, match="y holds booleans"):
        truth.set_params(unknown_label=-1).predict(queries)


def test_wrong_arguments(model, templates):
    with pytest.raises(NotFittedError):
        ShapeClassifier().identify(templates)
    with pytest.raises(ValueError, match="n_neighbors must be"):
        model.kneighbors(templates, 7)
    for find in (model.identify, model.kneighbors):
        with pytest.raises(ValueError, match="n_neighbors must be an integer, 1 or more, got 0"):
            find(templates, n_neighbors=0)
    with pytest.raises(ValueError, match="'invariance' parameter"):
        ShapeClassifier("afine").fit(templates, NAMES)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ShapeClassifier().fit(templates, NAMES[:3])


def test_symbols_without_any_option():
    symbols = load_symbols(size=64)
    maps = random_affine(
        np.pad(symbols.images, ((0, 0), (24, 24), (24, 24))), rotation=(0, 360), random_state=0
    )
    model = ShapeClassifier().fit(symbols.images, symbols.target)
    assert model.score(maps, symbols.target) == 1
