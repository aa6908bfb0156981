"""Normalization, R-CDT -> NR-CDT, and its maximum and mean over the angles.

Quantile functions are of shape (n, n_directions, n_quantiles), one direction for each line
through the origin. The opposite direction has the quantile function ``-Q(1 - t)``.
"""

import numpy as np

from sklearn_nrcdt._kernels.radon import n_directions


def normalize(quantiles: np.ndarray) -> np.ndarray:
    """Return quantile functions of zero mean and unit standard deviation over the levels.

    A constant function (one level only, or a blank image) becomes zero.
    """
    centered = quantiles - quantiles.mean(axis=-1, keepdims=True)
    std = np.sqrt(np.einsum("...t,...t->...", centered, centered) / quantiles.shape[-1])
    # Far above the rounding of a constant function, far below the deviation of a pixel.
    centered /= np.where(std > 1e-14, std, np.inf)[..., None]
    return centered


def unfold(half: np.ndarray, n_angles: int) -> np.ndarray:
    """Quantile functions at all angles ``2 pi k / n_angles``, from those of the lines."""
    line, opposite = _lines_of_angles(n_angles)
    full = half[:, line]
    full[:, opposite] = -full[:, opposite, ::-1]
    return full


def fold(full: np.ndarray) -> np.ndarray:
    """Quantile functions of the lines, from all angles of one image: the inverse of `unfold`."""
    line, opposite = _lines_of_angles(len(full))
    _, first = np.unique(line, return_index=True)
    return np.where(opposite[first, None], -full[first, ::-1], full[first])


def _lines_of_angles(n_angles):
    """Which line each angle sees, and whether from the opposite side."""
    n_lines = n_directions(n_angles)
    turns, line = np.divmod(2 * np.arange(n_angles) * n_lines // n_angles, n_lines)
    return line, turns % 2 == 1


def relative_variances(quantiles: np.ndarray) -> np.ndarray:
    """Variances over the levels, (n, n_directions), relative to the largest of an image's lines.

    Kept above 1e-12; 1 for an image whose functions are all constant.
    """
    variances = quantiles.var(axis=-1)
    largest = variances.max(axis=1, keepdims=True)
    relative = np.divide(variances, largest, out=np.ones_like(variances), where=largest > 0)
    return np.maximum(relative, 1e-12)


def precision_weights(quantiles: np.ndarray) -> np.ndarray:
    """Weights of the lines, (n, n_directions), inverse to the variances, of sum 1.

    An affine map of the image changes these weights as it stretches the circle of directions,
    so that every weighted average over the angles is affine-invariant.
    """
    weights = 1 / relative_variances(quantiles)
    return weights / weights.sum(axis=1, keepdims=True)


def max_over_angles(half: np.ndarray, n_angles: int) -> np.ndarray:
    """Maximum over the angles of the full circle, for each level."""
    if n_angles % 2:
        return unfold(half, n_angles).max(axis=1)
    return np.maximum(half.max(axis=1), -half.min(axis=1)[:, ::-1])


def mean_over_angles(half: np.ndarray, n_angles: int, weights=None) -> np.ndarray:
    """Mean over the angles of the full circle, for each level; odd for even n_angles.

    The weights of the lines, of shape (n, n_directions), count for both their sides.
    """
    if weights is None:
        weights = np.full(half.shape[:2], 1 / half.shape[1])
    if n_angles % 2:
        half, weights = unfold(half, n_angles), weights[:, _lines_of_angles(n_angles)[0]]
    mean = np.einsum("nm,nmt->nt", weights, half)
    return mean if n_angles % 2 else (mean - mean[:, ::-1]) / 2
