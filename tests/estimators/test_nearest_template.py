"""NearestTemplateClassifier: metrics, ranking, ties, rejection, memory."""

import tracemalloc

import numpy as np
import pytest
import sklearn
from scipy.spatial.distance import cdist
from sklearn.metrics import top_k_accuracy_score
from sklearn.neighbors import KNeighborsClassifier

from sklearn_nrcdt import NearestTemplateClassifier


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


def test_memory_is_bounded_for_many_classes(rng):
    templates = rng.normal(size=(1000, 64)).astype(np.float32)
    samples = rng.normal(size=(50_000, 64)).astype(np.float32)
    model = NearestTemplateClassifier().fit(templates, range(1000))
    with sklearn.config_context(working_memory=16):
        tracemalloc.start()
        model.predict(samples)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    # All distances at once would take 400 MB.
    assert peak < 150e6
