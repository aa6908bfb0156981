"""Quantile functions against closed forms and numpy."""

import numpy as np
import pytest

from sklearn_nrcdt._kernels.cdt import cdf_from_quantiles, quantile_levels, quantiles


def test_levels_lie_inside_the_unit_interval():
    np.testing.assert_allclose(quantile_levels(4), [0.2, 0.4, 0.6, 0.8])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniform_measure_has_a_linear_quantile_function(dtype):
    result = quantiles(np.ones((2, 3, 10), dtype), 9)
    assert result.shape == (2, 3, 9)
    np.testing.assert_allclose(result[1, 2], 2 * quantile_levels(9) - 1, atol=1e-6)


def test_interpolation_agrees_with_numpy(rng):
    masses = rng.random((5, 50)) + 0.01
    cdf = np.concatenate([np.zeros((5, 1)), masses.cumsum(axis=1)], axis=1)
    cdf /= cdf[:, -1:]
    expected = [np.interp(quantile_levels(33), row, np.linspace(-1, 1, 51)) for row in cdf]
    np.testing.assert_allclose(quantiles(masses, 33), expected, atol=1e-11)


def test_total_mass_does_not_matter(rng):
    masses = rng.random((4, 30))
    np.testing.assert_allclose(quantiles(masses * 1e-200, 8), quantiles(masses, 8), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_level_on_a_gap_jumps_to_its_right_end(dtype):
    # Mass 1/3 in the first bin, 2/3 in the last: the paper's inverse of F at 1/3 is the
    # right end of the flat part. Thirds are not exact in binary, so rounding must not decide.
    for scale in (1, 3, 0.1, 7):
        masses = np.array([[1, 0, 0, 0, 0, 0, 0, 2]], dtype) * dtype(scale)
        result = quantiles(masses, 2)
        np.testing.assert_allclose(result[0], [0.75, 0.875], atol=1e-5)


def test_no_value_inside_a_gap(rng):
    masses = np.zeros((20, 100))
    masses[:, 20:30] = rng.random((20, 10))
    masses[:, 70:75] = rng.random((20, 5))
    result = quantiles(masses, 50)
    inside = (result > -0.4 + 1e-9) & (result < 0.4 - 1e-9)
    assert not inside.any()


def test_all_mass_in_one_bin():
    masses = np.zeros((1, 10))
    masses[0, 9] = 5
    np.testing.assert_allclose(quantiles(masses, 3)[0], [0.85, 0.9, 0.95])


def test_cdf_from_quantiles_inverts(rng):
    masses = rng.random((1, 40)) + 0.2
    edges = np.linspace(-1, 1, 41)
    cdf = cdf_from_quantiles(quantiles(masses, 2000)[0], edges)
    np.testing.assert_allclose(cdf[1:], masses[0].cumsum() / masses.sum(), atol=1e-3)


@pytest.mark.parametrize("values", [[-0.5, 0.5], [0.5, -0.5]])
def test_cdf_goes_on_beyond_the_outer_levels_as_between_them(values):
    # Levels 1/3 and 2/3: the line through them meets 0 and 1 at -1.5 and 1.5.
    points = np.array([-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2])
    cdf = cdf_from_quantiles(np.array(values), points)
    np.testing.assert_allclose(cdf, np.array([0, 0, 1, 2, 3, 4, 5, 6, 6]) / 6, atol=1e-15)


def test_cdf_from_one_quantile_is_a_step():
    cdf = cdf_from_quantiles(np.array([0.25]), np.array([-1.0, 0.2, 0.3, 1.0]))
    np.testing.assert_allclose(cdf, [0, 0, 1, 1])


def test_empty_bins_at_both_ends_may_be_left_out(rng):
    masses = np.zeros((3, 40))
    masses[:, 7:-7] = rng.random((3, 26))
    np.testing.assert_array_equal(quantiles(masses[:, 7:-7], 9, 7), quantiles(masses, 9))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_very_many_levels(dtype):
    result = quantiles(np.ones((1, 4), dtype), 2_000_000)[0]
    np.testing.assert_allclose(result, np.linspace(-1, 1, 2_000_002)[1:-1], atol=1e-6)
