"""Probabilities of classes from distances, and their exponent from samples that are held out."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

# Exponent of the probabilities if no class has two samples to learn it from.
USUAL_EXPONENT = 4.0
# Exponents that may be learned, as logarithms.
EXPONENTS = (-3, 5)
# Distances below this share of a sample's largest one count as equal.
NEGLIGIBLE = 1e-6
# Features that tell most samples apart.
N_HASHED = 64
# Wrong classes that count one by one when the exponent is learned; others count together.
N_WRONG = 1000


def probabilities(distances, exponent):
    """Probabilities of the classes, proportional to ``distances ** -exponent``."""
    logs = _log_distances(distances)
    nearest = distances.min(axis=1, keepdims=True)
    weights = np.exp(exponent * (logs.min(axis=1, keepdims=True) - logs))
    # Rounding must not create a tie, which would go to the first class.
    eps = np.finfo(np.float64).eps
    weights = np.where(distances > nearest, np.minimum(weights, 1 - 4 * eps), weights)
    return weights / weights.sum(axis=1, keepdims=True)


def order_by_content(X, codes):
    """Return positions ordered by class (codes from 0), then by chance, and ranks within classes.

    Which samples are held out must not depend on the order in which they were given.
    """
    hashes = _hashes(X[:, :N_HASHED])
    # Samples that are equal so far differ in what follows, or do not matter.
    later = _hashes(X) if len(np.unique(hashes)) < len(X) else hashes
    order = np.lexsort((later, hashes, codes))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(codes)) - np.searchsorted(codes[order], codes[order])
    return order, rank


def _hashes(X):
    """Return a random number for each row of X, a function of its values."""
    factors = np.random.RandomState(0).randint(2**63, size=X.shape[1], dtype=np.uint64)
    hashes = np.empty(len(X), np.uint64)
    size = max(1, 2**16 // X.shape[1])
    for start in range(0, len(X), size):
        part = slice(start, start + size)
        # Adding zero makes -0.0 and 0.0 the same number.
        bits = np.add(X[part], 0.0, dtype=np.float64).view(np.uint64)
        hashes[part] = ((bits ^ (bits >> 32)) * (2 * factors + 1)).sum(axis=1)
    return hashes


def probe_logs(distances, codes):
    """Return what `learn_exponent` needs to know of held-out samples, (n_probes, n_columns).

    The logarithms of their distances to the right class and to wrong ones, the nearest one first,
    and the mean of those to wrong ones beyond `N_WRONG`.
    """
    logs = _log_distances(distances)
    n, n_classes = logs.shape
    is_right = codes[:, None] == np.arange(n_classes)
    right, wrong = logs[is_right].reshape(n, 1), logs[~is_right].reshape(n, n_classes - 1)
    if n_classes - 1 > N_WRONG:
        wrong.partition(N_WRONG, axis=1)
        rest = wrong[:, N_WRONG:].mean(axis=1, keepdims=True)
        wrong = np.concatenate([wrong[:, :N_WRONG], rest], axis=1)
    wrong.sort(axis=1)
    return np.concatenate([right, wrong], axis=1)


def learn_exponent(logs, n_classes):
    """Return the exponent that makes the right classes likeliest, given results of `probe_logs`."""
    logs = np.concatenate(logs) if logs else np.empty((0, 1))
    n = len(logs)
    if n == 0 or n_classes == 1:
        return USUAL_EXPONENT
    weights = np.ones(logs.shape[1])
    weights[-1] += n_classes - len(weights)
    # Smoothed, as if one of n + 2 samples were of the nearest wrong class: never certain.
    expected = (logs[:, 1] + (n + 1) * logs[:, 0]) / (n + 2)

    def loss(log_exponent):
        exponent = np.exp(log_exponent)
        return np.mean(exponent * expected + logsumexp(-exponent * logs, axis=1, b=weights))

    return float(np.exp(minimize_scalar(loss, bounds=EXPONENTS, method="bounded").x))


def _log_distances(distances):
    largest = np.max(distances, axis=1, keepdims=True, where=np.isfinite(distances), initial=0)
    largest = np.maximum(largest, np.finfo(np.float64).tiny)
    return np.log(np.clip(distances / largest, NEGLIGIBLE, 1))
