"""Every row of the input table: what is accepted, in whatever form, with equal results."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import (
    BlankImageWarning,
    InvariantHOG,
    MaxNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    RadonCDT,
    SpectralNRCDT,
    transform_to_npy,
)
from sklearn_nrcdt.datasets import load_symbols, stack_images
from sklearn_nrcdt.preprocessing import Invert

# One of each kind: on one canvas, on canvases of their own, in frames of their own.
TRANSFORMERS = [RadonCDT(16), MaxNRCDT(16), InvariantHOG()]
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


# Of the forms of integers above, these are float64.
DOUBLE = {
    "csr with explicit zeros and duplicates",
    "csr with duplicates",
    "object",
    "float64",
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
    if isinstance(transformer, InvariantHOG):  # works in float32
        assert result.dtype == (np.float64 if form in DOUBLE else np.float32)
    else:
        assert result.dtype == np.float64
    tolerance = 1e-12 if result.dtype == np.float64 else 1e-7
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(transformer.transform(given), result)


@transformers
def test_bool_images_are_images_of_zeros_and_ones(images, transformer):
    figure = images > 0
    expected = transformer.fit_transform(figure.astype(float))
    result = transformer.fit_transform(figure)
    np.testing.assert_array_equal(result, expected.astype(result.dtype))


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


@transformers
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_order_of_bytes_changed_the_dtype_of_features(images, transformer, dtype):
    images = images.astype(dtype)
    swapped = images.astype(images.dtype.newbyteorder())
    expected = transformer.fit_transform(images)
    for result in (transformer.transform(swapped), transformer.transform(list(swapped))):
        assert result.dtype == expected.dtype == dtype
        np.testing.assert_array_equal(result, expected)


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
    with pytest.warns(BlankImageWarning, match=r"2 of the images.*samples 1, 4\.") as record:
        features = transformer.fit_transform(images)
    assert len(record) == 1
    assert not features[[1, 4]].any()
    assert np.isfinite(features).all()
    with pytest.warns(BlankImageWarning):
        sparse = transformer.fit_transform(sp.csr_array(images.reshape(5, -1)))
    np.testing.assert_allclose(sparse, features, atol=1e-12)


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


@pytest.mark.parametrize("transformer", TRANSFORMERS[:-1], ids=lambda t: type(t).__name__)
def test_one_quantile_and_few_radii(images, transformer):
    params = transformer.get_params()
    features = transformer.set_params(n_quantiles=1, n_radii=2).fit_transform(images)
    assert np.isfinite(features).all()
    transformer.set_params(**params)


# --- images of different sizes ------------------------------------------------------------

# Beside each transformer, by how much of their size features may change with the canvas: what
# the bins of projections, which come with the canvas, leave to chance.
ANY_SIZE = [
    (MaxNRCDT(32), 0.05),
    (SpectralNRCDT(32, keep="circle"), 0.05),
    (InvariantHOG(), 1e-5),
]
any_size = pytest.mark.parametrize(("transformer", "bound"), ANY_SIZE, ids=lambda p: repr(p))


@pytest.fixture(scope="module")
def drawings():
    """Symbols drawn at different sizes, cut to different shapes."""
    sizes = {0: 40, 3: 52, 5: 64, 7: 81, 9: 99}
    images = [load_symbols(size=size).images[k] for k, size in sizes.items()]
    images[1] = np.pad(images[1], ((0, 9), (20, 3)))
    return images


@any_size
def test_features_are_those_on_one_canvas(drawings, transformer, bound):
    alone = transformer.fit_transform(drawings)
    padded = transformer.fit_transform(stack_images(drawings))
    error = np.linalg.norm(alone - padded, axis=1) / np.linalg.norm(padded, axis=1)
    assert error.max() < bound
    assert alone.shape == padded.shape == (5, len(transformer.get_feature_names_out()))


@any_size
def test_an_image_does_not_depend_on_the_others(drawings, transformer, bound):
    together = transformer.fit_transform(drawings)
    for i, image in enumerate(drawings):
        alone = transformer.transform([image, image[:-1]])[0]
        np.testing.assert_allclose(alone, together[i], atol=1e-6 * np.abs(together).max())


@any_size
def test_stacks_of_another_shape_than_in_fit(drawings, transformer, bound):
    transformer.fit(np.stack([drawings[0]] * 2))
    stack = np.stack([drawings[2], drawings[2].T])
    features = transformer.transform(stack)
    np.testing.assert_allclose(
        features, transformer.transform(list(stack)), atol=1e-6 * np.abs(features).max()
    )
    assert transformer.image_shape_ == (40, 40)


@any_size
def test_forms_of_lists(drawings, transformer, bound):
    expected = transformer.fit_transform(drawings)
    objects = np.empty(5, dtype=object)
    objects[:] = drawings
    for form in (tuple(drawings), objects, [image.tolist() for image in drawings]):
        np.testing.assert_allclose(transformer.fit_transform(form), expected, atol=1e-12)
    single = transformer.fit_transform([image.astype(np.float32) for image in drawings])
    assert single.dtype == np.float32


def test_blank_images_in_a_list(drawings):
    for transformer in (MaxNRCDT(8), InvariantHOG()):
        with pytest.warns(UserWarning, match=r"samples 1\."):
            features = transformer.fit_transform([drawings[0], np.zeros((3, 4))])
        assert not features[1].any()


def test_a_list_of_blank_images():
    with pytest.warns(UserWarning, match="2 of the images"):
        features = MaxNRCDT(8).fit_transform([np.zeros((3, 4)), np.zeros((5, 5))])
    assert features.shape == (2, 64)


def test_workers_and_batches(drawings, monkeypatch):
    expected = InvariantHOG().fit_transform(drawings)
    monkeypatch.setattr("sklearn_nrcdt._estimators.base.BATCH_ELEMENTS", 1)
    np.testing.assert_allclose(InvariantHOG(n_jobs=2).fit_transform(drawings), expected, atol=1e-6)


def test_pipelines_searches_and_streams(drawings, tmp_path):
    images = [np.pad(image, k) for image in drawings for k in range(4)]
    target = np.repeat(list("abcde"), 4)
    model = make_pipeline(Invert(), Invert(), InvariantHOG(n_harmonics=2), KNeighborsClassifier(1))
    assert cross_val_score(model, images, target, cv=2).mean() == 1
    grid = {"invarianthog__invariance": ["affine", "similarity"]}
    assert GridSearchCV(model, grid, cv=2).fit(images, target).best_score_ == 1
    transformer = MaxNRCDT(8).fit(images)
    written = transform_to_npy(transformer, iter([images[:7], images[7:]]), tmp_path / "f.npy")
    np.testing.assert_allclose(written, transformer.transform(images), atol=1e-9)


def test_fit_on_templates_of_one_shape_and_predict_others(drawings):
    templates = load_symbols(size=64).images
    model = make_pipeline(InvariantHOG(keep="circle"), NearestTemplateClassifier("aligned"))
    model.fit(templates, np.arange(12))
    assert model.predict(drawings).tolist() == [0, 3, 5, 7, 9]


def test_rows_keep_their_contract(drawings):
    transformer = MaxNRCDT(8).fit(drawings)
    assert transformer.n_features_in_ is None
    with pytest.raises(ValueError, match="shape of flattened images is unknown"):
        transformer.transform(np.ones((2, 64)))
    transformer.fit(np.ones((2, 64)))
    with pytest.raises(ValueError, match="100 features"):
        transformer.transform(np.ones((2, 100)))
    frame = pd.DataFrame(np.ones((2, 64))).rename(columns=str)
    assert list(MaxNRCDT(8).fit(frame).feature_names_in_[:2]) == ["0", "1"]


# --- arrays of other libraries --------------------------------------------------------------


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


@pytest.mark.parametrize("kind", [Exporter, Labelled])
@pytest.mark.parametrize("transformer", [MaxNRCDT(8), InvariantHOG(n_cells=16), Invert()], ids=repr)
def test_stacks_and_rows_of_other_libraries(images, transformer, kind):
    expected = transformer.fit_transform(images)
    np.testing.assert_array_equal(transformer.fit_transform(kind(images)), expected)
    rows = transformer.fit_transform(kind(images.reshape(5, -1)))
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


def test_narrow_images_can_be_meant():
    features = MaxNRCDT(8, image_shape=(40, 3)).fit_transform(np.ones((30, 40, 3)))
    assert features.shape == (30, 64)
    assert MaxNRCDT(8).fit_transform(np.ones((30, 4, 4))).shape == (30, 64)


def test_stacks_of_objects(images):
    expected = MaxNRCDT(8).fit_transform(images)
    np.testing.assert_array_equal(MaxNRCDT(8).fit_transform(images.astype(object)), expected)


@pytest.mark.parametrize("transformer", TRANSFORMERS[1:], ids=lambda t: type(t).__name__)
def test_images_of_a_list_keep_what_their_own_dtypes_hold(transformer, images):
    first, faint = images[1, :11], images[0, :, :11] / 200  # zero in the dtype of the first
    features = transformer.fit_transform([first.astype(np.uint8), faint])
    expected = transformer.fit_transform([first.astype(float), faint])
    np.testing.assert_allclose(features, expected, atol=1e-6)


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
