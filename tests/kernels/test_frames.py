"""The shape's own frame: it moves with the shape, and the image in it only turns or mirrors."""

import numpy as np
import pytest

from sklearn_nrcdt._kernels.contours import whitened_images
from sklearn_nrcdt._kernels.frames import (
    frames_of_points,
    reduced,
    reduced_pixels,
    robust_frames,
    symmetric_roots,
    upper_triangular_roots,
)


@pytest.fixture
def cloud(rng):
    """Weighted points, some far from the others."""
    points = rng.normal(size=(1, 2, 200)) * [[[9.0], [4.0]]]
    points[:, :, :5] += 60
    return points, rng.random((1, 200))


def figure(rng, shape=(40, 52)):
    """A dense random figure of no symmetry."""
    image = rng.random(shape) ** 3
    image[: shape[0] // 3, : shape[1] // 2] *= 3
    return image.astype(np.float32)


@pytest.mark.parametrize("isotropic", [False, True])
def test_frames_follow_the_maps_of_the_points(cloud, rng, isotropic):
    points, greys = cloud
    matrix, shift = rng.normal(size=(2, 2)), rng.normal(size=2) * 100
    if isotropic:
        matrix = 3 * np.linalg.qr(matrix)[0]
    center, scatter = frames_of_points(points, greys, 0, isotropic)
    moved, mapped = frames_of_points(matrix @ points + shift[:, None], greys, 0, isotropic)
    np.testing.assert_allclose(moved[0], matrix @ center[0] + shift, rtol=1e-10)
    np.testing.assert_allclose(mapped[0], matrix @ scatter[0] @ matrix.T, rtol=1e-9, atol=1e-9)


def test_a_frame_is_a_fixed_point_of_its_weights(cloud):
    # Independent of the code: at convergence, m and S are the weighted moments whose weights
    # follow from m and S. Seven steps come close.
    (points,), (greys,) = cloud
    (center,), (scatter,) = frames_of_points(*cloud, 0, False)
    apart = points - center[:, None]
    distances = np.einsum("il,ij,jl->l", apart, np.linalg.inv(scatter), apart)
    weights = greys / greys.sum() * 10 / (8 + distances)
    np.testing.assert_allclose(points @ weights / weights.sum(), center, atol=0.05)
    np.testing.assert_allclose((weights * apart) @ apart.T, scatter, rtol=0.05)


def test_far_specks_move_the_frame_less_than_the_moments(rng):
    image = np.zeros((100, 100), np.float32)
    image[40:60, 45:55] = 1
    specked = image.copy()
    specked[rng.integers(0, 100, 20), rng.integers(0, 100, 20)] = 1
    _, scatters = robust_frames([image, specked], False)
    plain = [np.cov(np.array(np.nonzero(i)), ddof=0).trace() for i in (image, specked)]
    growth = scatters[1].trace() / scatters[0].trace()
    assert growth - 1 < 0.5 * (plain[1] / plain[0] - 1)


def test_roots_are_roots(rng):
    half = rng.normal(size=(5, 2, 2))
    scatters = half @ half.transpose(0, 2, 1)
    symmetric, upper = symmetric_roots(scatters), upper_triangular_roots(scatters)
    np.testing.assert_allclose(symmetric @ symmetric, scatters, atol=1e-12)
    np.testing.assert_allclose(symmetric, symmetric.transpose(0, 2, 1))
    np.testing.assert_allclose(upper @ upper.transpose(0, 2, 1), scatters, atol=1e-12)
    assert (upper[:, 1, 0] == 0).all()
    assert (np.einsum("nii->ni", upper) > 0).all()


@pytest.mark.parametrize("shape", [(40, 52), (420, 371)])
def test_whitened_images_turn_and_flip_with_the_image(rng, shape):
    image = figure(rng, shape)
    turned = [np.rot90(image, k) for k in range(4)] + [image[::-1], image[:, ::-1]]
    seen = whitened_images([reduced(i) for i in turned], "affine", 64)
    for k in range(4):
        np.testing.assert_allclose(seen[k], np.rot90(seen[0], k), atol=2e-4)
    np.testing.assert_allclose(seen[4], seen[0][::-1], atol=2e-4)
    np.testing.assert_allclose(seen[5], seen[0][:, ::-1], atol=2e-4)
    assert np.abs(seen[0] - np.rot90(seen[0])).max() > 0.1  # the figure has no symmetry


def test_what_is_seen_has_the_frames_moments():
    # A bright disc: its mass is spread evenly, and so is what the frame shows of an ellipse.
    y, x = np.mgrid[-60:61, -60:61]
    disc, ellipse = (((x / a) ** 2 + (y / b) ** 2 < 1) * 1.0 for a, b in ((30, 30), (50, 20)))
    seen = whitened_images([disc.astype(np.float32), ellipse.astype(np.float32)], "affine", 64)
    assert np.abs(seen[0] - seen[1]).mean() < 0.01
    assert np.abs(seen[0]).mean() > 0.1


def test_large_images_are_reduced_to_means_of_blocks(rng):
    image = figure(rng, (300, 300))
    small = reduced(image)
    factor = round(np.sqrt(image.size / small.size))
    assert factor > 1
    # No mass is lost, blocks that the image does not fill are filled with zeros.
    np.testing.assert_allclose(small.sum() * factor**2, image.sum(), rtol=1e-5)
    rows, columns = np.nonzero(image)
    np.testing.assert_allclose(
        reduced_pixels(rows, columns, image[rows, columns]), small, rtol=1e-4, atol=1e-5
    )


def test_blocks_begin_at_the_same_place_of_flipped_images(rng):
    image = figure(rng, (300, 317))
    for flip in (np.flipud, np.fliplr, np.rot90):
        np.testing.assert_allclose(reduced(flip(image)), flip(reduced(image)), atol=1e-5)


def test_small_images_are_not_reduced(rng):
    image = figure(rng, (30, 40))
    assert reduced(image) is image
