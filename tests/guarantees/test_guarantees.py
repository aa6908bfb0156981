"""Certificates: adversaries look for perturbations that violate them.

`cloud_functions` is an independent implementation of the transforms for weighted points: the
theorems hold for any measure, and points can be moved by any distance exactly.
"""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from figures import pixel_grid
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import PROFILE

from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, NearestTemplateClassifier
from sklearn_nrcdt.guarantees import certified_radius
from sklearn_nrcdt.guarantees._estimate import gradient, sensitivities
from sklearn_nrcdt.guarantees._max import Boxes
from sklearn_nrcdt.guarantees._mean import Means, _elliptic_mean, tilted
from sklearn_nrcdt.guarantees._radius import _box_pairs, _level_radii
from sklearn_nrcdt.guarantees._templates import Template, load_templates

FEATURES = ["max", "mean", "weighted_mean"]
CERTIFIED = [("max", {}), ("max", {"metric": "euclidean"}), ("max", {"order": 2})]
CERTIFIED += [("mean", {}), ("weighted_mean", {})]
ROUNDING = 1e-9
N_CELLS = 22
POINT = 1e-7  # side of a pixel that is nearly a point


def law(n_examples, **cases):
    """Search for a violation among random cases; HYPOTHESIS_PROFILE=extended looks longer."""
    longer = 50 if PROFILE == "extended" else 1
    found = settings(max_examples=n_examples * longer, deadline=None)
    return lambda test: found(given(**cases)(test))


seeds = st.integers(0, 2**32 - 1)


# -- an independent implementation for points ------------------------------------------


def moments(points, mass):
    mean = mass @ points
    centred = points - mean
    return mean, (centred * mass[:, None]).T @ centred


def cloud_functions(points, mass, directions, n_cells=N_CELLS):
    """Means of the NR-CDT over cells, (n_directions, n_cells)."""
    mean, covariance = moments(points, mass)
    stds = np.sqrt(np.einsum("ki,ij,kj->k", directions, covariance, directions))
    values = (directions @ (points - mean).T) / stds[:, None]
    order = np.argsort(values, axis=1)
    sorted_mass = np.pad(mass[order], ((0, 0), (1, 0)))
    sorted_values = np.pad(np.take_along_axis(values, order, axis=1), ((0, 0), (1, 0)))
    integrals = np.cumsum(sorted_mass * sorted_values, axis=1)
    at_ends = [
        np.interp(np.linspace(0, levels[-1], n_cells + 1), levels, integral)
        for levels, integral in zip(np.cumsum(sorted_mass, axis=1), integrals, strict=True)
    ]
    return np.diff(at_ends, axis=1) * n_cells


def cloud_features(points, mass, n_angles=180, n_cells=N_CELLS):
    angles = 2 * np.pi * np.arange(n_angles) / n_angles
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    functions = cloud_functions(points, mass, directions, n_cells)[:, 1:-1]
    variance = np.einsum("ki,ij,kj->k", directions, moments(points, mass)[1], directions)
    return {
        "max": functions.max(axis=0),
        "mean": functions.mean(axis=0),
        "weighted_mean": np.average(functions, axis=0, weights=1 / variance),
    }


def l2(difference, n_cells=N_CELLS):
    return np.sqrt(np.sum(np.square(difference), axis=-1) / n_cells)


def random_cloud(rng, n=60):
    """Points on two random sticks and a blob, with random masses."""
    stick = rng.normal(size=(2, 2))
    t = rng.uniform(-1, 1, size=(n, 1))
    points = np.where(rng.random((n, 1)) < 0.5, t * stick[0], stick[1] * (1 + 0.3 * t))
    points += rng.normal(scale=rng.uniform(0.02, 0.3), size=(n, 2))
    mass = rng.exponential(size=n)
    return points, mass / mass.sum()


def random_map(rng, anisotropy):
    """A random map with (sigma_max - sigma_min) / sigma_min = anisotropy."""
    left, right = (np.linalg.qr(rng.normal(size=(2, 2)))[0] for _ in range(2))
    return left @ np.diag([1 + anisotropy, 1]) @ right * rng.uniform(0.3, 3)


