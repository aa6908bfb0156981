"""Points of contours: laws of the cost, its symmetries, and the steps against direct formulas."""

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator
from scipy.ndimage import gaussian_filter, rotate
from sklearn.linear_model import Ridge

from sklearn_nrcdt._kernels import certainty, matching, points
from sklearn_nrcdt._kernels.circle import from_circle, to_circle
from sklearn_nrcdt._kernels.contours import prepared, whitened_images
from sklearn_nrcdt._kernels.discriminant import linear_discriminant, principal_components
from sklearn_nrcdt._kernels.tangents import gradients, tangent_harmonics
from sklearn_nrcdt.datasets import load_symbols

WIDTH = 0.12


@pytest.fixture(scope="module")
def cells():
    images = load_symbols(size=64).images[[1, 4, 6, 9]].astype(np.float32)
    images[1] = 0
    images[1, 8:56, 12:20] = images[1, 8:16, 12:48] = images[1, 28:36, 12:36] = 1  # an F
    return whitened_images([prepared(image, "similarity") for image in images], "similarity", 64)


@pytest.fixture(scope="module")
def sets(cells):
    return points.point_sets(packed(cells))


def waves_of(cells):
    return points.contour_waves(*gradients(cells, WIDTH))


def packed(cells):
    return points.packed_points(*points.contour_maps(waves_of(cells)))


def cost(one, other):
    return points.match_cost(one[0] @ points.partners(other[0]).T, one[1], other[1])


def test_maps_are_gaussian_means_of_histograms(cells):
    """Directions and strength at one place, computed by the definition."""
    gx, gy = (part[0].astype(float) for part in gradients(cells[:1], WIDTH))
    size = np.hypot(gx, gy)
    rho = np.sqrt((size**4).sum() / (size**2).sum())
    strength = size / (size + 0.3 * rho)
    angle = np.arctan2(gy, gx)
    center = (np.arange(64) + 0.5) * 0.1 - 3.2
    place = (np.arange(22) - 10.5) * 0.25
    apart = np.exp(-0.5 * (center[:, None] - center) ** 2 / np.reshape([0.1, 0.25], (2, 1, 1)) ** 2)
    narrow, wide = apart / apart.sum(axis=2, keepdims=True)
    directions, contour = points.contour_maps(waves_of(cells[:1]))
    for row, column in ((8, 6), (13, 15)):
        x, y = place[column], -place[row]

        def mean(values, smooth, x=x, y=y):
            return RegularGridInterpolator((-center, center), smooth @ values @ smooth.T)((y, x))

        assert contour[0, row, column] == pytest.approx(mean(strength, narrow), abs=1e-5)
        waves = [strength, *(strength * f(k * angle) for k in (1, 2) for f in (np.cos, np.sin))]
        sizes = np.sqrt(8) * np.array([1 / 4, *[4 / (3 * np.pi * 2**0.5)] * 2, *[1 / 32**0.5] * 2])
        expected = [size * mean(wave, wide) for size, wave in zip(sizes, waves, strict=True)]
        np.testing.assert_allclose(directions[0, row + 2, column + 2], expected, atol=1e-5)


def test_fourier_weights_are_those_of_the_bin():
    """ORDERS are the coefficients of max(0, cos t)^2 in eight bins, up to aliases."""
    angles = 2 * np.pi * np.arange(4096) / 4096
    bins = np.maximum(np.cos(angles), 0) ** 2
    coefficients = np.fft.rfft(bins).real / len(angles)
    expected = np.sqrt(8) * np.array([1, *[2**0.5] * 4]) * coefficients[[0, 1, 1, 2, 2]]
    np.testing.assert_allclose(points.ORDERS, expected, rtol=1e-6)


def test_equal_sets_cost_nothing_and_cost_is_symmetric(sets):
    for one in sets:
        assert cost(one, one) == 0
        for other in sets:
            assert cost(one, other) == pytest.approx(cost(other, one), abs=2e-6)
    assert cost(sets[0], sets[1]) > 0.1


def test_cost_is_what_points_pay_for_the_cheapest_partner(sets):
    (p, v), (q, w) = sets[0], sets[2]
    apart = np.square(p[:, None, :-2].astype(float) - q[None, :, :-2]).sum(axis=2)
    expected = v @ apart.min(axis=1) + w @ apart.min(axis=0)
    assert cost(sets[0], sets[2]) == pytest.approx(expected, abs=2e-6)


