"""Base class of the transformers from images to images."""

import math
from functools import partial
from numbers import Integral
from typing import Any, Self

import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin, TransformerMixin, clone

from sklearn_nrcdt._estimators.base import ImageEstimator, joined
from sklearn_nrcdt._support.compat import fit_context, wrap_output
from sklearn_nrcdt._support.images import is_stack
from sklearn_nrcdt._support.types import Images
from sklearn_nrcdt._support.workers import run_batches

# Data types that filters preserve.
DTYPES = ["float64", "float32", "float16", "bool"] + [
    f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)
]


class ImageFilter(  # type: ignore[call-arg]
    OneToOneFeatureMixin,
    TransformerMixin,
    ImageEstimator,
    auto_wrap_output_keys=None,  # `_apply` wraps rows; stacks do not fit into data frames
):
    """Images in, images out, in the same form; `_batch_function` maps a stack to a stack."""

    _parameter_constraints: dict = {"image_shape": [None, tuple, list], "n_jobs": [None, Integral]}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Images, y: Any = None) -> Self:
        """Learn the image shape; `transform` works without it.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images.
        y : Ignored
            Not used, present by convention.

        Returns
        -------
        self : object
            Fitted transformer.
        """
        self._validate(X, reset=True)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X: Images, y: Any = None) -> Any:
        """Fit to images and transform them, validating them only once.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images.
        y : Ignored
            Not used, present by convention.

        Returns
        -------
        X_new : ndarray or CSR array of the shape of X
            The cleaned images.
        """
        return self._apply(self._validate(X, reset=True), X)

    def transform(self, X: Images) -> Any:
        """Clean images.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images. Pass images of different shapes as a list of 2-D arrays.

        Returns
        -------
        X_new : ndarray or CSR array of the shape of X
            The cleaned images.
        """
        self._check_parameters()
        fitted = self if hasattr(self, "image_shape_") else clone(self).fit(X)
        return fitted._apply(fitted._validate(X, reset=False), X)

    def _numbers_per_image(self):
        return math.prod(self.image_shape_)

    def _batch_function(self):
        """Return the function (stack of images) -> stack of images."""
        raise NotImplementedError

    def _apply(self, images, X):
        run = partial(_filter_batch, function=self._batch_function(), shape=self.image_shape_)
        if isinstance(images, list):
            single = ((image[None],) for image in images)
            return [image for (image,) in run_batches(run, single, self.n_jobs)]
        batches = self._batches(images)
        parts = run_batches(run, ((images[rows],) for rows in batches), self.n_jobs)
        if sp.issparse(images):
            rows = sp.vstack([sp.csr_array(part.reshape(len(part), -1)) for part in parts], "csr")
            rows = sp.csr_matrix(rows) if isinstance(X, sp.spmatrix) else sp.csr_array(rows)
            return wrap_output("transform", rows, X, self)
        (cleaned,) = joined(len(images), zip(batches, parts, strict=True))
        if is_stack(X):
            return cleaned
        return wrap_output("transform", cleaned.reshape(len(images), -1), X, self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.transformer_tags.preserves_dtype = DTYPES
        return tags


def _filter_batch(batch, function, shape):
    if sp.issparse(batch):
        batch = batch.toarray().reshape(-1, *shape)
    return function(batch)
