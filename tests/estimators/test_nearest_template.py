"""NearestTemplateClassifier: metrics, ranking, neighbours, ties, rejection, memory."""

import tracemalloc

import numpy as np
import pytest
import sklearn
from scipy.spatial.distance import cdist
from sklearn.metrics import top_k_accuracy_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import (
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    SpectralNRCDT,
    aligned_pairwise_distances,
)


@pytest.fixture
def problem(rng):
    templates = rng.normal(size=(12, 5))
    labels = np.array(list("cabbacbacbaa"))
    return templates, labels, rng.normal(size=(40, 5))


@pytest.mark.parametrize("metric", ["euclidean", "chebyshev", "manhattan", "cosine", "canberra"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_agrees_with_one_nearest_neighbour(problem, metric, n_jobs):
    templates, labels, samples = problem
    model = NearestTemplateClassifier(metric, n_jobs=n_jobs).fit(templates, labels)
    codes = np.unique(labels, return_inverse=True)[1]
    neighbour = KNeighborsClassifier(1, metric=metric, algorithm="brute").fit(templates, codes)
    expected = model.classes_[neighbour.predict(samples)]
    np.testing.assert_array_equal(model.predict(samples), expected)
    for result, found in zip(
        model.kneighbors(samples, 1), neighbour.kneighbors(samples), strict=True
    ):
        np.testing.assert_allclose(result, found)


def test_scores_are_minus_the_distance_to_the_nearest_template_of_a_class(problem):
    templates, labels, samples = problem
    model = NearestTemplateClassifier().fit(templates, labels)
    scores = model.decision_function(samples)
    distances = cdist(samples, templates)
    for i, label in enumerate(model.classes_):
        np.testing.assert_allclose(-scores[:, i], distances[:, labels == label].min(axis=1))
    np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(samples))


def test_two_classes_follow_the_convention(problem):
    templates, labels, samples = problem
    model = NearestTemplateClassifier().fit(templates, labels == "a")
    scores = model.decision_function(samples)
    assert scores.shape == (40,)
    np.testing.assert_array_equal(scores > 0, model.predict(samples))
    np.testing.assert_array_equal(scores.argsort(), model.predict_proba(samples)[:, 1].argsort())


def test_one_class_is_allowed(problem):
    templates, _, samples = problem
    model = NearestTemplateClassifier().fit(templates, ["only"] * 12)
    assert set(model.predict(samples)) == {"only"}
    assert model.decision_function(samples).shape == (40, 1)


def test_top_k_accuracy_over_many_classes(rng):
    templates = rng.normal(size=(300, 20))
    samples = templates + rng.normal(size=templates.shape)
    scores = NearestTemplateClassifier().fit(templates, range(300)).decision_function(samples)
    top1, top5 = (top_k_accuracy_score(range(300), scores, k=k) for k in (1, 5))
    assert top1 < top5


def test_metric_params_reach_the_metric(problem):
    templates, labels, samples = problem
    model = NearestTemplateClassifier("minkowski", metric_params={"p": 3}).fit(templates, labels)
    expected = cdist(samples, templates, "minkowski", p=3).min(axis=1)
    np.testing.assert_allclose(model.kneighbors(samples, 1)[0][:, 0], expected)


def test_metric_may_be_a_function(problem):
    templates, labels, samples = problem
    model = NearestTemplateClassifier(lambda a, b: abs(a[0] - b[0])).fit(templates, labels)
    expected = np.abs(samples[:, :1] - templates[:, 0]).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(samples), labels[expected])


@pytest.mark.parametrize("metric", ["euclidean", "chebyshev"])
def test_ties_go_to_the_first_class_then_to_the_first_template(rng, metric):
    point = rng.normal(size=(1, 64)) * 100
    others = rng.normal(size=(500, 64)) * 100
    X = np.concatenate([others, point, point, point])
    y = np.array([*range(10, 510), 3, 2, 2])
    model = NearestTemplateClassifier(metric).fit(X, y)
    samples = np.repeat(point + 1e-3, 37, axis=0)
    assert set(model.predict(samples)) == {2}
    assert set(model.kneighbors(samples, 1)[1].ravel()) == {501}


