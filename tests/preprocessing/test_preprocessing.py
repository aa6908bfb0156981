"""Despeckle, Invert, RemoveBackground: what they remove, what they keep, in every form."""

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from backends import PicklingBackend
from skimage.filters import threshold_otsu
from skimage.measure import label
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import MaxNRCDT
from sklearn_nrcdt._kernels.cleaning import background_levels, otsu_level, remove_background
from sklearn_nrcdt.datasets import add_salt, load_image_folder, load_symbols
from sklearn_nrcdt.preprocessing import Despeckle, Invert, RemoveBackground

FILTERS = [
    Despeckle(4),
    Invert(),
    Invert(60),
    RemoveBackground(),
    RemoveBackground("median", subtract=True),
    RemoveBackground(0.3, subtract=True),
]
filters = pytest.mark.parametrize("filter_", FILTERS, ids=repr)
# For what the base class does with images, before and after.
two_filters = pytest.mark.parametrize("filter_", FILTERS[::3], ids=repr)
SPARSE = [filter_ for filter_ in FILTERS if not isinstance(filter_, Invert)]


@pytest.fixture
def images(rng):
    """Integers up to 99 on black, of 12 x 10 pixels."""
    return rng.integers(0, 2, (5, 12, 10)) * rng.integers(1, 100, (5, 12, 10))


# Despeckle


def test_separate_specks_are_removed_and_nothing_else(shapes):
    clean = (
        np.pad(shapes, ((0, 0), (8, 8), (8, 8)))
        * np.array([1, 0.5, 2, 3, 255, 1e-9])[:, None, None]
    )
    salted = clean.copy()
    salted[:, 1:4, 1:4] = salted[:, 60, 3] = salted[:, 2, 30:59] = 1  # areas 9, 1, 29
    np.testing.assert_array_equal(Despeckle(30).transform(salted), clean)
    assert (Despeckle(29).transform(salted)[:, 2, 30:59] == 1).all()


def test_salt_of_the_paper_is_removed():
    clean = load_symbols().images[:, 56:200, 56:200]
    blank = np.zeros_like(clean)
    grains = add_salt(blank, n_discs=6, strength=9 * 256 / 144, random_state=0)
    apart = grains * ~(_grown(clean, 3) & (grains > 0)).any(axis=(1, 2), keepdims=True)
    assert apart.any(axis=(1, 2)).sum() >= 3
    np.testing.assert_array_equal(Despeckle().transform(np.maximum(clean, apart)), clean)


def _grown(images, n_pixels):
    grown = images > 0
    for axis in (1, 2):
        grown = np.logical_or.reduce(
            [np.roll(grown, step, axis) for step in range(-n_pixels, n_pixels + 1)]
        )
    return grown


@pytest.mark.parametrize("min_area", [1, 2, 5, 20])
def test_areas_agree_with_scikit_image(rng, min_area):
    images = rng.random((6, 30, 21)) * (rng.random((6, 30, 21)) < 0.5)
    images[2] = 0
    expected = images.copy()
    for image, result in zip(images, expected, strict=True):
        parts = label(image > 0, connectivity=2)
        sizes = np.bincount(parts.ravel())[1:]
        for i, size in enumerate(sizes, start=1):
            if size < min_area and size < sizes.max():
                result[parts == i] = 0
    np.testing.assert_array_equal(Despeckle(min_area).transform(images), expected)


def test_corners_connect():
    image = np.zeros((1, 9, 9))
    image[0, np.arange(4), np.arange(4)] = 1  # 4 pixels in a diagonal
    image[0, 6:8, 6:9] = 1  # 6 pixels
    assert Despeckle(4).transform(image).sum() == 10


def test_images_do_not_connect_to_their_neighbours_in_the_stack():
    images = np.zeros((8, 5, 5))
    images[:, 2, 2] = 1  # one line through the stack
    images[:, 0, :2] = 1
    assert (Despeckle(3).transform(images).sum(axis=(1, 2)) == 2).all()


def test_the_largest_component_always_stays():
    images = np.zeros((3, 8, 8))
    images[0, 1, 1:4] = images[0, 5, 5] = 1  # 3 and 1
    images[1, 0, 0] = images[1, 7, 7] = 1  # two of the same size
    expected = images.copy()
    expected[0, 5, 5] = 0
    result = Despeckle().transform(images)
    np.testing.assert_array_equal(result, expected)
    # No choice between equals: mirror images give mirror images.
    np.testing.assert_array_equal(Despeckle().transform(images[:, ::-1]), expected[:, ::-1])
    assert not result[2].any()


