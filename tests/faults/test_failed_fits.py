"""A fit that fails, and parameters that change after fit."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from sklearn_nrcdt import (
    BlankImageWarning,
    InvariantHOG,
    MaxNRCDT,
    RadonCDT,
    SpectralNRCDT,
)
from sklearn_nrcdt.preprocessing import Despeckle, RemoveBackground

IMAGES = np.zeros((4, 10, 10))
IMAGES[:, 2:7, 3:5] = IMAGES[:, 5:7, 3:8] = 1
PAPER = np.ones((4, 32, 32))
PAPER[:, 12:20, 10:22] = 0


def state(estimator):
    return {name: repr(value) for name, value in vars(estimator).items()}


@pytest.mark.parametrize("estimator", [MaxNRCDT(8), InvariantHOG(), RadonCDT(8)], ids=repr)
def test_a_failed_fit_leaves_no_mixture(estimator):
    before = state(estimator)
    with pytest.raises(UserWarning, match="bright border"):  # an error in our tests
        estimator.fit(PAPER)
    assert state(estimator) == before
    with pytest.raises(NotFittedError):
        estimator.transform(IMAGES)
    features = estimator.fit_transform(IMAGES)
    before = state(estimator)
    with pytest.raises(UserWarning, match="bright border"):
        estimator.fit_transform(PAPER)
    with pytest.raises(ValueError, match="Negative values"):
        estimator.fit(np.full((2, 5, 5), -1.0))
    assert state(estimator) == before
    np.testing.assert_array_equal(estimator.transform(IMAGES), features)


def test_a_blank_image_that_is_an_error_leaves_the_transformer_unfitted():
    transformer = MaxNRCDT(8)
    with pytest.raises(BlankImageWarning):
        transformer.fit_transform(0 * IMAGES)
    assert not hasattr(transformer, "angles_")


@pytest.mark.parametrize(
    ("estimator", "changed"),
    [
        (InvariantHOG(), {"keep": "filters"}),
        (InvariantHOG("slant"), {"keep": "circle"}),
        (InvariantHOG(), {"n_harmonics": 9}),
        (SpectralNRCDT(8), {"keep": "all"}),
        (MaxNRCDT(8), {"n_radii": 1}),
        (Despeckle(), {"min_area": 0}),
        (RemoveBackground(), {"level": "mean"}),
    ],
    ids=repr,
)
def test_parameters_that_become_wrong_after_fit_are_refused_by_transform(estimator, changed):
    estimator.fit(IMAGES)
    good = {name: getattr(estimator, name) for name in changed}
    with pytest.raises(ValueError, match=next(iter(changed))):
        estimator.set_params(**changed).transform(IMAGES)
    assert len(estimator.set_params(**good).transform(IMAGES)) == 4