def length(moves, mass, order):
    """The Wasserstein distance is at most that of the plan that the moves are."""
    squares = np.square(moves).sum(axis=1)
    return np.sqrt(squares.max() if order == np.inf else mass @ squares)


def attack(points, mass, feature, order, epsilon, functional, n_steps=4):
    """Moves of length epsilon that increase a functional of a feature, by its gradient."""
    moves = np.zeros_like(points)
    for _ in range(n_steps):
        template = Template(points + moves, mass, POINT, 64, len(functional) + 2)
        field = gradient(template, feature) @ functional
        if order == np.inf:
            field /= np.linalg.norm(field, axis=1, keepdims=True) + 1e-12
            moves = moves + epsilon * field
            moves *= epsilon / np.maximum(np.linalg.norm(moves, axis=1, keepdims=True), epsilon)
        else:
            moves = moves + epsilon * field / (length(field, mass, 2) + 1e-12)
            moves *= epsilon / max(length(moves, mass, 2), epsilon)
    return moves


def load(images, n_angles=128, n_cells=66):
    return load_templates(images, None, n_angles, n_cells)[1]


# -- templates as measures --------------------------------------------------------------


def test_smallest_std_of_a_turned_rectangle_is_that_of_its_short_side():
    x, y = pixel_grid((200, 200))
    turned = np.cos(0.4) * x + np.sin(0.4) * y, np.cos(0.4) * y - np.sin(0.4) * x
    image = (np.abs(turned[0]) < 0.6) & (np.abs(turned[1]) < 0.1)
    (template,) = load(image[None], 4)
    assert template.smallest_std == pytest.approx(0.2 / np.sqrt(12), rel=0.01)
    assert template.largest_std == pytest.approx(1.2 / np.sqrt(12), rel=0.01)


def test_functions_agree_with_an_independent_implementation(shapes):
    """Pixels as 6 x 6 points each, at the directions of the grid."""
    points = np.column_stack([c.ravel() for c in pixel_grid((288, 288))])
    for image in shapes[[0, 3]]:
        (template,) = load(image[None], 512, N_CELLS)
        mass = np.kron(image, np.ones((6, 6))).ravel() / image.sum() / 36
        filled = mass > 0
        some = np.arange(0, 256, 16)
        directions = template.slopes[some]
        expected = cloud_functions(points[filled], mass[filled], directions)
        np.testing.assert_allclose(template.functions[some], expected, atol=0.02)
        assert np.abs(expected).max() <= template.reach
        assert np.abs(template.functions).max() > 0.8 * template.reach


def test_error_bounds_functions_and_tops_bound_those_between_directions(shapes):
    for image in shapes[[0, 4]]:
        coarse, fine = (load(image[None], n, 34)[0] for n in (16, 16 * 32))
        shared = fine.functions[::32]
        assert np.abs(coarse.functions - shared).max() <= coarse.error + fine.error
        # All directions within half a gap of a direction of the coarse grid.
        tops = Boxes([coarse], np.inf, rigorous=True).tops[0]
        for k in range(8):
            near = fine.functions[(np.arange(-16, 17) + 32 * k) % 256][:, 1:-1]
            if k == 0:
                continue  # some of them are on the other side of the circle
            assert (near.max(axis=0) <= tops[:, k] + fine.error).all()


@law(
    20,
    turn=st.floats(0.01, 3.1),
    reach=st.floats(1, 9),
    gap=st.floats(0, 0.4),
    error=st.floats(0, 0.1),
)
@example(turn=2.8, reach=3.0, gap=0.3, error=0.1)
def test_tops_bound_a_point_on_the_rim_whose_value_was_computed_too_small(turn, reach, gap, error):
    value = reach * np.cos(turn) - error
    template = SimpleNamespace(
        functions=np.full((1, 3), max(value, -reach)),
        slopes=np.array([[1.0, 0]]),
        reach=reach,
        smallest_std=1.0,
        half_gap=gap,
        error=error,
    )
    tops = Boxes([template], np.inf, rigorous=True).tops
    assert tops[0, 0, 0] >= reach * np.cos(max(turn - gap, 0)) - ROUNDING


