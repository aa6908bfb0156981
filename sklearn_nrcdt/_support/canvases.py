"""Images of all forms -> stacks on canvases, a bounded number of pixels at a time."""

import math

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from sklearn_nrcdt._kernels.crops import canvas_side, centered, filled_window, margins
from sklearn_nrcdt._support.images import filled_pixels

# Pixels of canvases at a time. A sparse image on a larger canvas stays a list of pixels.
CANVAS_ELEMENTS = 2**22


def on_canvases(images, image_shape, one_canvas):
    """Put validated images on canvases of few different shapes.

    Yields positions of images (others are blank), the shape of their canvas, and the stack of them
    on it; for one sparse image on a large canvas, instead, the places (row * width + column) and
    values of its filled pixels. With `one_canvas`, images of the shape in `fit` stay where they
    are. Others are cropped to their mass, in the middle of a square canvas.
    """
    if sp.issparse(images):
        yield from _sparse_on_canvases(images, image_shape, one_canvas)
    elif one_canvas and isinstance(images, np.ndarray) and images.shape[1:] == image_shape:
        yield slice(None), image_shape, images
    else:
        windows = [filled_window(image) for image in images]
        sides = np.array([0 if window is None else canvas_side(window.shape) for window in windows])
        for side in np.unique(sides[sides > 0]).tolist():
            group = np.flatnonzero(sides == side).tolist()
            for some in gen_batches(len(group), max(1, CANVAS_ELEMENTS // side**2)):
                canvas = side, side
                yield group[some], canvas, centered([windows[i] for i in group[some]], canvas)


def _sparse_on_canvases(images, image_shape, one_canvas):
    n_pixels = math.prod(image_shape)
    if one_canvas and n_pixels <= CANVAS_ELEMENTS:
        for some in gen_batches(images.shape[0], CANVAS_ELEMENTS // n_pixels):
            yield some, image_shape, images[some].toarray().reshape(-1, *image_shape)
        return
    for i, (rows, columns, greys) in enumerate(filled_pixels(images, image_shape)):
        if not len(rows):
            continue
        canvas = image_shape
        if not one_canvas:
            rows, columns = rows - rows.min(), columns - columns.min()
            window = int(rows.max()) + 1, int(columns.max()) + 1
            canvas = (canvas_side(window),) * 2
            top, left = margins(window, canvas)
            rows, columns = rows + top, columns + left
        if math.prod(canvas) > CANVAS_ELEMENTS:
            yield [i], canvas, (rows.astype(np.int64) * canvas[1] + columns, greys)
            continue
        stack = np.zeros((1, *canvas), greys.dtype)
        stack[0, rows, columns] = greys
        yield [i], canvas, stack
