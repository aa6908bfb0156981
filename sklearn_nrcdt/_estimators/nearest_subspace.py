"""Classification by the nearest linear subspace."""

from itertools import repeat
from numbers import Integral
from typing import Any, Self

import numpy as np

from sklearn_nrcdt._estimators.distance_classifier import N_PROBES, DistanceClassifier, batches
from sklearn_nrcdt._kernels import calibration
from sklearn_nrcdt._support.compat import (
    CallbackSupportMixin,
    Interval,
    RealNotInt,
    check_array,
    fit_context,
    fit_progress,
)
from sklearn_nrcdt._support.messages import warn
from sklearn_nrcdt._support.samples import evenly_spaced
from sklearn_nrcdt._support.types import ArrayLike, NDArray

# Distances below this share of the sample's norm are computed from the residual itself: the
# difference of squared norms would lose too many digits.
NEAR = 1e-2
# Distances that differ by less than this share of the sample's norm count as equal.
ROUNDING = 1e-12
# Folds of held-out samples from which probabilities are calibrated.
N_FOLDS = 5


class NearestSubspaceClassifier(CallbackSupportMixin, DistanceClassifier):
    """Assign each sample to the class whose linear subspace is nearest.

    The subspace of a class is spanned by the leading right singular vectors of its training
    samples, which are not centered. With `RadonCDT` features this is the classifier of the R-CDT
    literature (RCDT-NS): deformations that act linearly on the features, such as scaling, need
    not be seen in training. Use features that are longer than the number of components. Ties go
    to the class that comes first in `classes_`. Memory is bounded.

    Parameters
    ----------
    n_components : int, float or None, default=20
        Number of singular vectors for each class, at most the rank of its samples. A float in
        (0, 1] takes as many as hold that share of the sum of squares of the samples, for example
        0.9999. None takes all, if a class has far fewer samples than features.
    enrichment : array-like of shape (n_vectors, n_features), default=None
        Directions in which features may move without a change of class, for example
        `RadonCDT.translation_vectors`: added to all subspaces, and projected out of the training
        samples before the singular vectors are computed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    components_ : ndarray of shape (sum of `n_components_`, n_features)
        Orthonormal bases of the classes, without the enrichment, one after the other.
    n_components_ : ndarray of shape (n_classes,)
        Number of components of each class.
    enrichment_ : ndarray of shape (n_independent_vectors, n_features)
        Orthonormal basis of the enrichment.
    proba_exponent_ : float
        Exponent of `predict_proba`, learned from up to 256 samples, held out of subspaces that
        `fit` computes without a fifth of each class.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if `fit` was given a data frame with string column names.

    See Also
    --------
    NearestTemplateClassifier : Distance to the training samples themselves.

    References
    ----------
    M. Shifat-E-Rabbi et al.: Radon cumulative distribution transform subspace modeling
    for image classification. J. Math. Imaging Vis. 63 (2021).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn_nrcdt import NearestSubspaceClassifier, RadonCDT
    >>> digits = load_digits()
    >>> images = np.pad(digits.images, ((0, 0), (4, 4), (4, 4)))
    >>> shifts = RadonCDT(n_angles=16).fit(images).translation_vectors()
    >>> model = make_pipeline(RadonCDT(n_angles=16), NearestSubspaceClassifier(enrichment=shifts))
    >>> moved = np.roll(images[500:], (-3, 2), axis=(1, 2))
    >>> bool(model.fit(images[:500], digits.target[:500]).score(moved, digits.target[500:]) > 0.9)
    True
    """

    _parameter_constraints: dict = {
        "n_components": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0, 1, closed="right"),
        ],
        "enrichment": [None, "array-like"],
    }

    def __init__(
        self, n_components: float | None = 20, *, enrichment: ArrayLike | None = None
    ) -> None:
        self.n_components = n_components
        self.enrichment = enrichment

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Compute the subspaces.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features of the training samples.
        y : array-like of shape (n_samples,)
            Their classes.

        Returns
        -------
        self : object
            Fitted classifier.
        """
        X, y = self._validate_fit(X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.enrichment_ = self._enrichment_basis()
        progress = fit_progress(self, X, y, n_steps=len(self.classes_))
        self.components_, self.n_components_ = self._subspaces(X, codes, progress)
        full = self.n_components_ + len(self.enrichment_) == self.n_features_in_
        if full.any() and len(full) > 1:
            warn(
                f"The subspaces of {full.sum()} of {len(full)} classes fill the space of "
                f"{self.n_features_in_} features, so all samples have distance zero from them. "
                "Lower n_components, or use features of a higher dimension."
            )
        self.proba_exponent_ = self._learn_exponent(X, codes)
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
            Class of the nearest subspace.
        """
        X = self._validate(X)
        nearest = np.empty(len(X), dtype=np.intp)
        for rows, distances in self._class_distances(X):
            nearest[rows] = distances.argmin(axis=1)
        return self.classes_[nearest]

    def _enrichment_basis(self):
        if self.enrichment is None:
            return np.empty((0, self.n_features_in_))
        vectors = check_array(
            self.enrichment, dtype=np.float64, input_name="enrichment", ensure_min_samples=0
        )
        if vectors.shape[1] != self.n_features_in_:
            raise ValueError(
                f"enrichment has vectors of {vectors.shape[1]} features, but X has "
                f"{self.n_features_in_} features. Compute both with the same transformer."
            )
        return _row_space(vectors, _rounding(vectors), None)

    def _subspaces(self, X, codes, progress):
        bases = []
        next(progress)
        for code in range(len(self.classes_)):
            samples = X[codes == code]
            rest = _project_off(samples.astype(np.float64), self.enrichment_)
            bases.append(_row_space(rest, _rounding(samples), self.n_components))
            next(progress)
        return np.concatenate(bases), np.array([len(basis) for basis in bases])

    def _learn_exponent(self, X, codes):
        order, rank = calibration.order_by_content(X, codes)
        several = np.bincount(codes)[codes] > 1
        n_probes, logs = 0, []
        for fold in range(N_FOLDS):
            left_out = order[((rank % N_FOLDS == fold) & several)[order]]
            if not len(left_out) or n_probes >= N_PROBES:
                break
            kept = codes.copy()
            kept[left_out] = -1
            subspaces = self._subspaces(X, kept, progress=repeat(None))
            left_out = left_out[evenly_spaced(len(left_out), N_PROBES)]
            n_probes += len(left_out)
            logs += [
                calibration.probe_logs(distances, codes[left_out[rows]])
                for rows, distances in self._class_distances(X[left_out], subspaces)
            ]
        return calibration.learn_exponent(logs, len(self.classes_))

    def _class_distances(self, X, subspaces=None):
        components, n_components = subspaces or (self.components_, self.n_components_)
        row_bytes = 8 * (3 * X.shape[1] + len(components) + 2 * len(n_components))
        ends = np.cumsum(n_components)
        parts = [slice(end - n, end) for n, end in zip(n_components, ends, strict=True)]
        for rows in batches(len(X), row_bytes):
            yield rows, _distances(X[rows].astype(np.float64), self.enrichment_, components, parts)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # The checks have two features, where subspaces are lines through the origin.
        tags.classifier_tags.poor_score = True
        return tags


