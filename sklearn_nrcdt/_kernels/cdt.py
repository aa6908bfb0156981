"""The cumulative distribution transform: masses in bins <-> quantile function.

The reference measure is uniform on [0, 1], so the transform of a 1-D probability
measure is its quantile function ``Q(t) = inf {s : F(s) > t}``, the paper's generalized
inverse. The distribution function is known at the bin edges and taken as linear between
them.

A quantile function is kept as n numbers of one of two kinds. "means" are its means over cells:
[0, 1] is divided into n + 2 equal cells, and the first and the last, which hold the outliers, are
dropped. Means depend continuously on the measure. "points" are values at single levels, as in the
paper: they jump when a gap of the measure meets a level.
"""

from itertools import pairwise

import numpy as np

# Elements per array and batch, so that intermediate arrays stay in the cache.
CACHED_ELEMENTS = 2**18


def quantile_levels(n_quantiles: int, kind: str = "means") -> np.ndarray:
    """Return equispaced levels in the open interval (0, 1).

    For "means" the midpoints of the cells, for "points" the levels ``j / (n_quantiles + 1)``.
    """
    if kind == "means":
        return (np.arange(n_quantiles) + 1.5) / (n_quantiles + 2)
    return np.arange(1, n_quantiles + 1) / (n_quantiles + 1)


def quantiles(
    masses: np.ndarray, n_quantiles: int, n_trimmed: int = 0, kind: str = "means"
) -> np.ndarray:
    """Quantile functions of measures on [-1, 1].

    The mirrored measure has minus the function in reverse order, also where a gap meets a
    level: there, "points" give the middle of the gap.

    Parameters
    ----------
    masses : ndarray of shape (..., n_bins)
        Non-negative masses of equal bins, of any positive total.
    n_quantiles : int
        Number of levels.
    n_trimmed : int, default=0
        Number of empty bins that `masses` lacks at each end.
    kind : {"means", "points"}, default="means"
        Means of the function over cells around `quantile_levels`, or values there.

    Returns
    -------
    quantiles : ndarray of shape (..., n_quantiles), float64
        Not decreasing, up to rounding.
    """
    shape, n_bins = masses.shape[:-1], masses.shape[-1] + 2 * n_trimmed
    columns = masses.T.reshape(masses.shape[-1], -1)
    # In bins, counted from -1. Bins that are left out are counted, so that trimming changes
    # nothing, not even the rounding.
    if kind == "means":
        result = _cell_means(columns, n_quantiles + 2, n_trimmed)
    else:
        # Right and left ends of gaps, the latter seen from the other side.
        right, left = (_reached(side, n_quantiles, n_trimmed) for side in (columns, columns[::-1]))
        result = (right - left[:, ::-1] + n_bins) / 2
    result *= 2 / n_bins
    result -= 1
    # The transposed masses had all axes in reverse.
    result = result.reshape(*shape[::-1], n_quantiles)
    return np.ascontiguousarray(np.moveaxis(result.T, 0, -1))


def _cell_means(masses, n_cells, n_trimmed):
    """Return means of quantile functions over equal cells but the first and the last, in bins.

    The integral of Q up to the level t is t Q(t) minus that of F up to Q(t).
    """
    cdf = _cumulate(masses)
    # In units of cells, whose ends are whole numbers. The last one is not reached.
    cdf *= n_cells * (1 - 1e-15) / cdf[-1]
    sums = _cumulate(cdf[:-1])
    levels = np.arange(1.0, n_cells)
    means = np.empty((cdf.shape[1], n_cells - 2))
    for rows in _batches(cdf):
        bins, above, within, shift = _bins_of_levels(cdf[:, rows], levels, n_trimmed)
        integrals = within
        integrals += 1
        integrals *= above
        integrals /= 2
        integrals -= sums[:, rows].T.ravel().take(bins)
        np.add(bins, shift - 0.5, out=above)
        above *= levels
        integrals += above
        np.subtract(integrals[:, 1:], integrals[:, :-1], out=means[rows])
    return means


