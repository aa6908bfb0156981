"""Base classes of estimators of images: validation, batches, workers, progress, names."""

import math
from functools import partial
from itertools import repeat
from numbers import Integral
from typing import Any, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sklearn_nrcdt._support.compat import (
    CallbackSupportMixin,
    check_feature_names_in,
    fit_context,
    fit_progress,
    without_callbacks,
)
from sklearn_nrcdt._support.estimator import Estimator
from sklearn_nrcdt._support.images import n_images, validate_images, working_dtype
from sklearn_nrcdt._support.messages import BlankImageWarning, warn
from sklearn_nrcdt._support.misreadings import report_bright_borders
from sklearn_nrcdt._support.progress import Progress
from sklearn_nrcdt._support.samples import first_few
from sklearn_nrcdt._support.types import ArrayLike, FloatArray, Images, NDArray
from sklearn_nrcdt._support.workers import n_workers, run_batches

# Elements of one batch of images, the task of a worker: enough to outweigh its fixed cost.
BATCH_ELEMENTS = 2**21
BLANK = "Their features are zero."


class ImageEstimator(CallbackSupportMixin, Estimator):
    """Validate images and hand them out in batches."""

    _parameter_constraints: dict = {
        "image_shape": [None, tuple, list],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }
    # Whether features depend on where a figure lies; all images then need canvases of one shape.
    _depends_on_canvas = False

    def _set_up(self):
        """Compute what depends only on the parameters and the image shape."""

    def _numbers_per_image(self):
        """Return the number of elements that are computed for an image."""
        raise NotImplementedError

    def _validate(self, X, *, reset):
        return validate_images(self, X, reset=reset, one_shape=self._depends_on_canvas)

    def _validate_and_set_up(self, X):
        self._check_parameters()
        images = self._validate(X, reset=True)
        report_bright_borders(images)
        self._set_up()
        self._remember_parameters()
        return images

    def _batches(self, images):
        """Return slices of the images or, if their shapes differ, positions of similar ones."""
        n = n_images(images)
        n_jobs = n_workers(self.n_jobs) if n > 1 else 1
        # At least two tasks for each worker: a slow one then holds up the others less.
        share = math.ceil(n / (2 * n_jobs if n_jobs > 1 else 1))
        size = max(1, min(BATCH_ELEMENTS // self._numbers_per_image(), share))
        batches = [slice(start, min(start + size, n)) for start in range(0, n, size)]
        if isinstance(images, list):
            order = np.array(sorted(range(n), key=lambda i: images[i].shape))
            return [order[rows] for rows in batches]
        return batches

    def _run(self, images, function, *, of_fit=None, along=(), blank=BLANK):
        """Yield batches and what the function returns of them, except which images are blank.

        `of_fit` is what `fit` was given, whose callbacks then see every batch; `along` are arrays
        that go with the images; `blank` says what becomes of blank images.
        """
        batches = self._batches(images)
        given = ((pick(images, rows), *(part[rows] for part in along)) for rows in batches)
        results = run_batches(function, given, self.n_jobs if len(batches) > 1 else 1)
        n, n_done = n_images(images), 0
        is_blank = np.zeros(n, bool)
        steps = fit_progress(self, of_fit[0], of_fit[1], len(batches)) if of_fit else repeat(None)
        next(steps)
        with Progress(n, self.verbose) as printed:
            for rows, (*found, is_blank[rows]) in zip(batches, results, strict=True):
                yield rows, *found
                next(steps)
                n_done += len(is_blank[rows])
                printed.show(n_done)
        if blank and is_blank.any():
            warn(
                f"{is_blank.sum()} of the images have no mass (all pixels are zero): samples "
                f"{first_few(np.flatnonzero(is_blank))}. {blank}",
                BlankImageWarning,
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.three_d_array = True
        return tags


class ImageTransformer(TransformerMixin, ImageEstimator):
    """Collect the features of images."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Images, y: Any = None) -> Self:
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
        self._validate_and_set_up(X)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X: Images, y: Any = None) -> FloatArray:
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
        return self._transform_batches(self._validate_and_set_up(X), of_fit=(X, y))

    def transform(self, X: Images) -> FloatArray:
        """Compute the features of images.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images, bright on dark. Rows are as long as in `fit` and may be sparse. Pass
            images of different shapes as a list of 2-D arrays.

        Returns
        -------
        X_new : ndarray of shape (n_images, n_features_out)
            The features, float32 for float32 images. A blank image gives a row of zeros.
        """
        check_is_fitted(self)
        self._check_parameters_again()
        return self._transform_batches(self._validate(X, reset=False))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Name the features after their angle, quantile level, order or window, see the glossary.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Ignored except for validation against the names seen in `fit`.

        Returns
        -------
        feature_names_out : ndarray of str
            For example ``radoncdt_angle2.8_q0.023``: class, angle in degrees, quantile level.
        """
        check_is_fitted(self)
        check_feature_names_in(self, input_features, generate_names=False)
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}_{label}" for label in self._labels()], dtype=object)

    def _features(self, images, dtype):
        """Return the features of a batch of images, and which of them are blank."""
        raise NotImplementedError

    def _batch_function(self, dtype):
        return partial(without_callbacks(self)._features, dtype=dtype)

    def _feature_dtype(self, images):
        return working_dtype(images)

    def _labels(self):
        """Return the features' names without the prefix."""
        raise NotImplementedError

    def _transform_batches(self, images, of_fit=None):
        function = self._batch_function(self._feature_dtype(images))
        return joined(n_images(images), self._run(images, function, of_fit=of_fit))[0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def joined(n, batches):
    """Return arrays for all n images, from positions and arrays for batches of them."""
    whole: list[NDArray[Any]] = []
    for rows, *parts in batches:
        if not whole:
            whole = [np.empty((n, *part.shape[1:]), part.dtype) for part in parts]
        for array, part in zip(whole, parts, strict=True):
            array[rows] = part
    return whole


def pick(images, rows):
    return [images[i] for i in rows] if isinstance(images, list) else images[rows]
