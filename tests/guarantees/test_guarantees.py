"""Certificates: every inequality against perturbations of known Wasserstein distance.

`cloud_features` is an independent implementation of the transforms for weighted points: the
theorems hold for any measure, and points can be moved by any small distance exactly.
"""

import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from figures import pixel_grid
from scipy.integrate import quad
from scipy.spatial.distance import pdist

from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, NearestTemplateClassifier
from sklearn_nrcdt._kernels.cdt import quantile_levels
from sklearn_nrcdt.datasets import load_symbols
from sklearn_nrcdt.guarantees import (
    max_nrcdt_radius,
    mean_nrcdt_radius,
    weighted_mean_nrcdt_radius,
)
from sklearn_nrcdt.guarantees._features import DiscreteFeatures
from sklearn_nrcdt.guarantees._geometry import Geometry, check_templates, geometry
from sklearn_nrcdt.guarantees._perturbation import (
    angle_shift,
    max_paper,
    max_sharp,
    mean_paper,
    mean_sharp,
    shift_to_anisotropy,
    turn,
    weighted_sharp,
)

RADII = {
    "max": max_nrcdt_radius,
    "mean": mean_nrcdt_radius,
    "weighted_mean": weighted_mean_nrcdt_radius,
}
LEVELS = (np.arange(200) + 0.5) / 200
ROUNDING = 1e-9


# -- what the certificates are made of -------------------------------------------------


def shapes_of(images, image_shape=None):
    return geometry(*check_templates(images, image_shape))


def smallest_std(images, image_shape=None):
    return shapes_of(images, image_shape).smallest_std


def support_diameter(images, image_shape=None):
    return shapes_of(images, image_shape).diameter


def mahalanobis_reach(images, image_shape=None):
    return shapes_of(images, image_shape).reach


def theorem_features(images, feature="max", **settings):
    return DiscreteFeatures(images, feature, **settings).values


def discretisation_error(images, feature="max", **settings):
    return DiscreteFeatures(images, feature, **settings).error


def feature_distances(images, feature="max", **settings):
    return DiscreteFeatures(images, feature, **settings).distances()


def max_nrcdt_bound(images, epsilon, bound="paper"):
    shapes = shapes_of(images)
    if bound == "paper":
        return max_paper(epsilon, shapes.smallest_std, shapes.diameter)
    return max_sharp(epsilon, shapes.smallest_std, shapes.reach)


def mean_nrcdt_bound(images, epsilon, bound="paper"):
    moved = mean_paper if bound == "paper" else mean_sharp
    return moved(epsilon, smallest_std(images), 0.0)


def weighted_mean_nrcdt_bound(images, epsilon):
    return weighted_sharp(epsilon, smallest_std(images))


# -- an independent implementation for points ------------------------------------------


def cloud_moments(points, mass):
    mean = mass @ points
    centred = points - mean
    return mean, (centred * mass[:, None]).T @ centred


def cloud_nrcdt(points, mass, n_angles):
    """NR-CDT at LEVELS, (n_angles, n_levels), and the deviations of the projections."""
    angles = 2 * np.pi * np.arange(n_angles) / n_angles
    directions = np.stack([np.cos(angles), np.sin(angles)])
    mean, covariance = cloud_moments(points, mass)
    std = np.sqrt(np.einsum("ik,ij,jk->k", directions, covariance, directions))
    normal = np.empty((n_angles, len(LEVELS)))
    for k, values in enumerate((points @ directions).T):
        order = np.argsort(values)
        cdf = np.cumsum(mass[order])
        at = np.minimum(np.searchsorted(cdf, LEVELS, side="right"), len(values) - 1)
        normal[k] = (values[order][at] - mean @ directions[:, k]) / std[k]
    return normal, std


def cloud_features(points, mass, n_angles=400):
    normal, std = cloud_nrcdt(points, mass, n_angles)
    return {
        "max": normal.max(axis=0),
        "mean": normal.mean(axis=0),
        "weighted_mean": np.average(normal, axis=0, weights=std**-2),
    }


def cloud_ingredients(points, mass):
    """Smallest std, diameter, reach."""
    mean, covariance = cloud_moments(points, mass)
    offset = points - mean
    reach = np.sqrt(np.einsum("ni,ij,nj->n", offset, np.linalg.inv(covariance), offset).max())
    return np.sqrt(np.linalg.eigvalsh(covariance)[0]), pdist(points).max(), reach


def l2(difference):
    return np.sqrt(np.mean(np.square(difference), axis=-1))


def random_cloud(rng, n=60):
    """Points on two random sticks and a blob, with random masses."""
    stick = rng.normal(size=(2, 2))
    t = rng.uniform(-1, 1, size=(n, 1))
    points = np.where(rng.random((n, 1)) < 0.5, t * stick[0], stick[1] * (1 + 0.3 * t))
    points += rng.normal(scale=rng.uniform(0.02, 0.3), size=(n, 2))
    mass = rng.exponential(size=n)
    return points, mass / mass.sum()


