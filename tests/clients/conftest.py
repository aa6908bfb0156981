"""What the clients are given."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import MaxNRCDT, NearestTemplateClassifier


@pytest.fixture(scope="session")
def digits():
    """Zeros, fours, fives: 150 images of 8 x 8 pixels as rows, and their labels as strings."""
    bunch = load_digits()
    chosen = np.flatnonzero(np.isin(bunch.target, [0, 4, 5]))[:150]
    return bunch.data[chosen], bunch.target[chosen].astype(str)


@pytest.fixture
def model():
    """The way from images to labels that the clients search, calibrate, store and stack."""
    return make_pipeline(MaxNRCDT(16, n_quantiles=16), NearestTemplateClassifier())