def test_rounding_bounds_the_error_of_deviations_of_thin_and_small_shapes():
    line, dot, both = np.zeros((3, 900, 900))
    line[np.arange(900), np.arange(900)] = 1 / 3
    dot[2, 7] = 1e-9
    both[:2, :2] = 0.1
    both[-1] = 1e-3
    for image in (line, dot, both):
        (template,) = load(image[None], 64)
        rows, columns = np.nonzero(image)
        points = np.column_stack([columns, -rows]).astype(np.longdouble)
        mass = image[rows, columns].astype(np.longdouble)
        covariance = moments(points, mass / mass.sum())[1] + np.eye(2) / 12
        square = (np.sqrt(np.longdouble(2)) / 900) ** 2
        variances = np.sum((template.slopes @ covariance) * template.slopes, axis=1) * square
        assert np.abs(np.sqrt(variances) - 1).max() < template.rounding < 1e-4


def test_fast_projection_is_that_of_the_exact_footprints(shapes):
    """`RadonCDT` tabulates footprints; the directions of a disc's frame are those of the image."""
    disc = shapes[2:3]
    (template,) = load(disc, 64)
    radon = pytest.importorskip("sklearn_nrcdt").RadonCDT(64, 4001, 64).fit_transform(disc)
    ours = template.functions[:, 1:-1] / np.linalg.norm(template.slopes, axis=1, keepdims=True)
    assert np.abs(radon.reshape(64, 64)[:32] - ours).max() < template.error * template.largest_std


def test_templates_take_images_in_all_forms(rng):
    images = rng.integers(0, 3, size=(4, 6, 9)).astype(np.uint8)
    images[:, 2, 3] = 1
    rows = images.reshape(4, -1)
    expected = certified_radius(images.astype(float) * 1e-300, n_angles=8).radius
    for form in (images, list(images), images.astype(np.float32)):
        np.testing.assert_allclose(certified_radius(form, n_angles=8).radius, expected)
    for form in (rows, sp.csr_matrix(rows), sp.coo_array(rows)):
        radius = certified_radius(form, n_angles=8, image_shape=(6, 9)).radius
        np.testing.assert_allclose(radius, expected)


# -- one direction: the theorem behind the boxes ------------------------------------------


@law(
    60,
    seed=seeds,
    share=st.floats(0.001, 0.333),
    order=st.sampled_from([2, np.inf]),
    cell=st.integers(1, N_CELLS - 2),
    shape=st.sampled_from(["uniform", "outlier", "two", "normal"]),
)
@example(seed=0, share=0.05, order=np.inf, cell=11, shape="uniform")
def test_no_function_leaves_its_bounds_and_extremal_ones_nearly_do(seed, share, order, cell, shape):
    rng = np.random.default_rng(seed)
    n = 40 * N_CELLS
    q = {
        "uniform": rng.random(n),
        "outlier": np.concatenate([rng.random(n - 5), [30] * 5]),
        "two": rng.choice([-1.0, rng.uniform(0, 3)], n),
        "normal": rng.normal(size=n),
    }[shape]
    q = np.sort(q - q.mean())
    q /= np.sqrt(np.mean(q**2))
    template = SimpleNamespace(
        functions=q.reshape(1, N_CELLS, 40).mean(axis=2),
        slopes=np.array([[1.0, 0]]),
        reach=np.abs(q).max(),
        smallest_std=1.0,
        half_gap=0.0,
        error=0.0,
    )
    boxes = Boxes([template], order, rigorous=False)
    epsilon = share / (1 / 3) * boxes.limits[0]
    directions = boxes._stays_below(epsilon, 0, slice(None), between=True)
    upper, lower = directions[cell - 1, 0], -directions[::-1][cell - 1, 1]
    inside = np.zeros(n)
    inside[40 * cell : 40 * (cell + 1)] = N_CELLS
    middle = template.functions[0, cell]
    extremes = []
    for sign in (1, -1):
        value = middle
        found = []
        for _ in range(8):
            # The steepest perturbation at what the last one led to.
            h = inside - 1 - value * q
            h = np.sign(h) if order == np.inf else h / np.sqrt(np.mean(h**2))
            moved = q + sign * epsilon * h
            moved = (moved - moved.mean()) / moved.std()
            value = moved.reshape(N_CELLS, 40)[cell].mean()
            found.append(sign * value)
        extremes.append(sign * max(found))
    largest, smallest = extremes
    assert lower - ROUNDING <= smallest <= largest <= upper + ROUNDING
    if share < 0.1 and shape in ("uniform", "normal"):
        assert largest - middle > 0.88 * (upper - middle)
        assert middle - smallest > 0.88 * (middle - lower)


