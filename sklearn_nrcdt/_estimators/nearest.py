"""What classifiers by distance share: checks, scores and probabilities."""

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

# Features larger than that, or smaller than its inverse, have squares that overflow or vanish.
LARGEST = {"float32": 1e15, "float64": 1e150}
# Samples of which `fit` learns how far distances can be trusted; more would cost more than gain.
N_PROBES = 256
# Exponent of the probabilities where no class has two samples to learn it from.
USUAL_EXPONENT = 4.0
# Exponents that may be learned, as logarithms.
EXPONENTS = (-3, 5)
# Below this share of the largest distance of a sample, all distances count as equally small.
NEGLIGIBLE = 1e-6


class NearestClassifier(DocLinkMixin, CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Base class: a class is as likely as it is near.

    Subclasses set `classes_` and `proba_exponent_` in `fit` and define ``_class_distances``,
    which yields slices of the samples and their distances to all classes.
    """

    def decision_function(self, X):
        """Score every class for each sample: the greater, the nearer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            Minus the distance to each class. For two classes, by scikit-learn's
            convention, one number that is positive where the second is nearer: the
            difference of the distances divided by their sum, which orders samples as
            `predict_proba` does.
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
        exponent from samples that it leaves out; with one sample per class it is 4.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Probabilities in the order of `classes_`, given that the sample is of one of
            them. The nearest class has the largest.
        """
        X = self._validate(X)
        probabilities = np.empty((len(X), len(self.classes_)))
        for rows, distances in self._class_distances(X):
            logs = _log_distances(distances)
            nearest = distances.min(axis=1, keepdims=True)
            weights = np.exp(self.proba_exponent_ * (logs.min(axis=1, keepdims=True) - logs))
            # Rounding must not make a tie of what is none: the first class would get it.
            eps = np.finfo(np.float64).eps
            weights = np.where(distances > nearest, np.minimum(weights, 1 - 4 * eps), weights)
            probabilities[rows] = weights / weights.sum(axis=1, keepdims=True)
        return probabilities

    def _validate_fit(self, X, y):
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        _check_magnitude(X, fit=True)
        with warnings.catch_warnings():
            # One sample of each class is what we are made for, not a hint at regression.
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            check_classification_targets(y)
        return X, y

    def _validate(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        _check_magnitude(X)
        return X


def batches(n_rows, row_bytes):
    """Yield slices of so many rows as scikit-learn's ``working_memory`` has room for."""
    size = int(get_config()["working_memory"] * 2**20) // max(row_bytes, 1)
    return gen_batches(n_rows, max(1, size))


def probes(n):
    """Return up to `N_PROBES` of n positions, evenly spread."""
    return np.unique(np.linspace(0, n - 1, N_PROBES).astype(np.intp))


def learn_exponent(distances, codes):
    """Return the exponent that makes the right classes likeliest.

    Parameters
    ----------
    distances : ndarray of shape (n_probes, n_classes)
        Distances of samples that were left out, to all classes.
    codes : ndarray of shape (n_probes,)
        Their classes.
    """
    n, n_classes = distances.shape
    if n == 0 or n_classes == 1:
        return USUAL_EXPONENT
    logs = _log_distances(distances)
    right = logs[np.arange(n), codes]
    wrong = np.where(codes[:, None] == np.arange(n_classes), np.inf, logs).min(axis=1)
    # As if one of n + 2 had been of the nearest wrong class: nobody is ever certain.
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
    """Refuse features whose distances could not be computed: all classes would seem equal."""
    size, largest = max(float(X.max()), -float(X.min())), LARGEST[X.dtype.name]
    # Samples may well be small beside the templates.
    if size > largest or (fit and 0 < size < 1 / largest):
        raise ValueError(
            f"X has features of size {size:.3g}, but squares of features must neither overflow "
            "nor vanish. Scale them, for example with sklearn.preprocessing.MaxAbsScaler."
        )