def random_moves(rng, n, epsilon):
    """Moves of length epsilon at most, of several kinds."""
    angle = rng.uniform(0, 2 * np.pi, size=n)
    if rng.random() < 0.3:
        angle = angle[:1]
    length = epsilon if rng.random() < 0.5 else epsilon * rng.random(n)
    moves = np.column_stack(np.broadcast_arrays(length * np.cos(angle), length * np.sin(angle)))
    return np.broadcast_to(moves, (n, 2)) * (rng.random((n, 1)) < rng.choice([0.1, 0.5, 1.0]))


def matrix_of_anisotropy(rng, anisotropy):
    """A random map with (sigma_max - sigma_min) / sigma_min = anisotropy."""
    left, right = (np.linalg.qr(rng.normal(size=(2, 2)))[0] for _ in range(2))
    return left @ np.diag([1 + anisotropy, 1]) @ right * rng.uniform(0.3, 3)


# -- ingredients -----------------------------------------------------------------------


def test_smallest_std_of_a_turned_rectangle_is_that_of_its_short_side():
    x, y = pixel_grid((200, 200))
    turned = np.cos(0.4) * x + np.sin(0.4) * y, np.cos(0.4) * y - np.sin(0.4) * x
    image = (np.abs(turned[0]) < 0.6) & (np.abs(turned[1]) < 0.1)
    assert smallest_std(image[None]) == pytest.approx(0.2 / np.sqrt(12), rel=0.01)


def test_smallest_std_is_below_all_directions_and_attained(rng):
    image = rng.random((9, 13)) ** 6
    # Pixels as clouds of 10 x 10 points; the variance of a fine square is nearly its own.
    fine = np.kron(image, np.ones((10, 10)))
    points = np.column_stack([c.ravel() for c in pixel_grid(fine.shape)])
    angles = np.linspace(0, np.pi, 501)
    values = points @ np.stack([np.cos(angles), np.sin(angles)])
    mass = fine.ravel() / fine.sum()
    std = np.sqrt(mass @ values**2 - (mass @ values) ** 2)
    assert smallest_std(image[None])[0] == pytest.approx(std.min(), rel=2e-3)


def test_diameter_is_the_largest_distance_of_pixel_corners(rng):
    for density in (0.01, 0.1, 0.9):
        images = (rng.random((5, 11, 17)) < density).astype(float)
        images[:, 5, 5] = 0.01
        for image, diameter in zip(images, support_diameter(images), strict=True):
            r, c = np.nonzero(image)
            corners = [(r + i, c + j) for i in (0, 1) for j in (0, 1)]
            points = np.concatenate([np.column_stack(p) for p in corners])
            assert diameter == pytest.approx(pdist(points).max() * np.sqrt(2) / 17)


def test_reach_is_the_largest_value_of_the_nrcdt(shapes):
    reach = mahalanobis_reach(shapes)
    features = theorem_features(shapes, n_angles=256, n_radii=2001, n_quantiles=2000)
    assert (features.max(axis=1) <= reach).all()
    assert (features.max(axis=1) > 0.95 * reach).all()
    assert (reach <= support_diameter(shapes) / smallest_std(shapes)).all()


def test_reach_is_affine_invariant(rng):
    points, mass = random_cloud(rng)
    matrix = rng.normal(size=(2, 2))
    assert cloud_ingredients(points @ matrix.T, mass)[2] == pytest.approx(
        cloud_ingredients(points, mass)[2]
    )


@pytest.mark.parametrize("function", [smallest_std, support_diameter, mahalanobis_reach])
def test_ingredients_take_images_in_all_forms(function, rng):
    images = rng.integers(0, 3, size=(4, 6, 9)).astype(np.uint8)
    images[:, 2, 3] = 1
    rows = images.reshape(4, -1)
    expected = function(images.astype(float) * 1e-300)
    for form in (images, list(images), images.astype(np.float32)):
        np.testing.assert_allclose(function(form), expected)
    for form in (rows, sp.csr_matrix(rows), sp.coo_array(rows)):
        np.testing.assert_allclose(function(form, image_shape=(6, 9)), expected)


def test_features_agree_with_an_independent_implementation():
    image = load_symbols(size=64).images[4]
    points = np.column_stack([c.ravel() for c in pixel_grid((64 * 6, 64 * 6))])
    mass = np.kron(image, np.ones((6, 6))).ravel()
    points, mass = points[mass > 0], mass[mass > 0] / mass.sum()
    expected = cloud_features(points, mass, n_angles=128)
    for feature, values in expected.items():
        ours = theorem_features(image[None], feature, n_radii=2001, n_quantiles=199)[0]
        levels = quantile_levels(199)
        assert np.abs(np.interp(levels, LEVELS, values) - ours).max() < 0.05
        assert l2(np.interp(levels, LEVELS, values) - ours) < 0.01


