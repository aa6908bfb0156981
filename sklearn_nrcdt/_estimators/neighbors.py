"""Nearest templates in any metric, exactly and in bounded memory."""

from copy import copy

import numpy as np
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import row_norms

from sklearn_nrcdt._estimators.aligned_distances import aligned_pairwise_distances
from sklearn_nrcdt._estimators.nearest import batches

# Metrics that are norms of the difference: scikit-learn finds their neighbours without computing
# all distances, and rounding can be corrected.
NORMS = {"euclidean": 2, "l2": 2, "manhattan": 1, "l1": 1, "cityblock": 1, "chebyshev": np.inf}
# Neighbours found in addition, to see whether rounding may hide others.
SPARE = 2
# Elements of differences at a time; they fit into the cache.
PAIR_ELEMENTS = 2**16
# Bytes for each distance of a block: itself, a sorted copy, its place.
PAIR_BYTES = 48


class Neighbors:
    """The templates and their metric.

    scikit-learn computes Euclidean distances from scalar products, whose rounding hides small
    distances and breaks ties. Here the smallest distances are computed again from differences, so
    that ties stay ties; they go to the first template.

    Parameters
    ----------
    templates : ndarray of shape (n_templates, n_features)
    metric : str or callable
    metric_params : dict
    """

    def __init__(self, templates, metric, metric_params):
        self.templates = templates
        self.metric = metric
        self.metric_params = metric_params
        self.order = None if callable(metric) or metric_params else NORMS.get(metric)
        if self.order is not None:
            self.index = NearestNeighbors(metric=metric).fit(templates)
            self.largest_square = float(row_norms(templates, squared=True).max())

    def distances(self, X, n_jobs, n_exact=1):
        """Yield slices of X and distances to all templates, of which the smallest are exact."""
        for rows in batches(len(X), PAIR_BYTES * len(self.templates)):
            yield rows, self._block(X[rows], n_jobs, n_exact)

    def nearest(self, X, n, n_jobs):
        """Return distances and places of the n nearest templates, each (n_samples, n)."""
        if self.order is None:
            return self._by_blocks(X, n, n_jobs)
        k = min(n + SPARE, len(self.templates))
        index = copy(self.index).set_params(n_jobs=n_jobs)
        return _join(
            self._by_index(X[rows], n, index, k) for rows in batches(len(X), PAIR_BYTES * k)
        )

    def _by_blocks(self, X, n, n_jobs):
        return _join(smallest(block, n) for _, block in self.distances(X, n_jobs, n))

    def _by_index(self, X, n, index, k):
        rough, places = index.kneighbors(X, k)
        places.sort(axis=1)
        exact = self._exact(X, np.repeat(np.arange(len(X)), k), places.ravel())
        distances, chosen = smallest(exact.reshape(-1, k), n)
        places = np.take_along_axis(places, chosen, axis=1)
        unsure = rough[:, -1] <= self._limit(rough[:, n - 1], X)
        if k < len(self.templates) and unsure.any():
            # Up to rounding, templates that were not found may be as near.
            distances[unsure], places[unsure] = self._by_blocks(X[unsure], n, index.n_jobs)
        return distances, places

    def _block(self, X, n_jobs, n_exact):
        if self.metric == "aligned":
            return aligned_pairwise_distances(X, self.templates, **self.metric_params)
        distances = pairwise_distances(
            X, self.templates, metric=self.metric, n_jobs=n_jobs, **self.metric_params
        ).astype(np.float64, copy=False)
        if self.order is None:
            # A template at an undefined distance is never the nearest.
            distances[np.isnan(distances)] = np.inf
            return distances
        limit = self._limit(_nth(distances, n_exact), X)
        sample, place = np.nonzero(distances <= limit[:, None])
        distances[sample, place] = self._exact(X, sample, place)
        return distances

    def _limit(self, distances, X):
        """Return the rough distances up to which a template may be nearer than these."""
        n_features = X.shape[1]
        rounding = 4 * n_features * np.finfo(np.float64).eps
        result = 8 * np.finfo(np.result_type(X, self.templates)).eps
        scale = row_norms(X, squared=True).astype(np.float64) + self.largest_square
        return np.hypot(distances * (1 + result + rounding), np.sqrt(rounding * scale))

    def _exact(self, X, sample, place):
        distances = np.empty(len(sample))
        size = max(1, PAIR_ELEMENTS // X.shape[1])
        for start in range(0, len(sample), size):
            pairs = slice(start, start + size)
            difference = X[sample[pairs]].astype(np.float64) - self.templates[place[pairs]]
            distances[pairs] = np.linalg.norm(difference, self.order, axis=1)
        return distances


def check_n_neighbors(n_neighbors, n_templates):
    """Return the number of neighbours as an int, if there are enough templates."""
    if not isinstance(n_neighbors, int | np.integer) or not 1 <= n_neighbors <= n_templates:
        raise ValueError(
            f"n_neighbors must be an integer from 1 to the number of templates, {n_templates}, "
            f"got {n_neighbors!r}."
        )
    return int(n_neighbors)


def _join(found):
    distances, places = zip(*found, strict=True)
    return np.concatenate(distances), np.concatenate(places)


def smallest(distances, n):
    """Return the n smallest distances of each row, and where they are; ties in order."""
    row, column = np.nonzero(distances <= _nth(distances, n)[:, None])
    order = np.lexsort((distances[row, column], row))
    first = np.searchsorted(row, np.arange(len(distances)))
    chosen = order[first[:, None] + np.arange(n)]
    return distances[row[chosen], column[chosen]], column[chosen]


def _nth(distances, n):
    """Return the n-th smallest distance of each row."""
    if n == 1:  # far faster than a partition
        return distances.min(axis=1)
    return np.partition(distances, n - 1, axis=1)[:, n - 1]
