"""Base class of the transformers from images to images."""

import math
from functools import partial
from itertools import chain
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils import gen_batches
from sklearn.utils.parallel import delayed

from sklearn_nrcdt._estimators.base import BATCH_ELEMENTS, one_by_one
from sklearn_nrcdt._support.compat import (
    CallbackSupportMixin,
    fit_context,
    fit_progress,
    wrap_output,
)
from sklearn_nrcdt._support.doclink import DocLinkMixin
from sklearn_nrcdt._support.images import is_stack, validate_images

# Data types that filters preserve.
DTYPES = ["float64", "float32", "float16", "bool"] + [
    f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)
]


class ImageFilter(  # type: ignore[call-arg]
    DocLinkMixin,
    CallbackSupportMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
    BaseEstimator,
    auto_wrap_output_keys=None,  # `_apply` wraps rows; stacks do not fit into data frames
):
    """Images in, images out, in the same form; `_function` maps a stack to a stack."""

    _parameter_constraints: dict = {"image_shape": [None, tuple, list], "n_jobs": [None, Integral]}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
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
        self._learn(X, y)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X, y=None):
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
        return self._apply(self._learn(X, y), X)

    def transform(self, X):
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
        fitted = self if hasattr(self, "image_shape_") else clone(self).fit(X)
        return fitted._apply(fitted._validate(X), X)

    def _function(self):
        """Return the function (stack of images) -> stack of images."""
        raise NotImplementedError

    def _validate(self, X, *, reset=False):
        return validate_images(self, X, reset=reset)

    def _learn(self, X, y):
        images = self._validate(X, reset=True)
        for _ in fit_progress(self, X, y, n_steps=0):
            pass
        return images

    def _apply(self, images, X):
        if isinstance(images, list):
            return [part[0] for part in self._parts([image[None] for image in images])]
        size = max(1, BATCH_ELEMENTS // math.prod(images.shape[1:]))
        share = math.ceil(images.shape[0] / effective_n_jobs(self.n_jobs))
        rows = gen_batches(images.shape[0], min(size, share))
        parts = self._parts(images[batch] for batch in rows)
        if sp.issparse(images):
            rows = sp.vstack([sp.csr_array(part.reshape(len(part), -1)) for part in parts], "csr")
            rows = sp.csr_matrix(rows) if isinstance(X, sp.spmatrix) else sp.csr_array(rows)
            return wrap_output("transform", rows, X, self)
        first = next(parts)
        cleaned = np.empty((len(images), *first.shape[1:]), first.dtype)
        start = 0
        for part in chain([first], parts):
            cleaned[start : start + len(part)] = part
            start += len(part)
        if is_stack(X):
            return cleaned
        return wrap_output("transform", cleaned.reshape(len(cleaned), -1), X, self)

    def _parts(self, batches):
        """Yield the cleaned images, batch by batch."""
        run = partial(_filter_batch, function=self._function(), shape=self.image_shape_)
        return iter(one_by_one(n_jobs=self.n_jobs)(delayed(run)(batch) for batch in batches))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.three_d_array = True
        tags.transformer_tags.preserves_dtype = DTYPES
        return tags


def _filter_batch(batch, function, shape):
    if sp.issparse(batch):
        batch = batch.toarray().reshape(-1, *shape)
    return function(batch)