def _reached(masses, n_quantiles, n_trimmed):
    """Return where distribution functions exceed levels, in bins."""
    cdf = _cumulate(masses)
    # A level that a flat part meets up to rounding belongs to the right end of that part,
    # whatever the rounding did.
    rounding = (1e-6 if masses.dtype == np.float32 else 1e-12) * (n_quantiles + 1)
    rounding = min(rounding, 0.5)  # with very many levels: the last one stays below the end
    cdf *= (n_quantiles + 1) / cdf[-1]
    cdf -= rounding
    levels = np.arange(1.0, n_quantiles + 1) - rounding
    result = np.empty((cdf.shape[1], n_quantiles))
    for rows in _batches(cdf):
        bins, _, within, shift = _bins_of_levels(cdf[:, rows], levels, n_trimmed)
        # The clip undoes what `rounding` may shift across an edge.
        np.clip(within, 0, 1, out=within)
        bins += shift
        np.add(within, bins, out=result[rows])
    return result


def _batches(cdf):
    """Yield slices of a few columns each."""
    size = max(1, CACHED_ELEMENTS // len(cdf))
    for start in range(0, cdf.shape[1], size):
        yield slice(start, start + size)


def _cumulate(masses):
    """Add up masses, of shape (n_bins, n_rows), from one end of the bins to the other."""
    n_bins, n_rows = masses.shape
    # Rows a little longer than needed: with strides of a power of two, successive reads of the
    # transposed array would compete for the same few cache lines.
    cdf = np.empty((n_bins + 1, n_rows + 8))[:, :n_rows]
    cdf[0] = 0
    cdf[1:] = masses
    # All rows at a time: along a row, each sum would have to wait for the one before.
    for lower, upper in pairwise(cdf):
        upper += lower
    return cdf


def _bins_of_levels(cdf, levels, n_trimmed):
    """Find the bins in which functions at the edges, of shape (n_edges, n_rows), reach levels.

    The levels are the whole numbers between the ends of every function, or slightly less.

    Returns
    -------
    bins : ndarray of shape (n_rows, n_levels)
        Counted through all rows.
    above, within : ndarray of shape (n_rows, n_levels)
        How far each level is above the lower edge of its bin, and that as a share of the bin.
    shift : ndarray of shape (n_rows, 1)
        What to add to `bins` to count from the first bin of a row that is not trimmed.
    """
    n_edges, n_rows = cdf.shape
    cdf = cdf.T.ravel()
    # How many levels lie in each bin; negative from the end of a row to the next one.
    rises = np.diff(cdf.astype(np.int32))
    filled = np.flatnonzero(rises > 0)
    bins = np.repeat(filled, rises.take(filled)).reshape(n_rows, len(levels))
    lower, width = cdf.take(bins), cdf[1:].take(bins)
    width -= lower
    above = np.subtract(levels, lower, out=lower)
    within = np.divide(above, width, out=width)
    return bins, above, within, np.arange(n_trimmed, n_trimmed - cdf.size, -n_edges)[:, None]


def cdf_from_quantiles(
    quantiles: np.ndarray, points: np.ndarray, kind: str = "means"
) -> np.ndarray:
    """Distribution function at points, from one quantile function.

    Linear between the levels, and extrapolated linearly beyond the first and the last one,
    since the levels do not reach 0 and 1.

    Parameters
    ----------
    quantiles : ndarray of shape (n_quantiles,)
        Values at `quantile_levels`. They are sorted first, so that noisy functions are
        accepted.
    points : ndarray of shape (n_points,)
    kind : {"means", "points"}, default="means"
        Which levels the values belong to.

    Returns
    -------
    cdf : ndarray of shape (n_points,)
    """
    quantiles = np.sort(quantiles)
    levels = quantile_levels(len(quantiles), kind)
    if len(quantiles) > 1:
        # The distance from the outer levels to 0 and to 1, in steps between levels.
        rest = levels[0] / (levels[1] - levels[0])
        before = quantiles[0] - rest * (quantiles[1] - quantiles[0])
        after = quantiles[-1] + rest * (quantiles[-1] - quantiles[-2])
    else:
        before = after = quantiles[0]
    support = np.concatenate([[before], quantiles, [after]])
    return np.interp(points, support, np.concatenate([[0], levels, [1]]), left=0, right=1)
