"""Distances between functions on a circle at the best rotation, all rotations at once."""

import numpy as np

from sklearn_nrcdt._kernels.circle import N_ROTATIONS, best_correlation, from_circle

# Numbers that the correlations of one block of pairs may hold.
BLOCK_ELEMENTS = 2**21


def best_rotation_distances(X, Y, mirror):
    """Distances of all pairs, minimised over rotations of the circle.

    Parameters
    ----------
    X, Y : ndarray of shape (n_samples, 2 * N_ORDERS * n_channels)
        Rows from `to_circle`.
    mirror : bool
        Whether the mirror image is tried too.

    Returns
    -------
    distances : ndarray of shape (n_samples_X, n_samples_Y)
    """
    distances = np.empty((len(X), len(Y)))
    side = max(1, int(np.sqrt(BLOCK_ELEMENTS / N_ROTATIONS)))
    for i in range(0, len(X), side):
        for j in range(0, len(Y), side):
            block = _block(X[i : i + side], Y[j : j + side], mirror)
            distances[i : i + side, j : j + side] = block
    return distances


def _block(X, Y, mirror):
    squares = np.square(X).sum(axis=1)[:, None] + np.square(Y).sum(axis=1)
    # Orders first: one product of matrices for each.
    X, Y = from_circle(X).transpose(1, 0, 2), from_circle(Y).transpose(1, 2, 0)
    best = best_correlation(np.moveaxis(X @ Y.conj(), 0, -1))
    if mirror:
        best = np.maximum(best, best_correlation(np.moveaxis(X @ Y, 0, -1)))
    return np.sqrt(np.maximum(squares - 2 * best, 0))