def test_a_dim_background_connects_everything_unless_it_is_removed_first(rng):
    scan = 0.05 * rng.random((1, 40, 40))
    figure = np.zeros((40, 40), bool)
    figure[10:20, 10:20] = True
    scan[0, figure] = 1
    scan[0, 30, 30] = 1
    assert Despeckle().transform(scan)[0, 30, 30] == 1
    chain = make_pipeline(RemoveBackground(), Despeckle())
    np.testing.assert_array_equal(chain.transform(scan)[0], figure)


def test_features_of_salted_images_become_those_of_clean_ones(shapes):
    salted = shapes.copy()
    salted[:, 1, 1] = salted[:, 45:47, 2:4] = 1
    transformer = MaxNRCDT(32)
    expected = transformer.fit_transform(shapes)
    model = make_pipeline(Despeckle(10), MaxNRCDT(32))
    np.testing.assert_array_equal(model.fit_transform(salted), expected)
    assert np.abs(transformer.transform(salted) - expected).max() > 0.1


# Invert


def test_invert_turns_the_brightest_into_black(images):
    scan = 200 - images
    np.testing.assert_array_equal(Invert(200).transform(scan), images)
    np.testing.assert_array_equal(Invert().transform(scan), images)  # some pixel is paper
    # Brighter than white is black, too.
    np.testing.assert_array_equal(Invert(150).transform(scan), np.maximum(images - 50, 0))


@pytest.mark.parametrize(
    ("dtype", "white", "expected"),
    [
        ("uint8", None, "uint8"),
        ("uint8", 255, "uint8"),
        ("uint8", 255.0, "uint8"),
        ("uint8", 300, "float64"),
        ("uint8", 100.5, "float64"),
        ("int64", 300, "int64"),
        ("float32", 300, "float32"),
        ("float32", 100.5, "float32"),
        ("bool", None, "bool"),
        ("bool", 1, "bool"),
        ("bool", 2, "float64"),
    ],
)
def test_invert_keeps_the_dtype_if_it_can_hold_white(images, dtype, white, expected):
    images = images.astype(dtype)
    result = Invert(white).transform(images)
    assert result.dtype == expected
    top = images.max(axis=(1, 2), keepdims=True) if white is None else white
    np.testing.assert_array_equal(result, np.maximum(top - images.astype(float), 0))


# RemoveBackground


def test_otsu_separates_two_groups(rng):
    scan = rng.uniform(0, 0.2, (3, 30, 30))
    figure = np.zeros((30, 30), bool)
    figure[5:9, 3:20] = True
    scan[:, figure] = rng.uniform(0.6, 1, (3, figure.sum()))
    cleaned = RemoveBackground().transform(scan)
    np.testing.assert_array_equal(cleaned, np.where(figure, scan, 0))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32", "float64"])
def test_otsu_agrees_with_scikit_image(rng, dtype):
    values = np.concatenate([rng.normal(60, 20, 3000), rng.normal(150, 25, 1500)])
    image = values.clip(0, 255).reshape(60, 75).astype(dtype)
    assert otsu_level(image) == pytest.approx(threshold_otsu(image), abs=256 / 255)


@pytest.mark.parametrize("factor", [1e-300, 1e300, 5e-324])
def test_otsu_of_extreme_values(images, factor):
    figure = (images > 50).astype(float)
    np.testing.assert_array_equal(RemoveBackground().transform(figure * factor), figure * factor)


def test_otsu_of_values_that_are_almost_equal():
    image = np.full((1, 4, 4), 1.0)
    image[0, 0] = np.nextafter(1, 2)
    assert np.count_nonzero(RemoveBackground().transform(image)) == 4


def test_one_grey_value_is_background():
    assert not RemoveBackground().transform(np.full((2, 5, 5), 7.0)).any()


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "float64"])
@pytest.mark.parametrize("level", ["otsu", "median", 0.0, 0.25])
def test_levels(rng, level, dtype):
    images = rng.integers(1, 100, (4, 11, 8)).astype(dtype)
    find = {"otsu": otsu_level, "median": np.median}.get(level, lambda x: level * x.max())
    kept = RemoveBackground(level).transform(images)
    lowered = RemoveBackground(level, subtract=True).transform(images)
    assert kept.dtype == lowered.dtype == dtype
    for image, one, other in zip(images, kept, lowered, strict=True):
        limit = find(image)
        np.testing.assert_array_equal(one, np.where(image > limit, image, 0))
        if np.dtype(dtype).kind != "f":
            limit = float(np.floor(limit))
        np.testing.assert_allclose(other, np.maximum(image - limit, 0), rtol=1e-6)


def test_bool_images_have_no_background(images):
    figure = images > 50
    for level in ("otsu", 0.0, 0.9):
        result = RemoveBackground(level, subtract=True).transform(figure)
        assert result.dtype == bool
        np.testing.assert_array_equal(result, figure)
    mostly = np.ones((1, 5, 5), bool)
    assert not RemoveBackground("median").transform(mostly).any()