@pytest.mark.parametrize(
    ("feature", "estimator"),
    [
        ("max", MaxNRCDT()),
        ("mean", MeanNRCDT()),
        ("weighted_mean", MeanNRCDT(weighting="precision")),
    ],
)
def test_estimators_compute_nearly_the_features_of_the_theorems(feature, estimator, shapes):
    exact, theirs = theorem_features(shapes, feature), estimator.fit_transform(shapes)
    assert (l2(theirs - exact) < 0.07 * l2(exact)).all()


def test_distances_in_both_norms(shapes):
    def in_l2(difference):  # 34 cells, two of which are left out
        return np.sqrt(np.sum(difference**2) / 34)

    norms = {"max": lambda d: np.abs(d).max(), "mean": in_l2, "weighted_mean": in_l2}
    for feature, norm in norms.items():
        features = theorem_features(shapes, feature, n_quantiles=32)
        distances = feature_distances(shapes, feature, n_quantiles=32)
        assert distances[1, 4] == pytest.approx(norm(features[1] - features[4]))


@pytest.mark.parametrize("feature", RADII)
def test_discretisation_error_is_a_bound(feature, shapes):
    """Coarse against fine: the difference is at most the sum of both bounds."""

    def discrete(n_angles, n_radii, n_quantiles):
        settings = {"n_angles": n_angles, "n_radii": n_radii, "n_quantiles": n_quantiles}
        values = theorem_features(shapes, feature, **settings)
        return values, discretisation_error(shapes, feature, **settings)

    norm = l2 if feature != "max" else lambda difference: np.abs(difference).max(axis=-1)
    for n_angles, n_radii, n_quantiles in ((3, 61, 6), (8, 101, 20), (15, 301, 59), (64, 401, 83)):
        coarse, error = discrete(n_angles, n_radii, n_quantiles)
        fine, fine_error = discrete(360, 2001, n_quantiles)
        assert (norm(coarse - fine) <= error + fine_error).all()


@pytest.mark.parametrize("feature", ["mean", "weighted_mean"])
def test_means_over_cells_bring_no_templates_farther_apart(feature, shapes):
    """The cells of the one are unions of those of the other."""
    few, many = (feature_distances(shapes, feature, n_quantiles=n) for n in (18, 198))
    assert (few <= many + 1e-12).all()
    assert (few > 0.8 * many).any()


# -- the inequalities, on points that are moved ----------------------------------------


@pytest.mark.parametrize("seed", range(15))
def test_max_moves_by_at_most_the_bounds(seed):
    """Proposition 4.7 and Corollary 4.8, W-infinity <= epsilon."""
    rng = np.random.default_rng(seed)
    points, mass = random_cloud(rng)
    std, diameter, reach = cloud_ingredients(points, mass)
    before = cloud_nrcdt(points, mass, 200)[0]
    for share in (1e-3, 0.03, 0.2, 0.45, 0.8):
        epsilon = share * std
        moved = points + random_moves(rng, len(points), epsilon)
        after = cloud_nrcdt(moved, mass, 200)[0]
        change = np.abs(before - after).max()  # for each angle: more than the maximum
        assert change <= max_paper(epsilon, std, diameter) + ROUNDING
        assert change <= max_sharp(epsilon, std, reach) + ROUNDING
        assert max_sharp(epsilon, std, reach) <= max_paper(epsilon, std, diameter)


def test_max_bound_holds_after_any_affine_map(rng):
    points, mass = random_cloud(rng)
    std, diameter, reach = cloud_ingredients(points, mass)
    before = cloud_features(points, mass, 2000)["max"]
    for anisotropy in (0, 0.5, 4):
        epsilon = 0.05 * std
        moved = points + random_moves(rng, len(points), epsilon)
        mapped = moved @ matrix_of_anisotropy(rng, anisotropy).T + rng.normal(size=2)
        change = np.abs(before - cloud_features(mapped, mass, 2000)["max"]).max()
        assert change <= max_sharp(epsilon, std, reach) + 0.02  # 2000 angles
        assert change <= max_paper(epsilon, std, diameter) + 0.02


def test_sharp_max_bound_is_nearly_attained():
    """A few stray points move against all others: the bound is not far from tight."""
    t = np.linspace(-1, 1, 2001)
    points = np.column_stack([t, 1e-3 * np.sign(np.sin(40 * t))]) * [1, 1000]
    points[-4:, 0] = 1.0
    mass = np.full(len(points), 1 / len(points))
    std, _, reach = cloud_ingredients(points, mass)
    epsilon = 0.01 * std
    centre = points.mean(axis=0)
    inwards = -np.sign(points[:, :1] - centre[0])
    inwards[-4:] = 1
    moved = points + epsilon * inwards * [1, 0]
    ends = [p[:, 0].max() - p[:, 0].mean() for p in (points, moved)]
    change = abs(ends[0] / points[:, 0].std() - ends[1] / moved[:, 0].std())
    bound = max_sharp(epsilon, std, reach)
    assert 0.4 * bound < change <= bound


