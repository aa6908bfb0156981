"""Quantile functions against closed forms and numpy."""

import numpy as np
import pytest

from sklearn_nrcdt._kernels.quantiles import cdf_from_quantiles, quantile_levels, quantiles

KINDS = ["means", "points"]
both = pytest.mark.parametrize("kind", KINDS)


def means_bin_by_bin(masses, n_quantiles):
    """Means of one quantile function over the inner ones of n + 2 cells, bin by bin."""
    edges = np.concatenate([[0], np.cumsum(masses)]) / masses.sum()
    radii = np.linspace(-1, 1, len(edges))
    result = []
    for cell in range(1, n_quantiles + 1):
        ends = np.array([cell, cell + 1]) / (n_quantiles + 2)
        total = 0
        for k in np.flatnonzero(masses):
            low, high = np.clip(ends, edges[k], edges[k + 1])
            at = np.interp((low + high) / 2, edges[k : k + 2], radii[k : k + 2])
            total += (high - low) * at
        result.append(total * (n_quantiles + 2))
    return result


def test_levels_lie_inside_the_unit_interval():
    np.testing.assert_allclose(quantile_levels(4, "points"), [0.2, 0.4, 0.6, 0.8])
    # The midpoints of the inner ones of five cells.
    np.testing.assert_allclose(quantile_levels(3, "means"), [0.3, 0.5, 0.7])


@both
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniform_measure_has_a_linear_quantile_function(dtype, kind):
    result = quantiles(np.ones((2, 3, 10), dtype), 9, kind=kind)
    assert result.shape == (2, 3, 9)
    np.testing.assert_allclose(result[1, 2], 2 * quantile_levels(9, kind) - 1, atol=1e-6)


@pytest.mark.parametrize("n_quantiles", [1, 2, 7, 64, 300])
@pytest.mark.parametrize("n_bins", [1, 5, 40])
def test_means_are_integrals_over_cells(n_quantiles, n_bins, rng):
    masses = rng.random((3, n_bins)) * (rng.random((3, n_bins)) < 0.4)
    masses[:, n_bins // 2] = 1
    result = quantiles(masses, n_quantiles)
    expected = [means_bin_by_bin(row, n_quantiles) for row in masses]
    np.testing.assert_allclose(result, expected, atol=1e-12)
    assert (np.diff(result) > 0).all()


@both
@pytest.mark.parametrize("n_parts", [5, 13])
def test_the_mirrored_measure_has_the_mirrored_function(kind, n_parts):
    # 64 levels j / 65 meet the gaps between 5 or 13 equal parts.
    masses = np.zeros((1, 400))
    masses[0, np.arange(n_parts) ** 2 * 2] = 0.1
    there, back = (quantiles(side, 64, kind=kind) for side in (masses, masses[:, ::-1]))
    np.testing.assert_allclose(there, -back[:, ::-1], atol=1e-12)


def test_means_do_not_jump_where_points_do():
    masses = np.zeros((2, 400))
    masses[:, [10, 100, 250, 300, 390]] = 1
    masses[1] += 1e-9
    change = {k: np.abs(np.diff(quantiles(masses, 64, kind=k), axis=0)).max() for k in KINDS}
    assert change["points"] > 0.1
    assert change["means"] < 1e-5


@pytest.mark.parametrize("far", [200, 399])
def test_means_do_not_see_how_far_away_a_trifle_lies(far):
    masses = np.zeros((2, 400))
    masses[:, 100:120] = 1
    masses[0, 150] = masses[1, far] = 0.2  # one per cent, less than one of 66 cells
    np.testing.assert_allclose(*quantiles(masses, 64), atol=1e-12)


def test_interpolation_agrees_with_numpy(rng):
    masses = rng.random((5, 50)) + 0.01
    cdf = np.concatenate([np.zeros((5, 1)), masses.cumsum(axis=1)], axis=1)
    cdf /= cdf[:, -1:]
    expected = [
        np.interp(quantile_levels(33, "points"), row, np.linspace(-1, 1, 51)) for row in cdf
    ]
    np.testing.assert_allclose(quantiles(masses, 33, kind="points"), expected, atol=1e-11)


@both
def test_total_mass_does_not_matter(rng, kind):
    masses = rng.random((4, 30))
    faint = quantiles(masses * 1e-200, 8, kind=kind)
    np.testing.assert_allclose(faint, quantiles(masses, 8, kind=kind), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_point_on_a_gap_is_its_middle(dtype):
    # Mass 1/3 in the first bin, 2/3 in the last, level 1/3. Thirds are not exact in binary,
    # so rounding must not decide.
    for scale in (1, 3, 0.1, 7):
        masses = np.array([[1, 0, 0, 0, 0, 0, 0, 2]], dtype) * dtype(scale)
        result = quantiles(masses, 2, kind="points")
        np.testing.assert_allclose(result[0], [0, 0.875], atol=1e-5)


def test_no_point_inside_a_gap(rng):
    masses = np.zeros((20, 100))
    masses[:, 20:30] = rng.random((20, 10))
    masses[:, 70:75] = rng.random((20, 5))
    result = quantiles(masses, 50, kind="points")
    inside = (result > -0.4 + 1e-9) & (result < 0.4 - 1e-9)
    assert not inside.any()


def test_all_mass_in_one_bin():
    masses = np.zeros((1, 10))
    masses[0, 9] = 5
    np.testing.assert_allclose(quantiles(masses, 3, kind="points")[0], [0.85, 0.9, 0.95])
    np.testing.assert_allclose(quantiles(masses, 3, kind="means")[0], [0.86, 0.9, 0.94])


@both
def test_cdf_from_quantiles_inverts(rng, kind):
    masses = rng.random((1, 40)) + 0.2
    edges = np.linspace(-1, 1, 41)
    cdf = cdf_from_quantiles(quantiles(masses, 2000, kind=kind)[0], edges, kind)
    np.testing.assert_allclose(cdf[1:], masses[0].cumsum() / masses.sum(), atol=1e-3)


@pytest.mark.parametrize("values", [[-0.5, 0.5], [0.5, -0.5]])
def test_cdf_goes_on_beyond_the_outer_levels_as_between_them(values):
    # Levels 1/3 and 2/3, or 3/8 and 5/8: the line through them meets 0 and 1 at the ends.
    points = np.array([-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2])
    cdf = cdf_from_quantiles(np.array(values), points, "points")
    np.testing.assert_allclose(cdf, np.array([0, 0, 1, 2, 3, 4, 5, 6, 6]) / 6, atol=1e-15)
    cdf = cdf_from_quantiles(np.array(values), points, "means")
    np.testing.assert_allclose(cdf, np.array([0, 1, 2, 3, 4, 5, 6, 7, 8]) / 8, atol=1e-15)


def test_cdf_from_one_quantile_is_a_step():
    cdf = cdf_from_quantiles(np.array([0.25]), np.array([-1.0, 0.2, 0.3, 1.0]))
    np.testing.assert_allclose(cdf, [0, 0, 1, 1])


@both
def test_empty_bins_at_both_ends_may_be_left_out(rng, kind):
    masses = np.zeros((3, 40))
    masses[:, 7:-7] = rng.random((3, 26))
    trimmed = quantiles(masses[:, 7:-7], 9, 7, kind)
    np.testing.assert_array_equal(trimmed, quantiles(masses, 9, 0, kind))


@both
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_very_many_levels(dtype, kind):
    result = quantiles(np.ones((1, 4), dtype), 2_000_000, kind=kind)[0]
    np.testing.assert_allclose(result, 2 * quantile_levels(2_000_000, kind) - 1, atol=1e-6)