def test_folders_are_cleaned_by_the_same_code(rng, tmp_path):
    from skimage.io import imsave

    scan = rng.integers(200, 256, (20, 20)).astype(np.uint8)
    scan[0, 0], scan[5, 2:8] = 255, 10
    imsave(tmp_path / "scan.png", scan, check_contrast=False)
    loaded = load_image_folder(tmp_path, invert=True, background="otsu").images
    chain = make_pipeline(Invert(255), RemoveBackground())
    np.testing.assert_allclose(chain.transform(scan[None]) / 255, loaded, atol=1e-6)
    loaded = load_image_folder(tmp_path, invert=True, background=0.1).images
    expected = np.where(255 - scan > 25.5, 255 - scan, 0) / 255.0
    np.testing.assert_allclose(expected, loaded[0], atol=1e-6)


# What all of them share

FORMS = {
    "rows": lambda x: x.reshape(len(x), -1),
    "list of images": list,
    "nested lists": lambda x: x.tolist(),
    "Fortran order": np.asfortranarray,
    "strided": lambda x: np.repeat(x, 2, axis=2)[:, :, ::2],
    "DataFrame": lambda x: pd.DataFrame(x.reshape(len(x), -1)),
    "object": lambda x: x.reshape(len(x), -1).astype(object),
}


@pytest.mark.parametrize("form", FORMS)
@two_filters
def test_all_forms_give_the_same_result(images, filter_, form):
    filter_ = clone(filter_).set_params(image_shape=(12, 10))
    # Objects are floats to scikit-learn, of which levels are not rounded.
    expected = filter_.transform(images.astype(float) if form == "object" else images)
    given = FORMS[form](images)
    stacked = form not in ("rows", "DataFrame", "object")
    for result in (filter_.transform(given), filter_.fit_transform(given)):
        assert isinstance(result, np.ndarray)
        assert result.shape == ((5, 12, 10) if stacked else (5, 120))
        np.testing.assert_allclose(result.reshape(5, 12, 10), expected, rtol=1e-12)


@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_matrix])
@pytest.mark.parametrize("filter_", SPARSE, ids=repr)
def test_sparse_rows_stay_sparse(images, filter_, container):
    filter_ = clone(filter_).set_params(image_shape=(12, 10))
    rows = images.reshape(5, -1)
    result = filter_.transform(container(rows))
    assert result.format == "csr"
    assert isinstance(result, sp.spmatrix) == issubclass(container, sp.spmatrix)
    assert np.all(result.data)
    np.testing.assert_allclose(result.toarray(), filter_.transform(rows), rtol=1e-12)


def test_invert_refuses_sparse_rows(images):
    with pytest.raises(TypeError, match=r"sparse.*toarray"):
        Invert().transform(sp.csr_array(images.reshape(5, -1)))


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int16", "uint64", "float16", "float32", "float64"]
)
@filters
def test_the_dtype_stays(images, filter_, dtype):
    images = images.astype(dtype)
    expected = "float64" if dtype == "bool" and getattr(filter_, "white", None) == 60 else dtype
    assert filter_.transform(images).dtype == expected


@filters
def test_the_input_is_never_changed(images, filter_):
    for given in (images, images.reshape(5, -1), images > 3, images.astype(np.float32)):
        given = given.copy()
        before = given.copy()
        given.setflags(write=False)
        result = clone(filter_).set_params(image_shape=(12, 10)).transform(given)
        assert not np.shares_memory(result, given)
        np.testing.assert_array_equal(given, before)


@filters
def test_images_are_cleaned_one_by_one(images, filter_):
    together = filter_.transform(images)
    alone = np.concatenate([filter_.transform(image[None]) for image in images])
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("backend", ["threading", PicklingBackend()])
@two_filters
def test_workers_change_nothing(images, filter_, backend):
    expected = filter_.transform(images)
    with joblib.parallel_config(backend, n_jobs=2):
        np.testing.assert_array_equal(filter_.transform(images), expected)
    np.testing.assert_array_equal(clone(filter_).set_params(n_jobs=2).transform(images), expected)


@filters
def test_batches_change_nothing(images, filter_, monkeypatch):
    expected = filter_.transform(images)
    monkeypatch.setattr("sklearn_nrcdt._estimators.base.BATCH_ELEMENTS", 250)  # 2 images
    np.testing.assert_array_equal(filter_.transform(images), expected)


@filters
def test_no_fit_is_needed_and_transform_leaves_no_trace(images, filter_):
    filter_ = clone(filter_)
    before = dict(vars(filter_))
    result = filter_.transform(images)
    assert vars(filter_) == before
    np.testing.assert_array_equal(filter_.fit(images).transform(images), result)
    # Another shape is welcome, after `fit` too.
    assert clone(filter_).transform(images[:, :7]).shape == (5, 7, 10)
    expected = clone(filter_).transform(images[:, :7])
    np.testing.assert_array_equal(filter_.transform(images[:, :7]), expected)


