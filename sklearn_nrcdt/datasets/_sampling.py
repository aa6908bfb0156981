"""Interpolation of images by splines, which all deformations share.

A deformation looks up, for each pixel of the result, the grey value at some place of the source.
Places beyond 1.5 pixels from the source's support are black: there is nothing but the ringing of
the spline.
"""

from typing import NamedTuple

import numpy as np
from scipy import ndimage

from sklearn_nrcdt._kernels.crops import filled_box
from sklearn_nrcdt._support.compat import StrOptions
from sklearn_nrcdt._support.messages import warn

ORDER = 2  # the paper's bi-quadratic splines
# The coefficients fall by a factor of 6 per pixel: beyond this many the black border is black.
PAD = 12
# How far from the support, in pixels, a spline is looked up.
SPLINE_MARGIN = 1.5
# What deformations can do about lost mass, for `validate_params`.
CUT = [StrOptions({"warn", "ignore"})]


class Source(NamedTuple):
    """An image as a spline: the support's box, padded, and where it is worth a look."""

    coefficients: np.ndarray
    near: np.ndarray
    top: int
    left: int
    box: np.ndarray  # first and last row, first and last column of the support


def _prepare(image):
    box = filled_box(image)
    if box is None:
        return None
    (top, bottom), (left, right) = box
    padded = np.pad(image[top : bottom + 1, left : right + 1].astype(np.float64), PAD)
    near = ndimage.maximum_filter(padded > 0, 3)
    return Source(ndimage.spline_filter(padded, ORDER), near, top - PAD, left - PAD, box)


def look_up(source, rows, columns):
    """Values of a source at places (row, column), black off its support."""
    # scipy.ndimage.affine_transform would do for affine maps, but it looks up every pixel:
    # twelve times slower for the symbols, a third of the result filled with ringing.
    rows, columns = rows - source.top, columns - source.left
    height, width = source.near.shape
    nearest = np.rint(rows).astype(np.intp).clip(0, height - 1) * width
    nearest += np.rint(columns).astype(np.intp).clip(0, width - 1)
    near = np.flatnonzero(source.near.ravel().take(nearest))
    places = np.stack([rows.take(near), columns.take(near)])
    found = ndimage.map_coordinates(source.coefficients, places, order=ORDER, prefilter=False)
    values = np.zeros(nearest.shape)
    values.ravel()[near] = np.maximum(found, 0)
    return values


def sources(images, index):
    """Yield positions and sources of the images ``images[index]`` that are not blank."""
    previous = source = None
    for position, current in enumerate(index):
        if current != previous:
            previous, source = current, _prepare(images[current])
        if source is not None:
            yield position, source


def warn_cut(lost):
    """Warn of images that lose a share of their mass, if there are any."""
    (cut,) = np.nonzero(lost)
    if len(cut) == 0:
        return
    worst = cut[np.argsort(-lost[cut], kind="stable")[:5]]
    shares = ", ".join(f"{position} ({lost[position]:.1%})" for position in worst)
    warn(
        f"{len(cut)} of {len(lost)} images lost mass beyond the canvas, most of all samples "
        f"{shares}. Enlarge the canvas with stack_images(images, shape=...), or deform less."
    )
