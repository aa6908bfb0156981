"""Drawings as line elements: points of the thinned strokes with their directions.

Elements can be turned, mirrored and scaled exactly, whatever the resolution. Points are (y, x)
in pixels relative to the center of the drawing; directions as in `ridges`.
"""

import math

import numpy as np
from scipy import ndimage
from skimage.morphology import skeletonize


def line_elements(drawing, smoothing=3.0):
    """Thin a drawing and measure the direction of its lines.

    Pixels brighter than half of the largest value are strokes; a direction is measured in a
    Gaussian window. Returns the elements, (n, 3) of y, x and direction, and the center (y, x) of
    the box around them, in pixels from the corner of the drawing: its first pixel is at 0.5.
    """
    bright = drawing > drawing.max() / 2
    if not bright.any():
        return np.zeros((0, 3), np.float32), np.array(drawing.shape) / 2
    [window] = ndimage.find_objects(bright.view(np.int8))
    margin = math.ceil(4 * smoothing)
    thin = skeletonize(np.pad(bright[window], margin))
    soft = ndimage.gaussian_filter(thin.astype(np.float32), smoothing / 2)
    slope_y, slope_x = np.gradient(soft)
    yy, xy, xx = (
        ndimage.gaussian_filter(product, smoothing)[thin]
        for product in (slope_y * slope_y, slope_x * slope_y, slope_x * slope_x)
    )
    # Across the direction in which grey values change most.
    direction = np.arctan2(2 * xy, xx - yy) / 2 + np.pi / 2
    points = np.argwhere(thin) - margin + [side.start for side in window] + 0.5
    center = (points.min(axis=0) + points.max(axis=0)) / 2
    return np.column_stack([points - center, direction % np.pi]).astype(np.float32), center


def pose_matrix(rotation, scale, mirror):
    """Return the matrix that maps (y, x) of a drawing to (y, x) of a photograph.

    The drawing is mirrored left to right, then scaled, then rotated by `rotation` degrees
    counterclockwise on the screen.
    """
    angle = math.radians(rotation)
    cos, sin = math.cos(angle), math.sin(angle)
    sign = -1 if mirror else 1
    return scale * np.array([[cos, -sin * sign], [sin, cos * sign]])


def pose_elements(elements, matrix):
    """Apply a pose to line elements."""
    posed = elements.copy()
    posed[:, :2] = elements[:, :2] @ matrix.T
    dy, dx = np.sin(elements[:, 2]), np.cos(elements[:, 2])
    step = np.column_stack([dy, dx]) @ matrix.T
    posed[:, 2] = np.arctan2(step[:, 0], step[:, 1]) % np.pi
    return posed


def draw_elements(elements, n_orientations, factor, shape):
    """Draw elements into planes (n_orientations, *shape) of directions on a periodic grid.

    Each element counts 1, shared among the four nearest grid points and the two nearest directions.
    There are `factor` pixels between two points; the origin of the elements is the point (0, 0).
    """
    y, x = elements[:, 0] / factor, elements[:, 1] / factor
    places = np.stack([elements[:, 2] * (n_orientations / math.pi), y, x])
    lower, sides = np.floor(places), (n_orientations, *shape)
    above = places - lower
    index, weight = np.empty((8, len(y)), np.intp), np.empty((8, len(y)), np.float32)
    for corner in range(8):
        up = corner >> np.arange(3)[:, None] & 1
        index[corner] = np.ravel_multi_index(lower.astype(np.intp) + up, sides, mode="wrap")
        weight[corner] = np.where(up, above, 1 - above).prod(axis=0)
    planes = np.bincount(index.ravel(), weight.ravel(), math.prod(sides))
    return planes.reshape(sides).astype(np.float32)
