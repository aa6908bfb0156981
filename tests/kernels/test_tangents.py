"""Gradients, tangent windows and harmonics against their definitions, written out."""

import numpy as np
import pytest

from sklearn_nrcdt._kernels.tangents import WINDOWS, gradients, tangent_harmonics

N_CELLS, WIDTH = 24, 0.4


@pytest.fixture
def cells(rng):
    image = np.zeros((3, N_CELLS, N_CELLS), np.float32)
    image[:, 5:19, 6:20] = rng.random((3, 14, 14))
    return image


def places():
    centers = (np.arange(N_CELLS) + 0.5) * 6.4 / N_CELLS - 3.2
    return np.meshgrid(centers, -centers)


def test_gradients_are_those_of_a_sum_of_gaussians(cells):
    gx, gy = gradients(cells, WIDTH)
    x, y = places()
    expected = np.zeros((2, N_CELLS, N_CELLS))
    for i, j in np.ndindex(N_CELLS, N_CELLS):
        dx, dy = x - x[i, j], y - y[i, j]
        bump = cells[0, i, j] * np.exp(-(dx**2 + dy**2) / (2 * WIDTH**2))
        expected += [-dx / WIDTH**2 * bump, -dy / WIDTH**2 * bump]
    np.testing.assert_allclose(gx[0], expected[0], atol=1e-4)
    np.testing.assert_allclose(gy[0], expected[1], atol=1e-4)


def test_there_are_29_windows():
    assert len(WINDOWS) == 29
    assert (np.square(WINDOWS).sum(axis=1) <= 9).all()


def definition(gx, gy):
    """Harmonics of one image, (order, i, j): sums over all places, and float64."""
    x, y = places()
    g = np.hypot(gx, gy)
    rho = np.sqrt((g**4).sum() / (g**2).sum())
    seen = g > 0.01 * g.max()
    least = 0.01 * g.max()
    x, y, gx, gy, g = (values[seen] for values in (x, y, gx, gy, g))
    nx, ny = gx / g, gy / g
    weight = (g - least) / (g + 0.3 * rho)
    s, t = x * nx + y * ny, y * nx - x * ny
    z = (x - 1j * y) / np.sqrt(x**2 + y**2 + 0.01)
    totals = {}
    for k in range(8):
        for i, j in WINDOWS.tolist():
            window = np.exp(-2 * ((s - 0.8 * i) ** 2 + (t - 0.8 * j) ** 2))
            totals[k, i, j] = (weight * window * z**k).sum()
    norm = np.sqrt(sum((1 if k == 0 else 2) * abs(v) ** 2 for (k, _, _), v in totals.items()))
    return {key: v / norm * np.exp(-((0.24 * key[0]) ** 2) / 2) for key, v in totals.items()}


def test_harmonics_are_sums_over_places(cells):
    gx, gy = gradients(cells, WIDTH)
    result = tangent_harmonics(gx, gy)
    assert result.shape == (3, 8, 29)
    expected = definition(gx[1].astype(float), gy[1].astype(float))
    for channel, (i, j) in enumerate(WINDOWS.tolist()):
        for k in range(8):
            # Even in j: the sum of both windows; odd: i times the difference.
            one, other = expected[k, i, abs(j)], expected[k, i, -abs(j)]
            mixed = one if j == 0 else (one + other if j > 0 else 1j * (one - other)) / np.sqrt(2)
            np.testing.assert_allclose(result[1, k, channel], mixed, atol=1e-5)


def test_a_quarter_turn_is_a_phase_and_a_flip_conjugates(cells):
    before = tangent_harmonics(*gradients(cells, WIDTH))
    turned = tangent_harmonics(*gradients(np.rot90(cells, axes=(1, 2)), WIDTH))
    phase = (-1j) ** np.arange(8)[:, None]
    np.testing.assert_allclose(turned, phase * before, atol=1e-5)
    flipped = tangent_harmonics(*gradients(cells[:, ::-1], WIDTH))
    np.testing.assert_allclose(flipped, before.conj(), atol=1e-5)
    assert np.abs(before - before.conj()).max() > 0.01  # the images have no symmetry
