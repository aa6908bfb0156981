"""R-CDT of images whose projections are known: squares, pixels, discs, Gaussians, blobs."""

import numpy as np
import pytest
from figures import gaussian_mixture, pixel_grid
from scipy.optimize import brentq
from scipy.stats import norm, trapezoid

from sklearn_nrcdt import RadonCDT


def rcdt(image, **params):
    transformer = RadonCDT(**params).fit(image[None])
    features = transformer.transform(image[None]).reshape(transformer.n_angles, -1)
    return features, transformer.angles_, transformer.quantile_levels_


def rectangle_quantiles(width, height, center, angles, levels):
    """Quantiles of the projections of a uniform rectangle, from scipy's trapezoid law."""
    result = []
    for angle in angles:
        a, b = abs(width * np.cos(angle)), abs(height * np.sin(angle))
        total, ramp = a + b, min(a, b) / (a + b)
        law = trapezoid(ramp, 1 - ramp, scale=total, loc=-total / 2)
        result.append(law.ppf(levels) + center @ [np.cos(angle), np.sin(angle)])
    return np.array(result)


@pytest.mark.parametrize("shape", [(10, 10), (64, 64), (20, 50), (31, 12), (1, 7), (1, 1)])
def test_constant_image_has_trapezoid_quantiles(shape):
    features, angles, levels = rcdt(np.ones(shape), n_radii=850, quantiles="points")
    h, w = np.array(shape) * np.sqrt(2) / max(shape)
    expected = rectangle_quantiles(w, h, np.zeros(2), angles, levels)
    np.testing.assert_allclose(features, expected, atol=2e-4)


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 15), (12, 3), (15, 9)])
def test_single_pixels_sit_where_x_is_right_and_y_is_up(row, column):
    image = np.zeros((16, 16))
    image[row, column] = 3
    side = np.sqrt(2) / 16
    center = np.array([(column - 7.5) * side, (7.5 - row) * side])
    features, angles, levels = rcdt(image, n_angles=16, n_radii=3001)
    expected = rectangle_quantiles(side, side, center, angles, levels)
    np.testing.assert_allclose(features, expected, atol=5e-4)


def test_disc_has_semicircle_quantiles():
    x, y = pixel_grid((256, 256))
    radius = 0.5
    # Anti-aliased edge, so that the pixels' total is the area of the disc.
    image = np.clip((radius - np.hypot(x, y)) * 256 / np.sqrt(2) + 0.5, 0, 1)
    features, _, levels = rcdt(image, n_angles=24)

    def cdf(s):
        return 0.5 + (s * np.sqrt(1 - s**2) + np.arcsin(s)) / np.pi

    expected = [radius * brentq(lambda s, t=t: cdf(s) - t, -1, 1) for t in levels]
    np.testing.assert_allclose(features, np.tile(expected, (24, 1)), atol=1e-3)


def test_gaussian_blob_has_normal_quantiles():
    mean, cov = np.array([0.1, -0.05]), np.array([[0.02, 0.008], [0.008, 0.01]])
    image = gaussian_mixture((256, 256), [mean], [cov], [1])
    features, angles, levels = rcdt(image, n_angles=12)
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    loc = directions @ mean
    scale = np.sqrt(np.einsum("ki,ij,kj->k", directions, cov, directions))
    expected = norm.ppf(levels) * scale[:, None] + loc[:, None]
    # The density is cut off at the image border, 3.5 standard deviations or more away.
    np.testing.assert_allclose(features, expected, atol=3e-3)


@pytest.mark.parametrize("n_quantiles", [62, 64])
def test_no_level_lies_in_the_gap_between_two_blobs(n_quantiles):
    image = np.zeros((64, 64))
    image[28:36, 8:16] = image[28:36, 48:56] = 1
    features, angles, _ = rcdt(
        image, n_angles=64, n_quantiles=n_quantiles, n_radii=2001, quantiles="points"
    )
    side = np.sqrt(2) / 64
    for angle, quantiles in zip(angles, features, strict=True):
        # Projections of the blobs' centers and half widths.
        reach = 4 * side * (abs(np.cos(angle)) + abs(np.sin(angle))) + 2 / 2000
        distance = 20 * side * abs(np.cos(angle))
        assert (np.abs(quantiles) >= distance - reach - 1e-9).all()
        assert (np.diff(quantiles) >= 0).all()
