"""Classification by the nearest template in feature space."""

from numbers import Integral, Real

import numpy as np

from sklearn_nrcdt._estimators.nearest import N_PROBES, NearestClassifier, learn_exponent
from sklearn_nrcdt._estimators.neighbors import Neighbors, check_n_neighbors
from sklearn_nrcdt._support.compat import (
    PAIRWISE_METRICS,
    Interval,
    StrOptions,
    fit_context,
    fit_progress,
)
from sklearn_nrcdt._support.samples import spread


class NearestTemplateClassifier(NearestClassifier):
    """Assign each sample to the class of its nearest template.

    The samples given to `fit` are the templates, any number for each class. With one template
    per class and `MaxNRCDT` features this is the paper's classifier. Ties go to the class that
    comes first in `classes_`, then to the first template. Memory is bounded by
    ``working_memory`` of `sklearn.set_config`.

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
        Label of rejected samples, of the type of the classes. None means "unknown" if classes
        are strings and -1 if they are numbers, which must not be a class. If you set a label,
        training samples may carry it: they belong to no class and do not become templates, and
        `score` counts them as right when they are rejected. This lets you tune
        `reject_distance` by cross-validation.
    n_jobs : int, default=None
        Number of workers for the distances; -1 means all processors.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted, without `unknown_label`.
    templates_ : ndarray of shape (n_templates, n_features)
        The templates, ordered by class, in the order given within a class.
    template_indices_ : ndarray of shape (n_templates,)
        Position of each template among the samples given to `fit`.
    template_labels_ : ndarray of shape (n_templates,)
        Class of each template.
    n_samples_fit_ : int
        Number of samples given to `fit`.
    reject_distance_ : float
        The threshold of ``reject_distance="auto"``. If classes have several templates, it is the
        one that best separates the distances of held-out templates to their own class from
        those to the other classes. With one template per class, it is half the median distance
        between a template and its nearest neighbour.
    proba_exponent_ : float
        Exponent of `predict_proba`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if `fit` was given a data frame with string column names.

    See Also
    --------
    sklearn.neighbors.KNeighborsClassifier : A vote of several neighbours.

    Notes
    -----
    `reject_distance_` and `proba_exponent_` are learned from at most 256 templates, held out in
    turn. This assumes independent templates; deformed copies of each other make both too
    optimistic.

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
        X, y = self._validate_fit(X, y)
        self.n_samples_fit_ = len(X)
        self.template_indices_ = self._known(y)
        self.classes_, codes = np.unique(y[self.template_indices_], return_inverse=True)
        if self.reject_distance is not None:
            self._rejected_label()
        order = np.argsort(codes, kind="stable")
        self.template_indices_ = self.template_indices_[order]
        self.templates_ = X[self.template_indices_]
        self.template_labels_ = y[self.template_indices_]
        self._neighbors = Neighbors(self.templates_, self.metric, self.metric_params or {})
        self._learn(codes[order])
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
        X = self._validate(X)
        self._validate_params()  # `reject_distance` may have changed since `fit`
        distances, places = self._neighbors.nearest(X, 1, self.n_jobs)
        labels = self.template_labels_[places[:, 0]]
        limit = self.reject_distance_ if self.reject_distance == "auto" else self.reject_distance
        if limit is None:
            return labels
        return np.where(distances[:, 0] > limit, self._rejected_label(), labels)

    def kneighbors(self, X, n_neighbors=5, return_distance=True):
        """Find the nearest templates of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        n_neighbors : int, default=5
            Number of templates to find.
        return_distance : bool, default=True
            Whether to return the distances as well.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Distances to the nearest templates, in ascending order. Only with
            ``return_distance=True``.
        indices : ndarray of shape (n_samples, n_neighbors)
            Their positions among the samples given to `fit`. The first one is of the
            class that `predict` finds, unless it rejects the sample.

        Notes
        -----
        At the end of a pipeline: ``model[-1].kneighbors(model[:-1].transform(images))``.

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
        indices = self.template_indices_[places]
        return (distances, indices) if return_distance else indices

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

        See Also
        --------
        kneighbors : Several templates for each sample.

        Examples
        --------
        >>> from sklearn_nrcdt import NearestTemplateClassifier
        >>> model = NearestTemplateClassifier().fit([[0.0], [4.0], [9.0]], ["b", "a", "b"])
        >>> model.nearest_template([[3.5], [8.0]])
        (array([0.5, 1. ]), array([1, 2]))
        """
        distances, indices = self.kneighbors(X, 1)
        return distances[:, 0], indices[:, 0]

    def _class_distances(self, X):
        first = np.searchsorted(self.template_labels_, self.classes_)
        for rows, distances in self._neighbors.distances(X, self.n_jobs):
            yield rows, np.minimum.reduceat(distances, first, axis=1)

    def _learn(self, codes):
        """Learn threshold and exponent from held-out templates."""
        first = np.searchsorted(codes, np.arange(len(self.classes_)))
        rank = np.arange(len(codes)) - first[codes]
        single = np.bincount(codes)[codes] == 1
        left_out = spread(len(codes), N_PROBES)
        parts = []
        for rows, distances in self._neighbors.distances(self.templates_[left_out], self.n_jobs):
            # One template of every class is held out, so that no class has an advantage.
            some = left_out[rows, None]
            hidden = (rank == rank[some]) & ~single | (some == np.arange(len(codes)))
            distances[hidden] = np.inf
            parts.append(np.minimum.reduceat(distances, first, axis=1))
        distances, codes = np.concatenate(parts), codes[left_out]
        is_own = codes[:, None] == np.arange(len(self.classes_))
        own, others = distances[is_own], np.where(is_own, np.inf, distances).min(axis=1)
        several = ~single[left_out]
        self.proba_exponent_ = learn_exponent(distances[several], codes[several])
        self.reject_distance_ = _best_threshold(own[several], others)

    def _known(self, y):
        """Return the positions of samples that belong to a class."""
        if self.unknown_label is None:
            return np.arange(len(y))
        self._check_label_type(self.unknown_label, y[0])
        known = np.flatnonzero(y != self.unknown_label)
        if not len(known):
            raise ValueError(
                f"All samples have the label unknown_label={self.unknown_label!r}, so there is no "
                "template. Add samples of known classes."
            )
        return known

    def _rejected_label(self):
        label = self.unknown_label
        if label is None:
            label = "unknown" if isinstance(self.classes_[0], str) else -1
        self._check_label_type(label, self.classes_[0])
        if label in self.classes_:
            raise ValueError(
                f"unknown_label={label!r} is one of the classes. Choose another label, or set it "
                "before fit if samples with this label belong to no class."
            )
        return np.array(label, dtype=object if self.classes_.dtype == object else None)

    @staticmethod
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
        return float(np.median(others)) / 2 if len(others) else np.inf
    if not len(others):
        return float(own[-1])
    tried = np.unique(np.concatenate([own, others]))
    accepted = np.searchsorted(own, tried, side="right") / len(own)
    mistaken = np.searchsorted(others, tried, side="right") / len(others)
    best = int((accepted - mistaken).argmax())
    return float(tried[best : best + 2].mean())
