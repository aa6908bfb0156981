"""Classification by the nearest template in feature space."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import pairwise_distances_chunked
from sklearn.utils import gen_batches
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from sklearn_nrcdt._estimators.aligned_distances import aligned_pairwise_distances
from sklearn_nrcdt._support.compat import (
    PAIRWISE_METRICS,
    CallbackSupportMixin,
    Interval,
    StrOptions,
    fit_context,
    fit_progress,
    validate_data,
)
from sklearn_nrcdt._support.doclink import DocLinkMixin

# Aligned distances that are held at a time.
ALIGNED_PAIRS = 2**22
# Features larger than that, or smaller than its inverse, have squares that overflow or vanish.
LARGEST = {"float32": 1e15, "float64": 1e150}


class NearestTemplateClassifier(DocLinkMixin, CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Assign each sample to the class of its nearest template.

    All samples given to `fit` are templates, any number for each class. With one
    template for each class and `MaxNRCDT` features this is the paper's classifier. Ties
    go to the class that comes first in `classes_`, then to the template that was given
    first. Distances are computed in chunks, see ``working_memory`` in
    `sklearn.set_config`.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        Metric of `sklearn.metrics.pairwise_distances`, for example "euclidean" or
        "chebyshev"; or "aligned" for `aligned_pairwise_distances`, whose arguments go to
        `metric_params`.
    metric_params : dict, default=None
        Further arguments of the metric, for example ``{"p": 3}`` for "minkowski".
    reject_distance : float, default=None
        A sample farther than this from all templates is labelled `unknown_label`. None
        rejects nothing.
    unknown_label : int or str, default=None
        Label of rejected samples, of the type of the classes and none of them. None
        means "unknown" for classes that are strings and -1 for numbers.
    n_jobs : int, default=None
        Number of workers for the distances; -1 means all processors.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    templates_ : ndarray of shape (n_templates, n_features)
        The templates, ordered by class, in the order given within a class.
    template_indices_ : ndarray of shape (n_templates,)
        Position of each template among the samples given to `fit`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if `fit` was given a data frame with string column names.

    See Also
    --------
    sklearn.neighbors.KNeighborsClassifier : A vote of several neighbours.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn_nrcdt import MaxNRCDT, NearestTemplateClassifier
    >>> digits = load_digits()
    >>> model = make_pipeline(MaxNRCDT(n_angles=32), NearestTemplateClassifier())
    >>> model.fit(digits.images[:10], digits.target[:10]).predict(digits.images[:3])
    array([0, 1, 2])
    """

    _parameter_constraints: dict = {
        "metric": [StrOptions(set(PAIRWISE_METRICS) - {"precomputed"} | {"aligned"}), callable],
        "metric_params": [dict, None],
        "reject_distance": [Interval(Real, 0, None, closed="left"), None],
        "unknown_label": [Integral, str, None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        metric="euclidean",
        *,
        metric_params=None,
        reject_distance=None,
        unknown_label=None,
        n_jobs=None,
    ):
        self.metric = metric
        self.metric_params = metric_params
        self.reject_distance = reject_distance
        self.unknown_label = unknown_label
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Store the templates.

        Parameters
        ----------
        X : array-like of shape (n_templates, n_features)
            Features of the templates.
        y : array-like of shape (n_templates,)
            Their classes.

        Returns
        -------
        self : object
            Fitted classifier.
        """
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        _check_magnitude(X, fit=True)
        _check_classes(y)
        self.classes_, y = np.unique(y, return_inverse=True)
        if self.reject_distance is not None:
            self._unknown = self._resolve_unknown_label()
        self.template_indices_ = np.argsort(y, kind="stable")
        self.templates_ = X[self.template_indices_]
        self._first_of_class = np.searchsorted(
            y[self.template_indices_], np.arange(len(self.classes_))
        )
        for _ in fit_progress(self, X, y, n_steps=0):
            pass
        return self

    def predict(self, X):
        """Predict the classes of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class of the nearest template, or `unknown_label` where that is farther than
            `reject_distance`.
        """
        distance, template = self._nearest(X)
        owner = np.searchsorted(self._first_of_class, template, side="right") - 1
        labels = self.classes_[owner]
        if self.reject_distance is None:
            return labels
        return np.where(distance > self.reject_distance, self._unknown, labels)

    def decision_function(self, X):
        """Rank the classes of samples: the greater, the nearer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes) or (n_samples,)
            Minus the distance to the nearest template of each class. For two classes,
            by scikit-learn's convention, the score of the second minus that of the first.
        """
        X = self._validate(X)
        scores = np.empty((len(X), len(self.classes_)))
        for rows, distances in self._chunks(X):
            scores[rows] = -np.minimum.reduceat(distances, self._first_of_class, axis=1)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def nearest_template(self, X):
        """Find the nearest template of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        distances : ndarray of shape (n_samples,)
            Distance to the nearest template.
        indices : ndarray of shape (n_samples,)
            Its position among the samples given to `fit`.

        Examples
        --------
        >>> from sklearn_nrcdt import NearestTemplateClassifier
        >>> model = NearestTemplateClassifier().fit([[0.0], [4.0], [9.0]], ["b", "a", "b"])
        >>> model.nearest_template([[3.5], [8.0]])
        (array([0.5, 1. ]), array([1, 2]))
        """
        distance, template = self._nearest(X)
        return distance, self.template_indices_[template]

    def _nearest(self, X):
        X = self._validate(X)
        distance, template = np.empty(len(X)), np.empty(len(X), dtype=np.intp)
        for rows, distances in self._chunks(X):
            template[rows] = distances.argmin(axis=1)
            distance[rows] = distances.min(axis=1)
        return distance, template

    def _validate(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        _check_magnitude(X)
        return X

    def _chunks(self, X):
        """Yield slices of the samples and their distances to all templates."""
        params = self.metric_params or {}
        if self.metric == "aligned":
            for rows in gen_batches(len(X), max(1, ALIGNED_PAIRS // len(self.templates_))):
                yield rows, aligned_pairwise_distances(X[rows], self.templates_, **params)
            return
        start = 0
        for distances in pairwise_distances_chunked(
            X, self.templates_, metric=self.metric, n_jobs=self.n_jobs, **params
        ):
            rows = slice(start, start + len(distances))
            if self.metric in ("euclidean", "l2"):
                _sharpen(distances, X[rows], self.templates_)
            yield rows, distances
            start = rows.stop

    def _resolve_unknown_label(self):
        strings = isinstance(self.classes_[0], str)
        label = self.unknown_label
        if label is None:
            label = "unknown" if strings else -1
        if isinstance(label, str) != strings:
            raise ValueError(
                f"unknown_label={label!r} must be of the type of the classes, such as "
                f"{self.classes_[0]!r}."
            )
        if label in self.classes_:
            raise ValueError(f"unknown_label={label!r} is one of the classes. Choose another.")
        return np.array(label, dtype=object if self.classes_.dtype == object else None)


def _check_magnitude(X, *, fit=False):
    """Refuse features whose distances could not be computed: all classes would seem equal."""
    size, largest = max(float(X.max()), -float(X.min())), LARGEST[X.dtype.name]
    # Samples may well be small beside the templates.
    if size > largest or (fit and 0 < size < 1 / largest):
        raise ValueError(
            f"X has features of size {size:.3g}, but squares of features must neither overflow "
            "nor vanish. Scale them, for example with sklearn.preprocessing.MaxAbsScaler."
        )


def _check_classes(y):
    with warnings.catch_warnings():
        # One template for each class is what we are made for, not a hint at regression.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        check_classification_targets(y)


def _sharpen(distances, samples, templates):
    """Recompute, in place, the Euclidean distances that are smallest up to rounding.

    scikit-learn takes them from scalar products, whose rounding hides small distances
    and may separate ties.
    """
    scale = np.square(samples).sum(axis=1) + np.square(templates).sum(axis=1).max()
    rounding = 1e-5 if samples.dtype == templates.dtype == np.float32 else 1e-12
    near = distances.min(axis=1) ** 2 + rounding * scale
    sample, template = np.nonzero(np.square(distances) <= near[:, None])
    exact = np.linalg.norm(samples[sample].astype(np.float64) - templates[template], axis=1)
    distances[sample, template] = exact
