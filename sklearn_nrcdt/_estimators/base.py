"""What all transformers of images share: validation, batches, workers, names."""

import math
import warnings
from functools import partial
from numbers import Integral

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import gen_batches
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from sklearn_nrcdt._kernels.cdt import quantile_levels, quantiles
from sklearn_nrcdt._kernels.footprints import bin_edges
from sklearn_nrcdt._kernels.normalize import unfold
from sklearn_nrcdt._kernels.radon import n_directions, projector
from sklearn_nrcdt._support.caller import stacklevel_of_caller
from sklearn_nrcdt._support.compat import (
    CallbackSupportMixin,
    Interval,
    StrOptions,
    check_feature_names_in,
    fit_context,
    fit_progress,
)
from sklearn_nrcdt._support.doclink import DocLinkMixin
from sklearn_nrcdt._support.images import validate_images, working_dtype

# Numbers that may belong to one batch of images, the task of a worker: enough to make up for
# its fixed cost.
BATCH_ELEMENTS = 2**21


def _batch_features(batch, projector, n_quantiles, pooling):
    """Features of a batch of images, and which of them are blank."""
    n = batch.shape[0]
    blank = np.ones(n, bool)
    width = pooling(np.zeros((1, projector.n_directions, n_quantiles))).size
    features = np.zeros((n, width), projector.dtype)
    for rows, masses in projector.project_parts(batch):
        blank[rows] = False
        n_trimmed = (projector.n_radii - 1 - masses.shape[2]) // 2
        functions = quantiles(masses, n_quantiles, n_trimmed)
        features[rows] = pooling(functions).reshape(len(rows), -1)
    return features, blank


def one_by_one(**params):
    """Return workers whose results come one by one, or all at the end if they cannot."""
    try:
        return Parallel(prefer="threads", return_as="generator", **params)
    except ValueError as error:  # the backends "multiprocessing" and "ray"
        if "return_as" not in str(error):
            raise
        return Parallel(prefer="threads", **params)


def projected_densities(transformer, image):
    """Densities of an image's projections at the angles of a fitted transformer."""
    masses = transformer._geometry(np.dtype(np.float64)).project(image[None])
    # `unfold` turns functions around and changes their sign; masses have none.
    masses = np.abs(unfold(masses, len(transformer.angles_)))[0]
    return masses / masses.sum(axis=1, keepdims=True) * (masses.shape[1] / 2)


def decimals(values, spacing):
    """Decimals that tell equispaced values apart, with one digit to spare."""
    digits = max(1, 1 - math.floor(math.log10(spacing)))
    return [f"{value:.{digits}f}" for value in values]


