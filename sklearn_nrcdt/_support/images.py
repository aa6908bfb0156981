"""What counts as images: every accepted form -> a canonical form, or a clear error.

That is an ndarray of shape (n, h, w) of any real dtype, a CSR array of shape (n, h * w) without
explicit zeros or a list of 2-D ndarrays of different shapes, all non-negative and finite.
"""

import math
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from sklearn_nrcdt._support.arrays import to_numpy
from sklearn_nrcdt._support.compat import check_array, validate_data
from sklearn_nrcdt._support.messages import warn
from sklearn_nrcdt._support.misreadings import LEAST_SIDE, warn_of_misreadings
from sklearn_nrcdt._support.ranges import check_shape

# A last axis of this length holds channels, if the others are at least `LEAST_SIDE` long.
CHANNELS = (1, 3, 4)


def validate_images(estimator, X, *, reset, one_shape=False):
    """Return images in canonical form, for an estimator with an ``image_shape`` parameter.

    With `reset`, as in ``fit``, it gets `n_features_in_` and `image_shape_`, both None for images
    of different shapes, and for data frames `feature_names_in_`; otherwise rows must agree with
    them. With `one_shape`, all images must have one shape, that of `fit`.
    """
    if not reset and _is_plain(X, estimator):
        return X
    X = _stack_list(to_numpy(X))
    if isinstance(X, list):
        return _validate_list(estimator, X, reset, one_shape)
    check_container(X)
    X, stack_shape = _flatten_stack(X, estimator.image_shape)
    if not reset and stack_shape is not None and stack_shape != estimator.image_shape_:
        if one_shape:
            raise ValueError(_one_shape_hint(estimator, f"shape {stack_shape}"))
        return _with_advice(check_array, X, input_name="X").reshape(-1, *stack_shape)
    if not reset and estimator.image_shape_ is None:
        raise ValueError(
            f"{type(estimator).__name__} was fitted on images of different shapes, so the shape of "
            "flattened images is unknown. Pass a stack of shape (n_images, height, width) or a "
            "list of 2-D arrays, a single image as X[None]."
        )
    shape = getattr(X, "shape", None)
    if not reset and shape == estimator.image_shape_ and shape[1] != estimator.n_features_in_:
        raise ValueError(_single_image_hint(shape))
    rows = _with_advice(validate_data, estimator, X, reset=reset)
    if reset:
        estimator.image_shape_ = _infer_shape(estimator, rows, stack_shape)
        estimator._stacked = stack_shape is not None
    if sp.issparse(rows):
        return _canonical_sparse(rows)
    images = rows.reshape(len(rows), *estimator.image_shape_)
    if reset and estimator.image_shape is None:
        warn_of_misreadings(images, stacked=stack_shape is not None)
    return images


