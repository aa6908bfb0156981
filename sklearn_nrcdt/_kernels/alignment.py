"""Distances between functions on a circle at the best rotation, all rotations at once."""

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

# Numbers that the correlations of one block of pairs may hold.
BLOCK_ELEMENTS = 2**22
# Rotations are tried at this multiple of the number of angles; between the angles, the
# correlation is a trigonometric polynomial.
OVERSAMPLING = 2


def best_rotation_distances(X, Y, n_angles, mirror):
    """Root mean square differences of all pairs, minimised over rotations of the circle.

    Parameters
    ----------
    X, Y : ndarray of shape (n_samples, n_angles * n_channels)
        Functions of the angle, angle-major.
    n_angles : int
    mirror : bool
        Whether the mirror image is tried too.

    Returns
    -------
    distances : ndarray of shape (n_samples_X, n_samples_Y)
    """
    spectra_y, power_y = _spectra(Y, n_angles)
    distances = np.empty((len(X), len(Y)))
    n_rotations = next_fast_len(OVERSAMPLING * n_angles, real=True)
    side = max(1, int(np.sqrt(BLOCK_ELEMENTS / (2 * n_rotations))))
    for i in range(0, len(X), side):
        some_x = slice(i, i + side)
        spectra_x, power_x = _spectra(X[some_x], n_angles)
        for j in range(0, len(Y), side):
            some_y = slice(j, j + side)
            other = spectra_y[:, some_y].transpose(0, 2, 1)
            best = _best_correlation(spectra_x @ other.conj(), n_angles, n_rotations)
            if mirror:
                mirrored = _best_correlation(spectra_x @ other, n_angles, n_rotations)
                best = np.maximum(best, mirrored)
            squares = power_x[:, None] + power_y[some_y] - 2 * best
            distances[some_x, some_y] = np.sqrt(np.maximum(squares, 0) / X.shape[1])
    return distances


def _spectra(X, n_angles):
    """Fourier coefficients along the angles, (frequency, sample, level), and squared norms."""
    spectra = rfft(X.reshape(len(X), n_angles, -1), axis=1)
    return np.ascontiguousarray(spectra.transpose(1, 0, 2)), np.square(X).sum(axis=1)


def _best_correlation(products, n_angles, n_rotations):
    """Largest correlation over all rotations, from its Fourier coefficients."""
    products = products.transpose(1, 2, 0)
    if n_angles % 2 == 0 and n_rotations > n_angles:
        # On the finer grid, the highest frequency is one of two.
        products[:, :, -1] /= 2
    correlation = irfft(products, n_rotations, axis=2)
    return correlation.max(axis=2) * (n_rotations / n_angles)
