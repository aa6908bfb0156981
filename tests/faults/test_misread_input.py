"""Input that was once misread, or crashed: one test for each mistake that was found."""

import datetime

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sklearn_nrcdt import (
    MaxNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    RadonCDT,
    aligned_pairwise_distances,
)
from sklearn_nrcdt.datasets import add_salt, random_affine, random_elastic, random_wave
from sklearn_nrcdt.preprocessing import Despeckle, Invert, RemoveBackground


@pytest.fixture
def images(rng):
    return rng.random((3, 5, 5))


@pytest.mark.parametrize("estimator", [MaxNRCDT(4), Despeckle(), Invert(), RemoveBackground()])
def test_values_under_a_mask_do_not_count_silently(images, estimator):
    masked = np.ma.array(images, mask=images > 0.9)
    for given in (masked, masked.reshape(3, -1), list(masked)):
        with pytest.raises(ValueError, match=r"masked.*filled\(0\)"):
            estimator.fit_transform(given)
    without = np.ma.array(images, mask=False)
    np.testing.assert_array_equal(estimator.fit_transform(without), estimator.fit_transform(images))


@pytest.mark.skipif(
    np.finfo(np.longdouble).max == np.finfo(float).max, reason="longdouble is float64 here"
)
@pytest.mark.parametrize("factor", ["1e4000", "1e-4000"])
@pytest.mark.parametrize("convert", [np.asarray, lambda x: sp.csr_array(x.reshape(3, -1))])
def test_numbers_that_only_longdouble_holds_are_refused(images, factor, convert):
    long = images.astype(np.longdouble)
    with pytest.raises(ValueError, match="float64 cannot hold"):
        MaxNRCDT(4).fit(convert(long * np.longdouble(factor)))
    expected = MaxNRCDT(4).fit_transform(images)
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


def test_integers_without_end_are_a_value_error(images):
    endless = [[10**400] * 4, [1] * 4]
    transformer = RadonCDT(2, n_quantiles=2).fit(images)
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


def test_an_infinite_image_shape_is_a_value_error(images):
    with pytest.raises(ValueError, match="pair of positive integers"):
        MaxNRCDT(image_shape=(np.inf, 2)).fit(images)


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
def test_subnormal_images_of_odd_sizes_give_no_overflow_warning(dtype, shape):
    least = np.finfo("float32" if dtype == "float32" else "float64").smallest_subnormal
    dark = np.full((1, *shape), least, dtype)
    expected = MaxNRCDT(4).fit_transform(np.ones((1, *shape), dtype))
    np.testing.assert_array_equal(MaxNRCDT(4).fit_transform(dark), expected)


def test_a_million_levels_of_single_precision(images):
    features = RadonCDT(1, n_quantiles=10**6).fit_transform(images[:1].astype(np.float32))
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
def test_deformed_images_at_the_end_of_the_range_are_not_infinite(dtype):
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
