"""Laws that hold for every image, on random ones: shapes, dtypes, grey values, forms.

By default few cases, always the same; ``HYPOTHESIS_PROFILE=extended`` draws thousands.
"""

import math
import tempfile
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image
from strategies import (
    DTYPES,
    EXTENDED,
    FIGURES,
    FLOATS,
    INTEGERS,
    VARIANTS,
    few,
    full_images,
    law,
    rubbish,
    scalars,
    stacks,
    transformers,
)

import sklearn_nrcdt._estimators.base as base
from sklearn_nrcdt import (
    NRCDT,
    InvariantHOG,
    MaxNRCDT,
    MeanNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    RadonCDT,
    SpectralNRCDT,
    transform_to_npy,
)
from sklearn_nrcdt._kernels.radon import n_directions, projector
from sklearn_nrcdt.datasets import (
    add_salt,
    affine,
    load_image_folder,
    random_affine,
    random_elastic,
    random_wave,
    stack_images,
)
from sklearn_nrcdt.guarantees import certified_radius
from sklearn_nrcdt.preprocessing import Despeckle, Invert, RemoveBackground

# Random images may be blank, bright at the border, or look like anything.
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn_nrcdt.BlankImageWarning"),
    pytest.mark.filterwarnings("ignore::sklearn_nrcdt.BrightBorderWarning"),
    pytest.mark.filterwarnings("ignore:X is read as .* but looks like:UserWarning"),
    pytest.mark.filterwarnings("ignore:The images of X look like:UserWarning"),
]

small_shapes = st.tuples(st.integers(1, 16), st.integers(1, 16))
squares = st.integers(1, 24).map(lambda side: (side, side))


def projector_of(transformer):
    n_lines, n_radii = n_directions(transformer.n_angles), len(transformer.radii_)
    return projector(transformer.image_shape_, n_lines, n_radii, "float64")


# --- one image --------------------------------------------------------------------------


@law(images=stacks(), transformer=transformers())
def test_features_are_finite(images, transformer):
    features = transformer.fit_transform(images)
    assert np.isfinite(features).all()
    double = images.dtype in (np.float64, np.longdouble)
    single = not double if isinstance(transformer, InvariantHOG) else images.dtype == np.float32
    assert features.dtype == (np.float32 if single else np.float64)
    assert features.shape == (len(images), len(transformer.get_feature_names_out()))
    assert not features[~images.any(axis=(1, 2))].any()
    np.testing.assert_array_equal(transformer.transform(images), features)


@law(images=stacks(), transformer=transformers([(RadonCDT, {})]))
def test_mass_is_preserved_in_every_direction(images, transformer):
    transformer.fit(images.astype(np.float64))
    masses = projector_of(transformer).project(images.astype(np.float64))
    assert (masses >= 0).all()
    # Up to a power of two, which keeps the sums of extreme values finite.
    some = images.any(axis=(1, 2))
    totals = images[some].astype(np.longdouble).sum(axis=(1, 2))[:, None]
    ratios = masses[some].sum(axis=2) / totals
    np.testing.assert_allclose(ratios, 2.0 ** np.round(np.log2(ratios)), rtol=1e-9)
    np.testing.assert_allclose(ratios, np.broadcast_to(ratios[:, :1], ratios.shape), rtol=1e-9)
    assert not masses[~some].any()


@law(images=stacks(), transformer=transformers([(RadonCDT, {})]))
def test_quantiles_are_monotone_and_invert_the_distribution_function(images, transformer):
    images = images[images.any(axis=(1, 2))].astype(np.float64)
    assume(len(images))
    features = transformer.fit_transform(images).reshape(len(images), transformer.n_angles, -1)
    assert (np.diff(features, axis=2) >= 0).all()
    assert np.abs(features).max() <= 1
    masses = projector_of(transformer).project(images)
    # The angles of the first half circle are lines in their order, if they are even in number.
    lines = masses.shape[1] if transformer.n_angles % 2 == 0 else 1
    for image_masses, quantiles in zip(masses, features, strict=True):
        for mass, quantile in zip(image_masses[:lines], quantiles, strict=False):
            cdf = np.concatenate([[0], np.cumsum(mass)]) / mass.sum()
            reached = np.interp(quantile, transformer.radii_, cdf)
            # A mean lies somewhere in the range of its cell.
            cell = 1 / (len(quantile) + 2) if transformer.quantiles == "means" else 0
            error = np.abs(reached - transformer.quantile_levels_)
            assert (error <= cell / 2 + 1e-9).all()