@pytest.mark.parametrize("seed", range(15))
def test_means_move_by_at_most_the_bounds(seed):
    """Proposition 4.14, proof of Theorem 4.15, and the weighted mean.

    Some mass moves far, so that W2 is much smaller than W-infinity. Moves are a plan, so
    their root mean square is at least W2.
    """
    rng = np.random.default_rng(seed)
    points, mass = random_cloud(rng)
    std = cloud_ingredients(points, mass)[0]
    before = cloud_features(points, mass, 720)
    for share in (0.01, 0.1, 0.3, 0.48, 0.9):
        moves = random_moves(rng, len(points), 1.0)
        if not moves.any():
            continue
        epsilon = share * std
        moves = moves * (epsilon / np.sqrt(mass @ np.square(moves).sum(axis=1)))
        for anisotropy in (0, 0.02, 0.3, 2):
            matrix = matrix_of_anisotropy(rng, anisotropy)
            mapped = (points + moves) @ matrix.T + rng.normal(size=2)
            after = cloud_features(mapped, mass, 720)
            change = l2(before["mean"] - after["mean"])
            assert change <= mean_paper(epsilon, std, anisotropy) + 1e-3
            assert change <= mean_sharp(epsilon, std, anisotropy) + 1e-3  # 720 angles
            weighted = l2(before["weighted_mean"] - after["weighted_mean"])
            assert weighted <= weighted_sharp(epsilon, std) + 5e-3
        assert mean_sharp(epsilon, std, 0.3) <= mean_paper(epsilon, std, 0.3)


def test_each_angle_moves_by_at_most_the_bound_and_one_attains_it():
    """The estimate behind the means, angle by angle: 50 equal points, exact at 200 levels."""
    mass = np.full(50, 1 / 50)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        points = random_cloud(rng, 50)[0]
        before, std = cloud_nrcdt(points, mass, 90)
        moves = random_moves(rng, 50, 1.0) + 1e-6
        epsilon = rng.uniform(0.05, 0.95) * std.min()
        moves *= epsilon / np.sqrt(np.mean(np.square(moves).sum(axis=1)))
        after = cloud_nrcdt(points + moves, mass, 90)[0]
        assert (l2(before - after) <= turn(epsilon / std) + ROUNDING).all()
    # Narrow in x: a move in x at right angles (in L2) to where it ends.
    x = np.linspace(-1, 1, 50)
    points = np.column_stack([x, 3 * np.sin(7 * x)])
    points -= points.mean(axis=0)
    side = x**3 - x * (x**3 @ x) / (x @ x)
    share = 0.2
    goal = (1 - share**2) * x
    goal += share * np.sqrt(1 - share**2) * np.linalg.norm(x) * side / np.linalg.norm(side)
    assert (np.diff(goal) > 0).all()  # still in order: the quantile function of its points
    std = cloud_ingredients(points, mass)[0]
    epsilon = np.sqrt(np.mean((goal - x) ** 2))
    assert epsilon == pytest.approx(share * x.std())
    moved = np.column_stack([goal, points[:, 1]])
    change = l2(cloud_nrcdt(points, mass, 4)[0] - cloud_nrcdt(moved, mass, 4)[0])[0]
    assert change == pytest.approx(turn(epsilon / x.std()))
    assert change > 0.9 * turn(epsilon / std)


def test_normalised_functions_turn_by_at_most_the_bound(rng):
    """What `turn` says about x / |x|, attained by a move at right angles to the result."""
    for share in (0.01, 0.3, 0.9, 0.999):
        x = rng.normal(size=(500, 2))
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        moves = rng.normal(size=(500, 2))
        y = x + share * moves / np.linalg.norm(moves, axis=1, keepdims=True)
        gaps = np.linalg.norm(x - y / np.linalg.norm(y, axis=1, keepdims=True), axis=1)
        assert gaps.max() <= turn(share) + ROUNDING
        worst = np.array([np.sqrt(1 - share**2), share]) * np.sqrt(1 - share**2)
        assert np.linalg.norm(worst - [1, 0]) == pytest.approx(share)
        assert np.linalg.norm(worst / np.linalg.norm(worst) - [1, 0]) == pytest.approx(turn(share))


