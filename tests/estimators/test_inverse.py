"""Back from the R-CDT to the image."""

import numpy as np
import pytest
from figures import gaussian_mixture, pixel_grid

from sklearn_nrcdt import RadonCDT
from sklearn_nrcdt._kernels.backprojection import reconstruct


def smooth_image(shape):
    means, cov = [[-0.15, 0.1], [0.2, -0.05]], np.array([[0.012, 0.004], [0.004, 0.008]])
    return gaussian_mixture(shape, means, [cov, cov / 2], [1, 1])


@pytest.mark.parametrize("shape", [(64, 64), (65, 65), (64, 65), (65, 64), (40, 64), (64, 31)])
@pytest.mark.parametrize("n_angles", [128, 63])
def test_smooth_images_come_back(shape, n_angles):
    image = smooth_image(shape)
    image /= image.sum()
    transformer = RadonCDT(n_angles, n_quantiles=128).fit(image[None])
    back = transformer.inverse_transform(transformer.transform(image[None]))[0]
    assert back.shape == shape
    np.testing.assert_allclose(back.sum(), 1)
    assert (back >= 0).all()
    assert np.linalg.norm(back - image) < 0.08 * np.linalg.norm(image)
    # No shift by a part of a pixel: the center of mass is that of the image.
    for coordinate in pixel_grid(shape):
        center, expected = (back * coordinate).sum(), (image * coordinate).sum()
        assert abs(center - expected) < 0.1 * np.sqrt(2) / max(shape)


@pytest.mark.parametrize("shape", [(48, 48), (17, 17), (12, 17)])
def test_corners_are_not_cut_off(shape):
    for rows, columns in np.ndindex(2, 2):
        image = np.zeros(shape)
        image[: shape[0] // 8 + 1, : shape[1] // 8 + 1] = 1
        image = image[:: 1 - 2 * rows, :: 1 - 2 * columns]
        transformer = RadonCDT(180, n_quantiles=200).fit(image[None])
        back = transformer.inverse_transform(transformer.transform(image[None]))[0]
        assert (back * image).sum() > 0.6
        for coordinate in pixel_grid(shape):
            center, expected = (back * coordinate).sum(), (image * coordinate).sum() / image.sum()
            assert abs(center - expected) < np.sqrt(2) / max(shape)


def test_what_lies_outside_of_the_image_is_left_out():
    assert not reconstruct(np.full((8, 4), 5.0), (8, 8)).any()
    # Half of the mass is outside; the rest is an image of total mass 1.
    angles = np.pi * np.arange(64) / 64
    half = np.where(np.arange(64) < 32, 0, 3) + 0.1 * np.sin(np.arange(64))
    image = reconstruct(np.sort(half)[None] * np.ones((64, 1)) * np.cos(angles)[:, None], (16, 16))
    np.testing.assert_allclose(image.sum(), 1)


def test_scaling_and_form_are_undone():
    image = smooth_image((32, 32))
    plain = RadonCDT(64).fit(image[None])
    expected = plain.inverse_transform(plain.transform(image[None]))
    scaled = RadonCDT(64, scaling="wasserstein").fit(image.reshape(1, -1))
    back = scaled.inverse_transform(scaled.transform(image.reshape(1, -1)))
    assert back.shape == (1, 32 * 32)
    np.testing.assert_allclose(back.reshape(1, 32, 32), expected, atol=1e-12)


def test_half_way_between_two_places_is_the_middle():
    images = np.zeros((2, 64, 64))
    images[0, 20:28, 10:18] = images[1, 36:44, 40:48] = 1
    transformer = RadonCDT(128).fit(images)
    middle = transformer.inverse_transform(transformer.transform(images).mean(axis=0)[None])[0]
    rows, columns = np.mgrid[:64, :64]
    assert abs((middle * rows).sum() - 31.5) < 0.5
    assert abs((middle * columns).sum() - 28.5) < 0.5
    # One blob, not two.
    assert middle[24:40, 20:38].sum() > 0.9


@pytest.mark.filterwarnings("ignore::sklearn_nrcdt.BlankImageWarning")
def test_blank_stays_blank():
    images = np.zeros((2, 8, 8))
    images[0, 2:5, 2:6] = 1
    transformer = RadonCDT(32).fit(images)
    back = transformer.inverse_transform(transformer.transform(images))
    assert not back[1].any()
    assert back[0].any()


@pytest.mark.parametrize("n_quantiles", [1, 2])
def test_few_levels_still_give_an_image(n_quantiles):
    images = np.ones((1, 16, 16))
    transformer = RadonCDT(16, n_quantiles=n_quantiles).fit(images)
    back = transformer.inverse_transform(transformer.transform(images))
    assert np.isfinite(back).all()


def test_wrong_width_is_refused():
    transformer = RadonCDT(4, n_quantiles=4).fit(np.ones((1, 4, 4)))
    with pytest.raises(ValueError, match=r"15 features.*n_angles \* n_quantiles = 16"):
        transformer.inverse_transform(np.ones((1, 15)))
