"""The cumulative distribution transform: masses in bins <-> quantile function.

The quantile function is the paper's generalized inverse ``Q(t) = inf {s : F(s) > t}``. The
distribution function is known at the bin edges and taken as linear between them.

A quantile function is kept as n numbers of one of two kinds. "means" are its means over cells:
[0, 1] is divided into n + 2 equal cells, and the first and the last, which hold the outliers, are
dropped. Means depend continuously on the measure. "points" are values at single levels, as in the
paper: they jump when a gap of the measure meets a level.
"""

from itertools import pairwise

import numpy as np

# Rows for which a loop over the bins takes longer than their sums: those of a single image.
FEW_ROWS = 128


def quantile_levels(n_quantiles: int, kind: str = "means") -> np.ndarray:
    """Return the midpoints of the cells for "means", the levels themselves for "points"."""
    if kind == "means":
        return (np.arange(n_quantiles) + 1.5) / (n_quantiles + 2)
    return np.arange(1, n_quantiles + 1) / (n_quantiles + 1)


def quantiles(
    masses: np.ndarray, n_quantiles: int, n_trimmed: int = 0, kind: str = "means"
) -> np.ndarray:
    """Quantile functions, (..., n_quantiles) in float64, of measures on [-1, 1].

    The masses of equal bins, (..., n_bins), of any total, lack `n_trimmed` empty bins at each end.
    Where a gap meets a level, "points" give its middle: so the mirrored measure has minus the
    function in reverse order.
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
    bins, above, within, shift = _bins_of_levels(cdf, levels, n_trimmed)
    integrals = (within + 1) * above / 2 - sums.T.ravel().take(bins)
    integrals += (bins + (shift - 0.5)) * levels
    return np.diff(integrals, axis=1)


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
    bins, _, within, shift = _bins_of_levels(cdf, levels, n_trimmed)
    # The clip undoes what `rounding` may shift across an edge.
    return np.clip(within, 0, 1, out=within) + (bins + shift)


def _cumulate(masses):
    """Add up masses, of shape (n_bins, n_rows), from one end of the bins to the other."""
    n_bins, n_rows = masses.shape
    # Rows a little longer than needed: with strides of a power of two, successive reads of the
    # transposed array would compete for the same few cache lines.
    cdf = np.empty((n_bins + 1, n_rows + 8))[:, :n_rows]
    cdf[0] = 0
    cdf[1:] = masses
    if n_rows <= FEW_ROWS:
        return np.cumsum(cdf, axis=0, out=cdf)
    # All rows at a time: along a row, each sum would have to wait for the one before.
    for lower, upper in pairwise(cdf):
        upper += lower
    return cdf


def _bins_of_levels(cdf, levels, n_trimmed):
    """Find the bins in which functions at the edges, of shape (n_edges, n_rows), reach levels.

    The levels are the whole numbers between the ends of every function, or slightly less. Returns,
    all (n_rows, n_levels), the bins, counted through all rows, and how far a level is above the
    lower edge of its bin, also as a share of the bin; and what to add to the bins to count from the
    first bin of a row that is not trimmed, (n_rows, 1).
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
    """Distribution function at points, from one quantile function, which may be noisy.

    Linear between the levels, and extrapolated linearly beyond the first and the last one.
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
