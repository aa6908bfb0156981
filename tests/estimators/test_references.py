"""The same numbers from independent software: scikit-image, scipy, POT."""

import numpy as np
import pytest
from figures import pixel_grid
from scipy.stats import wasserstein_distance
from skimage.transform import radon

from sklearn_nrcdt import RadonCDT


def fine_points(image, per_side=12):
    """Points on a fine grid inside every pixel square, with weights."""
    fine = np.kron(image, np.ones((per_side, per_side)))
    x, y = pixel_grid(fine.shape)
    used = fine > 0
    return np.stack([x[used], y[used]], axis=1), fine[used] / fine.sum()


@pytest.fixture
def two_images(rng):
    images = np.zeros((2, 16, 16))
    images[0, 3:9, 4:12] = rng.random((6, 8))
    images[1, 6:14, 2:9] = rng.random((8, 7))
    return images


def test_projections_agree_with_scikit_image(shapes):
    image = np.pad(shapes[0], 30)
    # scikit-image rotates about pixel s // 2, the centre of an odd image.
    image = image[:-1, :-1]
    transformer = RadonCDT(n_angles=24, n_quantiles=99).fit(image[None])
    ours = transformer.transform(image[None]).reshape(24, 99)[:12]
    sinogram = radon(image, np.rad2deg(transformer.angles_[:12]), circle=False)
    detectors = np.arange(len(sinogram)) - len(sinogram) // 2
    for quantiles, projection in zip(ours, sinogram.T, strict=True):
        cdf = np.concatenate([[0], np.cumsum(projection)]) / projection.sum()
        edges = np.concatenate([detectors - 0.5, [detectors[-1] + 0.5]])
        theirs = np.interp(transformer.quantile_levels_, cdf, edges)
        pixels = quantiles / (np.sqrt(2) / len(image))
        np.testing.assert_allclose(pixels, theirs, atol=0.3)


def test_each_angle_agrees_with_scipy_wasserstein_distance(two_images):
    transformer = RadonCDT(n_angles=10, n_quantiles=2000, n_radii=2000).fit(two_images)
    first, second = transformer.transform(two_images).reshape(2, 10, -1)
    (p, p_weights), (q, q_weights) = (fine_points(image) for image in two_images)
    for k, angle in enumerate(transformer.angles_):
        direction = np.array([np.cos(angle), np.sin(angle)])
        expected = wasserstein_distance(p @ direction, q @ direction, p_weights, q_weights)
        np.testing.assert_allclose(np.abs(first[k] - second[k]).mean(), expected, rtol=3e-3)


def test_distance_agrees_with_pot_sliced_wasserstein(two_images):
    ot = pytest.importorskip("ot", reason="POT is part of the test extra")
    transformer = RadonCDT(n_angles=16, n_quantiles=1000, n_radii=2000, scaling="wasserstein")
    first, second = transformer.fit_transform(two_images)
    (p, p_weights), (q, q_weights) = (fine_points(image) for image in two_images)
    projections = np.stack([np.cos(transformer.angles_), np.sin(transformer.angles_)])
    expected = ot.sliced_wasserstein_distance(p, q, p_weights, q_weights, projections=projections)
    np.testing.assert_allclose(np.linalg.norm(first - second), expected, rtol=3e-3)