class ImageTransformer(DocLinkMixin, CallbackSupportMixin, TransformerMixin, BaseEstimator):
    """Validate images, project them in batches, take what `_pooling` says."""

    _parameter_constraints: dict = {
        "n_angles": [Interval(Integral, 1, None, closed="left")],
        "n_radii": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"})],
        "n_quantiles": [Interval(Integral, 1, None, closed="left")],
        "image_shape": [None, tuple, list],
        "on_blank": [StrOptions({"warn", "raise", "ignore"})],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_angles=128,
        n_radii="auto",
        n_quantiles=64,
        *,
        image_shape=None,
        on_blank="warn",
        n_jobs=None,
        verbose=0,
    ):
        self.n_angles = n_angles
        self.n_radii = n_radii
        self.n_quantiles = n_quantiles
        self.image_shape = image_shape
        self.on_blank = on_blank
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn the image shape and build the geometry.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images, bright on dark. Rows may be a sparse matrix.
        y : Ignored
            Not used, present by convention.

        Returns
        -------
        self : object
            Fitted transformer.
        """
        self._learn(X)
        for _ in fit_progress(self, X, y, n_steps=0):
            pass
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X, y=None):
        """Fit to images and transform them, with their validation done once.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images, bright on dark. Rows may be a sparse matrix.
        y : Ignored
            Not used, present by convention.

        Returns
        -------
        X_new : ndarray of shape (n_images, n_features_out)
            The features.
        """
        images = self._learn(X)
        batches = self._batches(images)
        progress = fit_progress(self, X, y, n_steps=len(batches))
        return self._transform_batches(images, batches, progress)

    def transform(self, X):
        """Compute the features of images.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images of the shape seen in `fit`. Rows may be a sparse matrix.

        Returns
        -------
        X_new : ndarray of shape (n_images, n_features_out)
            The features: float32 for float32 images, float64 otherwise. A blank image
            gives a row of zeros.
        """
        check_is_fitted(self)
        images = validate_images(self, X, reset=False)
        return self._transform_batches(images, self._batches(images))

    def get_feature_names_out(self, input_features=None):
        """Name the features after quantile levels and what else tells them apart.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Ignored except for validation against the names seen in `fit`.

        Returns
        -------
        feature_names_out : ndarray of str
            For example ``radoncdt_angle2.81_q0.015`` (angle in degrees, level).
        """
        check_is_fitted(self)
        check_feature_names_in(self, input_features, generate_names=False)
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}_{label}" for label in self._labels()], dtype=object)

    def _pooling(self):
        """Return the function (quantile functions of the lines) -> features."""
        raise NotImplementedError

    def _labels(self):
        """Return what tells the features apart: the quantile levels, if nothing else."""
        return self._level_labels()

    def _level_labels(self):
        spacing = self.quantile_levels_[0]
        return [f"q{label}" for label in decimals(self.quantile_levels_, spacing)]

    def _angle_level_labels(self):
        degrees = decimals(np.rad2deg(self.angles_), 360 / len(self.angles_))
        return [f"angle{angle}_{level}" for angle in degrees for level in self._level_labels()]

    def _learn(self, X):
        images = validate_images(self, X, reset=True)
        self.angles_ = 2 * np.pi * np.arange(self.n_angles) / self.n_angles
        self.radii_ = bin_edges(self._resolve_n_radii())
        self.quantile_levels_ = quantile_levels(self.n_quantiles)
        self._projector = self._geometry(working_dtype(images))
        return images

    def _resolve_n_radii(self):
        if self.n_radii != "auto":
            return self.n_radii
        # Four bins on a pixel of the diagonal, within bounds; see the class documentation.
        # An odd number: the origin is the edge of a bin.
        n_radii = 2 * math.ceil(2 * math.sqrt(2) * max(self.image_shape_)) + 1
        return min(max(151, n_radii), 501)

    def _geometry(self, dtype):
        lines = n_directions(len(self.angles_))
        return projector(self.image_shape_, lines, len(self.radii_), dtype.name)

    def _batches(self, images):
        n = images.shape[0]
        lines = self._projector.n_directions
        per_image = lines * max(len(self.radii_), len(self.quantile_levels_))
        n_jobs = effective_n_jobs(self.n_jobs)
        # Two tasks for each worker at least: a slow one then holds up the others less.
        share = math.ceil(n / (2 * n_jobs if n_jobs > 1 else 1))
        return list(gen_batches(n, max(1, min(BATCH_ELEMENTS // per_image, share))))

    def _transform_batches(self, images, batches, progress=None):
        dtype = working_dtype(images)
        geometry = self._projector if dtype == self._projector.dtype else self._geometry(dtype)
        run = partial(
            _batch_features,
            projector=geometry,
            n_quantiles=len(self.quantile_levels_),
            pooling=self._pooling(),
        )
        parallel = one_by_one(n_jobs=self.n_jobs, verbose=self.verbose)
        results = parallel(delayed(run)(images[rows]) for rows in batches)
        features = None
        blank = np.zeros(images.shape[0], bool)
        progress = iter(progress if progress is not None else [None] * (len(batches) + 1))
        next(progress)
        for rows, (part, is_blank) in zip(batches, results, strict=True):
            if features is None:
                features = np.empty((images.shape[0], part.shape[1]), dtype)
            features[rows], blank[rows] = part, is_blank
            next(progress)
        self._report_blank(np.flatnonzero(blank))
        return features

    def _report_blank(self, blank):
        if not len(blank) or self.on_blank == "ignore":
            return
        shown = ", ".join(map(str, blank[:20])) + (", ..." if len(blank) > 20 else "")
        message = f"{len(blank)} of the images have no mass (all pixels are zero): samples {shown}."
        if self.on_blank == "raise":
            raise ValueError(f"{message} Remove them, or pass on_blank='warn'.")
        warnings.warn(
            f"{message} Their features are zero.", UserWarning, stacklevel=stacklevel_of_caller()
        )

    def __getstate__(self):
        # A saved transformer carries the geometry and a dtype, not the table of footprints:
        # files are small, and skops need not be told to trust what the table is made of.
        state = dict(super().__getstate__())
        if "_projector" in state:
            state["_projector"] = state["_projector"].dtype.name
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_projector" in state:
            self._projector = self._geometry(np.dtype(state["_projector"]))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.three_d_array = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