def test_a_template_is_at_distance_zero_from_itself(rng):
    # Distances from scalar products would leave about 1e-6 here.
    X = rng.normal(size=(50, 64)) + 1000
    distances, indices = NearestTemplateClassifier().fit(X, range(50)).kneighbors(X, 1)
    assert (distances == 0).all()
    np.testing.assert_array_equal(indices[:, 0], np.arange(50))


def test_far_samples_are_unknown(problem):
    templates, labels, samples = problem
    plain = NearestTemplateClassifier().fit(templates, labels)
    distances = plain.kneighbors(samples, 1)[0][:, 0]
    limit = np.median(distances)
    model = NearestTemplateClassifier(reject_distance=limit, unknown_label="not known")
    predicted = model.fit(templates, labels).predict(samples)
    np.testing.assert_array_equal(predicted == "not known", distances > limit)
    near = distances <= limit
    np.testing.assert_array_equal(predicted[near], plain.predict(samples)[near])


def test_unknown_integers_are_minus_one(problem):
    templates, _, samples = problem
    model = NearestTemplateClassifier(reject_distance=0).fit(templates, range(12))
    assert set(model.predict(samples)) == {-1}
    np.testing.assert_array_equal(model.predict(templates), range(12))


@pytest.mark.parametrize(
    ("labels", "unknown", "message"),
    [
        (["a", "unknown"], None, "is one of the classes"),
        (list("ab"), -1, "must be of the type of the classes"),
        ([0, 1], "?", "must be of the type of the classes"),
        ([0, -1], None, "is one of the classes"),
    ],
)
def test_unsuitable_unknown_labels_are_refused(labels, unknown, message):
    model = NearestTemplateClassifier(reject_distance=1.0, unknown_label=unknown)
    with pytest.raises(ValueError, match=message):
        model.fit([[0.0], [1.0]], labels)


def test_object_labels_survive_rejection():
    labels = np.array(["long label", "b"], dtype=object)
    model = NearestTemplateClassifier(reject_distance=0.1, unknown_label="?")
    model.fit([[0.0], [1.0]], labels)
    assert list(model.predict([[0.0], [0.5], [1.0]])) == ["long label", "?", "b"]


@pytest.mark.parametrize("metric", ["precomputed", "no such metric", 3])
def test_unsuitable_metrics_are_refused(metric):
    with pytest.raises(ValueError, match="metric"):
        NearestTemplateClassifier(metric).fit([[0.0], [1.0]], [0, 1])


def in_order(distances, labels, n):
    """The n nearest by distance, then class, then position; written without the package."""
    order = np.array(
        [sorted(range(len(labels)), key=lambda k: (row[k], labels[k], k)) for row in distances]
    )
    return np.take_along_axis(distances, order, axis=1)[:, :n], order[:, :n]


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev", "canberra"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [3, 20])  # scikit-learn builds a tree for few features
@pytest.mark.parametrize("n_neighbors", [1, 4, 60])
def test_neighbours_are_those_of_all_distances(rng, metric, dtype, n_features, n_neighbors):
    # On a coarse grid many distances are equal, and exactly so.
    X = rng.integers(1, 4, size=(60, n_features)).astype(dtype)
    X[10:20] = X[0]
    labels = rng.integers(0, 5, size=60)
    samples = np.concatenate([rng.integers(1, 4, size=(50, n_features)), X[:15]]).astype(dtype)
    model = NearestTemplateClassifier(metric).fit(X, labels)
    distances, indices = model.kneighbors(samples, n_neighbors)
    expected = in_order(cdist(samples, X, metric), labels, n_neighbors)
    np.testing.assert_allclose(distances, expected[0], atol=1e-15)
    if metric != "canberra":  # whose sums round
        np.testing.assert_array_equal(indices, expected[1])
    np.testing.assert_array_equal(labels[indices[:, 0]], model.predict(samples))


def test_neighbours_may_be_float64_among_float32(rng):
    X, samples = rng.normal(size=(2, 300, 30))
    model = NearestTemplateClassifier().fit(X.astype(np.float32), range(300))
    expected = np.sort(cdist(samples, X.astype(np.float32)), axis=1)[:, :3]
    np.testing.assert_allclose(model.kneighbors(samples, 3)[0], expected, rtol=1e-12)


