"""The part of each image that is not black: what its invariant features are made of."""

from itertools import pairwise

import numpy as np


def filled_windows(images):
    """Yield the smallest window of each image that holds all its mass, or None if it has none."""
    for image in images:
        rows = np.flatnonzero(image.any(axis=1))
        if not len(rows):
            yield None
            continue
        image = image[rows[0] : rows[-1] + 1]
        columns = np.flatnonzero(image.any(axis=0))
        yield image[:, columns[0] : columns[-1] + 1]


def sparse_points(images, image_shape):
    """Yield rows, columns and values of the filled pixels of images in a CSR array.

    Rows and columns count from the first filled ones.
    """
    for a, b in pairwise(images.indptr):
        rows, columns = np.divmod(images.indices[a:b], image_shape[1])
        if a < b:
            rows, columns = rows - rows.min(), columns - columns.min()
        yield rows, columns, images.data[a:b]


def canvas_side(shape):
    """Return the side of a square canvas for a window: one of few, at most a quarter larger."""
    side = max(shape)
    step = max(4, 2 ** (side.bit_length() - 3))
    return side + -side % step


def on_canvas(window, side):
    """Return a window in the middle of a square canvas."""
    h, w = window.shape
    canvas = np.zeros((side, side), window.dtype)
    top, left = (side - h) // 2, (side - w) // 2
    canvas[top : top + h, left : left + w] = window
    return canvas
