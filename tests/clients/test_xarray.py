"""xarray: labelled stacks and rows, alone, in pipelines, and as the features of classifiers."""

import numpy as np
import pytest

from sklearn_nrcdt import InvariantHOG, MaxNRCDT, NearestTemplateClassifier, RadonCDT

xarray = pytest.importorskip("xarray", reason="xarray is in the group 'clients'")


@pytest.fixture
def labelled(digits):
    X, y = digits
    images = xarray.DataArray(
        X.reshape(-1, 8, 8), dims=("image", "row", "column"), coords={"image": np.arange(len(X))}
    )
    return images, xarray.DataArray(y, dims="image")


@pytest.mark.parametrize("transformer", [MaxNRCDT(8), InvariantHOG(), RadonCDT(8)], ids=repr)
def test_stacks_and_rows(digits, labelled, transformer):
    images, _ = labelled
    expected = transformer.fit_transform(digits[0].reshape(-1, 8, 8))
    np.testing.assert_array_equal(transformer.fit_transform(images), expected)
    rows = images.stack(pixel=("row", "column"))
    np.testing.assert_allclose(transformer.fit_transform(rows), expected, atol=1e-12)


def test_pipelines(digits, labelled, model):
    images, labels = labelled
    X, y = digits
    expected = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.fit(images, labels).predict_proba(images), expected)


def test_features(digits, labelled):
    features = xarray.DataArray(MaxNRCDT(8).fit_transform(digits[0]), dims=("image", "level"))
    assert NearestTemplateClassifier().fit(features, labelled[1]).score(features, digits[1]) == 1
