"""When a value of the paper agrees with ours.

A published value is one draw, and each of our seeds is another. With n seeds of mean m and standard
deviation s, a further draw falls with a probability of 95 % between m - h and m + h, where
h = t s sqrt(1 + 1 / n) and t is Student's quantile. Few seeds, or seeds that all give 1.0, say
little about the spread, so the interval is at least as wide as the binomial error of the paper's
own predictions: if k of N of ours were right, the number among its n is beta-binomial.
"""

import numpy as np
from scipy.stats import betabinom, t

# The paper has four digits, some of them cut off instead of rounded.
LAST_DIGIT = 1e-4
MANY = 2000


def interval(values, n_predictions):
    """Two-sided 95 % interval for the value of a further data set with `n_predictions`."""
    values = np.asarray(values, dtype=float)
    n_seeds, mean = len(values), values.mean()
    total = n_seeds * n_predictions
    low, high = _binomial(mean * total, total, n_predictions)
    if n_seeds > 1:
        half = t.ppf(0.975, n_seeds - 1) * values.std(ddof=1) * np.sqrt(1 + 1 / n_seeds)
        low, high = min(low, mean - half), max(high, mean + half)
    return max(low, 0.0), min(high, 1.0)


def _binomial(right, total, n_predictions):
    """95 % interval for the share among `n_predictions` if `right` of `total` were right."""
    if n_predictions <= MANY:
        further = betabinom(n_predictions, right + 0.5, total - right + 0.5)
        return tuple(bound / n_predictions for bound in further.interval(0.95))
    # The same mean and variance, without a search through all counts.
    share = (right + 0.5) / (total + 1)
    half = 1.96 * np.sqrt(share * (1 - share) * (1 / n_predictions + 1 / total))
    return share - half, share + half


def agrees(paper, low, high):
    """Whether a published value lies in an interval, up to its last digit."""
    return low - LAST_DIGIT <= float(paper) <= high + LAST_DIGIT
