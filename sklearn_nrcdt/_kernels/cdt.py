"""The cumulative distribution transform: masses in bins <-> quantile function.

The reference measure is uniform on [0, 1], so the transform of a 1-D probability
measure is its quantile function ``Q(t) = inf {s : F(s) > t}``, the paper's generalized
inverse. The distribution function is known at the bin edges and taken as linear between
them.
"""

from itertools import pairwise

import numpy as np

# Numbers per array that are worked on at a time.
CACHED_ELEMENTS = 2**18


def quantile_levels(n_quantiles: int) -> np.ndarray:
    """Return equispaced levels in the open interval (0, 1)."""
    return np.arange(1, n_quantiles + 1) / (n_quantiles + 1)


def quantiles(masses: np.ndarray, n_quantiles: int, n_trimmed: int = 0) -> np.ndarray:
    """Quantile functions of measures on [-1, 1].

    Parameters
    ----------
    masses : ndarray of shape (..., n_bins)
        Non-negative masses of equal bins, of any positive total.
    n_quantiles : int
        Number of levels.
    n_trimmed : int, default=0
        Number of empty bins that are left out at either end.

    Returns
    -------
    quantiles : ndarray of shape (..., n_quantiles), float64
        Values at `quantile_levels`. They never lie inside a gap of the measure.
    """
    *shape, n_bins = masses.shape
    cdf = _cumulate(masses.T.reshape(n_bins, -1))
    # Level j is reached where F * (n_quantiles + 1) exceeds j. A level that a flat part of F
    # meets up to rounding belongs to the right end of that part, whatever the rounding did.
    rounding = (1e-6 if masses.dtype == np.float32 else 1e-12) * (n_quantiles + 1)
    rounding = min(rounding, 0.5)  # with very many levels: the last one stays below the end
    cdf *= (n_quantiles + 1) / cdf[-1]
    cdf -= rounding
    levels = np.arange(1.0, n_quantiles + 1) - rounding
    n_rows = cdf.shape[1]
    result = np.empty((n_rows, n_quantiles))
    # A few rows at a time, so that what is computed on the way stays in the cache.
    size = max(1, CACHED_ELEMENTS // n_bins)
    for start in range(0, n_rows, size):
        rows = slice(start, start + size)
        result[rows] = _invert(np.ascontiguousarray(cdf[:, rows].T), levels, n_trimmed)
    result *= 2 / (n_bins + 2 * n_trimmed)
    result -= 1
    # The transposed masses had all axes in reverse.
    result = result.reshape(*shape[::-1], n_quantiles)
    return np.ascontiguousarray(np.moveaxis(result.T, 0, -1))


def _cumulate(masses):
    """Add up masses, of shape (n_bins, n_rows), from one end of the bins to the other."""
    n_bins, n_rows = masses.shape
    # Rows a little longer than needed: with strides of a power of two, what is read in
    # succession when the array is transposed would share a few places of the cache.
    cdf = np.empty((n_bins + 1, n_rows + 8))[:, :n_rows]
    cdf[0] = 0
    cdf[1:] = masses
    # All rows at a time: along a row, each sum would have to wait for the one before.
    for lower, upper in pairwise(cdf):
        upper += lower
    return cdf


def _invert(cdf, levels, n_trimmed):
    """Return where functions at the edges of bins reach levels, in bins from -1 on."""
    n_rows, n_edges = cdf.shape
    cdf = cdf.ravel()
    # How many levels lie in each bin; from the end of a row to the next one it goes down.
    rises = np.diff(cdf.astype(np.int32))
    filled = np.flatnonzero(rises > 0)
    edges = np.repeat(filled, rises.take(filled)).reshape(n_rows, len(levels))
    lower, width = cdf.take(edges), cdf[1:].take(edges)
    width -= lower
    within = np.subtract(levels, lower, out=lower)
    within /= width
    # The clip undoes what `rounding` may shift across an edge.
    np.clip(within, 0, 1, out=within)
    edges -= np.arange(-n_trimmed, cdf.size - n_trimmed, n_edges)[:, None]
    within += edges
    return within


def cdf_from_quantiles(quantiles: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Distribution function at points, from one quantile function.

    Linear between the levels; beyond the first and the last one the function goes on as
    between its neighbours, since the levels do not reach 0 and 1.

    Parameters
    ----------
    quantiles : ndarray of shape (n_quantiles,)
        Values at `quantile_levels`; sorted first, so that any mean of quantile
        functions or any noisy one can be given.
    points : ndarray of shape (n_points,)

    Returns
    -------
    cdf : ndarray of shape (n_points,)
    """
    quantiles = np.sort(quantiles)
    ends = 2 * quantiles[[0, -1]] - quantiles[[1, -2]] if len(quantiles) > 1 else quantiles[[0, 0]]
    support = np.concatenate([ends[:1], quantiles, ends[1:]])
    return np.interp(points, support, np.linspace(0, 1, len(support)), left=0, right=1)
