"""Base class of the classifiers by distance: checks, scores and probabilities."""

import warnings
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn import get_config
from sklearn.base import ClassifierMixin
from sklearn.utils import gen_batches
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from sklearn_nrcdt._estimators.base import joined
from sklearn_nrcdt._support.compat import validate_data
from sklearn_nrcdt._support.estimator import Estimator
from sklearn_nrcdt._support.types import ArrayLike, FloatArray, NDArray

# Squares of larger features overflow, those of features below its inverse underflow.
LARGEST = {"float32": 1e15, "float64": 1e150}
# Memory of a block of distances, however much scikit-learn allows: larger ones are no faster.
BLOCK_MEGABYTES = 64
# Samples from which `fit` calibrates probabilities and thresholds.
N_PROBES = 256
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


class DistanceClassifier(ClassifierMixin, Estimator):
    """Base class: the nearer a class, the likelier.

    Subclasses set `classes_` and `proba_exponent_` in `fit` and define ``_class_distances``,
    which yields slices of the samples and their distances to all classes.
    """

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Score the classes for each sample: the greater, the nearer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            Minus the distance to each class. For two classes, the difference of the distances
            divided by their sum, positive where the second class is nearer.
        """
        X = self._validate(X)
        (distances,) = joined(len(X), self._class_distances(X))
        if len(self.classes_) != 2:
            return np.negative(distances, out=distances)
        difference, total = distances[:, 0] - distances[:, 1], distances.sum(axis=1)
        return np.divide(difference, total, out=np.zeros_like(total), where=total > 0)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate the probabilities of the classes.

        A class at distance ``d`` has a probability proportional to ``d ** -proba_exponent_``.
        `fit` learns the exponent from held-out samples; with one sample per class it is 4.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Probabilities in the order of `classes_`, of which the nearest has the largest.
        """
        X = self._validate(X)
        probabilities = np.empty((len(X), len(self.classes_)))
        for rows, distances in self._class_distances(X):
            logs = _log_distances(distances)
            nearest = distances.min(axis=1, keepdims=True)
            weights = np.exp(self.proba_exponent_ * (logs.min(axis=1, keepdims=True) - logs))
            # Rounding must not create a tie, which would go to the first class.
            eps = np.finfo(np.float64).eps
            weights = np.where(distances > nearest, np.minimum(weights, 1 - 4 * eps), weights)
            probabilities[rows] = weights / weights.sum(axis=1, keepdims=True)
        return probabilities

    def _validate_fit(self, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        self._refuse_images(X)
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        _check_magnitude(X, fit=True)
        check_labels(y)
        return X, y

    def _validate(self, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        self._refuse_images(X)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        _check_magnitude(X)
        return X

    def _refuse_images(self, X):
        if getattr(X, "ndim", 2) > 2:
            name = type(self).__name__
            raise ValueError(
                f"X of shape {tuple(X.shape)} holds images, but {name} compares features. Put a "
                f"transformer before it, for example make_pipeline(InvariantHOG(), {name}())."
            )


def check_labels(y):
    """Refuse what cannot be labels of classes."""
    with warnings.catch_warnings():
        # One sample of each class is the usual case here, not a sign of regression.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        check_classification_targets(y)


def batches(n_rows, row_bytes):
    """Yield slices of as many rows as scikit-learn's ``working_memory`` and ours allow."""
    megabytes = min(get_config()["working_memory"], BLOCK_MEGABYTES)
    return gen_batches(n_rows, max(1, int(megabytes * 2**20) // max(row_bytes, 1)))


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
    for part in gen_batches(len(X), max(1, 2**16 // X.shape[1])):
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


def _check_magnitude(X, *, fit=False):
    """Refuse features whose distances over- or underflow: all classes would look equal."""
    size, largest = max(float(X.max()), -float(X.min())), LARGEST[X.dtype.name]
    # Later samples may be small compared with the templates.
    if size > largest or (fit and 0 < size < 1 / largest):
        raise ValueError(
            f"X has features of size {size:.3g}, whose squares overflow or underflow. Scale them, "
            "for example with sklearn.preprocessing.MaxAbsScaler."
        )