def _distances(samples, enrichment, components, parts):
    norms = np.linalg.norm(samples, axis=1, keepdims=True)
    samples = _project_off(samples, enrichment)
    coefficients = samples @ components.T
    squares = np.repeat(np.square(samples).sum(axis=1)[:, None], len(parts), axis=1)
    for code, part in enumerate(parts):
        squares[:, code] -= np.square(coefficients[:, part]).sum(axis=1)
    distances = np.sqrt(np.maximum(squares, 0))
    near = distances < NEAR * norms
    for code in map(int, np.flatnonzero(near.any(axis=0))):
        rows = np.flatnonzero(near[:, code])
        residuals = _project_off(samples[rows], components[parts[code]])
        distances[rows, code] = np.linalg.norm(residuals, axis=1)
    least = distances.min(axis=1, keepdims=True)
    return np.where(distances <= least + ROUNDING * norms, least, distances)


def _project_off(samples, basis):
    return samples - (samples @ basis.T) @ basis


def _rounding(samples):
    """Return the size of singular values that may be rounding errors."""
    # Of the samples as they are given, and of what is computed from them.
    share = np.finfo(samples.dtype).eps + max(samples.shape) * np.finfo(np.float64).eps
    return share * np.linalg.norm(samples.astype(np.float64))


def _row_space(samples, rounding, n_components):
    """Return the leading right singular vectors, of singular values above the rounding."""
    if len(samples) > samples.shape[1]:
        samples = np.linalg.qr(samples, mode="r")
    if not samples.size:
        return samples
    _, singular, basis = np.linalg.svd(samples, full_matrices=False)
    n = int(np.count_nonzero(singular > rounding))
    if isinstance(n_components, Integral):
        n = min(n, int(n_components))
    elif n_components is not None and n:
        energy = np.cumsum(np.square(singular[:n] / singular[0]))
        n = min(n, 1 + int(np.searchsorted(energy, n_components * energy[-1])))
    return basis[:n].copy()