def test_neighbours_in_the_aligned_metric_at_the_end_of_a_pipeline(shapes):
    params = {"reflection": "ignore"}
    nearest = NearestTemplateClassifier("aligned", metric_params=params)
    model = make_pipeline(SpectralNRCDT(keep="circle"), nearest).fit(shapes, list("abcabc"))
    turned = np.rot90(shapes, axes=(1, 2))
    with sklearn.config_context(working_memory=1e-3):  # a sample at a time
        distances, indices = model[-1].kneighbors(model[:-1].transform(turned), n_neighbors=3)
    np.testing.assert_array_equal(indices[:, 0], range(6))
    features = model[0].transform(shapes)
    expected = aligned_pairwise_distances(model[0].transform(turned), features, **params)
    # Equal rows are apart by the root of a rounding error.
    np.testing.assert_allclose(distances, np.sort(expected, axis=1)[:, :3], atol=1e-7)


@pytest.mark.parametrize("n_neighbors", [0, 13, 2.0, None])
def test_unsuitable_numbers_of_neighbours_are_refused(problem, n_neighbors):
    templates, labels, samples = problem
    model = NearestTemplateClassifier().fit(templates, labels)
    with pytest.raises(ValueError, match="from 1 to the number of templates, 12, got"):
        model.kneighbors(samples, n_neighbors)


def test_nan_distances_are_never_nearest():
    # The correlation with a constant row is 0 / 0.
    X = np.array([[1.0, 1, 1], [1, 2, 3], [3, 2, 1]])
    model = NearestTemplateClassifier("correlation").fit(X, list("abc"))
    with np.errstate(invalid="ignore"):
        assert list(model.predict([[2.0, 4, 7], [7, 4, 2]])) == ["b", "c"]
        assert model.kneighbors([[2.0, 4, 7]], 3)[1].tolist() == [[1, 2, 0]]


def test_parameters_may_change_after_fit(problem):
    templates, labels, samples = problem
    model = NearestTemplateClassifier().fit(templates, labels)
    distances = model.kneighbors(samples, 1)[0][:, 0]
    model.set_params(reject_distance=np.median(distances), unknown_label="?", n_jobs=2)
    np.testing.assert_array_equal(model.predict(samples) == "?", distances > np.median(distances))
    model.set_params(reject_distance="auto")
    rejected = model.predict(samples) == "?"
    np.testing.assert_array_equal(rejected, distances > model.reject_distance_)
    with pytest.raises(ValueError, match="is one of the classes"):
        model.set_params(unknown_label="a").predict(samples)
    for wrong in ("none", -1):
        with pytest.raises(ValueError, match=r"'reject_distance' parameter .* must be"):
            model.set_params(reject_distance=wrong).predict(samples)


def test_the_metric_is_that_of_fit(problem):
    templates, labels, samples = problem
    model = NearestTemplateClassifier("chebyshev").fit(templates, labels)
    expected = cdist(samples, templates, "chebyshev").min(axis=1)
    model.set_params(metric="cosine")
    np.testing.assert_allclose(model.kneighbors(samples, 1)[0][:, 0], expected)
    np.testing.assert_allclose(-model.decision_function(samples).max(axis=1), expected)


@pytest.mark.parametrize(
    ("places", "labels", "expected"),
    [
        # One of each class: the nearest others are at 1, 1 and 9.
        ([0, 1, 10], "abc", 0.5),
        # Own at 0, 1 or 2, others at 10 or more.
        ([0, 1, 3, 13, 13], "aaabb", 6.0),
        # Own at 2, others at 4 and 6.
        ([0, 2, 6], "aab", 3.0),
        ([0, 1, 3], "aaa", 2.0),
        # From a row of zeros, for want of another template.
        ([5], "a", 2.5),
        ([0], "a", 0.0),
    ],
)
def test_the_threshold_comes_from_the_templates(places, labels, expected):
    X = np.array(places, dtype=float)[:, None]
    model = NearestTemplateClassifier(reject_distance="auto").fit(X, list(labels))
    assert model.reject_distance_ == expected
    offset = np.array([[-0.99 * expected], [-1.01 * expected - 1e-9]])
    assert list(model.predict(X.min() + offset)) == ["a", "unknown"]


def test_the_threshold_tells_a_class_that_nobody_has_seen(rng):
    centres = 20 * np.eye(6, 8)
    target = np.repeat(np.arange(6), 20)
    X = centres[target] + rng.normal(size=(120, 8))
    known = target < 4
    train = np.arange(120) % 2 == 0
    for n_templates in (1, 10):
        some = train & known & (np.arange(120) % 20 < 2 * n_templates)
        model = NearestTemplateClassifier(reject_distance="auto").fit(X[some], target[some])
        predicted = model.predict(X[~train])
        np.testing.assert_array_equal(predicted, np.where(known, target, -1)[~train])