def test_angle_shift_is_the_integral_that_it_stands_for():
    for anisotropy in (0.01, 0.5, 3.0):
        k = 1 + anisotropy

        def stretch(angle, k=k):
            return abs(k / (np.cos(angle) ** 2 + k**2 * np.sin(angle) ** 2) - 1)

        integral = quad(stretch, 0, np.pi / 2, limit=500)[0] * 4 / (2 * np.pi)
        assert angle_shift(anisotropy) == pytest.approx(integral, rel=1e-6)
        assert shift_to_anisotropy(angle_shift(anisotropy)) == pytest.approx(anisotropy)
    assert np.isinf(shift_to_anisotropy(np.array(2.0)))


def test_norm_of_the_nrcdt_is_one(shapes):
    """C_mu of Theorem 4.11 needs no computation."""
    points = np.column_stack([c.ravel() for c in pixel_grid((48, 48))])
    for image in shapes:
        mass = image.ravel() / image.sum()
        normal, _ = cloud_nrcdt(points, mass, 32)
        # The mean over 200 levels is a sum for the integral, not the integral.
        assert l2(normal).mean() == pytest.approx(1, abs=0.02)


# -- the inequalities, on images -------------------------------------------------------


def move_pixels(image, rng, reach):
    """Move the mass of each pixel by a random vector of at most `reach` pixels."""
    moved = np.zeros_like(image)
    r, c = np.nonzero(image)
    steps = np.argwhere(np.ones((2 * reach + 1, 2 * reach + 1))) - reach
    steps = steps[np.hypot(*steps.T) <= reach]
    step = steps[rng.integers(len(steps), size=len(r))]
    np.add.at(moved, (r + step[:, 0], c + step[:, 1]), image[r, c])
    return moved


def test_images_with_moved_pixels_obey_the_bounds(shapes, rng):
    pixel = np.sqrt(2) / 48
    for reach in (1, 2, 3):
        moved = np.stack([move_pixels(image, rng, reach) for image in shapes])
        change = np.abs(theorem_features(shapes) - theorem_features(moved)).max(axis=1)
        assert (change > 0.01).all()
        for bound in ("paper", "sharp"):
            assert (change <= max_nrcdt_bound(shapes, reach * pixel, bound=bound)).all()
            means = l2(theorem_features(shapes, "mean") - theorem_features(moved, "mean"))
            assert (means <= mean_nrcdt_bound(shapes, reach * pixel, bound=bound)).all()


def test_mixtures_and_shifts_obey_the_bounds_with_distances_from_pot(rng):
    """W2 of pixel centres, which is at least the W2 of the images made of squares."""
    ot = pytest.importorskip("ot", reason="POT is part of the test extra")
    images = load_symbols(size=32).images[[0, 4, 7, 10]]
    points = np.column_stack([c.ravel() for c in pixel_grid((32, 32))])
    for i, j, share in ((0, 1, 0.05), (1, 2, 0.02), (2, 3, 0.01), (3, 0, 0.1)):
        one, other = (image / image.sum() for image in images[[i, j]])
        mixed = (1 - share) * one + share * np.roll(other, rng.integers(-3, 4, 2), axis=(0, 1))
        used = [m.ravel() > 0 for m in (one, mixed)]
        cost = ot.dist(points[used[0]], points[used[1]])
        masses = one.ravel()[used[0]], mixed.ravel()[used[1]]
        epsilon = np.sqrt(ot.emd2(*masses, cost))
        assert 0.2 * epsilon > 0.001
        pair = np.stack([one, np.roll(mixed, (2, -3), axis=(0, 1))])  # a shift costs nothing
        change, weighted = (
            l2(np.diff(theorem_features(pair, feature), axis=0)[0])
            for feature in ("mean", "weighted_mean")
        )
        template = one[None]
        assert change <= mean_nrcdt_bound(template, epsilon, bound="sharp")[0]
        assert change <= mean_nrcdt_bound(template, epsilon)[0]
        assert weighted <= weighted_mean_nrcdt_bound(template, epsilon)[0]


def test_bounds_are_void_from_the_deviation_on(shapes):
    std = smallest_std(shapes[:1])
    paper = max_nrcdt_bound(shapes[:1], std * [0.49, 0.5, 2])
    sharp = max_nrcdt_bound(shapes[:1], std * [0.99, 1, 2], bound="sharp")
    mean = mean_nrcdt_bound(shapes[:1], std * [0.49, 0.5, 2])
    weighted = weighted_mean_nrcdt_bound(shapes[:1], std * [0.99, 1, 2])
    for values in (paper, sharp, mean, weighted):
        assert np.isfinite(values).tolist() == [True, False, False]


# -- radii -----------------------------------------------------------------------------


def test_max_radius_solves_the_inequality_of_the_theorem(shapes):
    report = max_nrcdt_radius(shapes)
    std, diameter = smallest_std(shapes), support_diameter(shapes)
    distance = feature_distances(shapes)
    for i in range(len(shapes)):
        for j in set(range(len(shapes))) - {i}:
            for factor, holds in ((1, True), (1 + 1e-6, False)):
                e = factor * report.radius[i, j]
                left = 4 * e * (diameter[i] + 2 * e) / (std[i] * (std[i] - 2 * e))
                left += 4 * e * (diameter[j] + 2 * e) / (std[j] * (std[j] - 2 * e))
                assert (left < distance[i, j]) == holds
            assert report.radius[i, j] < min(std[i], std[j]) / 2


