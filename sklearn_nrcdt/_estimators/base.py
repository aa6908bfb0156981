"""Base class of the transformers of images: validation, batches, workers, progress, names."""

import math
import warnings
from numbers import Integral

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import gen_batches
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from sklearn_nrcdt._support.caller import stacklevel_of_caller
from sklearn_nrcdt._support.compat import (
    CallbackSupportMixin,
    StrOptions,
    check_feature_names_in,
    fit_context,
    fit_progress,
)
from sklearn_nrcdt._support.doclink import DocLinkMixin
from sklearn_nrcdt._support.images import n_images, validate_images, working_dtype
from sklearn_nrcdt._support.polarity import report_bright_borders
from sklearn_nrcdt._support.samples import named

# Elements of one batch of images, the task of a worker: enough to outweigh its fixed cost.
BATCH_ELEMENTS = 2**21


def one_by_one(**params):
    """Return workers that yield results one by one, or all at the end if they must."""
    try:
        return Parallel(prefer="threads", return_as="generator", **params)
    except ValueError as error:  # the backends "multiprocessing" and "ray"
        if "return_as" not in str(error):
            raise
        return Parallel(prefer="threads", **params)


class ImageTransformer(DocLinkMixin, CallbackSupportMixin, TransformerMixin, BaseEstimator):
    """Validate images, hand them out in batches, collect their features."""

    _parameter_constraints: dict = {
        "image_shape": [None, tuple, list],
        "on_blank": [StrOptions({"warn", "raise", "ignore"})],
        "on_bright_border": [StrOptions({"warn", "raise", "ignore"})],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }
    # Whether features depend on the place of a figure in its canvas, so that images need the same.
    _one_canvas = False

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Learn the image shape and build the geometry.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images, bright on dark. Rows may be sparse. Pass images of different
            shapes as a list of 2-D arrays.
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
        """Fit to images and transform them, validating them only once.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images, bright on dark. Rows may be sparse. Pass images of different
            shapes as a list of 2-D arrays.
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
            Grey images, bright on dark. Rows are as long as in `fit` and may be sparse. Pass
            images of different shapes as a list of 2-D arrays.

        Returns
        -------
        X_new : ndarray of shape (n_images, n_features_out)
            The features: float32 for float32 images, float64 otherwise. A blank image
            gives a row of zeros.
        """
        check_is_fitted(self)
        images = self._validate(X, reset=False)
        return self._transform_batches(images, self._batches(images))

    def get_feature_names_out(self, input_features=None):
        """Name the features after their angle, quantile level, order or window.

        The glossary of the documentation explains the parts of a name.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Ignored except for validation against the names seen in `fit`.

        Returns
        -------
        feature_names_out : ndarray of str
            For example ``radoncdt_angle2.8_q0.023``: the class, the angle in degrees and the
            quantile level.
        """
        check_is_fitted(self)
        check_feature_names_in(self, input_features, generate_names=False)
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}_{label}" for label in self._labels()], dtype=object)

    def _set_up(self, dtype):
        """Compute what depends only on the parameters and the image shape."""
        raise NotImplementedError

    def _kernel(self, dtype):
        """Return the function (batch of images) -> features, and which images are blank."""
        raise NotImplementedError

    def _numbers_per_image(self):
        """Return the number of elements that the kernel computes for an image."""
        raise NotImplementedError

    def _labels(self):
        """Return the features' names without the prefix."""
        raise NotImplementedError

    def _validate(self, X, *, reset):
        return validate_images(self, X, reset=reset, one_shape=self._one_canvas)

    def _learn(self, X):
        images = self._validate(X, reset=True)
        report_bright_borders(images, self.on_bright_border)
        self._set_up(working_dtype(images))
        return images

    def _batches(self, images):
        """Return slices of the images or, if their shapes differ, positions of similar ones."""
        n = n_images(images)
        n_jobs = effective_n_jobs(self.n_jobs)
        # At least two tasks for each worker: a slow one then holds up the others less.
        share = math.ceil(n / (2 * n_jobs if n_jobs > 1 else 1))
        size = max(1, min(BATCH_ELEMENTS // self._numbers_per_image(), share))
        batches = list(gen_batches(n, size))
        if isinstance(images, list):
            order = np.array(sorted(range(n), key=lambda i: images[i].shape))
            return [order[rows] for rows in batches]
        return batches

    def _transform_batches(self, images, batches, progress=None):
        dtype = working_dtype(images)
        run = self._kernel(dtype)
        parallel = one_by_one(n_jobs=self.n_jobs, verbose=self.verbose)
        results = parallel(delayed(run)(_pick(images, rows)) for rows in batches)
        features, n = None, n_images(images)
        blank = np.zeros(n, bool)
        progress = iter(progress if progress is not None else [None] * (len(batches) + 1))
        next(progress)
        for rows, (part, is_blank) in zip(batches, results, strict=True):
            if features is None:
                features = np.empty((n, part.shape[1]), dtype)
            features[rows], blank[rows] = part, is_blank
            next(progress)
        self._report_blank(np.flatnonzero(blank))
        return features

    def _report_blank(self, blank):
        if not len(blank) or self.on_blank == "ignore":
            return
        message = (
            f"{len(blank)} of the images have no mass (all pixels are zero): samples "
            f"{named(blank)}."
        )
        if self.on_blank == "raise":
            raise ValueError(f"{message} Remove them, or pass on_blank='warn'.")
        warnings.warn(
            f"{message} Their features are zero.", UserWarning, stacklevel=stacklevel_of_caller()
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.three_d_array = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _pick(images, rows):
    return [images[i] for i in rows] if isinstance(images, list) else images[rows]