# -- the maximum: boxes -------------------------------------------------------------------


@law(
    6,
    seed=seeds,
    share=st.floats(0.01, 0.3),
    order=st.sampled_from([2, np.inf]),
    anisotropy=st.floats(0, 19),
    n_angles=st.sampled_from([16, 64, 256]),
)
def test_no_attack_leaves_the_box_under_any_affine_map(seed, share, order, anisotropy, n_angles):
    rng = np.random.default_rng(seed)
    points, mass = random_cloud(rng, 150)
    template = Template(points, mass, POINT, n_angles, N_CELLS)
    boxes = Boxes([template], order, rigorous=True)
    epsilon = min(share * template.smallest_std, boxes.limits[0])
    lower, upper = boxes.lower(epsilon, 0), boxes.upper(epsilon, 0)
    assert (lower < boxes.features[0]).all()
    assert (boxes.features[0] < upper).all()
    for sign in (1, -1):
        functional = np.zeros(N_CELLS - 2)
        functional[rng.integers(N_CELLS - 2)] = sign
        moves = attack(points, mass, "max", order, epsilon, functional)
        assert length(moves, mass, order) <= epsilon * (1 + ROUNDING)
        mapped = (points + moves) @ random_map(rng, anisotropy).T + rng.normal(size=2)
        # The grid misses no more of the maximum than a direction turns, after whitening.
        feature = cloud_features(mapped, mass, 360)["max"]
        missed = template.reach * np.pi / 360 * (1 + anisotropy) * 3
        assert (lower - missed <= feature).all()
        assert (feature <= upper + ROUNDING).all()


@pytest.mark.parametrize("order", [2, np.inf])
def test_boxes_are_nested_and_shrink_to_the_template(shapes, order):
    boxes = Boxes(load(shapes[:2]), order, rigorous=False)
    shares = np.array([0, 0.3, 1]) * boxes.limits[1]
    lower, upper = ([f(epsilon, 1) for epsilon in shares] for f in (boxes.lower, boxes.upper))
    np.testing.assert_allclose(lower[0], boxes.features[1])
    np.testing.assert_allclose(upper[0], boxes.features[1])
    assert (np.diff(lower, axis=0) < 0).all()
    assert (np.diff(upper, axis=0) > 0).all()


# -- the means: balls and harmonics -------------------------------------------------------


def means_of(cloud, other, weighted, rigorous=False):
    templates = [Template(*c, POINT, 256, N_CELLS) for c in (cloud, other)]
    return Means(templates, weighted, rigorous)


@law(5, seed=seeds, condition=st.floats(1, 20))
@example(seed=1, condition=20.0)
def test_the_mean_of_an_affine_map_is_the_poisson_integral(seed, condition):
    rng = np.random.default_rng(seed)
    points, mass = random_cloud(rng)
    means = means_of((points, mass), random_cloud(rng), weighted=False)
    matrix = random_map(rng, condition - 1)
    q = (condition - 1) / (condition + 1)
    v = np.linalg.svd(matrix)[2][0]
    k = np.arange(1, means.harmonics.shape[1] + 1)
    phases = (q * np.exp(-2j * np.arctan2(v[1], v[0]))) ** k
    predicted = means.features[0] + 2 * (phases @ means.harmonics[0]).real
    direct = cloud_features(points @ matrix.T, mass, 720)["mean"]
    tail = 4 / np.pi * q ** (len(k) + 1) / (1 - q)
    assert l2(direct - predicted) < 5e-3 * condition**0.5 + tail
    # And the bound, in the direction of another template.
    unit = means.features[1] - means.features[0]
    distances, own, _ = means.directions(0)
    moved = (direct - means.features[0]) @ unit / distances[1] / N_CELLS
    assert abs(moved) <= tilted(q, own[1]) + 5e-3 * condition**0.5