def test_mean_radius_is_the_formula_of_the_theorem(shapes):
    std, distance = smallest_std(shapes), feature_distances(shapes, "mean")
    c, c_prime = 0.2, 0.45
    report = mean_nrcdt_radius(shapes, c=c, c_prime=c_prime)
    smaller = np.minimum(std, std[:, None])
    expected = (c_prime - c) / 4 * smaller * distance / (c * distance + 1)
    off = ~np.eye(len(shapes), dtype=bool)
    np.testing.assert_allclose(report.radius[off], expected[off])
    np.testing.assert_allclose(report.anisotropy, c * distance)
    # The smallest c that admits an anisotropy is its share of the distance.
    chosen = mean_nrcdt_radius(shapes, anisotropy=0.002)
    c = 0.002 / distance[1, 2]
    again = mean_nrcdt_radius(shapes, c=c)
    assert chosen.radius[1, 2] == pytest.approx(again.radius[1, 2])
    assert again.anisotropy[1, 2] == pytest.approx(0.002)


def test_too_much_anisotropy_leaves_no_radius(shapes):
    report = mean_nrcdt_radius(shapes, anisotropy=5.0)
    off = ~np.eye(len(shapes), dtype=bool)
    assert (report.radius[off] == 0).all()
    assert (report.template_radius == 0).all()
    assert report.conditions[report.binding[0, 1]] == "anisotropy"
    assert (mean_nrcdt_radius(shapes, c=0.5, bound="sharp").radius[off] == 0).all()


@pytest.mark.parametrize("feature", RADII)
def test_classes_within_the_radius_are_separated(feature):
    """Samples of two symbols, perturbed up to the radius and mapped affinely.

    The functional is the one of the proof: the level where the templates differ most for
    the maximum, the difference of the templates for the means.
    """
    rng = np.random.default_rng(0)
    images = load_symbols(size=48).images[[1, 4, 9]]
    settings = {"n_angles": 720, "n_radii": 2001, "n_quantiles": 199}
    extra = {"anisotropy": 0.01} if feature == "mean" else {}
    if feature != "weighted_mean":
        extra["bound"] = "sharp"
    report = RADII[feature](images, **settings, **extra)
    values = theorem_features(images, feature, **settings)
    points = np.column_stack([c.ravel() for c in pixel_grid((48 * 3, 48 * 3))])
    clouds = []
    for image in images:
        mass = np.kron(image, np.ones((3, 3))).ravel() / image.sum() / 9
        clouds.append((points[mass > 0], mass[mass > 0]))
    for i, j in ((0, 1), (1, 2), (2, 0)):
        epsilon = report.radius[i, j]
        assert epsilon > 0
        difference = values[j] - values[i]
        if feature == "max":
            functional = np.zeros(199)
            level = np.abs(difference).argmax()
            functional[level] = np.sign(difference[level])
        else:
            functional = difference / 199
        sides = []
        for which in (i, j):
            cloud, mass = clouds[which]
            for _ in range(3):
                moves = random_moves(rng, len(cloud), epsilon)
                if feature != "max" and moves.any():
                    moves = moves * (epsilon / np.sqrt(mass @ np.square(moves).sum(axis=1)))
                matrix = matrix_of_anisotropy(rng, 0.01 if feature == "mean" else 1.0)
                sample = (cloud + moves) @ matrix.T
                feature_of_sample = cloud_features(sample, mass, 720)[feature]
                at = np.interp(quantile_levels(199), LEVELS, feature_of_sample)
                sides.append(functional @ at)
        assert max(sides[:3]) < min(sides[3:])


def test_estimators_classify_within_the_template_radius():
    """Whole-pixel moves inside the certified radius, and the package's own classifier."""
    templates = np.zeros((3, 160, 160))
    templates[0, 40:120, 40:60] = templates[0, 100:120, 40:120] = 1
    templates[1, 40:120, 70:90] = templates[1, 40:60, 40:120] = 1
    x, y = pixel_grid((160, 160))
    templates[2] = (np.hypot(x, y) < 0.4) & (np.hypot(x, y) > 0.3)
    rng = np.random.default_rng(0)
    report = max_nrcdt_radius(templates, bound="sharp")
    reach = np.floor(report.template_radius_in_pixels).astype(int)
    assert reach.max() >= 1
    for estimator, norm in ((MaxNRCDT(), "chebyshev"), (MeanNRCDT(), "euclidean")):
        features = estimator.fit_transform(templates)
        classifier = NearestTemplateClassifier(norm).fit(features, np.arange(3))
        for _ in range(3):
            moved = [move_pixels(image, rng, k) for image, k in zip(templates, reach, strict=True)]
            moved = np.rot90(np.stack(moved), rng.integers(4), axes=(1, 2))
            assert (classifier.predict(estimator.transform(moved)) == np.arange(3)).all()


