"""Ranges ``(lowest, highest)`` and canvases ``(height, width)``, in the manner of scikit-learn."""

import math
from numbers import Integral

import numpy as np


def check_range(values, name, interval):
    """Return ``(lowest, highest)``, from a pair or from one number.

    `interval`, an `Interval` of scikit-learn, says which numbers are allowed.
    """
    pair = np.asarray([values, values] if np.isscalar(values) else values, dtype=object)
    if pair.shape != (2,) or not all(
        interval.is_satisfied_by(v) and -math.inf < v < math.inf for v in pair
    ):
        raise ValueError(
            f"{name} must be a pair (lowest, highest) or one number, each {interval}, got "
            f"{values!r}."
        )
    first, last = pair
    if first > last:
        raise ValueError(
            f"{name} must be a pair (lowest, highest), got {values!r}: the first exceeds the "
            f"second. Pass ({last}, {first})."
        )
    return first, last


def check_shape(shape, name="shape"):
    """Return height and width of a canvas."""
    sides = np.asarray(shape, dtype=object)
    if sides.shape != (2,) or not all(
        isinstance(side, Integral) and int(side) > 0 for side in sides
    ):
        raise ValueError(f"{name} must be a pair of whole numbers (height, width), got {shape!r}.")
    return int(sides[0]), int(sides[1])
