"""torch, array-api-strict: stacks and rows, pipelines, and array_api_dispatch switched on."""

import os

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_nrcdt import (
    InvariantHOG,
    MaxNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    RadonCDT,
)

ADVICE = "is in none of the groups: its usual wheel brings gigabytes of CUDA"
LIBRARIES = {"torch": ADVICE, "array_api_strict": "is in the group 'clients'"}
TRANSFORMERS = [MaxNRCDT(8), RadonCDT(8), InvariantHOG()]


@pytest.fixture(params=LIBRARIES)
def library(request):
    return pytest.importorskip(request.param, reason=f"{request.param} {LIBRARIES[request.param]}")


@pytest.fixture(params=[False, True], ids=["", "dispatch"])
def dispatch(request, library):
    if request.param and os.environ.get("SCIPY_ARRAY_API") != "1":
        pytest.skip("scipy was imported without SCIPY_ARRAY_API=1")
    with sklearn.config_context(array_api_dispatch=request.param):
        yield


@pytest.mark.usefixtures("dispatch")
@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=repr)
@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
def test_stacks_and_rows(digits, library, transformer, dtype):
    images = digits[0].reshape(-1, 8, 8).astype(dtype)
    expected = transformer.fit_transform(images)
    tensor = library.asarray(images)
    result = transformer.fit_transform(tensor)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    rows = library.reshape(tensor, (len(images), 64))
    np.testing.assert_allclose(transformer.fit_transform(rows), expected, atol=1e-5)


@pytest.mark.usefixtures("dispatch")
@pytest.mark.parametrize(
    "classifier", [NearestTemplateClassifier(), NearestSubspaceClassifier(3)], ids=repr
)
def test_classifiers(digits, library, classifier):
    X, labels = digits
    y = labels.astype(int)
    features = MaxNRCDT(8, n_quantiles=16).fit_transform(X)
    expected = clone(classifier).fit(features, y)
    model = clone(classifier).fit(library.asarray(features), library.asarray(y))
    tensor = library.asarray(features)
    np.testing.assert_array_equal(np.asarray(model.predict(tensor)), expected.predict(features))
    np.testing.assert_allclose(
        np.asarray(model.predict_proba(tensor)), expected.predict_proba(features)
    )


@pytest.mark.usefixtures("dispatch")
def test_stacks_through_pipelines(digits, library):
    X, labels = digits
    y = labels.astype(int)
    model = make_pipeline(MaxNRCDT(8), StandardScaler(), NearestTemplateClassifier())
    expected = model.fit(X, y).predict(X)
    stack = library.asarray(X.reshape(-1, 8, 8))
    np.testing.assert_array_equal(model.fit(stack, y).predict(stack), expected)
    assert model.score(stack, y) == 1


def test_lists_of_tensors_of_different_shapes(library):
    images = [np.ones((4, 6)), np.ones((9, 5)), np.eye(7)]
    expected = MaxNRCDT(8).fit_transform(images)
    tensors = [library.asarray(image) for image in images]
    np.testing.assert_array_equal(MaxNRCDT(8).fit_transform(tensors), expected)


def test_gradients_are_refused_with_advice():
    torch = pytest.importorskip("torch", reason=f"torch {ADVICE}")
    with pytest.raises(TypeError, match="detach"):
        MaxNRCDT(8).fit(torch.ones(2, 4, 4, requires_grad=True))