def test_small_maps_have_the_same_points(cells):
    maps = points.contour_maps(waves_of(cells))
    small = points.small_maps(*maps)
    assert [(part.shape[1:], part.dtype) for part in small] == list(points.MAPS)
    expected, found = points.packed_points(*maps), points.points_of_small_maps(*small)
    # Places and strengths are equal, descriptors up to a few units of 2**-15.
    np.testing.assert_array_equal(found[..., -2:], expected[..., -2:])
    assert np.abs(found - expected.astype(int)).max() < 16


def test_packed_points_are_those_of_the_maps(cells, sets):
    fresh = points.point_sets_of_maps(*points.contour_maps(waves_of(cells)))
    for (some, weights), (expected, expected_weights) in zip(sets, fresh, strict=True):
        np.testing.assert_array_equal(some, expected)
        np.testing.assert_array_equal(weights, expected_weights)


def test_points_are_few_and_weigh_one(sets):
    for some, weights in sets:
        assert 20 <= len(some) == len(weights) <= points.MOST_POINTS
        assert weights.sum() == pytest.approx(1)
        assert np.square(some[:, : points.N_SEEN]).sum(axis=1).max() < 1


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("n_quarters", range(4))
def test_posed_points_are_those_of_the_posed_image(cells, n_quarters, mirrored):
    image = np.rot90(cells[1], n_quarters)
    image = image[:, ::-1] if mirrored else image
    original, expected = points.point_sets(packed(np.stack([cells[1], image])))
    posed = points.posed(original[0], n_quarters, mirrored), original[1]
    assert cost(expected, posed) <= 1e-5
    assert (n_quarters == 0 and not mirrored) or cost(original, expected) > 0.05


def test_turned_maps_are_those_of_the_turned_image(cells):
    """Of a small shape, smoothed first: so turning the cells themselves loses little."""
    smooth = gaussian_filter(np.pad(cells[1, ::2, ::2], 16), 2)
    found = points.turned_maps(waves_of(smooth[None])[0])
    for turn in range(points.N_RESAMPLED):
        turned = rotate(smooth, 360 * turn / points.N_TURNS, reshape=False)
        expected = points.contour_maps(waves_of(turned[None]))
        for part, wanted in zip(found, expected, strict=True):
            # Where directions meet, strength has dents that interpolation fills.
            assert abs(part[turn] - wanted[0]).max() < 0.1
            assert abs(part[turn] - wanted[0]).mean() < 2e-3
    assert abs(found[0][8] - found[0][0]).mean() > 0.02


def test_ties_beyond_the_most_points_are_left_out_together():
    directions = np.ones((2, 26, 26, 5), np.float32)
    strength = np.full((2, 22, 22), 0.5, np.float32)
    strength[0, :4] = 1
    counts = np.count_nonzero(points.packed_points(directions, strength)[:, :, -1], axis=1)
    # 88 are stronger than all others; where all are equal, it is the first ones.
    assert counts.tolist() == [88, points.MOST_POINTS]


MAPS = {
    "an affine map": lambda x: x @ np.array([[1.1, -0.04], [0.06, 0.93]]) + [0.05, -0.04],
    "a bend": lambda x: x + 0.3 * np.exp(-np.square(x - [0.8, -0.5]).sum(axis=1, keepdims=True)),
}


@pytest.mark.parametrize("name", MAPS)
def test_steps_undo_small_maps(sets, name):
    some, weights = sets[2]
    x = points.places_of(some).astype(float)
    y = MAPS[name](x)
    alike = np.square(some[:, None, : points.N_SEEN] - some[:, : points.N_SEEN]).sum(axis=2)
    apart = np.square(x[:, None] - y).sum(axis=2)
    paid = alike + points.PRICE * apart
    stepped = points.paid_after_steps(paid, weights, weights, x, y)
    before, after = (points.match_cost(part, weights, weights) for part in (paid, stepped))
    assert after < 0.5 * before


