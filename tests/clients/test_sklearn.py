"""scikit-learn: searches, curves, scores, ensembles, columns, metadata, frames."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    HalvingGridSearchCV,
    cross_validate,
    learning_curve,
)
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier

from sklearn_nrcdt import (
    InvariantHOG,
    MaxNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    RadonCDT,
)


@pytest.fixture
def subspaces():
    return make_pipeline(RadonCDT(8, n_quantiles=8), NearestSubspaceClassifier(3))


# Halves of it have 64 rows of 64 pixels, as rows of any square number of pixels may.
@pytest.mark.filterwarnings("ignore:X of shape .64, 64. looks like a single image:UserWarning")
def test_halving_search(digits, model):
    X, y = digits
    search = HalvingGridSearchCV(
        model,
        {"maxnrcdt__n_angles": [1, 8, 16]},
        cv=2,
        min_resources=32,
        random_state=0,
        error_score="raise",
    )
    search.fit(X[:128], y[:128])
    assert search.n_iterations_ == 2
    assert search.best_params_["maxnrcdt__n_angles"] > 1


@pytest.mark.filterwarnings("ignore:X of shape .64, 64. looks like a single image:UserWarning")
def test_learning_curve(digits, model):
    sizes, _, scores = learning_curve(
        model, *digits, train_sizes=[9, 64, 100], cv=3, shuffle=True, random_state=0
    )
    assert list(sizes) == [9, 64, 100]
    assert scores.mean(axis=1)[-1] > 0.9


def test_scores_that_need_probabilities(digits, model, subspaces):
    for estimator in (model, subspaces):
        scores = cross_validate(
            estimator, *digits, scoring=["roc_auc_ovr", "neg_log_loss"], cv=3, error_score="raise"
        )
        assert scores["test_roc_auc_ovr"].mean() > 0.95
        # Better than to know nothing of three classes.
        assert scores["test_neg_log_loss"].mean() > -np.log(3)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
def test_calibration(digits, model, method):
    if method == "temperature" and tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8):
        pytest.skip("temperature scaling came with scikit-learn 1.8")
    X, y = digits
    calibrated = CalibratedClassifierCV(model, method=method, cv=3).fit(X[:100], y[:100])
    probabilities = calibrated.predict_proba(X[100:])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert calibrated.score(X[100:], y[100:]) > 0.9


@pytest.mark.parametrize("method", ["predict_proba", "decision_function", "predict"])
def test_stacking(digits, model, subspaces, method):
    X, y = digits
    stacked = StackingClassifier(
        [("templates", model), ("subspaces", subspaces)],
        LogisticRegression(),
        cv=3,
        stack_method="auto" if method == "predict" else method,
    ).fit(X[:100], y[:100])
    assert stacked.score(X[100:], y[100:]) > 0.9


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_voting(digits, model, subspaces, voting):
    X, y = digits
    voters = VotingClassifier([("templates", model), ("subspaces", subspaces)], voting=voting)
    assert voters.fit(X[:100], y[:100]).score(X[100:], y[100:]) > 0.9


def test_self_training(digits, model):
    X, y = digits
    known = y.astype(int)
    known[12:] = -1
    learner = SelfTrainingClassifier(model, threshold=0.6, max_iter=3).fit(X, known)
    assert (learner.transduction_ >= 0).sum() > 100
    assert learner.score(X, y.astype(int)) > 0.8


def test_columns_of_pixels_and_of_numbers(digits, rng):
    X, y = (given[:50] for given in digits)
    frame = pd.DataFrame(X, columns=[f"pixel{i}" for i in range(64)])
    frame.insert(0, "weight", rng.normal(size=len(X)))
    frame["height"] = rng.normal(size=len(X))
    columns = make_column_transformer(
        (StandardScaler(), ["weight", "height"]),
        (make_union(MaxNRCDT(8, n_quantiles=4), InvariantHOG()), list(frame.columns[1:65])),
    )
    table = columns.set_output(transform="pandas").fit_transform(frame)
    expected = MaxNRCDT(8, n_quantiles=4).fit_transform(X)
    named = [name for name in table.columns if "maxnrcdt_q" in name]
    np.testing.assert_array_equal(table[named], expected)
    assert {"standardscaler__weight", "standardscaler__height"} < set(table.columns)
    score = make_pipeline(columns, NearestTemplateClassifier()).fit(frame, y).score(frame, y)
    assert score == 1


def test_metadata_routing(digits, model):
    X, y = digits
    groups = np.arange(len(X)) % 5
    with sklearn.config_context(enable_metadata_routing=True):
        forest = LogisticRegression().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(MaxNRCDT(8, n_quantiles=8), forest)
        weights = (y != "5").astype(float)
        pipeline.fit(X, y, sample_weight=weights)
        # Without weight, a class is hardly ever found: the weights have arrived.
        assert np.mean(pipeline.predict(X) == "5") < 0.05
        result = cross_validate(model, X, y, cv=GroupKFold(5), params={"groups": groups})
        assert result["test_score"].mean() > 0.9
        with pytest.raises(TypeError, match="sample_weight"):
            model.fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_in_and_out(digits, library):
    frames = pytest.importorskip(library, reason=f"{library} is part of the extra 'test'")
    X = digits[0][:20]
    given = frames.DataFrame({f"pixel{i}": column for i, column in enumerate(X.T)})
    for transformer in (MaxNRCDT(8, n_quantiles=4), InvariantHOG()):
        expected = transformer.fit_transform(X)
        frame = transformer.set_output(transform=library).fit_transform(given)
        assert isinstance(frame, frames.DataFrame)
        assert list(frame.columns) == list(transformer.get_feature_names_out())
        np.testing.assert_array_equal(frame.to_numpy(), expected)
