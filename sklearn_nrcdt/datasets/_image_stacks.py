"""Stacks of images: accepted, padded to one size, and as a data set."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from sklearn_nrcdt._kernels.crops import centered
from sklearn_nrcdt._support.images import check_container, check_image, color_hint
from sklearn_nrcdt._support.ranges import check_shape
from sklearn_nrcdt._support.types import ArrayLike, NDArray, Shape


def stack_images(
    images: Sequence[ArrayLike] | NDArray[Any], *, shape: Shape | None = None
) -> NDArray[Any]:
    """Pad 2-D images of different sizes to one stack, without scaling them.

    Every image is centered on the canvas. Black borders do not change the invariant features.

    Parameters
    ----------
    images : sequence of array-like of shape (height, width)
        Bright images on black. A 3-D array counts as a sequence of its images.
    shape : (int, int), default=None
        Height and width of the canvas. None takes the largest height and the largest
        width; an image that does not fit into a given shape is an error.

    Returns
    -------
    stack : ndarray of shape (n_images, height, width)
        The images in the data type that can hold all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.datasets import stack_images
    >>> stack_images([np.ones((1, 1)), np.ones((3, 2))])
    array([[[0., 0.],
            [1., 0.],
            [0., 0.]],
    <BLANKLINE>
           [[1., 1.],
            [1., 1.],
            [1., 1.]]])
    """
    arrays = [check_image(image, f"images[{position}]") for position, image in enumerate(images)]
    if not arrays:
        raise ValueError("images is empty. Pass at least one image.")
    largest = np.max([array.shape for array in arrays], axis=0)
    height, width = (int(side) for side in largest) if shape is None else check_shape(shape)
    too_large = [i for i, (h, w) in enumerate(a.shape for a in arrays) if h > height or w > width]
    if too_large:
        raise ValueError(
            f"images[{too_large[0]}] of shape {arrays[too_large[0]].shape} does not fit into "
            f"shape={(height, width)}. The largest height and width are "
            f"{tuple(largest.tolist())}."
        )
    return centered(arrays, (height, width))


def check_images(images: Any, name: str = "images") -> NDArray[Any]:
    """Return a finite, non-negative stack of shape (n, h, w), float32 if it was, else float64.

    It may share memory with the input, so it must not be written to.
    """
    check_container(images, name)
    try:
        stack = np.asarray(images)
    except ValueError as error:
        raise ValueError(
            f"{name} have different shapes. Pad them to one shape with "
            "sklearn_nrcdt.datasets.stack_images."
        ) from error
    if stack.ndim != 3 or 0 in stack.shape or stack.dtype.kind not in "buif":
        hint = (
            color_hint(stack.shape)
            if stack.ndim == 4
            else " Pass a single image as image[None], rows of flattened images as "
            "rows.reshape(-1, height, width)."
        )
        raise ValueError(
            f"{name} must be a non-empty stack of real numbers of shape (n_images, height, width), "
            f"got shape {stack.shape} and dtype {stack.dtype}.{hint}"
        )
    stack = stack.astype(np.float32 if stack.dtype == np.float32 else np.float64, copy=False)
    # Splines overshoot, and what is lost at the border is found from sums.
    largest = np.finfo(stack.dtype).max / (1000 * stack[0].size)
    if not (stack.min() >= 0 and stack.max() <= largest):  # nor NaN
        raise ValueError(
            f"{name} contain negative values, NaN, infinity, or grey values above {largest:.1g}, "
            "too large to add up. Grey values are mass: clip at 0, replace NaN, or divide by the "
            "largest value."
        )
    return stack


def image_bunch(images, **more):
    """Return a stack of images and what belongs to it as a Bunch like scikit-learn's."""
    return Bunch(images=images, data=images.reshape(len(images), -1), **more)
