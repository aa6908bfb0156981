"""Impulsive noise: white discs and sticks."""

from numbers import Integral, Real
from typing import Literal

import numpy as np
from sklearn.utils import check_random_state

from sklearn_nrcdt._support.compat import Interval, StrOptions, validate_params
from sklearn_nrcdt._support.ranges import check_range
from sklearn_nrcdt._support.types import ArrayLike, FloatArray, Seed
from sklearn_nrcdt.datasets._draw import segment_distance, stroke
from sklearn_nrcdt.datasets._image_stacks import check_images

# Salt of strength 768 would be as wide as the image.
STRENGTH_UNIT = 768
STICK_LENGTH = 8  # widths
MIDPOINTS = (np.arange(32) + 0.5) / 32


@validate_params(
    {
        "strength": [Interval(Real, 0, np.inf, closed="neither")],
        "shape": [StrOptions({"disc", "stick"})],
        "white": [Interval(Real, 0, np.inf, closed="neither"), None],
        "random_state": ["random_state"],
    }
)
def add_salt(
    images: ArrayLike,
    *,
    n_discs: int | tuple[int, int] = 5,
    strength: float = 9.0,
    shape: Literal["disc", "stick"] = "disc",
    white: float | None = None,
    random_state: Seed = None,
) -> FloatArray:
    """Add salt noise: white discs at random places.

    Salt of strength l means discs of diameter ``l * N / 768`` pixels, where N is the larger
    side of the image: 3 pixels for strength 9 and 256 x 256 pixels. Discs lie wholly within
    the image, anywhere between the pixels, and are anti-aliased.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width)
        Bright images on black.
    n_discs : int or (int, int), default=5
        Number of discs per image, or the range from which it is drawn, both ends included.
    strength : float, default=9.0
        Diameter of the discs in units of 1 / 768 of the image; 1 to 20 in the paper.
    shape : {"disc", "stick"}, default="disc"
        Sticks have random directions and are eight times as long as wide.
    white : float, default=None
        Grey value of discs and sticks. None takes the largest value of each image (1 if it
        is blank).
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draws.

    Returns
    -------
    images : ndarray of shape (n_images, height, width)
        The pixelwise maximum of image and noise; float32 for float32 input, else float64.

    See Also
    --------
    random_wave, random_affine : The deformations that come before the noise.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.datasets import add_salt
    >>> salted = add_salt(np.zeros((2, 256, 256)), n_discs=3, strength=9, random_state=0)
    >>> area = np.pi * 1.5**2
    >>> (salted.sum(axis=(1, 2)) / area).round(1)
    array([3., 3.])
    """
    images = check_images(images)
    low, high = check_range(n_discs, "n_discs", Interval(Integral, 0, None, closed="left"))
    height, width = images.shape[1:]
    diameter = strength * max(height, width) / STRENGTH_UNIT
    if diameter * (STICK_LENGTH if shape == "stick" else 1) > min(height, width):
        raise ValueError(
            f"strength={strength:g} makes every {shape} larger than the images of shape "
            f"{(height, width)}. Lower it."
        )
    rng = check_random_state(random_state)
    salted = images.copy()
    for image in salted:
        level = white if white is not None else image.max() or 1.0
        for _ in range(rng.randint(low, high + 1)):
            _paint(image, shape, diameter, rng.uniform(size=3), level)
    return salted


def _paint(image, shape, diameter, drawn, level):
    """Take the maximum of an image and one disc or stick."""
    length = diameter if shape == "disc" else STICK_LENGTH * diameter
    center = -0.5 + length / 2 + (np.array(image.shape) - length) * drawn[:2]
    reach = length / 2 + 2
    window = tuple(slice(max(int(place - reach), 0), int(place + reach) + 1) for place in center)
    rows, columns = (np.arange(n)[some] for n, some in zip(image.shape, window, strict=True))
    if shape == "disc":
        coverage = _disc(rows, columns, center, diameter)
    else:
        angle = np.pi * drawn[2]
        end = (length - diameter) / 2 * np.array([np.cos(angle), np.sin(angle)])
        points = columns[None, :] - center[1], rows[:, None] - center[0]
        coverage = stroke(segment_distance(points, -end, end), diameter)
    np.maximum(image[window], level * coverage, out=image[window], casting="same_kind")


def _disc(rows, columns, center, diameter):
    """What a disc shares with each pixel: exact along y, the midpoint rule along x."""
    left = np.maximum(columns - 0.5, center[1] - diameter / 2)
    right = np.maximum(np.minimum(columns + 0.5, center[1] + diameter / 2), left)
    across = left[:, None] + (right - left)[:, None] * MIDPOINTS - center[1]
    half = np.sqrt(np.maximum((diameter / 2) ** 2 - across**2, 0))
    upper = np.minimum(rows[:, None, None] + 0.5, center[0] + half)
    lower = np.maximum(rows[:, None, None] - 0.5, center[0] - half)
    return np.maximum(upper - lower, 0).mean(axis=-1) * (right - left)