@law(
    7,
    seed=seeds,
    share=st.floats(0.01, 0.9),
    anisotropy=st.floats(0, 3),
    weighted=st.booleans(),
    kind=st.sampled_from(["gradient", "speck", "noise"]),
)
def test_no_attack_moves_a_mean_farther_than_its_bound(seed, share, anisotropy, weighted, kind):
    """W2 by optimal transport, which is at most the cost of the moves."""
    ot = pytest.importorskip("ot", reason="POT is part of the test extra")
    rng = np.random.default_rng(seed)
    points, mass = random_cloud(rng)
    feature = "weighted_mean" if weighted else "mean"
    means = means_of((points, mass), random_cloud(rng), weighted)
    distances, own, _ = means.directions(0)
    unit = (means.features[1] - means.features[0]) / distances[1]
    if kind == "gradient":
        moves = attack(points, mass, feature, 2, share * means.stds[0], unit)
    elif kind == "speck":
        moves = np.zeros_like(points)
        moves[rng.integers(len(points))] = 5 * rng.normal(size=2)
    else:
        moves = rng.normal(size=points.shape)
    moves *= share * means.stds[0] / length(moves, mass, 2)
    cost = ot.dist(points, points + moves)
    epsilon = np.sqrt(max(ot.emd2(mass, mass, cost), 0))
    mapped = (points + moves) @ random_map(rng, anisotropy).T + rng.normal(size=2)
    moved = cloud_features(mapped, mass, 480)[feature] - means.features[0]
    bound = means.moved(epsilon, 0, own[1], anisotropy)
    assert moved @ unit / N_CELLS <= bound + 5e-3 * (1 + anisotropy)


