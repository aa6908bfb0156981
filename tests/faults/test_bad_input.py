"""What is no image is refused with advice, and what was once misread is read."""

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

from sklearn_nrcdt import (
    InvariantHOG,
    MaxNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    RadonCDT,
    aligned_pairwise_distances,
)
from sklearn_nrcdt.datasets import add_salt, random_affine, random_elastic, random_wave
from sklearn_nrcdt.preprocessing import Despeckle, Invert, RemoveBackground

# One of each kind: on one canvas, on canvases of their own, in frames of their own.
TRANSFORMERS = [RadonCDT(4), MaxNRCDT(4), InvariantHOG(n_cells=16)]
transformers = pytest.mark.parametrize("transformer", TRANSFORMERS, ids=lambda t: type(t).__name__)


@pytest.fixture
def images(rng):
    return rng.integers(0, 2, (5, 12, 12)) * rng.integers(1, 100, (5, 12, 12))


@pytest.mark.parametrize(
    ("params", "convert", "message"),
    [
        ({}, lambda x: np.stack([x] * 3, axis=-1), "rgb2gray"),
        ({"image_shape": (12, 12)}, lambda x: x[0], r"X\[None\]"),
        ({}, lambda x: x.astype(str), "real numbers"),
        ({}, lambda x: x.reshape(5, -1).astype(str), "numeric|strings"),
        ({}, lambda x: x.astype(complex), "Complex data not supported"),
        ({}, lambda x: x[0, 0], "1D array|2D array"),
        ({}, lambda x: x[:0], "0 sample"),
        ({}, lambda x: x[:, :0], "0 feature"),
        ({}, lambda x: np.where(x == x[0, 0, 0], np.nan, x), "NaN"),
        ({}, lambda x: np.where(x == x[0, 0, 0], np.inf, x), "infinity"),
        ({}, lambda x: x - 1, "Negative values in data"),
        ({}, lambda x: sp.csr_array(x.reshape(5, -1) - 1.0), "Negative values in data"),
        ({"image_shape": (5, 5)}, lambda x: x.reshape(5, -1), "25 pixels.*144"),
        ({"image_shape": (6, 24)}, lambda x: x, "contradicts"),
        ({"image_shape": (12, -12)}, lambda x: x, "image_shape must be a pair of whole numbers"),
        ({"image_shape": (12, 12, 1)}, lambda x: x, "image_shape must be a pair of whole numbers"),
        ({"image_shape": (12.5, 12)}, lambda x: x, "image_shape must be a pair of whole numbers"),
        ({"image_shape": "12x12"}, lambda x: x, "image_shape"),
        ({"n_angles": 0}, lambda x: x, "n_angles"),
        ({"n_radii": 1}, lambda x: x, "n_radii"),
        ({"n_quantiles": 2.5}, lambda x: x, "n_quantiles"),
    ],
)
@transformers
def test_bad_input_is_refused_with_advice(images, transformer, params, convert, message):
    if not set(params) <= set(transformer.get_params()):
        pytest.skip("not a parameter of this transformer")
    transformer = type(transformer)(**params)
    with pytest.raises((ValueError, TypeError), match=message):
        transformer.fit(convert(images))


def test_radon_cdt_measures_on_one_canvas(images):
    different = [images[0], images[1, :5]]
    with pytest.raises(ValueError, match=r"different shapes.*one shape.*stack_images"):
        RadonCDT(4).fit(different)
    with pytest.raises(ValueError, match=r"\(10, 12\).*fitted on.*\(12, 12\)"):
        RadonCDT(4).fit(images).transform(images[:, :10])


@pytest.mark.parametrize(
    ("convert", "message"),
    [
        (lambda x: x[0], r"X\[None\]"),
        (lambda x: x.reshape(5, -1)[:, :100], "100 features.*expecting 144"),
        (lambda x: x - 1, "Negative values"),
    ],
)
@transformers
def test_transform_refuses_what_does_not_fit(images, transformer, convert, message):
    transformer.fit(images)
    with pytest.raises(ValueError, match=message):
        transformer.transform(convert(images))