def test_outside_the_admissible_set_the_mean_may_fail_and_the_weighted_mean_does_not():
    points = np.column_stack([c.ravel() for c in pixel_grid((96, 96))])
    images = load_symbols(size=96).images
    clouds = [(points[m > 0], m[m > 0] / m.sum()) for m in images.reshape(12, -1)]
    templates = [cloud_features(*cloud, 360) for cloud in clouds]
    rng = np.random.default_rng(0)
    wrong = {"mean": 0, "weighted_mean": 0}
    for i, (cloud, mass) in [*enumerate(clouds)] * 2:
        mapped = cloud @ matrix_of_anisotropy(rng, 3).T
        sample = cloud_features(mapped, mass, 360)
        for feature in wrong:
            gaps = [l2(sample[feature] - template[feature]) for template in templates]
            wrong[feature] += int(np.argmin(gaps) != i)
    assert wrong["mean"] > 0
    assert wrong["weighted_mean"] == 0
    assert np.isinf(weighted_mean_nrcdt_radius(images).anisotropy).all()


@pytest.mark.parametrize("feature", RADII)
def test_rigorous_radii_are_smaller_and_grow_with_the_resolution(feature, shapes):
    radius, off = RADII[feature], ~np.eye(len(shapes), dtype=bool)
    fine = {"n_angles": 512, "n_radii": 3001, "n_quantiles": 255}
    coarse = radius(shapes, rigorous=True)
    better = radius(shapes, rigorous=True, **fine)
    plain = radius(shapes, **fine)
    assert (better.radius[off] <= plain.radius[off]).all()
    assert (coarse.radius <= better.radius + 1e-4).all()
    assert better.radius[off].max() > 0.1 * plain.radius[off].max()
    void = coarse.radius == 0
    assert void.any()
    assert (coarse.binding[void] == coarse.conditions.index("discretisation")).all()


def test_labels_exempt_pairs_within_a_class(shapes):
    labels = np.array(["a", "b", "c", "c", "b", "a"])
    report = max_nrcdt_radius(shapes, labels)
    assert np.isinf(report.radius[2, 3])
    assert report.conditions[report.binding[2, 3]] == "none"
    without = max_nrcdt_radius(shapes)
    assert report.radius[0, 1] == without.radius[0, 1]
    assert (report.template_radius >= without.template_radius).all()
    assert {labels[i] for i in report.worst_pair} <= set("abc")


def test_binding_names_the_template_that_uses_up_more(shapes):
    thin = np.zeros((1, 48, 48))
    thin[0, 10:38, 24] = 1
    for radius in RADII.values():
        report = radius(np.concatenate([shapes[2:3], thin]))
        names = [[report.conditions[code] for code in row] for row in report.binding]
        assert names == [["none", "column"], ["row", "none"]]


# -- degenerate templates and bad input ------------------------------------------------


@pytest.mark.parametrize("feature", RADII)
def test_degenerate_templates_give_numbers(feature, shapes):
    line, dot, both = np.zeros((3, 48, 48))
    line[24, 5:40] = 1
    dot[3, 3] = 1e-9
    both[24, 5:40] = 1
    images = np.stack([shapes[0], shapes[0], line, dot, both, np.ones((48, 48))])
    for extra in ({}, {"rigorous": True}):
        report = RADII[feature](images, **extra)
        for values in (report.radius, report.template_radius, report.distance, report.anisotropy):
            assert not np.isnan(values).any()
            assert (values >= 0).all()
        np.testing.assert_array_equal(report.radius, report.radius.T)
        for pair in ((0, 1), (2, 4)):
            assert report.radius[pair] == 0
            assert report.conditions[report.binding[pair]] == "distance"
        assert (report.template_radius[[0, 1, 2, 4]] == 0).all()
        assert "equal" in str(report)


