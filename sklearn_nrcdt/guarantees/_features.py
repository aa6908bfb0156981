"""Features as the theorems define them, their distances, and their numerical error.

The estimators normalise with mean and deviation over the quantile levels, as the authors'
programs do. The theorems integrate instead. Both integrals are known in closed form here, so
that only the quantile functions and what is taken over the angles are discretised.
"""

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.utils import gen_batches

from sklearn_nrcdt import RadonCDT
from sklearn_nrcdt.guarantees._geometry import check_templates, float_batches, geometry

FEATURES = ("max", "mean", "weighted_mean")
# Numbers per array that are worked on at a time.
BATCH_ELEMENTS = 2**22


def check_option(value, name, options):
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {options}, got {value!r}.")
    return value


class DiscreteFeatures:
    """Features of images in the sense of the theorems, with a bound of their error.

    Parameters
    ----------
    images, image_shape : as `check_templates` returns them
    shapes : Geometry
        Of the images.
    feature : {"max", "mean", "weighted_mean"}
    n_angles, n_radii, n_quantiles : as of `RadonCDT`
    """

    def __init__(self, images, image_shape, shapes, feature, n_angles, n_radii, n_quantiles):
        check_option(feature, "feature", FEATURES)
        transformer = RadonCDT(n_angles, n_radii, n_quantiles, image_shape=image_shape)
        values = np.empty((images.shape[0], n_quantiles))
        for rows, batch in float_batches(images, image_shape):
            if rows.start == 0:
                transformer.fit(batch)
                mean, std = shapes.project(transformer.angles_)
                weights = self._weights(feature, std)
            for part in gen_batches(len(batch), max(1, BATCH_ELEMENTS // (n_angles * n_quantiles))):
                at = slice(rows.start + part.start, rows.start + part.stop)
                quantiles = transformer.transform(batch[part]).reshape(-1, n_angles, n_quantiles)
                normal = (quantiles - mean[at, :, None]) / std[at, :, None]
                if feature == "max":
                    values[at] = normal.max(axis=1)
                else:
                    values[at] = np.einsum("ka,kaq->kq", weights[at], normal)
        self.values = values
        self.norm = "max" if feature == "max" else "l2"
        bin_width = transformer.radii_[1] - transformer.radii_[0]
        if feature == "max":
            self.error = self._max_error(shapes, std, bin_width)
        else:
            # By symmetry the lower ends are minus the upper ones of the opposite angles.
            ends = (weights * (shapes.ends(transformer.angles_) - mean) / std).sum(axis=1)
            starts = -(weights * (shapes.ends(transformer.angles_ + np.pi) + mean) / std).sum(
                axis=1
            )
            levels = self._level_error(starts, ends)
            self.error = levels + self._mean_error(shapes, std, weights, bin_width, feature)

    @staticmethod
    def _weights(feature, std):
        weights = std**-2.0 if feature == "weighted_mean" else np.ones_like(std)
        return weights / weights.sum(axis=1, keepdims=True)

    @staticmethod
    def _gaps(shapes, std):
        """Angles between neighbouring directions after whitening, (n, n_angles).

        There, an angle of g changes the NR-CDT by at most g * reach in the maximum norm
        and by at most g in L2.
        """
        step = 2 * np.pi / std.shape[1]
        if std.shape[1] == 1:
            return np.full(std.shape, step)
        root = np.sqrt(np.linalg.det(shapes.covariance))[:, None]
        sine = root * np.sin(step) / (std * np.roll(std, -1, axis=1))
        angles = step * np.arange(std.shape[1])
        here = np.stack([np.cos(angles), np.sin(angles)])
        there = np.roll(here, -1, axis=1)
        cosine = np.einsum("ik,nij,jk->nk", here, shapes.covariance, there)
        cosine /= std * np.roll(std, -1, axis=1)
        return np.arctan2(sine, cosine)

    def _max_error(self, shapes, std, bin_width):
        # A quantile lies in the right bin; a maximum is missed by half a gap at most.
        return bin_width / std.min(axis=1) + shapes.reach * self._gaps(shapes, std).max(axis=1) / 2

    def _mean_error(self, shapes, std, weights, bin_width, feature):
        bins = bin_width * (weights / std).sum(axis=1)
        if feature == "mean":
            stretch = np.minimum(shapes.largest_std / shapes.smallest_std, 2)
            angles = stretch * np.pi / (2 * std.shape[1])
        else:
            gaps = self._gaps(shapes, std) / (2 * np.pi)
            cells = (gaps + np.roll(gaps, 1, axis=1)) / 2
            angles = np.pi / 2 * (gaps**2).sum(axis=1) + np.abs(cells - weights).sum(axis=1)
        # Three times the bins: in the values, and twice in what the levels are compared by.
        return angles + 3 * bins

    def _level_error(self, starts, ends):
        """L2 distance of increasing functions from their steps, at most.

        Level j / (n + 1) stands for the cell [(j - 1) / n, j / n] that it lies in; to
        its left and right the function stays between the neighbouring values, or the
        ends of the support.
        """
        n = self.values.shape[1]
        values = np.column_stack([starts, self.values, ends])
        squares = np.maximum(np.diff(values, axis=1), 0) ** 2
        right = np.arange(1, n + 1) / (n + 1)
        return np.sqrt(((1 - right) * squares[:, :-1] + right * squares[:, 1:]).mean(axis=1))

    def distances(self, norm=None):
        """Distances of all pairs, (n, n)."""
        return pairwise(self.values, self.norm if norm is None else norm)


def pairwise(values, norm):
    """Distances of the rows in the maximum norm or in L2 of the reference measure."""
    if norm == "max":
        return cdist(values, values, "chebyshev")
    # A mean over the levels, since the reference measure is uniform on [0, 1].
    return cdist(values, values) / np.sqrt(values.shape[1])


def _discretise(images, feature, n_angles, n_radii, n_quantiles, image_shape):
    check_option(feature, "feature", FEATURES)
    images, shape = check_templates(images, image_shape)
    shapes = geometry(images, shape)
    return DiscreteFeatures(images, shape, shapes, feature, n_angles, n_radii, n_quantiles)


def theorem_features(
    images, feature="max", *, n_angles=128, n_radii="auto", n_quantiles=64, image_shape=None
):
    """Compute features as the theorems define them.

    mNR-CDT and aNR-CDT (sections ``ssec:mNRCDT``, ``ssec:aNRCDT``), normalised by the
    exact mean and standard deviation of each projection. `MaxNRCDT` and `MeanNRCDT` take
    these over the quantile levels, which leaves out the tails; for the paper's symbols this
    changes them by 2 to 3 % (``python -m benchmarks.guarantees``).

    Parameters
    ----------
    images : array-like of shape (n_images, height, width) or (n_images, height * width)
        Grey images, bright on dark. Rows may be a sparse matrix.
    feature : {"max", "mean", "weighted_mean"}, default="max"
        What is taken over the angles. "weighted_mean" weights them by the inverse
        variance of the projection.
    n_angles, n_radii, n_quantiles : int, default=128, "auto", 64
        Discretisation, as of `RadonCDT`.
    image_shape : tuple (height, width), default=None
        Shape of flattened images that are not square.

    Returns
    -------
    features : ndarray of shape (n_images, n_quantiles)
        Values at the levels ``j / (n_quantiles + 1)``.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> from sklearn_nrcdt.guarantees import theorem_features
    >>> theorem_features(load_symbols(size=64).images, n_quantiles=32).shape
    (12, 32)
    """
    return _discretise(images, feature, n_angles, n_radii, n_quantiles, image_shape).values


def discretisation_error(
    images, feature="max", *, n_angles=128, n_radii="auto", n_quantiles=64, image_shape=None
):
    """Bound the error of `theorem_features`, in the norm of the theorem.

    A worst case that is proved, not an estimate: of the maximum norm over the levels for
    "max", of L2 over all of (0, 1) for the means. The true error is much smaller as a rule;
    the bound falls in proportion to ``1 / n_angles``, ``1 / n_radii`` and, for the means,
    roughly ``1 / n_quantiles``.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width) or (n_images, height * width)
        Grey images, bright on dark. Rows may be a sparse matrix.
    feature : {"max", "mean", "weighted_mean"}, default="max"
        The feature.
    n_angles, n_radii, n_quantiles : int, default=128, "auto", 64
        Discretisation, as of `RadonCDT`.
    image_shape : tuple (height, width), default=None
        Shape of flattened images that are not square.

    Returns
    -------
    error : ndarray of shape (n_images,)
        Bound for each image.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> from sklearn_nrcdt.guarantees import discretisation_error
    >>> images = load_symbols(size=32).images
    >>> coarse = discretisation_error(images, n_angles=64, n_radii=201)
    >>> fine = discretisation_error(images, n_angles=256, n_radii=801)
    >>> bool((3.9 * fine < coarse).all())
    True
    """
    return _discretise(images, feature, n_angles, n_radii, n_quantiles, image_shape).error


def feature_distances(
    images,
    feature="max",
    *,
    norm=None,
    n_angles=128,
    n_radii="auto",
    n_quantiles=64,
    image_shape=None,
):
    """Compute the distances of templates in feature space.

    The right-hand side of the separation theorems: the maximum norm
    ``|| mNR-CDT[mu_0] - mNR-CDT[nu_0] ||_inf`` of ``thm:sep-pert-max-nrcdt`` or the norm
    of ``L2_rho`` of ``thm:sep-mean-nrcdt`` and ``thm:sep-pert-mean-nrcdt``, with the
    reference measure uniform on [0, 1].

    Parameters
    ----------
    images : array-like of shape (n_images, height, width) or (n_images, height * width)
        Grey images, bright on dark. Rows may be a sparse matrix.
    feature : {"max", "mean", "weighted_mean"}, default="max"
        The feature.
    norm : {"max", "l2"}, default=None
        None takes the norm of the theorem: "max" for the maximum, "l2" for the means.
    n_angles, n_radii, n_quantiles : int, default=128, "auto", 64
        Discretisation, as of `RadonCDT`.
    image_shape : tuple (height, width), default=None
        Shape of flattened images that are not square.

    Returns
    -------
    distances : ndarray of shape (n_images, n_images)
        Distances of all pairs.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> from sklearn_nrcdt.guarantees import feature_distances
    >>> distances = feature_distances(load_symbols(size=64).images, "mean")
    >>> distances.shape, float(distances[0, 0])
    ((12, 12), 0.0)
    """
    if norm is not None:
        check_option(norm, "norm", ("max", "l2"))
    return _discretise(images, feature, n_angles, n_radii, n_quantiles, image_shape).distances(norm)
