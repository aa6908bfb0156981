"""Pick a few samples, and name them in messages."""

import numpy as np

MAX_NAMED = 20


def evenly_spaced(n, n_wanted):
    """Return up to `n_wanted` of n positions, evenly spaced."""
    return np.unique(np.linspace(0, n - 1, min(n, n_wanted)).astype(np.intp))


def some_of_each(order, codes, most):
    """Return up to so many of the samples, in this order, evenly spaced within each class."""
    codes = codes[order]
    counts = np.bincount(codes)
    share = max(1, most // len(counts))
    rank = np.arange(len(codes)) - (np.cumsum(counts) - counts)[codes]
    count = counts[codes]
    return order[rank * share // count != (rank - 1) * share // count]


def first_few(positions):
    """Return the first positions as text, for example "3, 5"."""
    more = ", ..." if len(positions) > MAX_NAMED else ""
    return ", ".join(map(str, positions[:MAX_NAMED])) + more