@pytest.mark.parametrize(
    ("images", "message"),
    [
        ([np.ones((4, 4)), np.ones((5, 5, 3))], "sample 1 has shape.*rgb2gray"),
        ([np.ones((4, 4)), np.ones((5, 5, 1))], r"sample 1 has shape.*X\[\.\.\., 0\]"),
        ([np.ones((4, 4)), np.ones((0, 5))], "Sample 1.*no pixels"),
        ([np.ones((4, 4)), np.full((5, 5), np.nan)], "Sample 1.*NaN.*nan_to_num"),
        ([np.ones((4, 4)), -np.ones((5, 5))], "Sample 1.*Negative.*clip"),
        ([np.ones((4, 4)), np.ones(5)], "sample 1"),
        (["a.png", "b.png"], "names of files.*load_image_folder"),
        (np.array(["a.png", "b.png"]), "names of files.*load_image_folder"),
    ],
)
def test_bad_lists_say_what_to_do(images, message):
    with pytest.raises((ValueError, TypeError), match=message):
        InvariantHOG().fit(images)


class Elsewhere:
    """A tensor on another device."""

    def __init__(self, values):
        self.ndim, self.shape, self.dtype = values.ndim, values.shape, object()

    device = "cuda:0"

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert cuda:0 device type tensor to numpy.")


@pytest.mark.parametrize("shape", [(4, 9, 9), (4, 81)])
def test_a_tensor_elsewhere_is_a_clear_error(shape):
    with pytest.raises(TypeError, match=r"Elsewhere on device cuda:0.*cpu\(\)"):
        MaxNRCDT(8).fit(Elsewhere(np.ones(shape)))


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


def test_negative_values_and_nan_say_what_to_do(noise):
    with pytest.raises(ValueError, match=r"Negative values.*Grey values are mass"):
        MaxNRCDT(8).fit(noise - 0.5)
    noise[0, 0, 0] = np.nan
    with pytest.raises(ValueError, match=r"NaN.*nan_to_num"):
        MaxNRCDT(8).fit(noise)


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


# --- input that was once misread, or crashed ------------------------------------------------


@pytest.fixture
def noise(rng):
    return rng.random((3, 5, 5))


@pytest.mark.parametrize("estimator", [MaxNRCDT(4), Despeckle(), Invert(), RemoveBackground()])
def test_values_under_a_mask_do_not_count_silently(noise, estimator):
    masked = np.ma.array(noise, mask=noise > 0.9)
    for given in (masked, masked.reshape(3, -1), list(masked)):
        with pytest.raises(ValueError, match=r"masked.*filled\(0\)"):
            estimator.fit_transform(given)
    without = np.ma.array(noise, mask=False)
    np.testing.assert_array_equal(estimator.fit_transform(without), estimator.fit_transform(noise))


@pytest.mark.skipif(
    np.finfo(np.longdouble).max == np.finfo(float).max, reason="longdouble is float64 here"
)
@pytest.mark.parametrize("factor", ["1e4000", "1e-4000"])
@pytest.mark.parametrize("convert", [np.asarray, lambda x: sp.csr_array(x.reshape(3, -1))])
def test_numbers_that_only_longdouble_holds_are_refused(noise, factor, convert):
    long = noise.astype(np.longdouble)
    with pytest.raises(ValueError, match="float64 cannot hold"):
        MaxNRCDT(4).fit(convert(long * np.longdouble(factor)))
    expected = MaxNRCDT(4).fit_transform(noise)
    np.testing.assert_array_equal(MaxNRCDT(4).fit_transform(convert(long)), expected)


@pytest.mark.parametrize(
    "given",
    [
        np.ones((3, 5, 5), "m8[s]"),
        np.ones((3, 25), "m8[s]"),
        np.zeros((3, 5, 5), "M8[s]"),
        pd.DataFrame({"a": [datetime.timedelta(1)] * 2}),
    ],
)
def test_times_are_no_grey_values(given):
    with pytest.raises((ValueError, TypeError)):
        MaxNRCDT(4).fit(given)


def test_integers_without_end_are_a_value_error(noise):
    endless = [[10**400] * 4, [1] * 4]
    transformer = RadonCDT(2, n_quantiles=2).fit(noise)
    for call in (
        MaxNRCDT(4).fit,
        Despeckle().fit,
        transformer.inverse_transform,
        aligned_pairwise_distances,
        lambda X: NearestTemplateClassifier().fit(X, [0, 1]),
        lambda X: NearestSubspaceClassifier().fit(X, [0, 1]),
    ):
        with pytest.raises(ValueError, match="too large for float64"):
            call(endless)
    assert MaxNRCDT(4).fit_transform([[10**30, 0, 0, 1]]).any()


def test_an_infinite_image_shape_is_a_value_error(noise):
    with pytest.raises(ValueError, match="image_shape must be a pair of whole numbers"):
        MaxNRCDT(image_shape=(np.inf, 2)).fit(noise)


