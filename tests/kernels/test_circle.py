"""What is left of functions on a circle, against definitions written out."""

import itertools
import tracemalloc

import numpy as np
import pytest

import sklearn_nrcdt._kernels.circle as circle
from sklearn_nrcdt._kernels.circle import (
    N_ORDERS,
    best_correlation,
    best_rotation_distances,
    circle_labels,
    cross_spectrum,
    cross_spectrum_labels,
    from_circle,
    to_circle,
)

ANGLES = 2 * np.pi * np.arange(720) / 720


@pytest.fixture
def harmonics(rng):
    """Harmonics of real functions with three channels."""
    values = rng.normal(size=(2, 5, N_ORDERS, 3)) * 0.7 ** np.arange(N_ORDERS)[:, None]
    values[1, :, 0] = 0
    return values[0] + 1j * values[1]


def functions(coefficients, angle=0.0):
    """Values at many angles, (n, n_angles, n_channels), of functions turned by an angle."""
    order = np.arange(N_ORDERS)
    waves = np.exp(1j * np.outer(ANGLES - angle, order)) * np.where(order, 2, 1)
    return np.einsum("ak,nkc->nac", waves, coefficients).real


def turned(coefficients, angle):
    return coefficients * np.exp(-1j * angle * np.arange(N_ORDERS))[:, None]


def test_distances_of_spectra_are_those_of_the_matrices(harmonics):
    matrices = np.einsum("nki,nkj->nkij", harmonics, harmonics.conj())
    matrices /= np.linalg.norm(harmonics, axis=2)[:, :, None, None]
    real, imaginary = cross_spectrum(harmonics)
    features = np.concatenate([real.reshape(5, -1), imaginary.reshape(5, -1)], axis=1)
    for i, j in np.ndindex(5, 5):
        expected = np.linalg.norm(matrices[i] - matrices[j])
        np.testing.assert_allclose(np.linalg.norm(features[i] - features[j]), expected, atol=1e-12)
    np.testing.assert_allclose(real[0, 2, 0], matrices[0, 2, 0, 0].real)
    np.testing.assert_allclose(imaginary[0, 2, 0], matrices[0, 2, 0, 1].imag * np.sqrt(2))


def test_spectra_are_invariant_and_tell_mirror_images_apart(harmonics):
    before, after = cross_spectrum(harmonics), cross_spectrum(turned(harmonics, 0.7))
    np.testing.assert_allclose(after[0], before[0], atol=1e-12)
    np.testing.assert_allclose(after[1], before[1], atol=1e-12)
    mirrored = cross_spectrum(harmonics.conj())
    np.testing.assert_allclose(mirrored[0], before[0], atol=1e-12)
    np.testing.assert_allclose(mirrored[1], -before[1], atol=1e-12)
    assert np.abs(before[1][:, 1:]).max() > 0.1


def test_a_vanishing_harmonic_gives_zeros(harmonics):
    harmonics[:, 1] = 0
    real, imaginary = cross_spectrum(harmonics)
    assert not real[:, 1].any()
    assert not imaginary[:, 1].any()
    assert real[:, 2].all()


def test_labels_name_all_features():
    real, imaginary = cross_spectrum_labels([1, 2], ["a", "b", "c"])
    assert real[:3] == ["re1_a_a", "re1_a_b", "re1_a_c"]
    assert len(set(real)) == 12
    assert imaginary == ["im1_a_b", "im1_a_c", "im1_b_c", "im2_a_b", "im2_a_c", "im2_b_c"]
    assert circle_labels(["a", "b"])[:4] == ["re0_a", "re0_b", "im0_a", "im0_b"]


def test_rows_of_the_circle_have_the_norm_of_the_functions(harmonics):
    rows = to_circle(harmonics)
    assert rows.shape == (5, 2 * N_ORDERS * 3)
    expected = np.sqrt(np.square(functions(harmonics)).mean(axis=1).sum(axis=1))
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), expected)
    scaled = from_circle(rows)
    np.testing.assert_allclose(scaled[:, 0], harmonics[:, 0])
    np.testing.assert_allclose(scaled[:, 1:], np.sqrt(2) * harmonics[:, 1:])


def test_distances_agree_with_trying_all_rotations(harmonics, monkeypatch):
    monkeypatch.setattr(circle, "BLOCK_ELEMENTS", 400)  # many blocks
    harmonics = harmonics[:3]
    X, Y = to_circle(harmonics), to_circle(harmonics[::-1][:2] * 0.8)
    for mirror in (False, True):
        result = best_rotation_distances(X, Y, mirror)
        images = [harmonics, harmonics.conj()] if mirror else [harmonics]
        tried = np.full((3, 2), np.inf)
        others = functions(harmonics[::-1][:2] * 0.8)
        for values, steps in itertools.product(map(functions, images), range(len(ANGLES))):
            differences = np.roll(values, steps, axis=1)[:, None] - others
            tried = np.minimum(tried, np.square(differences).mean(axis=2).sum(axis=2))
        # Half a degree between the tries leaves them a little larger than the minimum.
        np.testing.assert_allclose(result, np.sqrt(tried), rtol=2e-4)
        assert (result <= np.sqrt(tried) + 1e-9).all()


def test_rotations_between_those_tried_are_found(harmonics):
    for angle in (0.01, 0.049, 1.2345):
        distances = best_rotation_distances(
            to_circle(harmonics), to_circle(turned(harmonics, angle)), False
        )
        assert np.diag(distances).max() < 2e-3 * np.linalg.norm(to_circle(harmonics), axis=1).min()


def test_correlation_of_one_order_is_its_modulus(rng):
    products = np.zeros((4, N_ORDERS), complex)
    products[range(4), [1, 2, 3, 7]] = rng.normal(size=4) + 1j * rng.normal(size=4)
    np.testing.assert_allclose(best_correlation(products), np.abs(products).sum(axis=1), rtol=1e-5)


def test_one_row_against_many_needs_memory_for_blocks_only(rng):
    rows = rng.normal(size=(6000, 2 * N_ORDERS * 29))
    tracemalloc.start()
    distances = best_rotation_distances(rows[:1], rows, mirror=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert distances.shape == (1, 6000)
    assert peak < 2e7