def test_means_move_by_nearly_the_bound_when_all_directions_turn():
    """A round cloud whose points move at right angles, in L2, to their values."""
    rng = np.random.default_rng(0)
    angle = 2 * np.pi * rng.random(4000)
    points = np.sqrt(rng.random(4000))[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    mass = np.full(4000, 1 / 4000)
    means = means_of((points, mass), (points**3 + [0.1, 0.3], mass), weighted=False)
    distances, own, _ = means.directions(0)
    unit = (means.features[1] - means.features[0]) / distances[1]
    epsilon = 0.05 * means.stds[0]
    moves = attack(points, mass, "mean", 2, epsilon, unit, n_steps=1)
    moved = cloud_features(points + moves, mass)["mean"] - means.features[0]
    bound = means.moved(epsilon, 0, own[1], 0.0)
    assert 0.4 * bound < moved @ unit / N_CELLS < bound


def test_elliptic_mean_bounds_the_integral_it_stands_for():
    def square(x, p, small, large):
        return p * (np.cos(x) / large) ** 2 + (1 - p) * (np.sin(x) / small) ** 2

    for stds in ((0.1, 0.1), (0.1, 0.3), (0.01, 0.5)):
        x = (np.arange(2000) + 0.5) / 2000 * np.pi / 2
        values = [np.sqrt(square(x, p, *stds)).mean() for p in np.linspace(0, 1, 101)]
        assert 1 - 1e-6 <= _elliptic_mean(*stds) / max(values) <= 1.01


# -- estimates ------------------------------------------------------------------------------


@pytest.mark.parametrize("feature", FEATURES)
def test_gradient_is_the_derivative(feature):
    rng = np.random.default_rng(3)
    points, mass = rng.normal(size=(4000, 2)) * [1, 0.6], np.full(4000, 1 / 4000)
    functional = np.zeros(N_CELLS - 2)
    functional[-4] = 1  # increasing, so that the maximum stays at its direction
    field = gradient(Template(points, mass, POINT, 256, N_CELLS), feature) @ functional
    expected = mass @ np.sum(field * field, axis=1)
    moved = [cloud_features(points + h * field, mass, 256)[feature] for h in (0, 1e-3)]
    assert np.diff(moved, axis=0)[0] @ functional / 1e-3 == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("feature", FEATURES)
def test_gradient_of_a_symmetric_template_does_not_depend_on_rounding(feature, shapes):
    # Its maxima are attained in several directions: processors used to disagree on which.
    (template,) = load(shapes[:1])
    before = gradient(template, feature)
    rng = np.random.default_rng(0)
    template.functions += 1e-13 * rng.normal(size=template.functions.shape)
    template.white *= 1 + 1e-14 * rng.normal(size=template.white.shape)
    np.testing.assert_allclose(gradient(template, feature), before, atol=1e-6)


def test_sensitivities_are_norms_of_the_gradient(shapes):
    (template,) = load(shapes[:1])
    functionals = np.random.default_rng(0).normal(size=(3, 64))
    for feature in FEATURES:
        fields = gradient(template, feature) @ functionals[1]
        for order in (2, np.inf):
            # The best moves of length 1 and their effect.
            if order == 2:
                moves = fields / length(fields, template.mass, 2)
            else:
                moves = fields / np.linalg.norm(fields, axis=1, keepdims=True)
            effect = template.mass @ np.sum(fields * moves, axis=1)
            found = sensitivities(template, feature, order, functionals)[1]
            assert found == pytest.approx(effect)


@pytest.mark.parametrize("feature", FEATURES)
def test_estimates_of_fine_templates_take_few_directions(feature, shapes):
    fine, coarse = (load(shapes[:1], n_angles)[0] for n_angles in (6 * 128, 128))
    assert fine.thinned().functions.shape == coarse.functions.shape
    assert coarse.thinned().half_gap == coarse.half_gap == pytest.approx(fine.thinned().half_gap)
    functionals = np.random.default_rng(0).normal(size=(3, 64))
    found, expected = (sensitivities(t, feature, 2, functionals) for t in (fine, coarse))
    np.testing.assert_allclose(found, expected, rtol=0.1)


@pytest.mark.parametrize(("feature", "options"), CERTIFIED)
def test_estimates_lie_above_certificates(feature, options, shapes):
    report = certified_radius(shapes, feature=feature, n_angles=64, **options)
    off = ~np.eye(6, dtype=bool)
    assert (report.estimate[off] >= report.radius[off]).all()
    assert (report.template_estimate > report.template_radius).all()
    assert np.median(report.template_estimate / report.template_radius) < 6


# -- radii ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("feature", "options"), CERTIFIED)
def test_no_attack_within_the_radius_changes_the_nearest_template(feature, options, shapes):
    templates = shapes[[0, 1, 4]]
    report = certified_radius(templates, feature=feature, **options)
    assert (report.template_radius > 0).all()
    metric = options.get("metric", "chebyshev" if feature == "max" else "euclidean")
    transformer = MaxNRCDT if feature == "max" else MeanNRCDT
    transformer = transformer(**({"weighting": "precision"} if feature == "weighted_mean" else {}))
    points = np.column_stack([c.ravel() for c in pixel_grid((48, 48))])
    clouds = [(points[m > 0], m[m > 0] / m.sum()) for m in templates.reshape(3, -1)]
    features = np.stack([cloud_features(*cloud, 128, 66)[feature] for cloud in clouds])
    classifier = NearestTemplateClassifier(metric).fit(features, range(3))
    pixel = np.sqrt(2) / 48
    rng = np.random.default_rng(0)
    for i, (cloud, mass) in enumerate(clouds):
        j = (i + 1) % 3
        epsilon = report.template_radius[i] * pixel
        moves = attack(cloud, mass, feature, report.order, epsilon, features[j] - features[i])
        matrix = random_map(rng, 0 if feature == "mean" else 2)
        sample = cloud_features((cloud + moves) @ matrix.T, mass, 360, 66)[feature]
        assert classifier.predict(sample[None]) == i
    assert transformer.fit_transform(templates).shape == features.shape


@pytest.mark.parametrize("feature", FEATURES)
def test_classes_within_the_radius_of_a_pair_are_separated(feature, shapes):
    """Attacks on one level for the maximum, on the direction of the templates for the means."""
    report = certified_radius(shapes[:2], feature=feature, n_quantiles=N_CELLS - 2)
    points = np.column_stack([c.ravel() for c in pixel_grid((48, 48))])
    clouds = [(points[m > 0], m[m > 0] / m.sum()) for m in shapes[:2].reshape(2, -1)]
    features = [cloud_features(*cloud)[feature] for cloud in clouds]
    epsilon = report.radius[0, 1] * np.sqrt(2) / 48
    gap = features[1] - features[0]
    separated = []
    for functional in np.diag(np.sign(gap)) if feature == "max" else gap[None]:
        values = []
        for (cloud, mass), sign in zip(clouds, (1, -1), strict=True):
            moves = attack(cloud, mass, feature, report.order, epsilon, sign * functional, 2)
            values.append(functional @ cloud_features(cloud + moves, mass, 90)[feature])
        separated.append(values[0] < values[1])
    assert any(separated)


@pytest.mark.parametrize("order", [2, np.inf])
def test_pairs_have_the_radius_of_their_best_level(order, shapes):
    boxes = Boxes(load(shapes, 64, N_CELLS), order, rigorous=False)
    i, j = np.triu_indices(6, 1)
    limit = np.minimum(boxes.limits[i], boxes.limits[j])
    best = np.zeros(len(i))
    for level in range(N_CELLS - 2):
        up = boxes.features[i, level] < boxes.features[j, level]
        pair = np.where(up, i, j), np.where(up, j, i)
        best = np.maximum(best, _level_radii(boxes, *pair, np.full(len(i), level), limit))
    found = _box_pairs(boxes)[i, j]
    assert (found <= best * (1 + 1e-4)).all()
    assert (found > 0.95 * best).all()


def test_no_map_of_the_admissible_anisotropy_changes_the_nearest_template(shapes):
    report = certified_radius(shapes, feature="mean", n_quantiles=N_CELLS - 2)
    points = np.column_stack([c.ravel() for c in pixel_grid((96, 96))])
    features = Means(load(shapes, 128, N_CELLS), False, False).features
    for i, image in enumerate(shapes):
        mass = np.kron(image, np.ones((2, 2))).ravel() / image.sum() / 4
        cloud, mass = points[mass > 0], mass[mass > 0]
        for turn in np.pi * np.arange(6) / 6:
            cos, sin = np.cos(turn), np.sin(turn)
            mapped = cloud @ [[cos, -sin], [sin, cos]] * [1 + report.anisotropy[i], 1]
            sample = cloud_features(mapped, mass, 60)["mean"]
            assert l2(features - sample).argmin() == i


def test_admissible_anisotropy_is_where_the_radius_vanishes(shapes):
    report = certified_radius(shapes, feature="mean", n_angles=32)
    i = report.anisotropy.argmin()
    below, above = (
        certified_radius(shapes, feature="mean", anisotropy=f * report.anisotropy[i], n_angles=32)
        for f in (0.99, 1.01)
    )
    assert below.template_radius[i] > 0
    assert above.template_radius[i] == 0
    assert np.isinf(certified_radius(shapes, feature="weighted_mean").anisotropy).all()


@pytest.mark.parametrize(("feature", "options"), CERTIFIED)
def test_rigorous_radii_are_smaller_and_grow_with_the_grid(feature, options, shapes):
    plain, coarse, fine = (
        certified_radius(shapes[:3], feature=feature, n_angles=n, rigorous=rigorous, **options)
        for n, rigorous in ((96, False), (64, True), (96, True))
    )
    off = ~np.eye(3, dtype=bool)
    assert (coarse.radius[off] <= fine.radius[off]).all()
    assert (fine.radius[off] < plain.radius[off]).all()
    assert (fine.radius[off] >= 0).all()
    assert fine.radius[off].max() > 0
    assert (fine.template_radius < plain.template_radius).all()


def test_labels_exempt_pairs_within_a_class(shapes):
    labels = np.array(["a", "b", "c", "c", "b", "a"])
    for feature in FEATURES:
        report = certified_radius(shapes, labels, feature, n_angles=32)
        without = certified_radius(shapes, feature=feature, n_angles=32)
        assert np.isinf(report.radius[2, 3])
        assert np.isinf(report.estimate[2, 3])
        assert report.radius[0, 1] == without.radius[0, 1]
        assert (report.template_radius >= without.template_radius).all()


@pytest.mark.parametrize(("feature", "options"), CERTIFIED)
@pytest.mark.parametrize("rigorous", [False, True])
def test_degenerate_templates_give_numbers(feature, options, rigorous, shapes):
    line, dot, stray = np.zeros((3, 48, 48))
    line[24, 5:40] = 1
    dot[3, 3] = 1e-9
    stray[20:28, 20:28] = stray[0, 0] = 1
    stray[0, 0] = 1e-3
    images = np.stack([shapes[0], shapes[0], line, dot, line, np.ones((48, 48)), stray])
    report = certified_radius(images, None, feature, rigorous=rigorous, n_angles=16, **options)
    for values in (report.radius, report.template_radius, report.estimate, report.anisotropy):
        assert not np.isnan(values).any()
        assert (values >= 0).all()
    np.testing.assert_array_equal(report.radius, report.radius.T)
    assert report.radius[0, 1] == report.radius[2, 4] == 0
    assert (report.template_radius[[0, 1, 2, 4]] == 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda x: certified_radius(x * [[[1]], [[0]], [[0]]]),
            "2 of the images have no mass.*1, 2",
        ),
        (lambda x: certified_radius([x[0], x[1][1:]]), "different shapes.*stack_images"),
        (lambda x: certified_radius(x, feature="best"), "feature"),
        (lambda x: certified_radius(x, [1, 2]), "one label for each of the 3 templates"),
        (lambda x: certified_radius(x, [1, 1, 1]), "two classes"),
        (lambda x: certified_radius(np.ones((1, 1, 1))), "two classes"),
        (lambda x: certified_radius(x, feature="mean", anisotropy=-1), "anisotropy"),
        (lambda x: certified_radius(x, feature="mean", anisotropy=np.inf), "anisotropy"),
        (lambda x: certified_radius(x, feature="mean", order=np.inf), "order=2"),
        (lambda x: certified_radius(x, order=1), "order"),
        (lambda x: certified_radius(-x), "Negative values"),
        (lambda x: certified_radius(x * np.nan), "NaN"),
        (lambda x: certified_radius(x, n_angles=0), "n_angles"),
    ],
)
def test_bad_input_is_refused(call, message):
    images = np.random.default_rng(0).random((3, 5, 5))
    with pytest.raises(ValueError, match=message):
        call(images)


