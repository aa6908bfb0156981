"""Where other implementations go wrong (found by running them), ours must be right."""

import numpy as np
import pytest

from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, NearestTemplateClassifier, RadonCDT

pooled = pytest.mark.parametrize("transformer", [MaxNRCDT(64), MeanNRCDT(64)])


def relative_error(features, reference):
    return np.linalg.norm(features - reference, axis=1) / np.linalg.norm(reference, axis=1)


@pooled
def test_float32_images_give_the_features_of_float64(shapes, transformer, rng):
    # End values that jump by rounding between support and border make 34 % elsewhere.
    images = shapes * rng.random(shapes.shape)
    reference = transformer.fit_transform(images)
    assert relative_error(transformer.transform(images.astype(np.float32)), reference).max() < 1e-4


@pooled
@pytest.mark.parametrize("factor", [2, 1 / 255])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_brightness_does_not_matter(shapes, transformer, factor, dtype):
    # An absolute epsilon makes 13-19 % elsewhere.
    images = shapes.astype(dtype)
    reference = transformer.fit_transform(images)
    scaled = transformer.transform(images * dtype(factor))
    assert relative_error(scaled, reference).max() < 1e-5


@pooled
def test_half_turn_does_not_matter(shapes, transformer):
    # Angles of half the circle only make 9-11 % elsewhere.
    reference = transformer.fit_transform(shapes)
    turned = transformer.transform(shapes[:, ::-1, ::-1])
    np.testing.assert_allclose(turned, reference, atol=1e-9)


def test_mass_near_the_corners_counts(shapes):
    # A circle inscribed in the image would cut it off.
    image = np.zeros((1, 48, 48))
    image[0, :3, :3] = 1
    features = RadonCDT(8).fit_transform(image).reshape(8, -1)
    assert features[3].min() > 1 - 6 / 48  # what 3 pixels' diagonals leave


def test_refitting_forgets_the_old_labels(shapes):
    X = MaxNRCDT(32).fit_transform(shapes)
    model = NearestTemplateClassifier().fit(X, [0, 0, 0, 1, 1, 1])
    model.fit(X, [1, 1, 1, 0, 0, 0])
    np.testing.assert_array_equal(model.predict(X), [1, 1, 1, 0, 0, 0])
    assert len(model.templates_) == 6


def test_refitting_takes_another_shape(shapes):
    transformer = MaxNRCDT(16).fit(shapes)
    transformer.fit(shapes[:, :40, :32])
    assert transformer.image_shape_ == (40, 32)
    expected = MaxNRCDT(16).fit_transform(shapes[:, :40, :32])
    np.testing.assert_array_equal(transformer.transform(shapes[:, :40, :32]), expected)


@pytest.mark.parametrize("labels", [list("abcdef"), [1, 2, 3, 4, 5, 6], [9, 7, 5, 3, 2, -1]])
def test_labels_may_be_anything(shapes, labels):
    X = MaxNRCDT(32).fit_transform(shapes)
    assert list(NearestTemplateClassifier().fit(X, labels).predict(X)) == labels


def test_results_do_not_remember_earlier_calls(shapes):
    transformer = MaxNRCDT(16).fit(shapes)
    transformer.transform(shapes)
    assert transformer.transform(shapes[3:5]).shape == (2, 64)
    np.testing.assert_array_equal(
        transformer.transform(shapes[3:5]), transformer.transform(shapes)[3:5]
    )
