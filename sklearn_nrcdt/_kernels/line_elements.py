"""Drawings as line elements: points of the thinned strokes with their directions.

Elements can be turned, mirrored and scaled exactly, whatever the resolution. Points are (y, x)
in pixels relative to the centre of the drawing; directions as in `paper`.
"""

import math

import numpy as np
from scipy import ndimage
from skimage.morphology import skeletonize


def line_elements(drawing, reach=3.0):
    """Thin a drawing and measure the direction of its lines.

    Parameters
    ----------
    drawing : ndarray of shape (height, width)
        Pixels brighter than half of the largest value are strokes.
    reach : float, default=3.0
        Deviation of the Gaussian window in which a direction is measured, in pixels.

    Returns
    -------
    elements : ndarray of shape (n_elements, 3), float32
        y, x and direction of each.
    centre : ndarray of shape (2,)
        Centre (y, x) of the box around the elements, in pixels from the corner of the drawing:
        the middle of the first pixel is at 0.5.
    """
    bright = drawing > drawing.max() / 2
    rows, columns = np.flatnonzero(bright.any(axis=1)), np.flatnonzero(bright.any(axis=0))
    if not len(rows):
        return np.zeros((0, 3), np.float32), np.array(drawing.shape) / 2
    corner = np.array([rows[0], columns[0]])
    margin = math.ceil(4 * reach)
    thin = skeletonize(np.pad(bright[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], margin))
    soft = ndimage.gaussian_filter(thin.astype(np.float32), reach / 2)
    slope_y, slope_x = np.gradient(soft)
    yy, xy, xx = (
        ndimage.gaussian_filter(product, reach)[thin]
        for product in (slope_y * slope_y, slope_x * slope_y, slope_x * slope_x)
    )
    # Across the direction in which grey values change most.
    direction = np.arctan2(2 * xy, xx - yy) / 2 + np.pi / 2
    points = np.argwhere(thin) - margin + corner + 0.5
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    return np.column_stack([points - centre, direction % np.pi]).astype(np.float32), centre


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
    """Draw elements into planes of directions on a periodic grid.

    Each element is shared among the four nearest grid points and the two nearest directions.

    Parameters
    ----------
    elements : ndarray of shape (n_elements, 3)
        y, x and direction.
    n_orientations : int
        Number of planes.
    factor : float
        Pixels between two points of the grid.
    shape : (int, int)
        Points of the grid. The origin of the elements is the point (0, 0).

    Returns
    -------
    planes : ndarray of shape (n_orientations, *shape), float32
        The sum over all is the number of elements.
    """
    y, x = elements[:, 0] / factor, elements[:, 1] / factor
    plane = elements[:, 2] * (n_orientations / math.pi)
    lower = [np.floor(place) for place in (plane, y, x)]
    above = [place - low for place, low in zip((plane, y, x), lower, strict=True)]
    sides = (n_orientations, *shape)
    index, weight = np.zeros((8, len(y)), np.intp), np.ones((8, len(y)), np.float32)
    for corner in range(8):
        for axis in range(3):
            up = corner >> axis & 1
            place = (lower[axis].astype(np.intp) + up) % sides[axis]
            index[corner] = index[corner] * sides[axis] + place
            weight[corner] *= above[axis] if up else 1 - above[axis]
    planes = np.bincount(index.ravel(), weight.ravel(), math.prod(sides))
    return planes.reshape(sides).astype(np.float32)
