"""The smallest window of an image that holds all its mass, square canvases for it, blocks."""

import numpy as np


def filled_box(image):
    """Return first and last row, first and last column of what is not zero, or None."""
    rows = np.flatnonzero(image.any(axis=1))
    if not len(rows):
        return None
    columns = np.flatnonzero(image[rows[0] : rows[-1] + 1].any(axis=0))
    return np.array([[rows[0], rows[-1]], [columns[0], columns[-1]]])


def filled_window(image):
    """Return the smallest window that holds all mass of an image, or None if it has none."""
    box = filled_box(image)
    if box is None:
        return None
    (top, bottom), (left, right) = box.tolist()
    return image[top : bottom + 1, left : right + 1]


def canvas_side(shape):
    """Return the side of a square canvas for a window: one of few, at most a quarter larger."""
    side = max(shape)
    step = max(4, 2 ** (side.bit_length() - 3))
    return side + -side % step


def centered(windows, shape):
    """Return windows in the middle of canvases of one shape and of a dtype that holds them all."""
    dtype = np.result_type(*{window.dtype for window in windows})
    stack = np.zeros((len(windows), *shape), dtype)
    for canvas, window in zip(stack, windows, strict=True):
        (h, w), (top, left) = window.shape, margins(window.shape, shape)
        canvas[top : top + h, left : left + w] = window
    return stack


def margins(shape, canvas):
    """Return how many rows and columns lie before a window in the middle of a canvas."""
    return (canvas[0] - shape[0]) // 2, (canvas[1] - shape[1]) // 2


def block_means(image, side):
    """Return the means over square blocks, whose side divides both sides of the image."""
    rows = image.reshape(-1, side, image.shape[1]).sum(axis=1)
    return rows.reshape(len(rows), -1, side).sum(axis=2) / side**2
