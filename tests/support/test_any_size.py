"""Images need no common size: the invariant features of each follow from its own window."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import (
    NRCDT,
    InvariantHOG,
    MaxNRCDT,
    MeanNRCDT,
    NearestTemplateClassifier,
    RadonCDT,
    SpectralNRCDT,
    transform_to_npy,
)
from sklearn_nrcdt.datasets import load_symbols, stack_images
from sklearn_nrcdt.preprocessing import Invert

# Beside each transformer, by how much of their size features may change with the canvas: what
# the bins of projections, which come with the canvas, leave to chance.
ANY_SIZE = [
    (NRCDT(16), 0.1),
    (MaxNRCDT(32), 0.05),
    (MeanNRCDT(32), 0.05),
    (MeanNRCDT(32, weighting="precision"), 0.05),
    (SpectralNRCDT(32), 0.05),
    (SpectralNRCDT(32, keep="circle"), 0.05),
    (InvariantHOG(), 1e-5),
    (InvariantHOG("similarity", keep="filters", n_filters=20), 1e-5),
    (InvariantHOG("slant"), 1e-5),
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


def test_radon_cdt_needs_one_canvas(drawings):
    with pytest.raises(ValueError, match="needs images of one shape"):
        RadonCDT(4).fit(drawings)
