"""Interpolation of images by splines, which all deformations share.

A deformation looks up, for each pixel of the result, the grey value at some place of the source.
The spline coefficients of a source are computed once, however often it is deformed. Only places
within 1.5 pixels of the source's support are looked up; farther away there is nothing but the
ringing of the spline, so the result stays sparse. The source is padded with black, so its border
needs no special treatment.
"""

import warnings
from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy import ndimage
from sklearn.utils import gen_batches
from sklearn.utils.parallel import Parallel, delayed

from sklearn_nrcdt._support.caller import stacklevel_of_caller

# The coefficients of a quadratic or cubic spline fall by a factor of 4 to 6 per pixel, those of
# order 5 by 2.3: beyond this many pixels the black border is black.
PAD = 12
# How far from the support, in pixels, a spline is looked up.
REACH = 1.5
# Shares of mass that leave the canvas up to this one are not worth a warning.
TOLERANCE = 1e-3


class Source(NamedTuple):
    """An image as a spline: the support's box, padded, and where it is worth a look."""

    coefficients: np.ndarray
    near: np.ndarray
    top: int
    left: int
    box: np.ndarray  # first and last row, first and last column of the support


def support_box(image):
    """First and last row and column of the pixels that are not black, or None."""
    bright = image > 0
    rows, columns = np.flatnonzero(bright.any(axis=1)), np.flatnonzero(bright.any(axis=0))
    if len(rows) == 0:
        return None
    return np.array([[rows[0], rows[-1]], [columns[0], columns[-1]]])


def _prepare(image, order):
    box = support_box(image)
    if box is None:
        return None
    (top, bottom), (left, right) = box
    padded = np.pad(image[top : bottom + 1, left : right + 1].astype(np.float64), PAD)
    near = ndimage.maximum_filter(padded > 0, 3)
    if order > 1:
        padded = ndimage.spline_filter(padded, order)
    return Source(padded, near, top - PAD, left - PAD, box)


def look_up(source, rows, columns, order):
    """Values of a source at places (row, column), black off its support."""
    # scipy.ndimage.affine_transform would do for affine maps, but it looks up every pixel:
    # twelve times slower for the symbols, a third of the result filled with ringing.
    rows, columns = rows - source.top, columns - source.left
    height, width = source.near.shape
    nearest = np.rint(rows).astype(np.intp).clip(0, height - 1) * width
    nearest += np.rint(columns).astype(np.intp).clip(0, width - 1)
    near = np.flatnonzero(source.near.ravel().take(nearest))
    places = np.stack([rows.take(near), columns.take(near)])
    found = ndimage.map_coordinates(source.coefficients, places, order=order, prefilter=False)
    values = np.zeros(nearest.shape)
    values.ravel()[near] = np.maximum(found, 0)
    return values


def each_image(function, images, index, order, n_jobs):
    """Call ``function(position, source)`` for all images that are not blank, in threads."""

    def run(batch):
        previous = source = None
        for position in range(batch.start, batch.stop):
            if index[position] != previous:
                previous = index[position]
                source = _prepare(images[previous], order)
            if source is not None:
                function(position, source)

    # Threads: scipy.ndimage works without the interpreter lock.
    batch_size = -(-len(index) // (4 * effective_n_jobs(n_jobs)))
    Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(run)(batch) for batch in gen_batches(len(index), batch_size)
    )


def bend_images(images, index, field_of, *, order, cut, n_jobs):
    """Look up the images ``images[index]`` at displaced places.

    ``field_of(position, source)`` returns the largest displacements, down and across, and a
    function of rows and columns that returns both displacements there.
    """
    bent = np.zeros((len(index), *images.shape[1:]), dtype=images.dtype)
    lost = np.zeros(len(index))

    def bend(position, source):
        largest, field = field_of(position, source)
        lost[position] = _bend(source, bent[position], largest, field, order)

    each_image(bend, images, index, order, n_jobs)
    if cut == "warn":
        warn_cut(np.where(lost > TOLERANCE, lost, 0))
    return bent


def _bend(source, out, largest, field, order):
    """Write a bent image to ``out`` and return the share of mass that left the canvas."""
    height, width = out.shape
    reach = np.ceil(np.add(largest, REACH)).astype(int)[:, None]
    (top, bottom), (left, right) = source.box + reach * [-1, 1]
    rows, columns = np.arange(top, bottom + 1)[:, None], np.arange(left, right + 1)[None, :]
    down, across = field(rows, columns)
    values = look_up(source, rows + down, columns + across, order)
    inside = values[max(-top, 0) : max(height - top, 0), max(-left, 0) : max(width - left, 0)]
    top, left = max(top, 0), max(left, 0)
    out[top : top + inside.shape[0], left : left + inside.shape[1]] = inside
    total = values.sum()
    return 1 - inside.sum() / total if total > 0 else 0.0


def warn_cut(lost):
    """Warn of images that lose a share of their mass, if there are any."""
    (cut,) = np.nonzero(lost)
    if len(cut) == 0:
        return
    worst = cut[np.argsort(-lost[cut], kind="stable")[:5]]
    shares = ", ".join(f"{position} ({lost[position]:.1%})" for position in worst)
    warnings.warn(
        f"{len(cut)} of {len(lost)} images lost mass beyond the canvas, most of all samples "
        f"{shares}. Enlarge the canvas with stack_images(images, shape=...), or deform less.",
        UserWarning,
        stacklevel=stacklevel_of_caller(),
    )