def test_steps_follow_their_definition(sets):
    """Ridge regression of the partners' places, then Gaussian means of what is left."""
    (one, v), (other, w) = sets[2], sets[3]
    x, y = (points.places_of(part).astype(float) for part in (one, other))
    alike = np.square(one[:, None, : points.N_SEEN] - other[:, : points.N_SEEN]).sum(axis=2)

    def paid_at(places, price):
        return alike + price * np.square(places[:, None] - y).sum(axis=2)

    def pairs(paid):  # point, partner and mass of the pairs of both kinds
        chosen, claimed = paid.argmin(axis=1), paid.argmin(axis=0)
        p, q = np.r_[: len(x), claimed], np.r_[chosen, : len(y)]
        return p, q, np.r_[v, w]

    p, q, mass = pairs(paid_at(x, 0.3))
    rows = np.c_[np.ones(len(p)), x[p]]
    ridge = Ridge(alpha=0.05, fit_intercept=False).fit(rows, y[q] - x[p], mass)
    moved = x + np.c_[np.ones(len(x)), x] @ ridge.coef_.T
    p, q, mass = pairs(paid_at(moved, 0.6))
    near = np.exp(-0.5 * np.square(x[:, None] - x[p]).sum(axis=2) / 0.7**2) * mass
    moved += near @ (y[q] - moved[p]) / (near.sum(axis=1, keepdims=True) + 0.05)
    found = points.paid_after_steps(paid_at(x, 0.3), v, w, x, y)
    np.testing.assert_allclose(found, paid_at(moved, 0.6), atol=1e-5)


def test_blank_shapes_match_each_other_only(sets):
    (blank,) = points.point_sets(packed(np.zeros((1, 64, 64), np.float32)))
    assert cost(blank, blank) == 0
    assert cost(blank, sets[0]) == cost(sets[0], blank) == points.NOTHING
    assert matching._cost(blank, (points.partners(sets[0][0]), sets[0][1]), True) == points.NOTHING


def test_steps_are_taken_by_the_best_of_several_classes(monkeypatch):
    """Twelve templates are one shape, the others, dearer ones, are of other classes."""
    monkeypatch.setattr(matching, "_cost", lambda template, _, steps=False: template + steps)
    templates = [*np.arange(12) / 100, 0.5, 0.6, 0.7]
    codes = np.array([0] * 12 + [1, 2, 3])
    poses, queries = np.zeros((1, 15), int), {0: None}
    costs = matching._costs(templates, queries, poses, codes, False)
    assert costs.tolist() == templates
    costs = matching._costs(templates, queries, poses, codes, True)
    stepped = [*range(7), 12, 13, 14]  # ten
    assert costs[stepped].tolist() == [1 + templates[k] for k in stepped]
    # The others are not cheaper for having taken none.
    np.testing.assert_allclose(costs[7:12], 1.045)


def test_short_list_has_several_classes():
    nearest = np.array([0, 1, 2, 3, 4, 5, 9, 8, 7, 6.0])
    codes = np.array([0, 0, 0, 0, 0, 0, 1, 1, 2, 2])
    assert matching._short_list(nearest, np.arange(10), 3).tolist() == [0, 1, 2]
    assert sorted(matching._short_list(nearest, codes, 5).tolist()) == [0, 1, 2, 7, 9]


