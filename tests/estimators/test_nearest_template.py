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
    distances, indices = model.nearest_template(samples)
    expected_distances, expected_indices = neighbour.kneighbors(samples)
    np.testing.assert_allclose(distances, expected_distances[:, 0])
    np.testing.assert_array_equal(indices, expected_indices[:, 0])


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
    np.testing.assert_allclose(model.nearest_template(samples)[0], expected)


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
    assert set(model.nearest_template(samples)[1]) == {501}


def test_a_template_is_at_distance_zero_from_itself(rng):
    # Distances from scalar products would leave about 1e-6 here.
    X = rng.normal(size=(50, 64)) + 1000
    distances, indices = NearestTemplateClassifier().fit(X, range(50)).nearest_template(X)
    assert (distances == 0).all()
    np.testing.assert_array_equal(indices, np.arange(50))


def test_far_samples_are_unknown(problem):
    templates, labels, samples = problem
    plain = NearestTemplateClassifier().fit(templates, labels)
    distances, _ = plain.nearest_template(samples)
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
    only = model.kneighbors(samples, n_neighbors, return_distance=False)
    np.testing.assert_array_equal(only, indices)


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
    np.testing.assert_allclose(distances, np.sort(expected, axis=1)[:, :3])


@pytest.mark.parametrize("n_neighbors", [0, 13, 2.0, None])
def test_unsuitable_numbers_of_neighbours_are_refused(problem, n_neighbors):
    templates, labels, samples = problem
    model = NearestTemplateClassifier().fit(templates, labels)
    with pytest.raises(ValueError, match="from 1 to the number of templates, 12, got"):
        model.kneighbors(samples, n_neighbors)


def test_distances_that_do_not_exist_are_those_of_nobody_near():
    # The correlation with a constant row is 0 / 0.
    X = np.array([[1.0, 1, 1], [1, 2, 3], [3, 2, 1]])
    model = NearestTemplateClassifier("correlation").fit(X, list("abc"))
    with np.errstate(invalid="ignore"):
        assert list(model.predict([[2.0, 4, 7], [7, 4, 2]])) == ["b", "c"]
        assert model.kneighbors([[2.0, 4, 7]], 3)[1].tolist() == [[1, 2, 0]]


def test_parameters_may_change_after_fit(problem):
    templates, labels, samples = problem
    model = NearestTemplateClassifier().fit(templates, labels)
    distances, _ = model.nearest_template(samples)
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
    np.testing.assert_allclose(model.nearest_template(samples)[0], expected)
    np.testing.assert_allclose(-model.decision_function(samples).max(axis=1), expected)


@pytest.mark.parametrize(
    ("places", "labels", "expected"),
    [
        # One of each class: the nearest others are at 1, 1 and 9.
        ([0, 1, 10], "abc", 0.5),
        # Own at 1 or 2, others at 10 or more.
        ([0, 1, 3, 13, 14, 16], "aaabbb", 6.0),
        # Own at 2, others at 4 and 6.
        ([0, 2, 6], "aab", 3.0),
        ([0, 1, 3], "aaa", 2.0),
        ([5], "a", np.inf),
    ],
)
def test_the_threshold_comes_from_the_templates(places, labels, expected):
    X = np.array(places, dtype=float)[:, None]
    model = NearestTemplateClassifier(reject_distance="auto").fit(X, list(labels))
    assert model.reject_distance_ == expected
    offset = np.array([[-0.99 * min(expected, 1e9)], [-1.01 * min(expected, 1e9)]])
    far = "unknown" if expected < np.inf else "a"
    assert list(model.predict(X.min() + offset)) == ["a", far]


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
    assert list(model.template_indices_) == [3, 1]
    assert list(model.template_labels_) == [0, 1]
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


@pytest.mark.parametrize("method", ["fit", "predict", "kneighbors", "decision_function"])
@pytest.mark.parametrize("noise", [0, 1e-6])
def test_near_duplicates_do_not_explode(rng, method, noise):
    # All pairs at once, as once they were, are 1.1 GB.
    X = (1 + noise * rng.normal(size=(1500, 64))).astype(np.float32)
    y = np.arange(1500) % 10
    model = NearestTemplateClassifier().fit(X, y)
    run = {"fit": lambda: model.fit(X, y)}.get(method, lambda: getattr(model, method)(X))
    with sklearn.config_context(working_memory=8):
        assert peak_of(run) < 16e6
    if noise == 0:
        assert set(model.predict(X)) == {0}
        assert model.kneighbors(X[:1], 3)[1].tolist() == [[0, 10, 20]]


def test_memory_is_bounded_for_many_classes(rng):
    templates = rng.normal(size=(1000, 64)).astype(np.float32)
    samples = rng.normal(size=(50_000, 64)).astype(np.float32)
    model = NearestTemplateClassifier().fit(templates, range(1000))
    with sklearn.config_context(working_memory=16):
        # All distances at once would take 400 MB.
        assert peak_of(lambda: model.predict(samples)) < 20e6
        assert peak_of(lambda: model.decision_function(samples[:5000])) < 64e6
