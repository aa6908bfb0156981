"""Harmonics and their products against their definitions, written out."""

import numpy as np
import pytest

from sklearn_nrcdt._kernels.circle import (
    cross_spectrum,
    harmonics,
    resample_whitened,
    whitened_angles,
)
from sklearn_nrcdt._kernels.normalize import normalize, precision_weights


@pytest.fixture
def quantiles(rng):
    """R-CDTs of six lines, of no symmetry."""
    return np.sort(rng.normal(size=(2, 6, 5)) * rng.uniform(1, 2, (2, 6, 1)), axis=2)


def test_harmonics_are_weighted_sums_over_the_whole_circle(quantiles):
    result = harmonics(quantiles, 4)
    assert result.shape == (2, 4, 3)
    weights, normalized = precision_weights(quantiles), normalize(quantiles)
    angles = whitened_angles(quantiles, np.pi * np.arange(6) / 6)
    for i, order, level in np.ndindex(2, 4, 3):
        total = 0
        for line in range(6):
            here = normalized[i, line, level]
            opposite = -normalized[i, line, 4 - level]
            phase, other = (np.exp(-1j * order * (angles[i, line] + a)) for a in (0, np.pi))
            total += weights[i, line] / 2 * (here * phase + opposite * other)
        np.testing.assert_allclose(result[i, order, level], total, atol=1e-14)


def hermitian(coefficients):
    """The matrices whose entries the features are."""
    matrices = []
    for order, values in enumerate(coefficients):
        norm = np.sqrt(np.mean(np.abs(values) ** 2))
        matrices.append(np.sqrt(1 + order) * np.outer(values, values.conj()) / norm)
    return np.array(matrices)


def test_distances_of_features_are_those_of_the_matrices(rng):
    coefficients = rng.normal(size=(2, 3, 4)) + 1j * rng.normal(size=(2, 3, 4))
    coefficients[:, 0] = coefficients[:, 0].real  # as for the harmonic of order 0
    features = cross_spectrum(coefficients, mirror=True)
    matrices = [hermitian(sample) for sample in coefficients]
    np.testing.assert_allclose(
        np.linalg.norm(features[0] - features[1]), np.linalg.norm(matrices[0] - matrices[1])
    )
    np.testing.assert_allclose(np.linalg.norm(features[0]), np.linalg.norm(matrices[0]))
    # Row by row: the first three products of order 0, then those of order 1.
    real = features[0, :30].reshape(3, 10)
    np.testing.assert_allclose(real[:, 0], matrices[0][:, 0, 0].real)
    np.testing.assert_allclose(real[:, 1], matrices[0][:, 0, 1].real * np.sqrt(2))
    np.testing.assert_allclose(features[0, 30], matrices[0][1, 0, 1].imag * np.sqrt(2))
    np.testing.assert_array_equal(cross_spectrum(coefficients, mirror=False), features[:, :30])


def test_a_vanishing_harmonic_gives_zeros(rng):
    coefficients = rng.normal(size=(1, 2, 3)) + 0j
    coefficients[:, 1] = 0
    features = cross_spectrum(coefficients, mirror=False)
    assert features[0, :6].all()
    assert not features[0, 6:].any()


def test_resampling_a_whitened_image_changes_nothing(rng):
    # Equal variances at all angles: the image is white already, up to rounding.
    quantiles = 3 * normalize(np.sort(rng.normal(size=(2, 6, 5)), axis=2)) + 0.2
    np.testing.assert_allclose(resample_whitened(quantiles), normalize(quantiles), atol=1e-9)
