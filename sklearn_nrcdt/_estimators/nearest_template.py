"""Classification by the nearest template in feature space."""

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np

from sklearn_nrcdt._estimators.distance_classifier import N_PROBES, DistanceClassifier, batches
from sklearn_nrcdt._estimators.exact_neighbors import PAIR_BYTES, Neighbors, check_n_neighbors
from sklearn_nrcdt._kernels import calibration
from sklearn_nrcdt._support.compat import PAIRWISE_METRICS, Interval, StrOptions, fit_context
from sklearn_nrcdt._support.samples import evenly_spaced
from sklearn_nrcdt._support.types import ArrayLike, FloatArray, IntArray, NDArray

# Pairs of a held-out template and another one that `fit` looks at, which bounds its time, but at
# least so many held-out templates.
PROBE_PAIRS = 2**23
MIN_PROBES = 64


class NearestTemplateClassifier(DistanceClassifier):
    """Assign each sample to the class of its nearest template.

    The samples given to `fit` are the templates. With one for each class and `MaxNRCDT` features
    this is the paper's classifier. Ties go to the class that comes first in `classes_`, then to
    the first template. Memory is bounded.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        Metric of `sklearn.metrics.pairwise_distances`, for example "euclidean" or "chebyshev",
        or "aligned" for `aligned_pairwise_distances`.
    metric_params : dict, default=None
        Further arguments of the metric, for example ``{"p": 3}`` for "minkowski" or
        ``{"reflection": "ignore"}`` for "aligned".
    reject_distance : float or "auto", default=None
        A sample farther than this from all templates is labelled `unknown_label`. "auto" takes
        `reject_distance_`, None rejects nothing. You may change it after `fit`.
    unknown_label : int or str, default=None
        Label of rejected samples, of the type of the classes. None means "unknown" for strings
        and -1 for numbers, which must not be a class. If you set a label, training samples may
        carry it: they do not become templates, and `score` counts them as right when they are
        rejected, so that you can tune `reject_distance` by cross-validation.
    n_jobs : int, default=None
        Number of workers for the distances; -1 means all processors. Euclidean and cosine
        distances come from matrix products, which have threads of their own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted, without `unknown_label`.
    templates_ : ndarray of shape (n_templates, n_features)
        The templates, in the order given. Not a copy if all samples given to `fit` are templates.
    template_indices_ : ndarray of shape (n_templates,)
        Position of each template among the samples given to `fit`.
    template_labels_ : ndarray of shape (n_templates,)
        Class of each template.
    n_samples_fit_ : int
        Number of samples given to `fit`.
    reject_distance_ : float
        The threshold of ``reject_distance="auto"``, which best separates the distances of held-out
        templates to their own class from those to others. With one template per class it is half
        the median distance of nearest templates, with a single one half its distance from zero.
    proba_exponent_ : float
        Exponent of `predict_proba`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if `fit` was given a data frame with string column names.

    See Also
    --------
    sklearn.neighbors.KNeighborsClassifier : A vote of several neighbors.

    Notes
    -----
    `reject_distance_` and `proba_exponent_` are learned from up to 256 templates, held out in turn.
    Deformed copies of each other among the templates make both too optimistic.

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
        "reject_distance": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"}), None],
        "unknown_label": [Integral, str, None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        metric: str | Callable[..., float] = "euclidean",
        *,
        metric_params: dict[str, Any] | None = None,
        reject_distance: float | Literal["auto"] | None = None,
        unknown_label: int | str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self.metric_params = metric_params
        self.reject_distance = reject_distance
        self.unknown_label = unknown_label
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
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
        templates, labels = self._validate_fit(X, y)
        self.n_samples_fit_ = len(templates)
        self.template_indices_ = known_samples(labels, self.unknown_label)
        if len(self.template_indices_) < len(templates):
            templates, labels = templates[self.template_indices_], labels[self.template_indices_]
        self.templates_, self.template_labels_ = templates, labels
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if self.reject_distance is not None:
            self._rejected_label()
        self._by_class = np.argsort(codes, kind="stable")
        self._first = np.searchsorted(codes[self._by_class], np.arange(len(self.classes_)))
        rank = np.argsort(self._by_class)
        self._neighbors = Neighbors(templates, self.metric, self.metric_params or {}, rank)
        self._calibrate(codes)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
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
        X = self._validate(X)
        self._check_parameters()  # `reject_distance` may have changed since `fit`
        distances, places = self._neighbors.nearest(X, 1, self.n_jobs)
        labels = self.template_labels_[places[:, 0]]
        limit = self.reject_distance_ if self.reject_distance == "auto" else self.reject_distance
        if limit is None:
            return labels
        return np.where(distances[:, 0] > limit, self._rejected_label(), labels)

    def kneighbors(self, X: ArrayLike, n_neighbors: int = 5) -> tuple[FloatArray, IntArray]:
        """Find the nearest templates of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        n_neighbors : int, default=5
            Number of templates to find.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Distances to the nearest templates, in ascending order.
        indices : ndarray of shape (n_samples, n_neighbors)
            Their positions among the samples given to `fit`. The first one is of the
            class that `predict` finds, unless it rejects the sample.

        Examples
        --------
        >>> from sklearn_nrcdt import NearestTemplateClassifier
        >>> model = NearestTemplateClassifier().fit([[0.0], [4.0], [9.0]], ["b", "a", "b"])
        >>> model.kneighbors([[3.5], [8.0]], n_neighbors=2)
        (array([[0.5, 3.5],
               [1. , 4. ]]), array([[1, 0],
               [2, 1]]))
        """
        X = self._validate(X)
        n_neighbors = check_n_neighbors(n_neighbors, len(self.templates_))
        distances, places = self._neighbors.nearest(X, n_neighbors, self.n_jobs)
        return distances, self.template_indices_[places]

    def _class_distances(self, X):
        for rows in batches(len(X), PAIR_BYTES * len(self.templates_)):
            distances = self._neighbors.distances(X[rows], self.n_jobs)
            self._neighbors.sharpen(X[rows], distances)
            yield rows, self._to_classes(distances)

    def _to_classes(self, distances):
        return np.minimum.reduceat(distances[:, self._by_class], self._first, axis=1)

    def _calibrate(self, codes):
        """Learn threshold and exponent from held-out templates."""
        order, rank = calibration.order_by_content(self.templates_, codes)
        n_probes = np.clip(PROBE_PAIRS // len(codes), MIN_PROBES, N_PROBES)
        left_out = order[evenly_spaced(len(codes), n_probes)]
        single = np.bincount(codes)[codes] == 1
        logs = []
        own, others = np.empty((2, len(left_out)))
        for part in batches(len(left_out), PAIR_BYTES * len(codes)):
            probes = left_out[part]
            X = self.templates_[probes]
            distances = self._neighbors.distances(X, self.n_jobs)
            # One template of every class is held out, so that no class has an advantage.
            distances[(rank == rank[probes, None]) & ~single] = np.inf
            distances[np.arange(len(probes)), probes] = np.inf
            several = ~single[probes]
            to_classes = self._to_classes(distances[several])
            logs.append(calibration.probe_logs(to_classes, codes[probes[several]]))
            is_own = codes == codes[probes, None]
            for found, hidden in ((own, ~is_own), (others, is_own)):
                visible = np.where(hidden, np.inf, distances)
                self._neighbors.sharpen(X, visible)
                found[part] = visible.min(axis=1)
        self.proba_exponent_ = calibration.learn_exponent(logs, len(self.classes_))
        self.reject_distance_ = _best_threshold(own, others)
        if self.reject_distance_ is None:
            blank = np.zeros((1, X.shape[1]), X.dtype)
            distance = self._neighbors.distances(blank, self.n_jobs).min() / 2
            self.reject_distance_ = float(distance) if np.isfinite(distance) else 0.0

    def _rejected_label(self):
        label = self.unknown_label
        if label is None:
            label = "unknown" if isinstance(self.classes_[0], str) else -1
        return unknown_label(label, self.classes_, "reject_distance=None")


def known_samples(y, unknown_label):
    if unknown_label is None:
        return np.arange(len(y))
    _check_label_type(unknown_label, y[0])
    known = np.flatnonzero(y != unknown_label)
    if not len(known):
        raise ValueError(
            f"All samples have the label unknown_label={unknown_label!r}, so there is no "
            "template. Add samples of known classes."
        )
    return known


def unknown_label(label, classes, otherwise):
    """Return the label of samples of no class as an array; `otherwise` is what needs none."""
    if classes.dtype == bool:
        raise ValueError(
            "y holds booleans, which leave no label for unknown samples. Use strings or "
            f"integers as classes, or {otherwise}."
        )
    _check_label_type(label, classes[0])
    if label in classes:
        raise ValueError(
            f"unknown_label={label!r} is one of the classes. Choose another label, or set it "
            "before fit if samples with this label belong to no class."
        )
    return np.array(label, dtype=object if classes.dtype == object else None)


def _check_label_type(label, example):
    if isinstance(label, str) != isinstance(example, str):
        raise ValueError(
            f"unknown_label={label!r} must be of the type of the classes, such as "
            f"{np.asarray(example).tolist()!r}."
        )


def _best_threshold(own, others):
    """Return the distance that accepts most of own and fewest of others."""
    own, others = (np.sort(part[np.isfinite(part)]) for part in (own, others))
    if not len(own):
        return float(np.median(others)) / 2 if len(others) else None
    if not len(others):
        return float(own[-1])
    tried = np.unique(np.concatenate([own, others]))
    accepted = np.searchsorted(own, tried, side="right") / len(own)
    mistaken = np.searchsorted(others, tried, side="right") / len(others)
    best = int((accepted - mistaken).argmax())
    return float(tried[best : best + 2].mean())