def test_blocks_hold_templates_side_by_side(monkeypatch):
    monkeypatch.setattr(matching, "BLOCK", 4)
    rows = np.arange(10 * 6).reshape(10, 2, 3)
    blocks = matching.in_blocks(rows)
    assert blocks.shape == (3, 2, 3, 4)
    for k in range(10):
        assert np.array_equal(blocks[k // 4, ..., k % 4], rows[k])


def test_matches_find_turned_and_mirrored_shapes(cells):
    harmonics = tangent_harmonics(*gradients(cells, WIDTH))
    circle = to_circle(harmonics)
    scaled = from_circle(circle)
    catalogue = matching.Catalogue(
        matching.in_blocks(scaled.conj().astype(np.complex64)),
        np.square(circle).sum(axis=1),
        packed(cells),
        np.arange(len(cells)),
        np.arange(len(cells)),
    )
    options = {"n_wanted": 3, "left_out": -1}
    for image, mirror in ((np.rot90(cells[1]), False), (np.rot90(cells[1])[:, ::-1], True)):
        slopes = gradients(image[None], WIDTH)
        row, waves = to_circle(tangent_harmonics(*slopes))[0], points.contour_waves(*slopes)[0]
        for upright in (False, True):
            places, costs, distances = matching.find_matches(
                waves, row, catalogue, upright=upright, mirror=mirror, **options
            )
            best = costs.argmin()
            assert (places[best] == 1 and costs[best] < 1e-5) != upright
            assert (distances[best] < 1e-5) != upright


def test_discriminant_is_that_of_scikit_learn():
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rng = np.random.RandomState(0)
    codes = np.repeat(np.arange(4), [5, 6, 7, 8])
    features = rng.standard_normal((26, 12)) * np.arange(1, 13) + codes[:, None]
    pca = PCA(0.99).fit(features)
    mean, directions = principal_components(features)
    reduced = (features - mean) @ directions
    assert directions.shape[1] == pca.n_components_
    expected = LinearDiscriminantAnalysis("lsqr", shrinkage=0.3).fit(pca.transform(features), codes)
    slopes, intercepts = linear_discriminant(reduced, codes, 4)
    np.testing.assert_allclose(
        reduced @ slopes + intercepts,
        expected.decision_function(pca.transform(features)),
        rtol=1e-8,
        atol=1e-8,
    )


def test_ranks_are_the_best_costs_of_classes():
    codes = np.array([[2, 2, 0, 1, 0]])
    costs = np.array([[0.1, 0.2, 0.3, 0.4, 0.5]])
    found, best = certainty.class_ranks(codes, costs)
    assert found[0, :4].tolist() == [2, 0, 1, -1]
    assert best[0, :3].tolist() == [0.1, 0.3, 0.4]
    found, best = certainty.class_ranks(codes, costs, answers=np.array([1]))
    assert found[0, :3].tolist() == [1, 2, 0]
    found, _ = certainty.class_ranks(codes, costs, strangers_to=np.array([2]))
    assert found[0, :3].tolist() == [0, 1, -1]


def test_wide_gaps_are_sure_and_ties_are_not():
    costs = np.array(
        [[0.1, 0.5, 0.52, 0.54], [0.3, 0.3, 0.52, 0.54], [0.1, np.nan, np.nan, np.nan]]
    )
    levels = certainty.gap_levels(costs, 0.15)
    odds = certainty.odds_of_others(levels)
    assert levels[0, 1] < 0.01 < levels[1, 1] == 1
    assert odds[0].sum() < 0.01
    assert odds[1, 0] == pytest.approx(odds[1].max())
    assert odds[1, 0] > 0.7
    none = certainty.odds_of_none(levels, costs[:, 0], 0.5)
    assert none[0] < 0.1 < 1 < none[1]
    assert np.isfinite(none[2])
    assert certainty.marks(
        np.array([0.9, 0.6, 0.2, 0.2]), np.array([0, 0, 0.1, 0.75])
    ).tolist() == [
        "clear",
        "likely",
        "doubtful",
        "unknown",
    ]


def test_twins_make_answers_less_sure_but_equal_shapes_stay_sure():
    costs = np.array([0, 0.1, 0.25, 0.9])
    assert (certainty.odds_of_twins(certainty.FEW_TWINS, costs, 0.5) == 0).all()
    odds = certainty.odds_of_twins(0.1, costs, 0.5)
    np.testing.assert_allclose(odds, certainty.TWINS * 0.07 * np.array([0, 0.16, 1, 1]))


def test_strangers_come_after_the_twins_if_most_templates_have_one():
    nan = np.nan
    paired = np.array([[0, 0.4, 0.5], [0, 0.4, 0.4], [0.05, 0.5, 0.6], [0.4, 0.5, nan]])
    np.testing.assert_array_equal(certainty.without_twins(paired), paired[:, 1:])
    few = np.array([[0, 0.4, 0.5], [0.3, 0.4, 0.4], [0.4, 0.5, 0.6]])
    assert certainty.without_twins(few) is few
    # Blank templates are no usual strangers: of two shapes and a blank one, and of two classes.
    assert len(certainty.without_twins(np.array([[0.4, 1e4], [0.4, 1e4], [1e4, 1e4]])).T) == 2
    assert len(certainty.without_twins(np.array([[0.4, nan], [0.4, nan]])).T) == 2


def test_strangers_of_a_catalogue():
    nan = np.nan
    assert certainty.stranger_statistics(np.full((3, 2), nan)) == (
        certainty.USUAL_COST,
        certainty.USUAL_GAP,
    )
    many = np.tile([0.4, 0.4 * 2**0.3], (1000, 1))
    cost, gap = certainty.stranger_statistics(many)
    assert cost == pytest.approx(0.4)
    assert gap == pytest.approx(0.3, abs=0.01)
