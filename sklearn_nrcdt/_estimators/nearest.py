"""Base class of the classifiers by distance: checks, scores and probabilities."""

import warnings

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import gen_batches
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from sklearn_nrcdt._support.compat import CallbackSupportMixin, validate_data
from sklearn_nrcdt._support.doclink import DocLinkMixin

# Squares of larger features overflow, those of features below its inverse underflow.
LARGEST = {"float32": 1e15, "float64": 1e150}
# Samples from which `fit` calibrates probabilities and thresholds.
N_PROBES = 256
# Exponent of the probabilities if no class has two samples to learn it from.
USUAL_EXPONENT = 4.0
# Exponents that may be learned, as logarithms.
EXPONENTS = (-3, 5)
# Distances below this share of a sample's largest one count as equal.
NEGLIGIBLE = 1e-6


class NearestClassifier(DocLinkMixin, CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Base class: the nearer a class, the likelier.

    Subclasses set `classes_` and `proba_exponent_` in `fit` and define ``_class_distances``,
    which yields slices of the samples and their distances to all classes.
    """

    def decision_function(self, X):
        """Score the classes for each sample: the greater, the nearer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            Minus the distance to each class. For two classes, by scikit-learn's convention,
            one number that is positive where the second class is nearer: the difference of
            the distances divided by their sum, which orders samples as `predict_proba` does.
        """
        X = self._validate(X)
        scores = np.empty((len(X), len(self.classes_)))
        for rows, distances in self._class_distances(X):
            scores[rows] = -distances
        if len(self.classes_) != 2:
            return scores
        difference, total = scores[:, 1] - scores[:, 0], -scores.sum(axis=1)
        return np.divide(difference, total, out=np.zeros_like(total), where=total > 0)

    def predict_proba(self, X):
        """Estimate the probabilities of the classes.

        A class at distance ``d`` has a probability proportional to
        ``d ** -proba_exponent_``, so that only ratios of distances count. `fit` learns the
        exponent from held-out samples; with one sample per class it is 4.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Probabilities in the order of `classes_`, given that the sample belongs to one of
            them. The nearest class has the largest probability.
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

    def _validate_fit(self, X, y):
        self._refuse_images(X)
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        _check_magnitude(X, fit=True)
        with warnings.catch_warnings():
            # One sample per class is the normal case here, not a sign of regression.
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            check_classification_targets(y)
        return X, y

    def _validate(self, X):
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


def batches(n_rows, row_bytes):
    """Yield slices of as many rows as scikit-learn's ``working_memory`` allows."""
    size = int(get_config()["working_memory"] * 2**20) // max(row_bytes, 1)
    return gen_batches(n_rows, max(1, size))


def learn_exponent(distances, codes):
    """Return the exponent that makes the right classes likeliest.

    Parameters
    ----------
    distances : ndarray of shape (n_probes, n_classes)
        Distances of held-out samples to all classes.
    codes : ndarray of shape (n_probes,)
        Their classes.
    """
    n, n_classes = distances.shape
    if n == 0 or n_classes == 1:
        return USUAL_EXPONENT
    logs = _log_distances(distances)
    right = logs[np.arange(n), codes]
    wrong = np.where(codes[:, None] == np.arange(n_classes), np.inf, logs).min(axis=1)
    # Smoothed, as if one of n + 2 samples were of the nearest wrong class: never certain.
    expected = (wrong + (n + 1) * right) / (n + 2)

    def loss(log_exponent):
        exponent = np.exp(log_exponent)
        return np.mean(exponent * expected + logsumexp(-exponent * logs, axis=1))

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