def _is_plain(X, estimator):
    """Return whether X is a stack as in `fit`, with which scikit-learn could find no fault.

    Its checks take as long as the features of a small image.
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 3
        and X.shape[1:] == estimator.image_shape_
        and X.dtype.str in ("<f8", "<f4", "|u1", "|b1")
        and len(X) > 0
        and not hasattr(estimator, "feature_names_in_")
        # False for NaN, too.
        and (X.dtype.kind != "f" or 0 <= X.min() <= X.max() < np.inf)
    )


def is_stack(X) -> bool:
    """Return whether X holds images as such, not as rows."""
    if isinstance(X, list | tuple):
        return np.ndim(X[0]) == 2
    # A 1-D array can only be one of objects, which are images.
    return getattr(X, "ndim", 2) in (1, 3)


def working_dtype(images) -> np.dtype:
    """Return the dtype to compute with: float32 stays, everything else is float64."""
    return np.dtype(np.float32 if native_dtypes(images) == {np.dtype(np.float32)} else np.float64)


def native_dtypes(images) -> set[np.dtype]:
    """Return the dtypes of images, whatever the order of their bytes."""
    each = images if isinstance(images, list) else [images]
    return {image.dtype.newbyteorder("=") for image in each}


def n_images(images) -> int:
    return len(images) if isinstance(images, list) else images.shape[0]


def filled_pixels(images, image_shape):
    """Yield rows, columns and values of the filled pixels of each image of a stack or CSR array."""
    if sp.issparse(images):
        for a, b in pairwise(images.indptr):
            yield *np.divmod(images.indices[a:b], image_shape[1]), images.data[a:b]
    else:
        for image in images:
            places = np.nonzero(image)
            yield *places, image[places]


# What to do about errors of scikit-learn, by parts of its messages.
ADVICE = {
    "Negative values": "Grey values are mass: add a constant, clip at 0, or take absolute values.",
    "NaN": "Set such pixels to 0 for background, for example with np.nan_to_num.",
    "infinity": "Set such pixels to 0 for background, for example with np.nan_to_num.",
    "Expected 2D array": "Reshape your data to a stack of shape (n_images, height, width) or to "
    "rows of flattened images, or pass a list of 2-D arrays. Pass a single image as X[None].",
    "Complex data": "Take absolute values, for example with np.abs.",
    "string": "Pass grey values. Read image files with sklearn_nrcdt.datasets.load_image_folder.",
}


def _with_advice(validate, *args, **kwargs):
    """Let scikit-learn validate, and replace its advice on tables by advice on images."""
    try:
        rows = validate(*args, accept_sparse="csr", ensure_non_negative=True, **kwargs)
    except ValueError as error:
        message = str(error).splitlines()[0].rstrip(".:")
        for part, advice in ADVICE.items():
            if part in message:
                raise ValueError(f"{message}. {advice}") from None
        raise
    return _real(rows)


def _real(rows):
    """Refuse what is not a real number, and convert what is wider than float64."""
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


def _validate_list(estimator, images, reset, one_shape):
    if one_shape:
        raise ValueError(_one_shape_hint(estimator, "different shapes"))
    if reset and estimator.image_shape is not None:
        raise ValueError(
            f"image_shape={estimator.image_shape} contradicts X, whose images have different "
            "shapes."
        )
    valid = []
    for i, image in enumerate(images):
        if image.ndim != 2:
            raise ValueError(
                f"Expected a list of grey images, 2-D arrays, but sample {i} has shape "
                f"{image.shape}.{color_hint(image.shape)}"
            )
        if image.size == 0:
            raise ValueError(f"Sample {i} of shape {image.shape} has no pixels. Remove it.")
        try:
            valid.append(_with_advice(check_array, image, input_name="X"))
        except ValueError as error:
            raise ValueError(f"Sample {i}: {error}") from error
    if reset:
        warn_of_misreadings(valid, stacked=True)
        estimator.n_features_in_ = estimator.image_shape_ = None
        estimator._stacked = True
    return valid


def check_image(image, name):
    """Return a non-empty 2-D array of real numbers."""
    check_container(image, name)
    array = np.asarray(image)
    if array.ndim != 2 or array.size == 0 or array.dtype.kind not in "buif":
        raise ValueError(
            f"{name} must be a non-empty 2-D array of real numbers, got shape "
            f"{array.shape} and dtype {array.dtype}."
            + (color_hint(array.shape) if array.ndim == 3 else " Pass a single image as [image].")
        )
    return array


def check_container(X, name="X"):
    """Refuse what NumPy and scikit-learn would misread, crash on or explain badly."""
    if np.ma.is_masked(X):
        raise ValueError(
            f"{name} is a masked array, and the values under its mask would count. Pass "
            f"{name}.filled(0) to make masked pixels background."
        )
    if sp.issparse(X):
        if X.ndim != 2:
            raise ValueError(f"Expected flattened images as rows, got a {X.ndim}-D sparse array.")
        if X.format in ("csr", "csc", "bsr"):
            # Indices beyond the shape make compiled code write where it must not. The check
            # works on a second object, since it may change the index arrays of its own.
            alias = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
            alias.check_format(full_check=True)
    elif _is_name(X) or (isinstance(X, np.ndarray) and X.ndim == 1 and len(X) and _is_name(X[0])):
        raise ValueError(
            f"{name} holds names of files, not images. Read them first, for example with "
            "sklearn_nrcdt.datasets.load_image_folder or skimage.io.imread."
        )
    elif isinstance(X, dict):
        raise ValueError(
            f"{name} is a {type(X).__name__}, not an array of images. Pass its images, for example "
            f"{name}['images']."
        )


def _is_name(value):
    return isinstance(value, str | bytes) or hasattr(value, "__fspath__")


def _stack_list(X):
    """Turn lists into an array or, if their images differ in shape, into a list of arrays."""
    if isinstance(X, np.ndarray) and X.dtype == object and X.ndim != 2:
        X = X.tolist()
    if not isinstance(X, list | tuple):
        return X
    parts = [to_numpy(part) for part in X]
    for part in parts:
        check_container(part)
    try:
        return np.asarray(parts)
    except ValueError:  # images of different shapes
        return [np.asarray(part) for part in parts]


def _flatten_stack(X, image_shape):
    """Return X as rows, and the image shape if it was a stack."""
    ndim = getattr(X, "ndim", None)
    if ndim is None or ndim < 3:
        return X, None
    if ndim > 3:
        raise ValueError(
            f"Expected grey images of shape (n_images, height, width), got an array of shape "
            f"{tuple(X.shape)}.{color_hint(X.shape)}"
        )
    n, h, w = X.shape
    if w in CHANNELS and min(n, h) >= LEAST_SIDE and image_shape is None:
        raise ValueError(
            f"X of shape {tuple(X.shape)} looks like a single image with channels, not like {n} "
            f"images of width {w}.{color_hint(X.shape)} Then pass the single grey image as "
            f"X[None]. If the images really are that narrow, pass image_shape=({h}, {w})."
        )
    if X.dtype.kind not in "buifc":  # scikit-learn refuses complex numbers
        raise ValueError(f"Expected images of real numbers, got dtype {X.dtype}.")
    return np.reshape(X, (n, h * w)), (h, w)


def color_hint(shape):
    """Say what to do about the channels of an array of this shape."""
    if len(shape) < 3:
        return ""
    if len(shape) == 4 and shape[1] == 1:
        return " Drop the axis of length 1: X[:, 0]."
    if shape[-1] == 1:
        return " Drop the axis of length 1: X[..., 0]."
    if not {shape[-1], shape[-3]} & set(CHANNELS):
        return (
            " The features are for flat images: of volumes pass slices or projections, for example "
            "X.sum(axis=1)."
        )
    axis = "(X, channel_axis=1)" if len(shape) == 4 and shape[1] == 3 != shape[-1] else ""
    return f" Convert color to grey values first, for example with skimage.color.rgb2gray{axis}."


def _single_image_hint(shape):
    return f"X of shape {tuple(shape)} looks like a single image. Pass it as X[None]."


def _one_shape_hint(estimator, found):
    fitted = getattr(estimator, "image_shape_", None)
    seen = f" was fitted on images of shape {fitted} and" if fitted else ""
    return (
        f"X has images of {found}, but {type(estimator).__name__}{seen} needs images of one shape. "
        "Pad or crop them, for example with sklearn_nrcdt.datasets.stack_images."
    )


def _infer_shape(estimator, rows, stack_shape):
    given, n_pixels = estimator.image_shape, rows.shape[1]
    if given is not None:
        given = check_shape(given, "image_shape")
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
    side = math.isqrt(n_pixels)
    if side * side == n_pixels:
        if rows.shape[0] == n_pixels > 1:
            warn(
                f"X of shape {rows.shape} looks like a single image, but is read as {n_pixels} "
                f"flattened images of shape ({side}, {side}). Pass a single image as X[None], or "
                f"image_shape=({side}, {side}) to confirm the rows and silence this warning."
            )
        return side, side
    warn(
        f"Rows of {n_pixels} pixels are not square images, so they are read as images of shape "
        f"(1, {n_pixels}). Pass image_shape=(height, width) or a stack of shape "
        "(n_images, height, width). Pass a single image as X[None]."
    )
    return 1, n_pixels


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
                "to float64 first, or divide it by its largest value."
            )
    return rows