def test_thresholds_are_tuned_on_samples_known_to_be_unknown(rng):
    X = np.concatenate([rng.normal(size=(20, 4)) + 10 * k for k in range(4)])
    y = np.repeat(["a", "b", "none", "none"], 20)
    model = NearestTemplateClassifier(unknown_label="none")
    grid = {"reject_distance": [None, 0.01, 5.0, 1e3, "auto"]}
    search = GridSearchCV(model, grid, error_score="raise").fit(X, y)
    # Where nobody is rejected, or everybody, half of them are right.
    assert list(search.cv_results_["mean_test_score"]) == [0.5, 0.5, 1, 0.5, 1]
    best = search.best_estimator_
    assert list(best.classes_) == ["a", "b"]
    np.testing.assert_array_equal(best.template_indices_, range(40))
    assert best.predict_proba(X).shape == (80, 2)
    with pytest.raises(ValueError, match="All samples have the label unknown_label='none'"):
        model.fit(X[40:], y[40:])


def test_neighbours_are_counted_among_all_samples_of_fit():
    X = [[0.0], [1.0], [2.0], [3.0]]
    model = NearestTemplateClassifier(unknown_label=-1).fit(X, [-1, 1, -1, 0])
    assert model.n_samples_fit_ == 4
    assert list(model.template_indices_) == [1, 3]
    assert list(model.template_labels_) == [1, 0]
    assert model.kneighbors([[0.0]], 2)[1].tolist() == [[1, 3]]
    # Without a label of their own, numbers below zero are classes.
    assert list(NearestTemplateClassifier().fit(X, [-1, 1, -1, 1]).classes_) == [-1, 1]


def test_labels_are_checked_before_they_are_compared():
    with pytest.raises(ValueError, match="unknown_label='x' must be of the type of the classes"):
        NearestTemplateClassifier(unknown_label="x").fit([[0.0], [1.0]], [0, 1])


def peak_of(run):
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("n_classes", [4, 30, 1])
@pytest.mark.parametrize("model", [NearestTemplateClassifier(), NearestSubspaceClassifier(3)])
def test_the_order_of_the_training_rows_moved_the_threshold(rng, model, n_classes):
    # Few distances that differ: all templates lie on a grid, and some are equal.
    X = rng.integers(0, 3, size=(300, 8)).astype(float)
    y = rng.integers(0, n_classes, size=300)
    results = []
    for _ in range(5):
        order = rng.permutation(300)
        model.fit(X[order], y[order])
        results.append((getattr(model, "reject_distance_", 0), round(model.proba_exponent_, 4)))
    assert len(set(results)) == 1


def test_rows_that_differ_only_late_are_ordered_too(rng):
    X = np.zeros((60, 200))
    X[:, 150:] = rng.normal(size=(60, 50))
    y = np.arange(60) % 3
    order = rng.permutation(60)
    expected = NearestTemplateClassifier().fit(X, y).reject_distance_
    assert NearestTemplateClassifier().fit(X[order], y[order]).reject_distance_ == expected


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation", "manhattan"])
@pytest.mark.parametrize("X", [[[3.0, 4.0, 0.0]], [[0.0, 0.0, 0.0]]])
def test_the_threshold_of_one_template_was_infinite(metric, X):
    with np.errstate(invalid="ignore"):
        model = NearestTemplateClassifier(metric, reject_distance="auto").fit(X, ["only"])
    assert 0 <= model.reject_distance_ < np.inf


def test_fit_copied_the_templates(rng):
    X = rng.normal(size=(4000, 500))
    for y in (np.arange(4000), rng.integers(0, 50, 4000)):
        model = NearestTemplateClassifier()
        with sklearn.config_context(working_memory=1):
            assert peak_of(lambda model=model, y=y: model.fit(X, y)) < 0.5 * X.nbytes
        assert np.shares_memory(model.templates_, X)