@law(images=stacks(), transformer=transformers([(NRCDT, {})]))
def test_normalised_functions_have_zero_mean_and_unit_deviation(images, transformer):
    images = images[images.any(axis=(1, 2))].astype(np.float64)
    assume(len(images))
    functions = transformer.fit_transform(images).reshape(len(images), transformer.n_angles, -1)
    np.testing.assert_allclose(functions.mean(axis=2), 0, atol=1e-9)
    constant = ~functions.any(axis=2)  # one level, or all levels in one point
    np.testing.assert_allclose(functions.std(axis=2)[~constant], 1, rtol=1e-9)


# --- what changes nothing -----------------------------------------------------------------


@law(
    images=stacks(dtypes=["float32", "float64"], figures=("noise", "salt", "line", "ramp")),
    transformer=transformers(),
    power=st.integers(-100, 100),
)
def test_a_power_of_two_changes_nothing_at_all(images, transformer, power):
    # Far from the ends of the range, so that neither of the two is rounded.
    images = np.round(images / max(images.max(), np.finfo(images.dtype).tiny) * 1000)
    brighter = images * images.dtype.type(2.0**power)
    expected = transformer.fit_transform(images)
    np.testing.assert_array_equal(transformer.transform(brighter), expected)


@law(
    images=stacks(dtypes=["float64"]),
    transformer=transformers(),
    factor=st.floats(1e-150, 1e150),
)
def test_brightness_changes_nothing(images, transformer, factor):
    images = np.round(images / max(images.max(), 1e-300) * 1000)
    expected = transformer.fit_transform(images)
    np.testing.assert_allclose(transformer.transform(images * factor), expected, atol=1e-6)


