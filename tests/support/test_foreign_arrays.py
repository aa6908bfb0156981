"""Arrays of other libraries are images too, and what looks like colour is not many images."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingGridSearchCV
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import (
    InvariantHOG,
    MaxNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
)
from sklearn_nrcdt.preprocessing import Invert


class Exporter:
    """An array that speaks DLPack and nothing else, as array libraries may."""

    def __init__(self, values):
        self.values = values
        self.ndim, self.shape, self.dtype = values.ndim, values.shape, "their own"

    def __dlpack__(self, **kwargs):
        return self.values.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class Labelled:
    """An array with `__array__` and a dtype that NumPy does not know, as tensors have it."""

    def __init__(self, values):
        self.values = values
        self.ndim, self.shape, self.dtype = values.ndim, values.shape, object()

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)

    def __len__(self):
        return len(self.values)


class Elsewhere(Labelled):
    """A tensor on another device."""

    device = "cuda:0"

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert cuda:0 device type tensor to numpy.")


@pytest.fixture
def images(rng):
    return rng.random((4, 9, 9))


@pytest.mark.parametrize("kind", [Exporter, Labelled])
@pytest.mark.parametrize("transformer", [MaxNRCDT(8), InvariantHOG(n_cells=16), Invert()], ids=repr)
def test_stacks_and_rows_of_other_libraries(images, transformer, kind):
    expected = transformer.fit_transform(images)
    np.testing.assert_array_equal(transformer.fit_transform(kind(images)), expected)
    rows = transformer.fit_transform(kind(images.reshape(4, -1)))
    np.testing.assert_allclose(rows.reshape(expected.shape), expected, atol=1e-12)


def test_lists_of_tensors(images):
    expected = MaxNRCDT(8).fit_transform(list(images))
    result = MaxNRCDT(8).fit_transform([Labelled(image) for image in images])
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("kind", [NearestTemplateClassifier, NearestSubspaceClassifier])
def test_classifiers_take_them_too(rng, kind):
    X, y = rng.random((6, 40)), np.repeat([0, 1], 3)
    expected = kind().fit(X, y).decision_function(X)
    model = kind().fit(Labelled(X), Labelled(y))
    np.testing.assert_array_equal(model.decision_function(Labelled(X)), expected)


@pytest.mark.parametrize("shape", [(4, 9, 9), (4, 81)])
def test_a_tensor_elsewhere_is_a_clear_error(shape):
    with pytest.raises(TypeError, match=r"Elsewhere on device cuda:0.*cpu\(\)"):
        MaxNRCDT(8).fit(Elsewhere(np.ones(shape)))


def test_torch_tensors(images):
    torch = pytest.importorskip("torch", reason="torch is part of the extra 'clients'")
    expected = MaxNRCDT(8).fit_transform(images)
    for tensor in (torch.tensor(images), torch.tensor(images.reshape(4, -1))):
        np.testing.assert_array_equal(MaxNRCDT(8).fit_transform(tensor), expected)
    assert MaxNRCDT(8).fit_transform(torch.ones(2, 4, 4)).dtype == np.float32
    with pytest.raises(TypeError, match=r"detach"):
        MaxNRCDT(8).fit(torch.ones(2, 4, 4, requires_grad=True))


@pytest.mark.parametrize(
    ("shape", "advice"),
    [
        ((512, 512, 3), r"single image with channels.*rgb2gray.*image_shape=\(512, 3\)"),
        ((40, 30, 4), "single image with channels.*rgb2gray"),
        ((40, 30, 1), r"single image with channels.*X\[\.\.\., 0\]"),
        ((5, 40, 30, 3), "rgb2gray"),
        ((5, 40, 30, 1), r"X\[\.\.\., 0\]"),
        ((5, 1, 40, 30), r"X\[:, 0\]"),
        ((5, 3, 40, 30), r"rgb2gray\(X, channel_axis=1\)"),
    ],
)
def test_colour_is_an_error_that_helps(shape, advice):
    for transformer in (MaxNRCDT(8), InvariantHOG(), Invert()):
        with pytest.raises(ValueError, match=advice):
            transformer.fit(np.ones(shape, np.uint8))


def test_narrow_images_can_be_meant():
    features = MaxNRCDT(8, image_shape=(40, 3)).fit_transform(np.ones((30, 40, 3)))
    assert features.shape == (30, 64)
    assert MaxNRCDT(8).fit_transform(np.ones((30, 4, 4))).shape == (30, 64)


def test_stacks_of_objects(images):
    expected = MaxNRCDT(8).fit_transform(images)
    np.testing.assert_array_equal(MaxNRCDT(8).fit_transform(images.astype(object)), expected)


def test_negative_values_and_nan_say_what_to_do(images):
    with pytest.raises(ValueError, match=r"Negative values.*Grey values are mass"):
        MaxNRCDT(8).fit(images - 0.5)
    images[0, 0, 0] = np.nan
    with pytest.raises(ValueError, match=r"NaN.*nan_to_num"):
        MaxNRCDT(8).fit(images)


@pytest.mark.parametrize(
    ("X", "advice"),
    [
        ("a.png", "names of files.*load_image_folder"),
        (Path("a.png"), "names of files.*load_image_folder"),
        (np.array([["a.png"], ["b.png"]], object), "load_image_folder"),
        (load_digits(), r"X is a Bunch.*X\['images'\]"),
        (np.ones(64), r"Reshape your data to a stack of shape \(n_images, height, width\)"),
        (None, "Reshape your data to a stack"),
        ([None, []], r"sample 0 has shape \(\)\.$"),
        (np.ones((2, 4, 4)) * 1j, r"Complex data not supported\. .*np\.abs\.$"),
    ],
)
def test_what_is_no_image_is_an_error_that_helps(X, advice):
    for transformer in (MaxNRCDT(8), Invert()):
        with pytest.raises(ValueError, match=advice):
            transformer.fit(X)


@pytest.mark.parametrize(
    "classifier", [NearestTemplateClassifier(), NearestSubspaceClassifier()], ids=lambda c: str(c)
)
def test_classifiers_refuse_images(classifier):
    digits = load_digits()
    with pytest.raises(ValueError, match=r"compares features.*make_pipeline\(InvariantHOG\(\), "):
        classifier.fit(digits.images, digits.target)
    with pytest.raises(ValueError, match="compares features"):
        classifier.fit(digits.data[:20], digits.target[:20]).predict(digits.images)


def test_as_many_rows_as_pixels_are_a_warning_and_no_error():
    digits = load_digits()
    with pytest.warns(UserWarning, match=r"is read as 64 flattened images of shape \(8, 8\)"):
        features = MaxNRCDT(8).fit_transform(digits.data[:64])
    np.testing.assert_array_equal(features, MaxNRCDT(8).fit_transform(digits.images[:64]))


@pytest.mark.filterwarnings("ignore:X of shape .64, 64. looks like a single image:UserWarning")
def test_a_search_whose_fold_has_as_many_rows_as_pixels():
    digits = load_digits()
    X, y = digits.data[:128], digits.target[:128]
    search = HalvingGridSearchCV(
        make_pipeline(MaxNRCDT(), NearestTemplateClassifier()),
        {"maxnrcdt__n_angles": [8, 16]},
        min_resources=128,
        cv=2,  # folds of 64 rows
        random_state=0,
        error_score="raise",
    )
    assert search.fit(X, y).best_score_ > 0.3