@pytest.mark.parametrize("per_class", [1, 2])
def test_memory_of_fit_grew_with_the_number_of_classes(rng, per_class):
    # 256 held-out templates and their distances to 30,000 classes are 61 MB, times copies.
    X = rng.normal(size=(30_000 * per_class, 4)).astype(np.float32)
    y = np.arange(len(X)) // per_class
    with sklearn.config_context(working_memory=8):
        assert peak_of(lambda: NearestTemplateClassifier().fit(X, y)) < 25e6


def test_memory_of_predict_does_not_fill_what_scikit_learn_allows(rng):
    # All distances at once would be 128 MB.
    X = rng.normal(size=(4000, 4)).astype(np.float32)
    model = NearestTemplateClassifier().fit(X, np.arange(4000) % 10)
    assert peak_of(lambda: model.predict(X)) < 64e6


@pytest.mark.parametrize("metric", ["cosine", "euclidean", "nan_euclidean"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ties_depended_on_the_batch(rng, metric, dtype):
    # Multiples by powers of two have the same direction; the first one is nearest.
    directions = rng.normal(size=(3, 301)).astype(dtype)
    X = np.concatenate(
        [directions * 2**k for k in range(12)] if metric == "cosine" else [directions] * 12
    )
    samples = np.repeat(directions + rng.normal(size=(3, 301)).astype(dtype) / 10, 9, axis=0)
    model = NearestTemplateClassifier(metric).fit(X, np.arange(36)[::-1])
    together, nearest = model.kneighbors(samples, 36)
    expected = np.concatenate([np.arange(33, 36) - 3 * k for k in range(12)])
    for i in range(27):
        alone = model.kneighbors(samples[i : i + 1], 36)
        np.testing.assert_array_equal(alone[1][0], nearest[i])
        np.testing.assert_array_equal(alone[0][0], together[i])
        assert list(nearest[i, :12]) == [k for k in expected if k % 3 == i // 9]
    np.testing.assert_array_equal(model.predict(samples), np.repeat([2, 1, 0], 9))


def test_cosine_distances_of_nothing_are_one():
    model = NearestTemplateClassifier("cosine").fit([[0.0, 0.0], [1.0, 0.0]], ["zero", "one"])
    distances, indices = model.kneighbors([[0.0, 0.0], [3.0, 4.0]], 2)
    np.testing.assert_allclose(distances, [[1, 1], [0.4, 1]], rtol=1e-15)
    assert indices.tolist() == [[1, 0], [1, 0]]
    # One over the norm of the first is too large for float32: it counts as far.
    tiny = np.array([[1e-43, 0], [1, 0], [0, 1]], np.float32)
    model = NearestTemplateClassifier("cosine").fit(tiny, list("abc"))
    assert list(model.predict(np.array([[2, 0], [0, 3]], np.float32))) == ["b", "c"]


def test_rejected_booleans_became_integers():
    X, y = [[0.0], [1.0]], [False, True]
    with pytest.raises(ValueError, match="y holds booleans, which leave no label"):
        NearestTemplateClassifier(reject_distance=0.1).fit(X, y)
    model = NearestTemplateClassifier().fit(X, y)
    assert model.predict(X).dtype == bool
    with pytest.raises(ValueError, match="y holds booleans"):
        model.set_params(reject_distance="auto").predict(X)


@pytest.mark.parametrize("noise", [0, 1e-6])
def test_near_duplicates_do_not_explode(rng, noise):
    # All pairs at once, as once they were, are 180 MB.
    X = (1 + noise * rng.normal(size=(600, 64))).astype(np.float32)
    y = np.arange(600) % 10
    model = NearestTemplateClassifier()
    with sklearn.config_context(working_memory=8):
        assert peak_of(lambda: model.fit(X, y)) < 16e6
        for method in (model.predict, model.kneighbors, model.decision_function):
            assert peak_of(lambda: method(X)) < 16e6  # noqa: B023
    if noise == 0:
        assert set(model.predict(X)) == {0}
        assert model.kneighbors(X[:1], 3)[1].tolist() == [[0, 10, 20]]


def test_memory_is_bounded_for_many_classes(rng):
    templates = rng.normal(size=(1000, 64)).astype(np.float32)
    samples = rng.normal(size=(25_000, 64)).astype(np.float32)
    model = NearestTemplateClassifier().fit(templates, range(1000))
    with sklearn.config_context(working_memory=16):
        # All distances at once would take 200 MB.
        assert peak_of(lambda: model.predict(samples)) < 20e6
        assert peak_of(lambda: model.decision_function(samples[:5000])) < 64e6
