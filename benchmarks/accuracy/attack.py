"""Small perturbations that change the nearest template, found by gradients.

The pixels of an image move as squares, each by a vector, within a Wasserstein ball: the cost of
the moves is at least the distance. The smallest perturbation found bounds the true radius from
above, as a certificate does from below.
"""

import numpy as np

from sklearn_nrcdt.guarantees._estimate import gradient
from sklearn_nrcdt.guarantees._mean import circle_weights
from sklearn_nrcdt.guarantees._templates import Template

N_ANGLES = 128
N_TARGETS, N_TRIALS, N_STEPS = 3, 6, 20


def feature_of(template, feature):
    """The feature of a template, as the certificates have it."""
    functions = template.functions[:, 1:-1]
    if feature == "max":
        return np.maximum(functions.max(axis=0), -functions.min(axis=0)[::-1])
    mean = circle_weights(template, feature == "weighted_mean")[0] @ functions
    return (mean - mean[::-1]) / 2


def distances(sample, features, metric):
    if metric == "chebyshev":
        return np.abs(features - sample).max(axis=1)
    return np.linalg.norm(features - sample, axis=1)


class Attack:
    """An attack on one template, given by its pixels, among the features of all.

    `points`, `mass` and `side` are those of `Template`, `feature`, `order` and `metric` those of
    `certified_radius`; `label` is the position of the template among the features.
    """

    def __init__(self, points, mass, side, label, features, feature, order, metric):
        self.points, self.mass, self.side = points, mass, side
        self.label, self.features = label, features
        self.feature, self.order, self.metric = feature, order, metric

    def smallest(self, certified, estimate):
        """Smallest perturbation found that changes the nearest template; infinite if none is."""
        gaps = distances(self.features[self.label], self.features, self.metric)
        best = np.inf
        for target in np.argsort(gaps)[1 : N_TARGETS + 1]:
            low, high, epsilon = certified, min(best, 6 * estimate), min(1.3 * estimate, best)
            moves = np.zeros_like(self.points)
            for _ in range(N_TRIALS):
                found, fooled = self._within(epsilon, target, self._project(moves, epsilon))
                if fooled:
                    high = min(epsilon, self._length(found))
                    best, moves = min(best, high), found
                else:
                    low = epsilon
                if high < 1.03 * low:
                    break
                epsilon = np.sqrt(low * high)
        return best

    def _within(self, epsilon, target, moves):
        """Moves within a ball, and whether they change the nearest template."""
        for step in range(N_STEPS + 1):
            cells = self.features.shape[1] + 2
            template = Template(self.points + moves, self.mass, self.side, N_ANGLES, cells)
            sample = feature_of(template, self.feature)
            if distances(sample, self.features, self.metric).argmin() != self.label:
                return moves, True
            field = gradient(template, self.feature) @ self._towards(sample, target)
            if self.order == np.inf:
                field /= np.linalg.norm(field, axis=1, keepdims=True) + 1e-12
            else:
                field /= self._length(field)
            stride = epsilon * (1 if step == 0 else 0.3)
            moves = self._project(moves + stride * field, epsilon)
        return moves, False

    def _towards(self, sample, target):
        """Gradient of the difference of the distances from the template and from the target."""
        own, other = self.features[self.label], self.features[target]
        if self.metric == "euclidean":
            return other - own
        # The maximum norm, smoothed: levels count by how close they are to the maximum.
        width = np.abs(other - own).max() / 20
        away, left = sample - own, other - sample
        sign = np.where(np.abs(away) > 1e-9, np.sign(away), np.sign(other - own))
        first = np.exp((np.abs(away) - np.abs(away).max()) / width)
        second = np.exp((np.abs(left) - np.abs(left).max()) / width)
        return sign * first / first.sum() + np.sign(left) * second / second.sum()

    def _length(self, moves):
        squares = np.square(moves).sum(axis=1)
        return np.sqrt(squares.max() if self.order == np.inf else self.mass @ squares)

    def _project(self, moves, epsilon):
        if self.order == np.inf:
            lengths = np.linalg.norm(moves, axis=1, keepdims=True)
        else:
            lengths = self._length(moves)
        return moves * np.minimum(1, epsilon / np.maximum(lengths, 1e-300))
