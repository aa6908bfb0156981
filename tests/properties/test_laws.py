"""How transforms of the image act on the features: the paper's Table 1, and invariance."""

import numpy as np
import pytest
from figures import MIXTURE, gaussian_mixture, mapped_mixture, pixel_grid

from sklearn_nrcdt import NRCDT, MaxNRCDT, MeanNRCDT, RadonCDT
from sklearn_nrcdt._kernels.normalize import fold, unfold
from sklearn_nrcdt._kernels.radon import n_directions


def rcdt(image, n_angles=16, **params):
    return RadonCDT(n_angles, **params).fit_transform(image[None]).reshape(n_angles, -1)


def angles(n_angles=16):
    return 2 * np.pi * np.arange(n_angles) / n_angles


def test_translation_adds_the_projected_shift(shapes):
    right, down = 5, 3
    moved = np.roll(shapes[0], (down, right), axis=(0, 1))
    side = np.sqrt(2) / 48
    shift = right * side * np.cos(angles()) - down * side * np.sin(angles())
    # A shift by a part of a bin changes how mass is spread within bins.
    np.testing.assert_allclose(
        rcdt(moved, n_radii=4001), rcdt(shapes[0], n_radii=4001) + shift[:, None], atol=5e-4
    )


def test_scaling_scales(shapes):
    # The same pixels on a canvas three times as large are three times as small.
    small = np.pad(shapes[1], 48)
    np.testing.assert_allclose(
        3 * rcdt(small, n_radii=6001), rcdt(shapes[1], n_radii=2001), atol=1e-9
    )


