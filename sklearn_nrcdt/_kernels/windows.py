"""The smallest window of each image that holds all its mass, and square canvases for it."""

from itertools import pairwise

import numpy as np
import scipy.sparse as sp


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


def sparse_windows(images, image_shape):
    """Do what `filled_windows` does for images in a CSR array; yield sparse arrays."""
    for rows, columns, values in sparse_points(images, image_shape):
        if len(values):
            shape = (int(rows.max()) + 1, int(columns.max()) + 1)
            yield sp.coo_array((values, (rows, columns)), shape=shape)
        else:
            yield None


def dense_stack(windows, side):
    """Return windows in the middle of square canvases, of shape (n, side, side)."""
    stack = np.zeros((len(windows), side, side), windows[0].dtype)
    for canvas, window in zip(stack, windows, strict=True):
        (h, w), (top, left) = window.shape, _margins(window, side)
        canvas[top : top + h, left : left + w] = window
    return stack


def sparse_rows(windows, side):
    """Return sparse windows in the middle of square canvases, as a CSR array of rows."""
    places = []
    for window in windows:
        top, left = _margins(window, side)
        places.append((window.row.astype(np.int64) + top) * side + (window.col + left))
    ends = np.cumsum([0, *map(len, places)])
    values = np.concatenate([window.data for window in windows])
    parts = (values, np.concatenate(places), ends)
    return sp.csr_array(parts, shape=(len(windows), side * side))


def _margins(window, side):
    h, w = window.shape
    return (side - h) // 2, (side - w) // 2
