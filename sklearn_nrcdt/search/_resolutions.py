"""Dots per inch of images: at the working resolution, a stroke is a millimeter and four pixels."""

import numpy as np

from sklearn_nrcdt._support.samples import first_few
from sklearn_nrcdt.search._kernels.ridges import STROKE

WORKING_DPI = 25 * STROKE
# What is beyond these is no resolution.
LEAST_DPI, MOST_DPI = 1, 100_000
# An image that would be enlarged beyond so many working pixels has a wrong resolution.
MOST_PIXELS = 6e7


def zooms_of(dpi, n, name):
    """Return working pixels for a pixel of each of n images."""
    try:
        resolutions = np.broadcast_to(np.asarray(dpi, dtype=float), n)
    except (TypeError, ValueError):
        resolutions = np.zeros(n)
    if not ((resolutions >= LEAST_DPI) & (resolutions <= MOST_DPI)).all():  # nor NaN
        raise ValueError(
            f"dpi must be a number from {LEAST_DPI} to {MOST_DPI:,}, or one for each of "
            f"the {n} {name}, got {dpi!r}."
        )
    return WORKING_DPI / resolutions


def check_enlargement(images, zooms, name):
    """Raise an error if images would be enlarged beyond all memory."""
    pixels = np.array([image.size for image in images])
    huge = np.flatnonzero((zooms > 1) & (pixels * zooms**2 > MOST_PIXELS))
    if len(huge):
        height, width = images[huge[0]].shape
        meters = 0.0254 * zooms[huge[0]] / WORKING_DPI
        raise ValueError(
            f"{name} {first_few(huge)} would be too much paper: {height} x {width} pixels would be "
            f"{height * meters:.3g} x {width * meters:.3g} m. Give the right dpi or stroke_width."
        )