@law(
    images=full_images(),
    n_angles=st.sampled_from([2, 4, 8, 12, 20]),
    n_quantiles=st.sampled_from([1, 3, 16]),
)
def test_flips_and_turns_permute_the_angles(images, n_angles, n_quantiles):
    def rcdt(images):
        features = RadonCDT(n_angles, n_quantiles=n_quantiles).fit_transform(images)
        return features.reshape(len(images), n_angles, n_quantiles)

    k = np.arange(n_angles)
    before = rcdt(images)
    np.testing.assert_allclose(rcdt(images[:, ::-1]), before[:, -k], atol=1e-9)
    np.testing.assert_allclose(rcdt(images[:, :, ::-1]), before[:, n_angles // 2 - k], atol=1e-9)
    half_turn = before[:, k - n_angles // 2]
    np.testing.assert_allclose(rcdt(images[:, ::-1, ::-1]), half_turn, atol=1e-9)
    if n_angles % 4 == 0:
        quarter = n_angles // 4
        turned = np.rot90(images, axes=(1, 2))
        np.testing.assert_allclose(rcdt(turned), before[:, k - quarter], atol=1e-9)
        transposed = images.transpose(0, 2, 1)
        np.testing.assert_allclose(
            rcdt(transposed), before[:, (-quarter - k) % n_angles], atol=1e-9
        )


INVARIANT = [
    (MaxNRCDT, {}),
    (MeanNRCDT, {}),
    (MeanNRCDT, {"weighting": "precision"}),
    (SpectralNRCDT, {"reflection": "ignore"}),
]


@law(images=full_images(), transformer=transformers(INVARIANT, n_angles=(4, 8, 12, 32)))
def test_flips_and_turns_change_no_invariant(images, transformer):
    expected = transformer.fit_transform(images)
    for moved in (
        images[:, ::-1],
        images[:, :, ::-1],
        images[:, ::-1, ::-1],
        np.rot90(images, axes=(1, 2)),
        images.transpose(0, 2, 1),
    ):
        features = transformer.fit_transform(moved)
        np.testing.assert_allclose(features, expected, atol=1e-6)


@law(
    images=stacks(shapes=small_shapes, figures=sorted(set(FIGURES) - {"wild"})),
    transformer=transformers(),
    n_bins=st.integers(2, 150),
)
def test_black_border_only_changes_the_scale(images, transformer, n_bins):
    # On a canvas three times as large pixels are three times as small, and so are bins.
    border = max(images.shape[1:])
    padded = np.pad(images, ((0, 0), (border, border), (border, border)))
    if isinstance(transformer, InvariantHOG):
        np.testing.assert_array_equal(
            transformer.fit_transform(padded), transformer.fit_transform(images)
        )
        return
    expected = transformer.set_params(n_radii=n_bins + 1).fit_transform(images)
    features = transformer.set_params(n_radii=3 * n_bins + 1).fit_transform(padded)
    scale = 3 if isinstance(transformer, RadonCDT) else 1
    tolerance = 1e-4 if images.dtype == np.float32 else 1e-7
    np.testing.assert_allclose(scale * features, expected, atol=tolerance)


# --- the same images in another form --------------------------------------------------------


def _read_only(images):
    images = images.copy()
    images.setflags(write=False)
    return images


def _mapped(images, folder):
    np.save(Path(folder) / "images.npy", images)
    return np.load(Path(folder) / "images.npy", mmap_mode="r")


DENSE_FORMS = {
    "rows": lambda x: x.reshape(len(x), -1),
    "list of images": list,
    "nested lists": lambda x: x.tolist(),
    "Fortran order": np.asfortranarray,
    "Fortran order of rows": lambda x: np.asfortranarray(x.reshape(len(x), -1)),
    "negative strides": lambda x: x[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1],
    "every other element": lambda x: np.repeat(np.repeat(x, 2, axis=1), 2, axis=2)[:, ::2, ::2],
    "read-only": _read_only,
    "swapped bytes": lambda x: x.astype(x.dtype.newbyteorder()),
    "DataFrame": lambda x: pd.DataFrame(x.reshape(len(x), -1)),
    "float64": lambda x: x.astype(np.float64),
}
NARROW = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float64"]


@law(
    # Of dtypes that Python's numbers and float64 hold exactly.
    images=stacks(dtypes=NARROW, shapes=small_shapes),
    transformer=transformers(),
    form=st.sampled_from([*DENSE_FORMS, "memory map"]),
)
def test_dense_forms_give_the_same_numbers(images, transformer, form):
    transformer.set_params(image_shape=images.shape[1:])
    expected = transformer.fit_transform(images)
    before = images.copy()
    if form == "memory map":
        with tempfile.TemporaryDirectory() as folder:
            result = transformer.fit_transform(_mapped(images, folder))
    else:
        result = transformer.fit_transform(DENSE_FORMS[form](images))
    # InvariantHOG gives float32, rounded once, for all forms but float64.
    np.testing.assert_array_equal(result.astype(expected.dtype), expected)
    np.testing.assert_array_equal(images, before)


SPARSE_FORMS = ["csr", "csc", "coo", "bsr", "lil", "dok"]


@law(
    images=stacks(dtypes=sorted(set(DTYPES) - {"float16"})),
    transformer=transformers(),
    form=st.sampled_from(SPARSE_FORMS),
    kind=st.sampled_from([sp.csr_array, sp.csr_matrix]),
)
def test_sparse_forms_give_the_same_numbers(images, transformer, form, kind):
    transformer.set_params(image_shape=images.shape[1:])
    expected = transformer.fit_transform(images)
    sparse = kind(images.reshape(len(images), -1)).asformat(form)
    result = transformer.fit_transform(sparse)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@law(
    images=stacks(max_images=6),
    transformer=transformers(),
    batch_elements=st.sampled_from([1, 10**5]),
    n_jobs=st.sampled_from([None, 1, 2, 3, -1]),
)
def test_batches_and_threads_change_nothing(images, transformer, batch_elements, n_jobs):
    expected = transformer.fit_transform(images)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "BATCH_ELEMENTS", batch_elements)
        result = transformer.set_params(n_jobs=n_jobs).fit_transform(images)
    np.testing.assert_array_equal(result, expected)
    # Nor do the other images.
    alone = np.concatenate([transformer.transform(image[None]) for image in images])
    np.testing.assert_array_equal(alone, expected)


@few
@law(
    images=stacks(max_images=6),
    transformer=transformers(n_jobs=2),
    backend=st.sampled_from(["threading", "sequential"] + ["loky"] * EXTENDED),
)
def test_backends_change_nothing(images, transformer, backend):
    expected = transformer.fit_transform(images)
    with joblib.parallel_config(backend=backend):
        np.testing.assert_array_equal(transformer.transform(images), expected)


# Eight images of width 1 would look like one image with channels.
@law(images=stacks(shapes=small_shapes, max_images=7), transformer=transformers(), data=st.data())
def test_streams_give_the_same_numbers(images, transformer, data):
    expected = transformer.fit_transform(images)
    size = data.draw(st.integers(1, len(images)))
    with tempfile.TemporaryDirectory() as folder:
        np.testing.assert_array_equal(
            transform_to_npy(transformer, images, Path(folder) / "a.npy", batch_size=size), expected
        )
        batches = (images[i : i + size] for i in range(0, len(images), size))
        np.testing.assert_array_equal(
            transform_to_npy(transformer, batches, Path(folder) / "b.npy"), expected
        )


# --- what is refused ------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:Rows of:UserWarning")
@pytest.mark.filterwarnings("ignore:X of shape .* looks like a single image:UserWarning")
@law(given=rubbish, transformer=transformers(), image_shape=st.one_of(st.none(), rubbish))
def test_rubbish_is_an_error_or_an_image(given, transformer, image_shape):
    try:
        features = transformer.set_params(image_shape=image_shape).fit_transform(given)
    except (ValueError, TypeError):
        return
    assert np.isfinite(features).all()


@pytest.mark.filterwarnings("ignore:Rows of:UserWarning")
@pytest.mark.filterwarnings("ignore:X of shape .* looks like a single image:UserWarning")
@law(
    kind=st.sampled_from([Despeckle, Invert, RemoveBackground]),
    given=rubbish,
)
def test_filters_take_rubbish_for_an_error_or_an_image(kind, given):
    try:
        cleaned = kind().fit_transform(given)
    except (ValueError, TypeError):
        return
    assert np.isfinite(cleaned).all()


@pytest.mark.filterwarnings("ignore:The subspaces of:UserWarning")
@pytest.mark.filterwarnings("ignore:A column-vector y:sklearn.exceptions.DataConversionWarning")
@law(
    kind=st.sampled_from([NearestTemplateClassifier, NearestSubspaceClassifier]),
    X=rubbish,
    y=rubbish,
)
def test_classifiers_take_rubbish_for_an_error_or_for_samples(kind, X, y):
    try:
        scores = kind().fit(X, y).decision_function(X)
    except (ValueError, TypeError):
        return
    assert np.isfinite(scores).all()


small_or_odd = st.one_of(st.integers(-3, 40), scalars.filter(lambda x: not isinstance(x, int)))


@law(variant=st.sampled_from(VARIANTS), data=st.data())
def test_odd_parameters_are_refused_or_work(variant, data):
    kind, _ = variant
    names = sorted(kind().get_params())
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    transformer = kind() if kind is InvariantHOG else kind(n_angles=4, n_quantiles=3)
    transformer.set_params(**{name: data.draw(small_or_odd) for name in chosen})
    # Neither thousands of threads nor pages of messages.
    assume(not isinstance(transformer.n_jobs, int) or -1 <= transformer.n_jobs <= 2)
    assume(not isinstance(transformer.verbose, int) or transformer.verbose <= 0)
    try:
        features = transformer.fit_transform(np.eye(4)[None] + 1)
    except (ValueError, TypeError):
        return
    assert np.isfinite(features).all()


# --- filters --------------------------------------------------------------------------------


@st.composite
def filters(draw):
    return draw(
        st.one_of(
            st.builds(Despeckle, st.integers(1, 50)),
            st.builds(Invert),
            st.builds(
                RemoveBackground,
                st.one_of(st.sampled_from(["otsu", "median"]), st.floats(0, 0.99)),
                subtract=st.booleans(),
            ),
        )
    )


@law(images=stacks(), cleaner=filters())
def test_filters_keep_dtype_and_shape_and_only_darken(images, cleaner):
    before = images.copy()
    cleaned = cleaner.transform(images)
    np.testing.assert_array_equal(images, before)
    assert cleaned.shape == images.shape
    assert cleaned.dtype == (np.float64 if images.dtype == np.longdouble else images.dtype)
    assert np.isfinite(cleaned).all()
    assert (cleaned >= 0).all()
    if isinstance(cleaner, Invert):
        assert (cleaned <= images.max(axis=(1, 2), keepdims=True)).all()
    else:
        assert (cleaned <= images).all()


@law(
    images=stacks(dtypes=sorted(set(DTYPES) - {"float16", "longdouble"})),
    cleaner=filters(),
    batch_elements=st.sampled_from([1, 2**22]),
    n_jobs=st.sampled_from([None, 2]),
)
def test_filters_of_all_forms_and_batches_agree(images, cleaner, batch_elements, n_jobs):
    expected = cleaner.transform(images)
    rows = images.reshape(len(images), -1)
    cleaner.set_params(image_shape=images.shape[1:], n_jobs=n_jobs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "BATCH_ELEMENTS", batch_elements)
        np.testing.assert_array_equal(cleaner.transform(rows), expected.reshape(rows.shape))
        if not isinstance(cleaner, Invert):
            sparse = cleaner.transform(sp.csr_array(rows))
            np.testing.assert_array_equal(sparse.toarray(), expected.reshape(rows.shape))


@law(images=stacks(dtypes=["bool", *INTEGERS]), min_area=st.integers(1, 50))
def test_filters_applied_twice(images, min_area):
    once = Despeckle(min_area).transform(images)
    np.testing.assert_array_equal(Despeckle(min_area).transform(once), once)
    assert (once.any(axis=(1, 2)) == images.any(axis=(1, 2))).all()
    if images.dtype != bool:
        twice = Invert().transform(Invert().transform(images))
        np.testing.assert_array_equal(twice, images - images.min(axis=(1, 2), keepdims=True))


# --- back to images, classes, guarantees, files ---------------------------------------------


@law(
    shape=small_shapes,
    transformer=transformers([(RadonCDT, {}), (RadonCDT, {"scaling": "wasserstein"})]),
    size=st.sampled_from([1e-300, 1e-9, 1.0, 3.0, 1e9, 1e300]),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_function_has_an_image(shape, transformer, size, seed):
    transformer.fit(np.ones((1, *shape)))
    n_features = transformer.n_angles * transformer.n_quantiles
    features = np.random.default_rng(seed).uniform(-size, size, (3, n_features))
    features[1] = 0
    images = transformer.inverse_transform(features)
    assert images.shape == (3, *shape)
    assert np.isfinite(images).all()
    assert (images >= 0).all()
    totals = images.sum(axis=(1, 2))
    assert ((np.abs(totals - 1) < 1e-9) | (totals == 0)).all()
    assert totals[1] == 0


features_of_templates = hnp.arrays(
    st.sampled_from([np.float32, np.float64]),
    st.tuples(st.integers(1, 8), st.integers(1, 5)),
    elements=st.integers(-50, 50).map(float),
)


@law(X=features_of_templates, power=st.integers(-40, 40), data=st.data())
def test_a_template_is_nearest_to_itself_at_every_scale(X, power, data):
    y = data.draw(st.lists(st.sampled_from("abc"), min_size=len(X), max_size=len(X)))
    X = X * X.dtype.type(2.0**power)
    assume(len(set(y)) > 1)
    classifier = NearestTemplateClassifier().fit(X, y)
    distances, templates = classifier.kneighbors(X, 1)
    assert not distances.any()
    np.testing.assert_array_equal(X[templates[:, 0]], X)
    scores = classifier.decision_function(X)
    assert np.isfinite(scores).all()
    if scores.ndim == 2:
        predicted = classifier.classes_[scores.argmax(axis=1)]
        np.testing.assert_array_equal(classifier.predict(X), predicted)
    probabilities = classifier.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    likeliest = classifier.classes_[probabilities.argmax(axis=1)]
    np.testing.assert_array_equal(classifier.predict(X), likeliest)
    other = NearestTemplateClassifier("manhattan").fit(X, y)
    np.testing.assert_array_equal(other.predict(X), classifier.predict(X))


@law(X=features_of_templates, size=st.sampled_from([5e-324, 1e-200, 1e-100, 1e100, 1e200, 1e305]))
def test_features_of_extreme_size_are_refused_or_told_apart(X, size):
    X = np.unique(X.astype(np.float64), axis=0) * size
    assume(len(X) > 2)
    y = np.arange(len(X))
    for metric in ("euclidean", "manhattan"):
        try:
            classifier = NearestTemplateClassifier(metric).fit(X, y)
        except ValueError:
            assert not 1e-100 <= size <= 1e100
        else:
            np.testing.assert_array_equal(classifier.predict(X), y)


@pytest.mark.filterwarnings("ignore:The subspaces of:UserWarning")
@law(X=features_of_templates, power=st.integers(-40, 40), data=st.data())
def test_a_sample_lies_in_the_subspace_of_its_class(X, power, data):
    y = np.array(data.draw(st.lists(st.sampled_from("abc"), min_size=len(X), max_size=len(X))))
    assume(len(set(y)) == 3)
    X = X * X.dtype.type(2.0**power)
    classifier = NearestSubspaceClassifier(None).fit(X, y)
    scores = classifier.decision_function(X)
    assert np.isfinite(scores).all()
    own = scores[np.arange(len(X)), np.searchsorted(classifier.classes_, y)]
    norms = np.linalg.norm(X.astype(np.float64), axis=1)
    assert (np.abs(own) <= 1e-6 * norms).all()
    np.testing.assert_array_equal(classifier.predict(X), classifier.classes_[scores.argmax(axis=1)])


@few
@law(
    images=full_images(st.tuples(st.integers(4, 16), st.integers(4, 16))),
    feature=st.sampled_from(["max", "mean", "weighted_mean"]),
    power=st.integers(-300, 300),
)
def test_guarantees_do_not_depend_on_brightness(images, feature, power):
    images = np.concatenate([images, images[:1, ::-1] ** 2])
    report = certified_radius(images, feature=feature)
    pairs = ~np.eye(len(images), dtype=bool)
    assert (report.radius >= 0).all()
    assert np.isfinite(report.radius[pairs]).all()
    brighter = certified_radius(images * 2.0**power, feature=feature)
    np.testing.assert_array_equal(brighter.radius, report.radius)


@law(
    images=st.lists(
        hnp.arrays(
            st.sampled_from([*INTEGERS, *FLOATS]),
            small_shapes,
            elements=st.integers(0, 100),
            fill=st.nothing(),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_stacking_moves_pixels_and_nothing_else(images):
    stack = stack_images(images)
    for canvas, image in zip(stack, images, strict=True):
        r, c = (np.arange(side) for side in image.shape)
        top, left = ((a - b) // 2 for a, b in zip(canvas.shape, image.shape, strict=True))
        np.testing.assert_array_equal(canvas[top + r[:, None], left + c], image)
        assert canvas.sum(dtype=float) == image.sum(dtype=float)


@law(
    images=stacks(shapes=small_shapes),
    function=st.sampled_from([random_affine, random_elastic, random_wave]),
    seed=st.integers(0, 2**32 - 1),
)
def test_deformations_keep_images_images(images, function, seed):
    before = images.copy()
    dtype = np.dtype(np.float32 if images.dtype == np.float32 else np.float64)
    if float(images.max()) > float(np.finfo(dtype).max) / (1000 * images[0].size):
        with pytest.raises(ValueError, match="too large to add up"):
            function(images, random_state=seed)
        return
    moved = function(images, cut="ignore", random_state=seed)
    np.testing.assert_array_equal(images, before)
    assert moved.shape == images.shape
    assert np.isfinite(moved).all()
    assert (moved >= 0).all()
    assert not moved[~images.any(axis=(1, 2))].any()
    same = affine(images, np.eye(2), cut="ignore")
    peaks = np.maximum(images.max(axis=(1, 2), keepdims=True), np.finfo(same.dtype).tiny)
    assert (np.abs(same - images) <= 1e-5 * peaks).all()
    assert np.isfinite(add_salt(images, random_state=seed)).all()


def _damage(file, data):
    """Change some bytes of a file and cut it off."""
    content = bytearray(file.read_bytes())
    changes = st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255))
    for position, byte in data.draw(st.lists(changes, max_size=5)):
        content[position] = byte
    del content[data.draw(st.integers(1, len(content))) :]
    file.write_bytes(content)


FORMATS = ["png", "tif", "gif", "bmp", "jpg", "pgm", "webp", "tga", "jp2"]


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow's, about what it repairs
@law(end=st.sampled_from(FORMATS), data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_broken_files_are_named_or_read(end, data, seed):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Image, "MAX_IMAGE_PIXELS", 10**6)
        file = Path(folder) / f"x.{end}"
        pixels = np.random.default_rng(seed).integers(0, 256, (9, 7), dtype=np.uint8)
        try:
            Image.fromarray(pixels).save(file)
        except OSError:  # a format that this Pillow was built without
            assume(False)
        _damage(file, data)
        try:
            images = load_image_folder(folder).images
        except ValueError as error:
            message = str(error)
        else:
            assert np.isfinite(images).all()
            assert math.prod(images.shape) <= 10**6
            return
        assert file.name in message
