"""Every row of the input table: what is accepted, with equal results, and what is refused."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sklearn_nrcdt import NRCDT, InvariantHOG, MaxNRCDT, MeanNRCDT, RadonCDT, SpectralNRCDT

TRANSFORMERS = [
    RadonCDT(16),
    NRCDT(16),
    SpectralNRCDT(16, keep="circle"),
    MaxNRCDT(16),
    MeanNRCDT(16),
    MeanNRCDT(16, weighting="precision"),
    SpectralNRCDT(16),
    InvariantHOG(),
    InvariantHOG("slant"),
]
transformers = pytest.mark.parametrize("transformer", TRANSFORMERS, ids=lambda t: type(t).__name__)


@pytest.fixture
def images(rng):
    """Integer-valued, so that every dtype can hold them."""
    images = rng.integers(0, 2, (5, 12, 12)) * rng.integers(1, 100, (5, 12, 12))
    images[3] = 0
    images[3, 4, 7] = 1  # sparse
    return images


def test_stack_sets_the_shape(images):
    transformer = MaxNRCDT().fit(images[:, :, :9])
    assert transformer.image_shape_ == (12, 9)
    assert transformer.n_features_in_ == 108


FORMS = {
    "rows": lambda x: x.reshape(len(x), -1),
    "list of arrays": list,
    "nested lists": lambda x: x.tolist(),
    "csr_matrix": lambda x: sp.csr_matrix(x.reshape(len(x), -1)),
    "csc_array": lambda x: sp.csc_array(x.reshape(len(x), -1)),
    "coo_array": lambda x: sp.coo_array(x.reshape(len(x), -1)),
    "csr int64 indices": lambda x: _wide_indices(sp.csr_array(x.reshape(len(x), -1))),
    "csr with explicit zeros and duplicates": lambda x: _messy(x.reshape(len(x), -1)),
    "csr with explicit zeros": lambda x: _all_stored(x.reshape(len(x), -1)),
    "csr with duplicates": lambda x: _messy(x.reshape(len(x), -1), zeros=0),
    "Fortran order": np.asfortranarray,
    "strided": lambda x: np.repeat(x, 2, axis=2)[:, :, ::2],
    "DataFrame": lambda x: pd.DataFrame(x.reshape(len(x), -1)),
    "object": lambda x: x.reshape(len(x), -1).astype(object),
    **{
        dtype: lambda x, dtype=dtype: x.astype(dtype)
        for dtype in ("uint8", "int8", "uint16", "int32", "int64", "uint64", "float16", "float64")
    },
}


def _wide_indices(rows):
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return rows


def _messy(rows, zeros=2):
    """Every entry split in two halves, and some zeros stored."""
    coo = sp.coo_array(rows)
    data = np.concatenate([coo.data / 2, coo.data / 2, np.zeros(zeros)])
    row = np.concatenate([coo.row, coo.row, np.arange(zeros)])
    col = np.concatenate([coo.col, coo.col, np.arange(zeros)])
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(rows)))])
    order = np.argsort(row, kind="stable")
    return sp.csr_array((data[order], col[order], indptr), shape=rows.shape)


def _all_stored(rows):
    """Zeros are stored like any other number."""
    n, m = rows.shape
    columns, starts = np.tile(np.arange(m), n), np.arange(0, n * m + 1, m)
    return sp.csr_array((rows.ravel(), columns, starts), shape=(n, m))


@pytest.mark.parametrize("form", FORMS)
@transformers
def test_all_forms_give_the_same_result(images, transformer, form):
    expected = transformer.fit_transform(images.astype(float))
    given = FORMS[form](images)
    result = transformer.fit_transform(given)
    assert result.dtype == np.float64
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(transformer.transform(given), expected, rtol=1e-12, atol=1e-12)


@transformers
def test_bool_images_are_images_of_zeros_and_ones(images, transformer):
    figure = images > 0
    expected = transformer.fit_transform(figure.astype(float))
    np.testing.assert_array_equal(transformer.fit_transform(figure), expected)


@transformers
def test_float32_stays_float32(images, transformer):
    expected = transformer.fit_transform(images.astype(np.float64))
    single = transformer.transform(images.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, atol=1e-4)
    # ... whatever dtype the geometry was built for.
    fitted_single = transformer.fit(images.astype(np.float32))
    assert fitted_single.transform(images.astype(np.float32)).dtype == np.float32
    np.testing.assert_array_equal(fitted_single.transform(images.astype(float)), expected)


@pytest.mark.parametrize("form", ["stack", "rows", "sparse"])
@transformers
def test_the_input_is_never_changed(images, transformer, form):
    given = {"stack": images, "rows": images.reshape(5, -1)}.get(form)
    if form == "sparse":
        given = _messy(images.reshape(5, -1).astype(float))
        before = given.copy()
        transformer.fit_transform(given)
        for part in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(given, part), getattr(before, part))
        return
    before = given.copy()
    transformer.fit_transform(given)
    np.testing.assert_array_equal(given, before)


def test_read_only_memory_map(images, tmp_path):
    path = tmp_path / "images.npy"
    np.save(path, images)
    mapped = np.load(path, mmap_mode="r")
    expected = MaxNRCDT(16).fit_transform(images)
    np.testing.assert_array_equal(MaxNRCDT(16).fit_transform(mapped), expected)
    np.testing.assert_array_equal(MaxNRCDT(16, n_jobs=2).fit_transform(mapped), expected)


def test_image_shape_reads_rows(images):
    wide = images[:, :6]
    expected = MaxNRCDT(16).fit_transform(wide)
    rows = MaxNRCDT(16, image_shape=(6, 12)).fit_transform(wide.reshape(5, -1))
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_array_equal(
        MaxNRCDT(16, image_shape=[6, 12]).fit_transform(wide.reshape(5, -1)), expected
    )


def test_other_rows_are_lines_with_a_warning(images):
    rows = images.reshape(5, -1)[:, :7]
    with pytest.warns(UserWarning, match=r"\(1, 7\).*image_shape"):
        transformer = MaxNRCDT(16).fit(rows)
    assert transformer.image_shape_ == (1, 7)


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
        ({"image_shape": (12, -12)}, lambda x: x, "pair of positive integers"),
        ({"image_shape": (12, 12, 1)}, lambda x: x, "pair of positive integers"),
        ({"image_shape": (12.5, 12)}, lambda x: x, "pair of positive integers"),
        ({"image_shape": "12x12"}, lambda x: x, "image_shape"),
        ({"n_angles": 0}, lambda x: x, "n_angles"),
        ({"n_radii": 1}, lambda x: x, "n_radii"),
        ({"n_quantiles": 2.5}, lambda x: x, "n_quantiles"),
        ({"on_blank": "zero"}, lambda x: x, "on_blank"),
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


def test_stored_zeros_are_no_mass():
    rows = _all_stored(np.zeros((1, 9)))
    with pytest.warns(UserWarning, match="no mass"):
        assert not MaxNRCDT(4).fit_transform(rows).any()


@pytest.mark.parametrize("shape", [(1, 6), (6, 1), (1, 1)])
def test_image_shapes_of_one_row_or_column_can_be_given(shape):
    rows = np.ones((2, shape[0] * shape[1]))
    assert MaxNRCDT(4, image_shape=shape).fit(rows).image_shape_ == shape


@transformers
def test_blank_images_give_zeros_and_one_warning(images, transformer):
    images[[1, 4]] = 0
    with pytest.warns(UserWarning, match=r"2 of the images.*samples 1, 4\.") as record:
        features = transformer.fit_transform(images)
    assert len(record) == 1
    assert not features[[1, 4]].any()
    assert np.isfinite(features).all()
    sparse = transformer.set_params(on_blank="ignore").fit_transform(
        sp.csr_array(images.reshape(5, -1))
    )
    np.testing.assert_allclose(sparse, features, atol=1e-12)
    with pytest.raises(ValueError, match="samples 1, 4"):
        transformer.set_params(on_blank="raise").fit_transform(images)
    transformer.set_params(on_blank="warn")


def test_the_warning_about_blanks_points_at_the_caller(images):
    images[0] = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        MaxNRCDT(4).fit(images).transform(images)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("factor", [1e-300, 1e-12, 1e12, 1e300, 5e-324])
@transformers
def test_extreme_grey_values(images, transformer, factor):
    figure = (images > 0).astype(float)
    expected = transformer.fit_transform(figure)
    np.testing.assert_allclose(transformer.fit_transform(figure * factor), expected, atol=1e-9)


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (2, 1), (3, 1), (1, 9), (2, 2)])
@transformers
def test_tiny_images(transformer, shape):
    features = transformer.fit_transform(np.ones((2, *shape)))
    assert np.isfinite(features).all()
    assert features.any()


@pytest.mark.parametrize("transformer", TRANSFORMERS[:-2], ids=lambda t: type(t).__name__)
def test_one_quantile_and_few_radii(images, transformer):
    params = transformer.get_params()
    features = transformer.set_params(n_quantiles=1, n_radii=2).fit_transform(images)
    assert np.isfinite(features).all()
    transformer.set_params(**params)