@pytest.mark.parametrize("n_angles", [4, 16, 12])
def test_quarter_turn_shifts_the_angles(shapes, n_angles):
    turned = np.rot90(shapes[0])  # counter-clockwise
    expected = np.roll(rcdt(shapes[0], n_angles), n_angles // 4, axis=0)
    np.testing.assert_allclose(rcdt(turned, n_angles), expected, atol=1e-12)


@pytest.mark.parametrize("n_angles", [5, 16])
def test_reflection_reverses_the_angles(shapes, n_angles):
    flipped = np.flipud(shapes[0])  # y -> -y, angle -> -angle
    expected = np.roll(rcdt(shapes[0], n_angles)[::-1], 1, axis=0)
    np.testing.assert_allclose(rcdt(flipped, n_angles), expected, atol=1e-12)


def test_anisotropic_scaling_and_shear_reparametrise_the_angles():
    # R-CDT at d of the image of A is |A'd| times that at A'd / |A'd|, evaluated exactly
    # for a Gaussian: compare with the mapped Gaussian's own R-CDT.
    matrix = np.array([[1.2, 0.3], [0.0, 0.7]])
    before, after = mapped_mixture((256, 256), np.eye(2), 0), mapped_mixture((256, 256), matrix, 0)
    directions = np.stack([np.cos(angles()), np.sin(angles())])
    seen = matrix.T @ directions
    stretch, seen_angle = np.hypot(*seen), np.arctan2(*seen[::-1])
    many = 720
    nearest = np.round(seen_angle % (2 * np.pi) / (2 * np.pi) * many).astype(int) % many
    expected = stretch[:, None] * rcdt(before, many)[nearest]
    np.testing.assert_allclose(rcdt(after), expected, atol=2e-3)


@pytest.mark.parametrize("n_angles", [1, 2, 7, 8])
def test_folding_undoes_unfolding(rng, n_angles):
    lines = rng.normal(size=(n_directions(n_angles), 5))
    full = unfold(lines[None], n_angles)[0]
    assert len(full) == n_angles
    np.testing.assert_array_equal(fold(full), lines)


def test_opposite_angles_mirror_each_other(shapes):
    for n_angles in (6, 16):
        features = rcdt(shapes[4], n_angles)
        mirrored = -features[: n_angles // 2, ::-1]
        np.testing.assert_allclose(features[n_angles // 2 :], mirrored, atol=1e-12)


def test_odd_numbers_of_angles_see_the_same_projections(shapes):
    # 15 equispaced angles are every other one of 30.
    np.testing.assert_allclose(rcdt(shapes[0], 15), rcdt(shapes[0], 30)[::2], atol=1e-9)
    normalized = NRCDT(15).fit_transform(shapes[:2]).reshape(2, 15, -1)
    np.testing.assert_allclose(MaxNRCDT(15).fit_transform(shapes[:2]), normalized.max(axis=1))
    np.testing.assert_allclose(
        MeanNRCDT(15).fit_transform(shapes[:2]), normalized.mean(axis=1), atol=1e-12
    )


@pytest.mark.parametrize("n_angles", [2, 4, 7, 64])
def test_pooled_features_are_what_they_are_called(shapes, n_angles):
    normalized = NRCDT(n_angles).fit_transform(shapes).reshape(6, n_angles, -1)
    np.testing.assert_allclose(MaxNRCDT(n_angles).fit_transform(shapes), normalized.max(axis=1))
    mean = MeanNRCDT(n_angles).fit_transform(shapes)
    np.testing.assert_allclose(mean, normalized.mean(axis=1), atol=1e-12)


def test_normalisation_gives_zero_mean_and_unit_deviation(shapes):
    features = NRCDT(32).fit_transform(shapes).reshape(6, 32, -1)
    np.testing.assert_allclose(features.mean(axis=2), 0, atol=1e-12)
    np.testing.assert_allclose(features.std(axis=2), 1, rtol=1e-12)


def test_mean_is_odd(shapes):
    features = MeanNRCDT(32).fit_transform(shapes)
    np.testing.assert_allclose(features, -features[:, ::-1], atol=1e-15)


AFFINE_MAPS = {
    "identity": (np.eye(2), np.zeros(2)),
    "shift": (np.eye(2), np.array([0.2, -0.11])),
    "rotation": (np.array([[0.8, -0.6], [0.6, 0.8]]), np.zeros(2)),
    "reflection": (np.array([[0.6, 0.8], [0.8, -0.6]]), np.array([0.05, 0.02])),
    "scaling": (np.diag([1.6, 0.8]), np.zeros(2)),
    "shear": (np.array([[1.0, 0.9], [0.2, 1.1]]), np.array([-0.1, 0.07])),
}


def mapped_features(size):
    images = [mapped_mixture((size, size), *AFFINE_MAPS[name]) for name in AFFINE_MAPS]
    return MaxNRCDT(128).fit_transform(np.array(images))


def test_exactly_mapped_mixtures_have_equal_features_and_the_error_falls():
    errors = {}
    for size in (64, 128, 256):
        features = mapped_features(size)
        errors[size] = np.abs(features - features[0]).max()
    assert errors[256] < 0.02
    assert errors[256] < errors[128] < errors[64]
    # The bound means something: a different shape is much farther away.
    other = gaussian_mixture(
        (256, 256), MIXTURE["means"] * [1, -2], MIXTURE["covariances"], [1, 1, 1]
    )
    distance = np.abs(MaxNRCDT(128).fit_transform(other[None]) - mapped_features(256)[0]).max()
    assert distance > 5 * errors[256]


def test_the_mean_is_invariant_under_similarities_only():
    def mean(matrix):
        return MeanNRCDT().fit_transform(mapped_mixture((256, 256), matrix, 0.03)[None])

    reference = mean(np.eye(2))
    turned = mean(1.3 * np.array([[0.8, -0.6], [0.6, 0.8]]))
    stretched = mean(np.diag([2.0, 0.7]))
    assert np.abs(turned - reference).max() < 0.005
    assert np.abs(stretched - reference).max() > 0.02


@pytest.mark.parametrize("transformer", [NRCDT(64), MaxNRCDT(64), MeanNRCDT(64)])
def test_empty_border_does_not_matter(shapes, transformer):
    transformer.set_params(n_radii=1600)
    cropped, padded = shapes[:, 8:40, 8:40], np.pad(shapes, ((0, 0), (8, 8), (8, 8)))
    np.testing.assert_allclose(
        transformer.fit_transform(cropped), transformer.fit_transform(padded), atol=0.01
    )


def test_centre_of_even_and_odd_images_is_the_middle():
    for size in (8, 9):
        x, y = pixel_grid((size, size))
        features = rcdt(np.exp(-8 * (x**2 + y**2)), n_quantiles=63)
        np.testing.assert_allclose(features[:, 31], 0, atol=1e-9)


def test_sliced_wasserstein_scaling_makes_distances_comparable(shapes):
    few, many = (
        RadonCDT(n, scaling="wasserstein", n_quantiles=q).fit_transform(shapes)
        for n, q in ((32, 32), (128, 256))
    )
    # The distance approximates an integral, so the discretisation hardly matters.
    np.testing.assert_allclose(
        np.linalg.norm(few[0] - few[1:], axis=1),
        np.linalg.norm(many[0] - many[1:], axis=1),
        rtol=0.05,
    )
    # A shift by a vector v has sliced Wasserstein-2 distance |v| / sqrt(2).
    moved = np.roll(shapes[:1], 6, axis=2)
    transformer = RadonCDT(scaling="wasserstein").fit(moved)
    distance = np.linalg.norm(transformer.transform(moved) - transformer.transform(shapes[:1]))
    np.testing.assert_allclose(distance, 6 * np.sqrt(2) / 48 / np.sqrt(2), rtol=1e-3)
