"""Images of different sizes -> one stack."""

import numpy as np

from sklearn_nrcdt._support.images import colour_hint
from sklearn_nrcdt.datasets._checks import check_integer


def stack_images(images, *, shape=None):
    """Pad 2-D images of different sizes to one stack, without scaling them.

    Every image is centred on the canvas. Black borders do not change the invariant features.

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
    arrays = [check_image(image, position) for position, image in enumerate(images)]
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
    dtype = np.result_type(*{array.dtype for array in arrays})
    stack = np.zeros((len(arrays), height, width), dtype=dtype)
    for canvas, array in zip(stack, arrays, strict=True):
        top, left = (height - array.shape[0]) // 2, (width - array.shape[1]) // 2
        canvas[top : top + array.shape[0], left : left + array.shape[1]] = array
    return stack


def check_image(image, position, name="images"):
    """Return a non-empty 2-D array of real numbers."""
    array = np.asarray(image)
    if array.ndim != 2 or array.size == 0 or array.dtype.kind not in "buif":
        raise ValueError(
            f"{name}[{position}] must be a non-empty 2-D array of real numbers, got shape "
            f"{array.shape} and dtype {array.dtype}."
            + (colour_hint(array.shape) if array.ndim == 3 else " Pass a single image as [image].")
        )
    return array


def check_shape(shape):
    """Return height and width of a canvas."""
    try:
        height, width = shape
    except (TypeError, ValueError):
        raise ValueError(f"shape must be a pair (height, width), got {shape!r}.") from None
    return check_integer(height, "shape[0]", low=1), check_integer(width, "shape[1]", low=1)
