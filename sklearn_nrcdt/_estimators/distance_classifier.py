"""Base class of the classifiers by distance: checks, scores and probabilities."""

import warnings
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import ClassifierMixin
from sklearn.utils import gen_batches
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from sklearn_nrcdt._estimators.base import joined
from sklearn_nrcdt._kernels import calibration
from sklearn_nrcdt._support.arrays import to_numpy
from sklearn_nrcdt._support.compat import validate_data
from sklearn_nrcdt._support.estimator import Estimator
from sklearn_nrcdt._support.types import ArrayLike, FloatArray, NDArray

# Squares of larger features overflow, those of features below its inverse underflow.
LARGEST = {"float32": 1e15, "float64": 1e150}
# Samples from which `fit` calibrates probabilities and thresholds.
N_PROBES = 256
LABELS = (
    "Pass an array of strings, integers or booleans, for example np.asarray(y).astype(str), and "
    "leave out samples without a label."
)
# Memory of a block of distances, however much scikit-learn allows: larger ones are no faster.
BLOCK_MEGABYTES = 64


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
            probabilities[rows] = calibration.probabilities(distances, self.proba_exponent_)
        return probabilities

    def _validate_fit(self, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        self._refuse_images(X)
        y = validate_labels(self, y)
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        check_consistent_length(X, y)
        _check_magnitude(X, fit=True)
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


def validate_labels(estimator, y):
    """Return labels of classes as an array; refuse what would be misread, such as missing ones."""
    y = to_numpy(y)
    if np.ma.is_masked(y):
        raise ValueError(f"y is a masked array, and what is under its mask would count. {LABELS}")
    # NumPy makes strings of all that stands beside one in a list: of NaN, the class "nan".
    mixed = isinstance(y, list | tuple) and len({isinstance(label, str) for label in y}) > 1
    each = np.asarray(y)
    if each.dtype.kind == "O" and each.ndim:
        mixed |= not all(isinstance(label, str) for label in each.flat)
    if mixed or each.dtype.kind in "SV" or (each.dtype.kind in "mM" and np.isnat(each).any()):
        given = y if isinstance(y, list | tuple) else each.flat
        kinds = ", ".join(sorted({type(label).__name__ for label in given}))
        raise ValueError(f"Unknown label type: {kinds}, or labels are missing in y. {LABELS}")
    labels = validate_data(estimator, y=y)
    with warnings.catch_warnings():
        # One sample of each class is the usual case here, not a sign of regression.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        check_classification_targets(labels)
    return labels


def batches(n_rows, row_bytes):
    """Yield slices of as many rows as scikit-learn's ``working_memory`` and ours allow."""
    megabytes = min(get_config()["working_memory"], BLOCK_MEGABYTES)
    return gen_batches(n_rows, max(1, int(megabytes * 2**20) // max(row_bytes, 1)))


def _check_magnitude(X, *, fit=False):
    """Refuse features whose distances over- or underflow: all classes would look equal."""
    size, largest = max(float(X.max()), -float(X.min())), LARGEST[X.dtype.name]
    # Later samples may be small compared with the templates.
    if size > largest or (fit and 0 < size < 1 / largest):
        raise ValueError(
            f"X has features of size {size:.3g}, whose squares overflow or underflow. Scale them, "
            "for example with sklearn.preprocessing.MaxAbsScaler."
        )