def test_one_pixel_images():
    with pytest.raises(ValueError, match="at least two classes"):
        max_nrcdt_radius(np.ones((1, 1, 1)))
    report = max_nrcdt_radius(np.ones((2, 1, 1)))
    assert report.radius[0, 1] == 0
    np.testing.assert_allclose(smallest_std(np.ones((2, 1, 1))), np.sqrt(2) / np.sqrt(12))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda x: max_nrcdt_radius(x * [[[1]], [[0]], [[0]]]),
            "2 of the images have no mass.*1, 2",
        ),
        (lambda x: smallest_std(x * 0), "samples 0, 1, 2"),
        (lambda x: max_nrcdt_radius([x[0], x[1][1:]]), "different shapes.*stack_images"),
        (lambda x: max_nrcdt_radius(x, bound="best"), "bound must be one of"),
        (lambda x: max_nrcdt_radius(x, [1, 2]), "one label for each of the 3 templates"),
        (lambda x: max_nrcdt_radius(x, [1, 1, 1]), "two classes"),
        (lambda x: mean_nrcdt_radius(x, c=0.5, c_prime=0.4), "c must lie in"),
        (lambda x: mean_nrcdt_radius(x, c_prime=0.6), "c_prime must lie in"),
        (lambda x: mean_nrcdt_radius(x, anisotropy=-1), "anisotropy must be"),
        (lambda x: mean_nrcdt_radius(x, anisotropy=np.nan), "anisotropy must be"),
        (lambda x: max_nrcdt_radius(-x), "Negative values"),
        (lambda x: max_nrcdt_radius(x * np.nan), "NaN"),
        (lambda x: max_nrcdt_radius(x, n_angles=0), "n_angles"),
        (lambda x: max_nrcdt_radius(x).plot(unit="inch"), "unit must be"),
    ],
)
def test_bad_input_is_refused(call, message):
    images = np.random.default_rng(0).random((3, 5, 5))
    with pytest.raises(ValueError, match=message):
        call(images)


# -- size, text, picture ---------------------------------------------------------------


@pytest.mark.parametrize("feature", RADII)
def test_half_a_million_pairs_in_bounded_memory(feature):
    images = np.random.default_rng(0).random((1000, 8, 8)) ** 8
    tracemalloc.start()
    report = RADII[feature](images, n_angles=16, n_radii=101, n_quantiles=16)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert report.radius.shape == (1000, 1000)
    assert (report.radius[~np.eye(1000, dtype=bool)] > 0).all()
    # Three results of 8 MB each and a few chunks; all pairs at once would be many times this.
    assert peak < 80e6


def test_chunks_do_not_matter(monkeypatch, shapes):
    whole = max_nrcdt_radius(shapes)
    monkeypatch.setattr("sklearn_nrcdt.guarantees._radius.CHUNK_PAIRS", 7)
    monkeypatch.setattr("sklearn_nrcdt.guarantees._geometry.BATCH_ELEMENTS", 5000)
    parts = max_nrcdt_radius(sp.csr_array(shapes.reshape(6, -1)))
    np.testing.assert_allclose(parts.radius, whole.radius, rtol=1e-12)
    np.testing.assert_array_equal(parts.binding, whole.binding)
    np.testing.assert_allclose(parts.template_radius, whole.template_radius, rtol=1e-12)


def test_text_names_statement_units_and_worst_pair(shapes):
    report = max_nrcdt_radius(shapes, list("LTdrAH"))
    i, j = report.worst_pair
    off = ~np.eye(6, dtype=bool)
    assert report.radius[i, j] == report.radius[off].min()
    text = str(report)
    assert "Theorem 4.9" in text
    assert "disc" in text
    assert "pixels" in text
    assert f"{'LTdrAH'[i]} and {'LTdrAH'[j]}" in text
    assert "6 templates" in repr(report)
    np.testing.assert_allclose(report.radius_in_pixels[off], report.radius[off] * 48 / np.sqrt(2))


def test_example_of_the_user_page_prints_what_it_says(capsys):
    page = (Path(__file__).parents[2] / "docs" / "guarantees.md").read_text()
    code, printed = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL).groups()
    exec(code, {})
    assert capsys.readouterr().out == printed


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # old matplotlib, new pyparsing
@pytest.mark.parametrize("n", [3, 40])
def test_heat_map(n):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is part of the test extra")
    matplotlib.use("agg")
    from matplotlib.figure import Figure

    images = np.random.default_rng(0).random((n, 6, 6))
    report = max_nrcdt_radius(images, n_angles=8, n_quantiles=8)
    axes = Figure().subplots()
    assert report.plot(axes, unit="disc") is axes
    shown = axes.images[0].get_array()
    assert shown.mask.sum() == n
    np.testing.assert_allclose(shown[0, 1], report.radius[0, 1])
    in_pixels = report.plot().images[0].get_array()
    np.testing.assert_allclose(in_pixels[0, 1], report.radius_in_pixels[0, 1])
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize(
    ("documented", "label"),
    [
        (Geometry, "Lemma 4.1"),
        (Geometry, "Proposition 4.7"),
        (max_paper, "Corollary 4.8"),
        (max_nrcdt_radius, "Theorem 4.9"),
        (mean_paper, "Proposition 4.14"),
        (mean_nrcdt_radius, "Theorem 4.11"),
        (mean_nrcdt_radius, "Theorem 4.15"),
        (weighted_mean_nrcdt_radius, "page on guarantees"),
    ],
)
def test_docstrings_name_their_statements(documented, label):
    assert label in documented.__doc__
