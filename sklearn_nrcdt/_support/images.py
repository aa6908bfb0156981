"""What counts as images: every accepted form -> one canonical form, or a clear error.

The canonical form is an ndarray of shape (n, h, w) of any real dtype, or a CSR array of
shape (n, h * w) without explicit zeros; non-negative and finite in both cases.
"""

import math
import warnings

import numpy as np
import scipy.sparse as sp

from sklearn_nrcdt._support.caller import stacklevel_of_caller
from sklearn_nrcdt._support.compat import validate_data


def validate_images(estimator, X, *, reset):
    """Validate images for a transformer with an ``image_shape`` parameter.

    Parameters
    ----------
    estimator : estimator
        With ``reset=True`` it gets `n_features_in_`, `image_shape_` and, for data
        frames, `feature_names_in_`; otherwise the images must agree with them.
    X : array-like
        Stack of images, flattened images, or sparse flattened images.
    reset : bool
        Whether this is ``fit``.

    Returns
    -------
    images : ndarray of shape (n, h, w) or CSR array of shape (n, h * w)
    """
    _check_container(X)
    X, stack_shape = _flatten_stack(X)
    if not reset and stack_shape is not None and stack_shape != estimator.image_shape_:
        raise ValueError(
            f"X has images of shape {stack_shape}, but {type(estimator).__name__} was "
            f"fitted on images of shape {estimator.image_shape_}. Pad or crop them to "
            "that shape, or fit again."
        )
    shape = getattr(X, "shape", None)
    if not reset and shape == estimator.image_shape_ and shape[1] != estimator.n_features_in_:
        raise ValueError(_single_image_hint(shape))
    rows = _validate_rows(estimator, X, reset)
    if reset:
        estimator.image_shape_ = _infer_shape(estimator, rows, stack_shape)
        estimator._stacked = stack_shape is not None
    if sp.issparse(rows):
        return _canonical_sparse(rows)
    return rows.reshape(len(rows), *estimator.image_shape_)


def is_stack(X) -> bool:
    """Return whether X holds images as such, not as rows."""
    if isinstance(X, list | tuple):
        return np.ndim(X[0]) == 2
    return getattr(X, "ndim", 2) == 3


def working_dtype(images) -> np.dtype:
    """Return the dtype to compute with: float32 stays, everything else is float64."""
    return np.dtype(np.float32 if images.dtype == np.float32 else np.float64)


def _check_container(X):
    """Refuse what NumPy and scikit-learn would misread, or crash on, without a word."""
    _check_mask(X)
    if sp.issparse(X):
        if X.ndim != 2:
            raise ValueError(f"Expected flattened images as rows, got a {X.ndim}-D sparse array.")
        if X.format in ("csr", "csc", "bsr"):
            # Indices beyond the shape make compiled code write where it must not. The check
            # works on a second object, since it may change the index arrays of its own.
            alias = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
            alias.check_format(full_check=True)


def _check_mask(X):
    if np.ma.is_masked(X):
        raise ValueError(
            "X is masked, and the values under the mask would count. Pass X.filled(0) to take "
            "masked pixels for background."
        )


def _validate_rows(estimator, X, reset):
    """Let scikit-learn validate rows; what is wider than float64 becomes that."""
    rows = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype="numeric",
        ensure_non_negative=True,
    )
    if rows.dtype.kind not in "buif":
        raise ValueError(f"Expected images of real numbers, got dtype {rows.dtype}.")
    if rows.dtype.kind == "f" and rows.dtype.itemsize > 8:
        peaks = rows.max(axis=1)
        peaks = peaks.toarray() if sp.issparse(peaks) else peaks
        limits = np.finfo(np.float64)
        if np.any((peaks > limits.max) | ((peaks > 0) & (peaks < limits.smallest_subnormal))):
            raise ValueError(
                f"X of dtype {rows.dtype} has images that float64 cannot hold. Divide each by "
                "its largest value."
            )
        rows = rows.astype(np.float64)
    return rows


def _flatten_stack(X):
    """Return X as rows, and the image shape if it was a stack."""
    if isinstance(X, list | tuple):
        X = _stack_list(X)
    ndim = getattr(X, "ndim", None)
    if ndim is None or ndim < 3:
        return X, None
    if ndim > 3:
        raise ValueError(
            f"Expected grey images of shape (n_images, height, width), got an array of "
            f"shape {tuple(X.shape)}. Convert colour to grey values first, for example "
            "with skimage.color.rgb2gray; a single image is passed as X[None]."
        )
    if X.dtype.kind not in "buifc":  # of complex numbers, scikit-learn has something to say
        raise ValueError(f"Expected images of real numbers, got dtype {X.dtype}.")
    n, h, w = X.shape
    return np.reshape(X, (n, h * w)), (h, w)


def _stack_list(X):
    """Turn nested lists and lists of images into an array; leave rows to validate_data."""
    for part in X:
        _check_mask(part)
    try:
        return np.asarray(X)
    except ValueError as error:
        raise ValueError(
            "Expected images of one shape, got a list of images (or rows) of different "
            "shapes. Pad them to one shape, for example with "
            "sklearn_nrcdt.datasets.stack_images."
        ) from error


def _single_image_hint(shape):
    return (
        f"X of shape {tuple(shape)} looks like a single image. Pass it as X[None]; if it "
        "really holds flattened images as rows, say so with image_shape=(height, width)."
    )


def _infer_shape(estimator, rows, stack_shape):
    given, n_pixels = estimator.image_shape, rows.shape[1]
    if given is not None:
        given = _check_shape_parameter(given)
        if stack_shape not in (None, given):
            raise ValueError(
                f"image_shape={given} contradicts X, whose images have shape {stack_shape}."
            )
        if math.prod(given) != n_pixels:
            if rows.shape == given:
                raise ValueError(_single_image_hint(rows.shape))
            raise ValueError(
                f"image_shape={given} means {math.prod(given)} pixels, but the rows of X "
                f"have {n_pixels}."
            )
        return given
    if stack_shape is not None:
        return stack_shape
    if rows.shape[0] == n_pixels > 1:
        raise ValueError(_single_image_hint(rows.shape))
    side = math.isqrt(n_pixels)
    if side * side == n_pixels:
        return side, side
    warnings.warn(
        f"Rows of {n_pixels} pixels are no square images and are read as images of shape "
        f"(1, {n_pixels}). Pass image_shape=(height, width), or a stack of shape "
        "(n_images, height, width); a single image is passed as X[None].",
        UserWarning,
        stacklevel=stacklevel_of_caller(),
    )
    return 1, n_pixels


def _check_shape_parameter(image_shape):
    try:
        h, w = (int(side) for side in image_shape)
        valid = h >= 1 and w >= 1 and (h, w) == tuple(image_shape)
    except (TypeError, ValueError, OverflowError):  # the last one for infinity
        valid = False
    if not valid:
        raise ValueError(
            "image_shape must be None or a pair of positive integers (height, width), "
            f"got {image_shape!r}."
        )
    return h, w


def _canonical_sparse(rows):
    """CSR array without duplicates and explicit zeros; the input stays as it is."""
    rows = sp.csr_array(rows)
    if not rows.has_canonical_format or not np.all(rows.data):
        rows = rows.copy()
        with np.errstate(over="ignore"):
            rows.sum_duplicates()
        rows.eliminate_zeros()
        if rows.nnz and not (rows.data.min() >= 0 and np.isfinite(rows.data.max())):
            raise ValueError(
                f"X stores pixels in several parts whose sum overflows {rows.dtype}. Convert it "
                "to float64, or divide it by its largest value, before."
            )
    return rows