# -- size, text, picture ------------------------------------------------------------------


@pytest.mark.parametrize("feature", FEATURES)
def test_many_pairs_in_bounded_memory(feature):
    images = np.random.default_rng(0).random((9, 8, 8)) ** 8
    tracemalloc.start()
    report = certified_radius(images, None, feature, n_angles=16, n_quantiles=16)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert report.radius.shape == (9, 9)
    assert (report.radius[~np.eye(9, dtype=bool)] > 0).all()
    assert peak < 3e6


def test_text_names_statement_and_worst_pair(shapes):
    report = certified_radius(shapes, list("LTdrAH"))
    i, j = report.worst_pair
    assert report.radius[i, j] == report.radius[~np.eye(6, dtype=bool)].min()
    text = str(report)
    for part in ("max NR-CDT", "pixels", "estimate", f"{'LTdrAH'[i]} and {'LTdrAH'[j]}"):
        assert part in text
    assert "not counted" in text
    assert "6 templates" in repr(report)
    mean = certified_radius(shapes, feature="mean", rigorous=True, n_angles=64)
    assert "admissible anisotropy" in str(mean)
    assert "not counted" not in str(mean)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # old matplotlib, new pyparsing
@pytest.mark.parametrize("n", [3, 40])
def test_heat_map(n):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is part of the test extra")
    matplotlib.use("agg")
    from matplotlib.figure import Figure

    images = np.random.default_rng(0).random((n, 6, 6))
    report = certified_radius(images, n_angles=8, n_quantiles=8)
    axes = Figure().subplots()
    assert report.plot(axes) is axes
    shown = axes.images[0].get_array()
    assert shown.mask.sum() == n
    np.testing.assert_allclose(shown[0, 1], report.radius[0, 1])