@filters
def test_images_of_different_shapes_give_a_list(images, filter_):
    filter_ = clone(filter_)
    different = [images[0], images[1, :7], images[2, :, 3:]]
    for cleaned in (filter_.fit_transform(different), filter_.transform(different)):
        for one, image in zip(cleaned, different, strict=True):
            np.testing.assert_array_equal(one, clone(filter_).transform(image[None])[0])


@filters
def test_rows_follow_the_rules_of_image_shape(images, filter_):
    rows = images.reshape(5, -1)
    with pytest.warns(UserWarning, match=r"\(1, 120\).*image_shape"):
        clone(filter_).transform(rows)
    square = images[:, :10].reshape(5, -1)
    expected = filter_.transform(images[:, :10])
    np.testing.assert_array_equal(filter_.transform(square).reshape(5, 10, 10), expected)


@pytest.mark.parametrize(
    ("convert", "message"),
    [
        (lambda x: np.stack([x] * 3, axis=-1), "rgb2gray"),
        (lambda x: x.astype(str), "real numbers"),
        (lambda x: x.astype(complex), "Complex data not supported"),
        (lambda x: x[:0], "0 sample"),
        (lambda x: np.where(x == x[0, 0, 0], np.nan, x), "NaN"),
        (lambda x: np.where(x == x[0, 0, 0], np.inf, x), "infinity"),
        (lambda x: x - 1, "Negative values in data"),
    ],
)
@two_filters
def test_bad_input_is_refused_with_advice(images, filter_, convert, message):
    for method in ("fit", "transform", "fit_transform"):
        with pytest.raises((ValueError, TypeError), match=message):
            getattr(clone(filter_), method)(convert(images))


@pytest.mark.parametrize(
    ("filter_", "name"),
    [
        (Despeckle(0), "min_area"),
        (Despeckle(2.5), "min_area"),
        (Invert(0), "white"),
        (Invert(np.inf), "white"),
        (RemoveBackground("paper"), "level"),
        (RemoveBackground(1.5), "level"),
        (RemoveBackground(subtract="yes"), "subtract"),
        (Despeckle(image_shape=(3, 3)), "image_shape"),
    ],
    ids=repr,
)
def test_unsuitable_parameters_are_refused(images, filter_, name):
    for method in ("fit", "transform"):
        with pytest.raises(ValueError, match=name):
            getattr(clone(filter_), method)(images)


@filters
def test_data_frames_of_rows_but_not_of_stacks(images, filter_):
    filter_ = clone(filter_).set_params(image_shape=(12, 10)).set_output(transform="pandas")
    names = [f"pixel{i}" for i in range(120)]
    frame = pd.DataFrame(images.reshape(5, -1), columns=names, index=list("abcde"))
    for result in (filter_.fit_transform(frame), filter_.transform(frame)):
        assert list(result.columns) == names
        assert list(result.index) == list("abcde")
    assert list(filter_.get_feature_names_out()) == names
    expected = clone(filter_).set_output(transform="default").transform(images)
    filter_ = clone(filter_)
    for stack in (filter_.fit_transform(images), filter_.transform(list(images))):
        assert isinstance(stack, np.ndarray)
        np.testing.assert_array_equal(stack, expected)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
def test_pipelines_give_data_frames_of_features(images):
    model = make_pipeline(RemoveBackground(), Despeckle(4), MaxNRCDT(8))
    expected = model.fit_transform(images)
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(clone(model).fit_transform(images), pd.DataFrame)
    model.set_output(transform="pandas")
    features = model.fit(images).transform(images)
    assert isinstance(features, pd.DataFrame)
    np.testing.assert_array_equal(features, expected)
    # Rows in a pipeline of which only the last step makes features.
    rows = clone(model).set_params(
        removebackground__image_shape=(12, 10),
        despeckle__image_shape=(12, 10),
        maxnrcdt__image_shape=(12, 10),
    )
    np.testing.assert_array_equal(rows.fit_transform(images.reshape(5, -1)), expected)


@pytest.mark.parametrize("shape", [(3, 3), (3, 4), (1, 1)])
def test_the_median_level_is_that_of_numpy(rng, shape):
    images = rng.random((5, *shape))
    expected = np.median(images, axis=(1, 2), keepdims=True)
    np.testing.assert_allclose(background_levels(images, "median"), expected)
    whole = rng.integers(0, 50, (5, *shape))
    expected = np.floor(np.median(whole, axis=(1, 2), keepdims=True))
    np.testing.assert_array_equal(background_levels(whole, "median"), expected)


def test_what_is_above_the_level_stays_as_it_is():
    np.testing.assert_array_equal(remove_background(np.array([[1.0, 2.0, 3.0]]), 2), [[0, 0, 3]])