@pytest.mark.parametrize(("value", "dtype"), [(1e308, float), (100, np.int8)])
def test_parts_of_a_sparse_pixel_that_overflow_together(value, dtype):
    data = np.array([value, value, 1], dtype)
    rows = sp.csr_array((data, np.array([0, 0, 3]), np.array([0, 3])), shape=(1, 4))
    with pytest.raises(ValueError, match="several parts whose sum overflows"):
        MaxNRCDT(4).fit_transform(rows)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.csr_matrix])
@pytest.mark.parametrize("index", [-1, 10**6])
def test_sparse_indices_beyond_the_shape_do_not_crash(kind, index):
    rows = kind(np.ones((4, 9)))
    rows.indices[5] = index
    with pytest.raises(ValueError, match="ind"):
        MaxNRCDT(4).fit_transform(rows)


def test_the_check_of_indices_leaves_the_input_alone():
    rows = sp.csr_array(np.eye(4, 9))
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    parts = rows.data, rows.indices, rows.indptr
    MaxNRCDT(4).fit_transform(rows)
    assert rows.data is parts[0]
    assert rows.indices is parts[1]
    assert rows.indptr is parts[2]


@pytest.mark.parametrize("dtype", ["float32", "float64", "longdouble"])
@pytest.mark.parametrize("shape", [(2, 19), (6, 7), (5, 5), (1, 3)])
def test_subnormal_noise_of_odd_sizes_give_no_overflow_warning(dtype, shape):
    least = np.finfo("float32" if dtype == "float32" else "float64").smallest_subnormal
    dark = np.full((1, *shape), least, dtype)
    expected = MaxNRCDT(4).fit_transform(np.ones((1, *shape), dtype))
    np.testing.assert_array_equal(MaxNRCDT(4).fit_transform(dark), expected)


def test_a_million_levels_of_single_precision(noise):
    features = RadonCDT(1, n_quantiles=10**6).fit_transform(noise[:1].astype(np.float32))
    assert features.shape == (1, 10**6)
    assert (np.diff(features) >= 0).all()


# --- filters ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@pytest.mark.parametrize("level", ["otsu", "median"])
def test_the_background_of_integers_that_float64_cannot_tell_apart(dtype, level):
    most = np.iinfo(dtype).max
    scan = np.full((1, 4, 4), most - 3, dtype)
    scan[0, 0, :2] = most
    cleaned = RemoveBackground(level).transform(scan)
    np.testing.assert_array_equal(cleaned, np.where(scan == most, scan, 0))
    lowered = RemoveBackground(level, subtract=True).transform(scan)
    np.testing.assert_array_equal(lowered, np.where(scan == most, 3, 0))


def test_the_median_of_the_largest_numbers():
    scan = np.full((1, 2, 2), 1.7e308)
    assert not RemoveBackground("median").transform(scan).any()


@pytest.mark.parametrize(("dtype", "white"), [("float16", 1e5), ("float32", 1e300)])
def test_white_beyond_the_dtype_is_not_infinity(dtype, white):
    scan = np.ones((1, 3, 3), dtype)
    inverted = Invert(white).transform(scan)
    assert inverted.dtype == np.float64
    np.testing.assert_array_equal(inverted, white - 1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_deformed_noise_at_the_end_of_the_range_are_not_infinite(dtype):
    bright = np.full((1, 4, 4), np.finfo(dtype).max / 2, dtype)
    for deform in (random_affine, random_elastic, random_wave, add_salt):
        with pytest.raises(ValueError, match="too large to add up"):
            deform(bright)


# --- classifiers --------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", [NearestTemplateClassifier(), NearestSubspaceClassifier(1)])
@pytest.mark.parametrize(
    ("size", "dtype"), [(1e200, float), (1e-200, float), (1e25, "f4"), (1e-30, "f4")]
)
def test_squares_that_overflow_or_vanish_do_not_make_all_classes_equal(classifier, size, dtype):
    X = (np.eye(4, 6) * size).astype(dtype)
    with pytest.raises(ValueError, match=r"features of size 1e.*Scale them"):
        classifier.fit(X, range(4))
    classifier.fit(np.eye(4, 6, dtype=dtype), range(4))
    if size > 1:
        with pytest.raises(ValueError, match="features of size"):
            classifier.predict(X)
    else:  # small beside the templates, nothing more
        assert len(classifier.predict(X)) == 4
