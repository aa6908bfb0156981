"""Checks of the arguments that the data functions share."""

import numbers

import numpy as np

from sklearn_nrcdt._support.images import colour_hint


def check_images(images, name="images"):
    """Return a finite, non-negative stack of shape (n, h, w), float32 or float64.

    float32 stays float32, all else becomes float64; grey values are not rescaled. The
    result may share memory with the input, so it must not be written to.
    """
    try:
        stack = np.asarray(images)
    except ValueError as error:
        raise ValueError(
            f"{name} have different shapes. Pad them to one shape with "
            "sklearn_nrcdt.datasets.stack_images."
        ) from error
    if stack.dtype.kind not in "buif":
        raise ValueError(f"{name} must hold real numbers, got dtype {stack.dtype}.")
    if stack.ndim == 2:
        raise ValueError(
            f"{name} must be a stack of shape (n_images, height, width), got a 2-D array of "
            f"shape {stack.shape}. Pass a single image as image[None], rows of flattened "
            "images as rows.reshape(-1, height, width)."
        )
    if stack.ndim == 4:
        raise ValueError(
            f"{name} must be grey, of shape (n_images, height, width), got shape "
            f"{stack.shape}.{colour_hint(stack.shape)}"
        )
    if stack.ndim != 3 or 0 in stack.shape:
        raise ValueError(
            f"{name} must be a non-empty stack of shape (n_images, height, width), got shape "
            f"{stack.shape}."
        )
    stack = stack.astype(np.float32 if stack.dtype == np.float32 else np.float64, copy=False)
    if not np.isfinite(stack).all():
        raise ValueError(
            f"{name} contain NaN or infinity. Replace them first, for example with np.nan_to_num."
        )
    if stack.min() < 0:
        raise ValueError(
            f"{name} contain negative values. Grey values are mass: add a constant or clip at 0."
        )
    # Splines overshoot, and what is lost at the border is found from sums.
    largest = np.finfo(stack.dtype).max / (1000 * stack[0].size)
    if stack.max() > largest:
        raise ValueError(
            f"{name} contain grey values above {largest:.1g}, too large to add up. Divide them "
            "by their largest value first."
        )
    return stack


def check_range(values, name, *, low=-np.inf, high=np.inf, open_low=False, integer=False):
    """Return ``(lowest, highest)`` as floats or ints, from a pair or from one number."""
    kind, what = (numbers.Integral, "whole numbers") if integer else (numbers.Real, "numbers")
    pair = (values, values) if _is_number(values, kind) else values
    try:
        first, last = pair
    except (TypeError, ValueError):
        first = last = None
    if not (_is_number(first, kind) and _is_number(last, kind)):
        raise ValueError(f"{name} must be a pair of {what} (lowest, highest), got {values!r}.")
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"{name} must be finite, got {values!r}.")
    if first > last:
        raise ValueError(
            f"{name} must be a pair (lowest, highest), got {values!r}: the first exceeds the "
            f"second. Pass ({last}, {first})."
        )
    _check_bounds(first, last, values, name, low, high, open_low)
    return (int(first), int(last)) if integer else (float(first), float(last))


def check_number(value, name, *, low=-np.inf, high=np.inf, open_low=False):
    """Return a finite float within bounds."""
    if not _is_number(value, numbers.Real) or not np.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}.")
    _check_bounds(value, value, value, name, low, high, open_low)
    return float(value)


def check_integer(value, name, *, low, high=np.inf):
    """Return an int within bounds."""
    if not _is_number(value, numbers.Integral):
        raise ValueError(f"{name} must be a whole number, got {value!r}.")
    if not low <= value <= high:
        bounds = f"at least {low}" if high == np.inf else f"from {low} to {high}"
        raise ValueError(f"{name} must be {bounds}, got {value!r}.")
    return int(value)


def check_option(value, name, options):
    """Return the value if it is one of the options."""
    if not isinstance(value, str) or value not in options:
        allowed = ", ".join(repr(option) for option in options)
        raise ValueError(f"{name} must be one of {allowed}, got {value!r}.")
    return value


def check_dtype(dtype, also=()):
    """Return float32, float64 or one of the other types that are allowed, as a numpy dtype."""
    types = (np.float32, np.float64, *also)
    for allowed in types:
        if dtype is allowed or dtype == np.dtype(allowed) or dtype == allowed.__name__:
            return np.dtype(allowed)
    *names, last = [allowed.__name__ for allowed in types]
    raise ValueError(f"dtype must be {', '.join(names)} or {last}, got {dtype!r}.")


def _is_number(value, kind):
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def _check_bounds(first, last, given, name, low, high, open_low):
    if first < low or last > high or (open_low and first == low):
        left, right = "(" if open_low or low == -np.inf else "[", ")" if high == np.inf else "]"
        raise ValueError(f"{name} must lie in {left}{low:g}, {high:g}{right}, got {given!r}.")
