"""Nearest templates in any metric, exactly and in bounded memory."""

import numpy as np
from joblib import parallel_config
from sklearn.metrics import pairwise_distances
from sklearn.utils import gen_batches

from sklearn_nrcdt._estimators.aligned_distances import aligned_pairwise_distances
from sklearn_nrcdt._estimators.distance_classifier import batches

# Metrics that are computed from scalar products. Features contain no NaN, so that the last of
# these is Euclidean too.
EUCLIDEAN = {"euclidean", "l2", "nan_euclidean"}
# Features whose products are summed at a time: short sums keep the rounding of float32 small.
SUMMED = 256
# Elements of differences at a time; they fit into the cache.
PAIR_ELEMENTS = 2**16
# Bytes for each distance of a block: itself, copies, a mask, its place.
PAIR_BYTES = 48


class Neighbors:
    """The templates, (n_templates, n_features), and their metric, a name or a function.

    Matrix products give Euclidean and cosine distances fast, but their rounding hides small
    distances, breaks ties, and depends on the batch. So the smallest distances, and those that may
    be as small, are computed again from differences. Of equal ones, that of lower rank is first.
    """

    def __init__(self, templates, metric, metric_params, rank):
        self.templates = templates
        self.metric = metric
        self.metric_params = metric_params
        self.rank = rank
        known = not callable(metric) and not metric_params
        self.cosine = known and metric == "cosine"
        self.by_products = self.cosine or (known and metric in EUCLIDEAN)
        if self.by_products:
            self.squares = _squared_norms(templates)

    def nearest(self, X, n, n_jobs):
        """Return distances and places of the n nearest templates, each (n_samples, n)."""
        distances, places = np.empty((len(X), n)), np.empty((len(X), n), np.intp)
        for rows in batches(len(X), PAIR_BYTES * len(self.templates)):
            if self.by_products:
                block = self._scores(X[rows])
                limit = (_nth(block, n) + self._rounding(X[rows])).astype(block.dtype)
                sample, place = np.nonzero(block <= limit[:, None])
                found = self._exact(X[rows], sample, place)
            else:
                block = self.distances(X[rows], n_jobs)
                sample, place = np.nonzero(block <= _nth(block, n)[:, None])
                found = block[sample, place]
            order = np.lexsort((self.rank[place], found, sample))
            first = np.searchsorted(sample, np.arange(len(block)))
            chosen = order[first[:, None] + np.arange(n)]
            distances[rows], places[rows] = found[chosen], place[chosen]
        return distances, places

    def distances(self, X, n_jobs):
        """Return the distances to all templates in float64, up to rounding."""
        if self.by_products:
            scores = self._scores(X).astype(np.float64)
            if self.cosine:
                return scores + 1
            return np.sqrt(np.maximum(scores + _squared_norms(X)[:, None], 0))
        distances = np.empty((len(X), len(self.templates)))
        for part in batches(len(self.templates), 8 * X.shape[1]):
            some = self.templates[part]
            if self.metric == "aligned":
                distances[:, part] = aligned_pairwise_distances(X, some, **self.metric_params)
                continue
            # scikit-learn works on threads, but asks first how many processes there may be.
            with parallel_config(backend="threading"):
                distances[:, part] = pairwise_distances(
                    X, some, self.metric, n_jobs=n_jobs, **self.metric_params
                )
        # A template at an undefined distance is never the nearest.
        distances[np.isnan(distances)] = np.inf
        return distances

    def sharpen(self, X, distances):
        """Compute the smallest distance of each row again, and those that may be as small."""
        if not self.by_products:
            return
        least, rounding = distances.min(axis=1), self._rounding(X)
        limit = least + rounding if self.cosine else np.hypot(least, np.sqrt(rounding))
        limit[np.isinf(least)] = -1  # nothing to compute again
        sample, place = np.nonzero(distances <= limit[:, None])
        distances[sample, place] = self._exact(X, sample, place)

    def _scores(self, X):
        """Return numbers that order templates like their distances, up to rounding.

        They are minus the cosine, or the squared distance without the constant ``|x|^2``.
        """
        dtype = self.templates.dtype
        X = X * -_inverse_norms(_squared_norms(X))[:, None] if self.cosine else -2 * X
        X = X.astype(dtype, copy=False)
        scores = np.zeros((len(X), len(self.templates)), dtype)
        for start in range(0, X.shape[1], SUMMED):
            part = slice(start, start + SUMMED)
            scores += X[:, part] @ self.templates[:, part].T
        if self.cosine:
            inverse = np.minimum(_inverse_norms(self.squares), np.finfo(dtype).max)
            scores *= inverse.astype(dtype)
        else:
            scores += self.squares.astype(dtype)
        return scores

    def _rounding(self, X):
        """Return by how much the order of scores may be wrong, for each row."""
        n_terms = SUMMED + X.shape[1] / SUMMED + 8
        unit = 4 * n_terms * np.finfo(self.templates.dtype).eps
        scale = np.ones(len(X)) if self.cosine else _squared_norms(X) + self.squares.max()
        return unit * scale

    def _exact(self, X, sample, place):
        """Return the distances of pairs, computed from differences in float64."""
        distances = np.empty(len(sample))
        for pairs in _slices(len(sample), X.shape[1]):
            left = X[sample[pairs]].astype(np.float64)
            right = self.templates[place[pairs]].astype(np.float64)
            if self.cosine:
                distances[pairs] = _paired_cosine(left, right)
            else:
                distances[pairs] = np.linalg.norm(left - right, axis=1)
        return distances


def check_n_neighbors(n_neighbors, n_known=None, what="templates"):
    """Return the number of neighbors as an int; `n_known` is the largest, if there is one."""
    allowed = ", 1 or more" if n_known is None else f" from 1 to the number of {what}, {n_known}"
    is_number = isinstance(n_neighbors, int | np.integer) and n_neighbors >= 1
    if not is_number or (n_known is not None and n_neighbors > n_known):
        raise ValueError(f"n_neighbors must be an integer{allowed}, got {n_neighbors!r}.")
    return int(n_neighbors)


def _nth(distances, n):
    if n == 1:  # far faster than a partition
        return distances.min(axis=1)
    return np.partition(distances, n - 1, axis=1)[:, n - 1]


def _slices(n, n_features):
    return gen_batches(n, max(1, PAIR_ELEMENTS // n_features))


def _inverse_norms(squares):
    """Return one over the norms, and zero for zero."""
    return np.divide(1, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0)


def _squared_norms(X):
    squares = np.empty(len(X))
    for rows in _slices(len(X), X.shape[1]):
        squares[rows] = np.square(X[rows], dtype=np.float64).sum(axis=1)
    return squares


def _paired_cosine(left, right):
    norms = [np.linalg.norm(rows, axis=1, keepdims=True) for rows in (left, right)]
    defined = (norms[0] > 0) & (norms[1] > 0)
    difference = left / np.where(defined, norms[0], 1) - right / np.where(defined, norms[1], 1)
    # As in scikit-learn, zero is orthogonal to everything.
    return np.where(defined[:, 0], np.square(difference).sum(axis=1) / 2, 1.0)
