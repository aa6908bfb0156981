"""Probabilities of the classifiers by distance: their form, ties, and who uses them."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_validate
from sklearn.semi_supervised import SelfTrainingClassifier

from sklearn_nrcdt import NearestSubspaceClassifier, NearestTemplateClassifier

MODELS = [
    NearestTemplateClassifier(),
    NearestTemplateClassifier("chebyshev", reject_distance="auto"),
    NearestSubspaceClassifier(3),
]
of_all = pytest.mark.parametrize("model", MODELS, ids=repr)


@pytest.fixture
def overlapping(rng):
    """Four classes of 30 samples that overlap, in 12 dimensions."""
    spans = 2 * rng.normal(size=(4, 3, 12))
    X = np.concatenate([(1 + rng.normal(size=(30, 3))) @ span for span in spans])
    return X + 2 * rng.normal(size=X.shape), np.repeat(list("dbca"), 30)


@of_all
def test_probabilities_are_powers_of_distances(overlapping, model):
    X, y = overlapping
    model.fit(X[::2], y[::2])
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    distances = -model.decision_function(X[1::2])
    np.testing.assert_allclose(
        probabilities[1::2], softmax(-model.proba_exponent_ * np.log(distances), axis=1)
    )
    # At distance zero there is no doubt.
    if isinstance(model, NearestTemplateClassifier):
        assert (probabilities[::2].max(axis=1) > 1 - 1e-6).all()


@of_all
def test_the_likeliest_class_is_the_predicted_one(rng, model):
    # Of many equal distances, and of some that differ by rounding only.
    X = rng.integers(0, 3, size=(80, 6)).astype(float)
    y = np.arange(80) % 5
    model.fit(X, y)
    samples = np.concatenate([X, X + 1e-9 * rng.normal(size=X.shape), np.zeros((1, 6))])
    expected = -model.decision_function(samples)
    probabilities = model.predict_proba(samples)
    assert np.isfinite(probabilities).all()
    np.testing.assert_array_equal(probabilities.argmax(axis=1), expected.argmin(axis=1))


def test_classes_that_differ_in_the_last_digit_only():
    # The second class is nearer by so little that the exponential does not see it.
    model = NearestTemplateClassifier().fit([[-1.0], [1.0]], ["a", "b"])
    assert model.predict([[0.0]]) == "a"
    np.testing.assert_array_equal(model.predict_proba([[0.0]]), [[0.5, 0.5]])
    for size in (1e-16, 3e-16, 1e-15):
        sample = [[size]]
        assert model.classes_[model.predict_proba(sample).argmax()] == model.predict(sample)[0]


@of_all
def test_the_exponent_is_near_the_best_for_new_samples(overlapping, model):
    X, y = overlapping
    model.fit(X[::2], y[::2])
    logs = np.log(-model.decision_function(X[1::2]))
    losses = {
        exponent: log_loss(y[1::2], softmax(-exponent * logs, axis=1))
        for exponent in np.geomspace(0.1, 100, 50)
    }
    assert log_loss(y[1::2], model.predict_proba(X[1::2])) < min(losses.values()) + 0.05
    assert min(losses.values()) + 0.5 < losses[100]


@pytest.mark.parametrize("kind", [NearestTemplateClassifier, NearestSubspaceClassifier])
def test_one_sample_of_each_class_has_the_usual_exponent(kind, rng):
    X = rng.normal(size=(6, 9))
    model = kind().fit(X, range(6))
    assert model.proba_exponent_ == 4
    assert kind().fit(X, ["only"] * 6).predict_proba(X).tolist() == [[1.0]] * 6


def test_certainty_grows_with_the_evidence(rng):
    # Classes without any overlap: what is left of doubt is that the samples were few.
    exponents = []
    for n in (2, 5, 50):
        X = np.concatenate([rng.normal(size=(n, 4)) + 50 * k for k in range(3)])
        exponents.append(NearestTemplateClassifier().fit(X, np.repeat(range(3), n)).proba_exponent_)
    assert exponents == sorted(exponents)
    assert exponents[-1] < np.exp(5)


@pytest.mark.parametrize("distance", [0.0, 3.0])
def test_equal_templates_of_all_classes_are_equally_likely(distance):
    X = np.ones((8, 3))
    model = NearestTemplateClassifier().fit(X, list("abcdabcd"))
    np.testing.assert_array_equal(model.predict_proba(X[:1] + distance), [[0.25] * 4])


def test_rejection_leaves_probabilities_alone(overlapping):
    X, y = overlapping
    model = NearestTemplateClassifier(reject_distance=0.0).fit(X[::2], y[::2])
    before = model.predict_proba(X)
    assert (model.predict(X[1::2]) == "unknown").all()
    np.testing.assert_array_equal(model.set_params(reject_distance=None).predict_proba(X), before)


@of_all
def test_metrics_of_probabilities(overlapping, model):
    X, y = overlapping
    scores = cross_validate(
        model, X, y, scoring=["roc_auc_ovr", "neg_log_loss"], error_score="raise"
    )
    assert scores["test_roc_auc_ovr"].mean() > 0.75
    assert scores["test_neg_log_loss"].mean() > -np.log(4)


@of_all
@pytest.mark.parametrize(
    "client",
    [
        lambda model: VotingClassifier([("a", model), ("b", LogisticRegression())], voting="soft"),
        lambda model: StackingClassifier([("a", model), ("b", LogisticRegression())]),
        lambda model: CalibratedClassifierCV(model),
        lambda model: CalibratedClassifierCV(model, method="isotonic", ensemble=False),
    ],
)
def test_other_estimators_take_them(overlapping, model, client):
    X, y = overlapping
    assert client(model).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.6


@of_all
def test_self_training_takes_them(overlapping, model):
    X, y = overlapping
    codes = np.searchsorted(np.unique(y), y)
    some = np.where(np.arange(len(X)) % 3, codes, -1)
    fitted = SelfTrainingClassifier(model, threshold=0.6).fit(X, some)
    assert (fitted.labeled_iter_ > 0).any()
    assert fitted.score(X[some == -1], codes[some == -1]) > 0.5
