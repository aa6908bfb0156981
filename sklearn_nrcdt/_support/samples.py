"""Pick a few samples, and name them in messages."""

import numpy as np

MAX_NAMED = 20


def spread(n, n_wanted):
    """Return up to `n_wanted` of n positions, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, n_wanted)).astype(np.intp))


def named(positions):
    """Return the first positions as text, for example "3, 5"."""
    more = ", ..." if len(positions) > MAX_NAMED else ""
    return ", ".join(map(str, positions[:MAX_NAMED])) + more
