"""Harmonics of the NR-CDT against their definition, written out."""

import numpy as np
import pytest

from sklearn_nrcdt._kernels.circle import nrcdt_harmonics, whitened_angles
from sklearn_nrcdt._kernels.normalize import normalize, precision_weights


@pytest.fixture
def quantiles(rng):
    """R-CDTs of six lines, of no symmetry."""
    return np.sort(rng.normal(size=(2, 6, 5)) * rng.uniform(1, 2, (2, 6, 1)), axis=2)


def test_harmonics_are_weighted_sums_over_the_whole_circle(quantiles):
    result = nrcdt_harmonics(quantiles, 4)
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
