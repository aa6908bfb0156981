"""imbalanced-learn: samplers of images and of features, alone and in its own pipeline."""

from collections import Counter

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from sklearn_nrcdt import MaxNRCDT, NearestTemplateClassifier

imblearn = pytest.importorskip("imblearn", reason="imbalanced-learn is in the group 'clients'")
from imblearn.over_sampling import SMOTE, RandomOverSampler  # noqa: E402
from imblearn.pipeline import make_pipeline  # noqa: E402
from imblearn.under_sampling import EditedNearestNeighbours, RandomUnderSampler  # noqa: E402


@pytest.fixture
def skewed(digits):
    """Fifty zeros and fours, ten fives."""
    X, y = digits
    rare = np.flatnonzero(y == "5")[10:]
    return np.delete(X, rare, axis=0), np.delete(y, rare)


@pytest.mark.parametrize("sampler", [RandomOverSampler, RandomUnderSampler])
def test_samplers_of_images(skewed, sampler):
    # Undersampling may leave as many rows as there are pixels, or any other number.
    X, y = sampler(random_state=0).fit_resample(*skewed)
    assert len(set(Counter(y).values())) == 1
    features = MaxNRCDT(8).fit_transform(X)
    model = NearestTemplateClassifier().fit(features, y)
    assert model.score(MaxNRCDT(8).fit_transform(skewed[0]), skewed[1]) > 0.9


@pytest.mark.parametrize(
    "sampler", [SMOTE(k_neighbors=3, random_state=0), EditedNearestNeighbours()], ids=repr
)
@pytest.mark.parametrize("first", ["images", "features"])
def test_samplers_in_a_pipeline(skewed, sampler, first):
    transformer = MaxNRCDT(16, n_quantiles=16)
    steps = [sampler, transformer] if first == "images" else [transformer, sampler]
    model = make_pipeline(*steps, NearestTemplateClassifier())
    assert cross_val_score(model, *skewed, cv=3, error_score="raise").mean() > 0.8
    assert model.fit(*skewed).predict_proba(skewed[0]).shape == (len(skewed[0]), 3)
