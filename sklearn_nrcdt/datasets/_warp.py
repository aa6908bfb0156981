"""Deformations of image stacks: affine maps and the paper's waves.

Every warp asks, for each pixel of the result, for the grey value at some place of the
source. Three facts make that cheap and exact: the spline coefficients of a source are
computed once, however often it is deformed; only places within 1.5 pixels of the
source's support are looked up, all others are black; a source is continued by black, so
that nothing special happens at its border. Far places would show nothing but the
ringing of the spline, so that leaving them out also keeps the results sparse.
"""

import warnings
from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy import ndimage
from sklearn.utils import Bunch, check_random_state, gen_batches
from sklearn.utils.parallel import Parallel, delayed

from sklearn_nrcdt.datasets._checks import (
    check_images,
    check_integer,
    check_option,
    check_range,
)

# The coefficients of a quadratic or cubic spline fall by a factor of 4 to 6 per pixel, those of
# order 5 by 2.3: beyond this many pixels the black border is black.
PAD = 12
# How far from the support, in pixels, a spline is looked up.
REACH = 1.5
MAX_DRAWS = 1000
WAVE_TOLERANCE = 1e-3


def affine(images, matrix, shift=(0, 0), *, order=2, cut="warn", n_jobs=None):
    """Apply known affine maps to images.

    The map is ``x' = matrix @ x + shift``, where ``x = (x, y)`` is the position in pixels
    relative to the centre of the image, x to the right and y up, as in the transforms of
    this package.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width)
        Bright images on black.
    matrix : array-like of shape (2, 2) or (n_images, 2, 2)
        One map for all images, or one for each.
    shift : array-like of shape (2,) or (n_images, 2), default=(0, 0)
        Shift to the right and up, in pixels.
    order : int, default=2
        Order of the interpolating spline, 0 to 5; 2 is the paper's bi-quadratic one.
        Negative values, which splines of order 2 and more produce beside bright lines,
        are set to zero.
    cut : {"warn", "ignore"}, default="warn"
        What to do about images that lose mass because it is mapped off the canvas.
    n_jobs : int, default=None
        Number of threads over the images. The result does not depend on it.

    Returns
    -------
    images : ndarray of shape (n_images, height, width)
        The mapped images; float32 for float32 input, else float64. Grey values are not
        rescaled: the total mass grows by ``abs(det(matrix))``.

    See Also
    --------
    random_affine : Random maps.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.datasets import affine
    >>> images = np.array([[[1.0, 2.0], [3.0, 4.0]]])
    >>> quarter_turn = [[0, -1], [1, 0]]
    >>> np.allclose(affine(images, quarter_turn), np.rot90(images, axes=(1, 2)))
    True
    """
    images = check_images(images)
    order = check_integer(order, "order", low=0, high=5)
    check_option(cut, "cut", ("warn", "ignore"))
    n_images = len(images)
    matrix = _check_maps(matrix, "matrix", (2, 2), n_images)
    shift = _check_maps(shift, "shift", (2,), n_images)
    singular = np.flatnonzero(np.linalg.cond(matrix) > 1e12)
    if len(singular):
        raise ValueError(
            f"matrix must be invertible, got {matrix[singular[0]].tolist()}: it would map the "
            "image to a line or a point."
        )
    index = np.arange(n_images)
    if cut == "warn":
        _warn_cut(_lost_shares(images, index, matrix, shift))
    return _apply_affine(images, index, matrix, shift, order, n_jobs)


def random_affine(
    images,
    *,
    scale=(0.75, 1.0),
    rotation=(0.0, 360.0),
    shear=(-5.0, 5.0),
    shift=(0, 0),
    order=2,
    cut="warn",
    return_params=False,
    random_state=None,
    n_jobs=None,
):
    """Apply a random affine map to each image.

    An image is scaled, rotated, sheared in x, sheared in y and shifted, in this order,
    about its centre; the five steps are one map and one interpolation. All numbers are
    drawn uniformly and independently for each image and each axis.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width)
        Bright images on black.
    scale : (float, float), default=(0.75, 1.0)
        Range of the factors in x and in y; positive.
    rotation : (float, float), default=(0.0, 360.0)
        Range of the angle in degrees, counterclockwise.
    shear : (float, float), default=(-5.0, 5.0)
        Range of the angles in degrees: ``x' = x + tan(angle) y``, then
        ``y' = y + tan(angle) x``. Between -90 and 90, exclusively.
    shift : (int, int), default=(0, 0)
        Range of the shifts in whole pixels, both ends included.
    order : int, default=2
        Order of the interpolating spline, 0 to 5; 2 is the paper's bi-quadratic one.
        Negative values are set to zero.
    cut : {"warn", "redraw", "ignore"}, default="warn"
        What to do about maps that move mass off the canvas: tell the user, draw another
        map for that image, or nothing.
    return_params : bool, default=False
        If True, also return what was drawn.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draws.
    n_jobs : int, default=None
        Number of threads over the images. The result does not depend on it.

    Returns
    -------
    images : ndarray of shape (n_images, height, width)
        The mapped images; float32 for float32 input, else float64. Grey values are not
        rescaled.
    params : Bunch
        Only with ``return_params=True``. For each image ``matrix`` and ``shift``, as
        `affine` takes them, and ``scale``, ``rotation`` and ``shear``, as drawn.

    See Also
    --------
    affine : Given maps.
    random_wave : The paper's non-affine deformation.

    Notes
    -----
    A range may also be one number, which fixes the value: ``scale=1, rotation=0, shear=0``
    leaves shifts only. Images are sampled, not averaged: details finer than one pixel
    after a reduction in size alias, as in the paper.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols, random_affine
    >>> images = load_symbols().images
    >>> moved, params = random_affine(
    ...     images, shift=(-20, 20), return_params=True, random_state=0
    ... )
    >>> moved.shape, params.matrix.shape
    ((12, 256, 256), (12, 2, 2))
    """
    images = check_images(images)
    moved, params = random_affine_of(
        images,
        np.arange(len(images)),
        check_affine_ranges(scale, rotation, shear, shift),
        order=check_integer(order, "order", low=0, high=5),
        cut=check_option(cut, "cut", ("warn", "redraw", "ignore")),
        rng=check_random_state(random_state),
        n_jobs=n_jobs,
    )
    return (moved, params) if return_params else moved


def random_wave(
    images,
    *,
    amplitude=(2.5, 7.5),
    frequency=(0.5, 2.0),
    order=2,
    cut="warn",
    return_params=False,
    random_state=None,
    n_jobs=None,
):
    """Bend each image by random waves, the paper's non-affine deformation.

    Pixel (j, k) of an image of height M and width N gets the interpolated value at
    ``(j + a1 sin(2 pi f1 k / N), k + a2 cos(2 pi f2 j / M))``. The amplitudes a1, a2 and
    the frequencies f1, f2 are drawn uniformly and independently for each image.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width)
        Bright images on black.
    amplitude : (float, float), default=(2.5, 7.5)
        Range of the amplitudes in pixels.
    frequency : (float, float), default=(0.5, 2.0)
        Range of the number of waves over the image.
    order : int, default=2
        Order of the interpolating spline, 0 to 5; 2 is the paper's bi-quadratic one.
        Negative values are set to zero.
    cut : {"warn", "ignore"}, default="warn"
        What to do about images that lose mass because it is moved off the canvas.
    return_params : bool, default=False
        If True, also return what was drawn.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draws.
    n_jobs : int, default=None
        Number of threads over the images. The result does not depend on it.

    Returns
    -------
    images : ndarray of shape (n_images, height, width)
        The bent images; float32 for float32 input, else float64.
    params : Bunch
        Only with ``return_params=True``. For each image ``amplitude`` (a1, a2) and
        ``frequency`` (f1, f2).

    See Also
    --------
    random_affine : Random affine maps.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols, random_wave
    >>> bent = random_wave(load_symbols().images, random_state=0)
    >>> bent.shape
    (12, 256, 256)
    """
    images = check_images(images)
    bent, params = random_wave_of(
        images,
        np.arange(len(images)),
        check_wave_ranges(amplitude, frequency),
        order=check_integer(order, "order", low=0, high=5),
        cut=check_option(cut, "cut", ("warn", "ignore")),
        rng=check_random_state(random_state),
        n_jobs=n_jobs,
    )
    return (bent, params) if return_params else bent


def check_affine_ranges(scale, rotation, shear, shift):
    """Return the four ranges as pairs, or raise a ValueError."""
    shear = check_range(shear, "shear", low=-90, high=90)
    if shear[0] == -90 or shear[1] == 90:
        raise ValueError(f"shear must lie between -90 and 90 degrees, exclusively, got {shear}.")
    return (
        check_range(scale, "scale", low=0, open_low=True),
        check_range(rotation, "rotation"),
        shear,
        check_range(shift, "shift", integer=True),
    )


def check_wave_ranges(amplitude, frequency):
    """Return the two ranges as pairs, or raise a ValueError."""
    return check_range(amplitude, "amplitude", low=0), check_range(frequency, "frequency", low=0)


def random_affine_of(images, index, ranges, *, order, cut, rng, n_jobs, zoom=1.0):
    """Randomly map the images ``images[index]``, enlarged by `zoom` before."""
    params = _draw_affine(len(index), ranges, rng)
    if cut != "ignore":
        lost = _lost_shares(images, index, zoom * params.matrix, params.shift)
        if cut == "redraw":
            _redraw(images, index, ranges, rng, params, lost, zoom)
        else:
            _warn_cut(lost, stacklevel=4)
    moved = _apply_affine(images, index, zoom * params.matrix, params.shift, order, n_jobs)
    return moved, params


def random_wave_of(images, index, ranges, *, order, cut, rng, n_jobs):
    """Randomly bend the images ``images[index]``."""
    drawn = rng.uniform(size=(len(index), 4))
    amplitude, frequency = (
        low + (high - low) * part
        for (low, high), part in zip(ranges, np.split(drawn, 2, axis=1), strict=True)
    )
    bent = np.zeros((len(index), *images.shape[1:]), dtype=images.dtype)
    lost = np.zeros(len(index))

    def bend(position, source):
        lost[position] = _bend(
            source, bent[position], amplitude[position], frequency[position], order
        )

    _each_image(bend, images, index, order, n_jobs)
    if cut == "warn":
        _warn_cut(np.where(lost > WAVE_TOLERANCE, lost, 0), stacklevel=4)
    return bent, Bunch(amplitude=amplitude, frequency=frequency)


class _Source(NamedTuple):
    """An image as a spline: the support's box, padded, and where it is worth a look."""

    coefficients: np.ndarray
    near: np.ndarray
    top: int
    left: int
    box: np.ndarray  # first and last row, first and last column of the support


def _support_box(image):
    """First and last row and column of the pixels that are not black, or None."""
    bright = image > 0
    rows, columns = np.flatnonzero(bright.any(axis=1)), np.flatnonzero(bright.any(axis=0))
    if len(rows) == 0:
        return None
    return np.array([[rows[0], rows[-1]], [columns[0], columns[-1]]])


def _prepare(image, order):
    box = _support_box(image)
    if box is None:
        return None
    (top, bottom), (left, right) = box
    padded = np.zeros((bottom - top + 1 + 2 * PAD, right - left + 1 + 2 * PAD))
    padded[PAD:-PAD, PAD:-PAD] = image[top : bottom + 1, left : right + 1]
    near = _dilate(_dilate(padded > 0).T).T
    if order > 1:
        padded = ndimage.spline_filter(padded, order)
    return _Source(padded, near, top - PAD, left - PAD, box)


def _dilate(mask):
    """Grow a mask by one pixel up and down."""
    grown = mask.copy()
    grown[1:] |= mask[:-1]
    grown[:-1] |= mask[1:]
    return grown


def _look_up(source, rows, columns, order):
    """Values of a source at places (row, column), black where they are off its support."""
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


def _each_image(function, images, index, order, n_jobs):
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


def _apply_affine(images, index, matrix, shift, order, n_jobs):
    shape = np.array(images.shape[1:])
    center = (shape - 1) / 2
    forward, offset = _row_column_maps(matrix, shift)
    backward = np.linalg.inv(forward)
    moved = np.zeros((len(index), *shape), dtype=images.dtype)

    def move(position, source):
        reached = forward[position] @ (_corners(source.box, REACH) - center[:, None])
        reached += (center + offset[position])[:, None]
        first = np.clip(np.ceil(reached.min(axis=1)), 0, shape).astype(int)
        last = np.clip(np.floor(reached.max(axis=1)) + 1, first, shape).astype(int)
        rows = np.arange(first[0], last[0])[:, None] - center[0] - offset[position, 0]
        columns = np.arange(first[1], last[1])[None, :] - center[1] - offset[position, 1]
        (rr, rc), (cr, cc) = backward[position]
        moved[position, first[0] : last[0], first[1] : last[1]] = _look_up(
            source,
            rr * rows + rc * columns + center[0],
            cr * rows + cc * columns + center[1],
            order,
        )

    _each_image(move, images, index, order, n_jobs)
    return moved


def _bend(source, out, amplitude, frequency, order):
    """Write a bent image to ``out`` and return the share of mass that left the canvas."""
    height, width = out.shape
    reach = np.ceil(amplitude + REACH).astype(int)[:, None]
    (top, bottom), (left, right) = source.box + reach * [-1, 1]
    rows, columns = np.arange(top, bottom + 1)[:, None], np.arange(left, right + 1)[None, :]
    values = _look_up(
        source,
        rows + amplitude[0] * np.sin(2 * np.pi * frequency[0] * columns / width),
        columns + amplitude[1] * np.cos(2 * np.pi * frequency[1] * rows / height),
        order,
    )
    inside = values[max(-top, 0) : max(height - top, 0), max(-left, 0) : max(width - left, 0)]
    top, left = max(top, 0), max(left, 0)
    out[top : top + inside.shape[0], left : left + inside.shape[1]] = inside
    total = values.sum()
    return 1 - inside.sum() / total if total > 0 else 0.0


def _draw_affine(n_images, ranges, rng):
    # One row per image, so that the first images get the same maps however many follow.
    drawn = rng.uniform(size=(n_images, 7))
    scale, rotation, shear = (
        low + (high - low) * part
        for (low, high), part in zip(
            ranges[:3], (drawn[:, :2], drawn[:, 2], drawn[:, 3:5]), strict=True
        )
    )
    low, high = ranges[3]
    shift = low + np.floor((high - low + 1) * drawn[:, 5:]).astype(int)
    cos, sin = np.cos(np.deg2rad(rotation)), np.sin(np.deg2rad(rotation))
    one, zero, tan = np.ones(n_images), np.zeros(n_images), np.tan(np.deg2rad(shear))
    matrix = (
        _matrices(one, zero, tan[:, 1], one)
        @ _matrices(one, tan[:, 0], zero, one)
        @ _matrices(cos, -sin, sin, cos)
        * scale[:, None, :]
    )
    return Bunch(matrix=matrix, shift=shift, scale=scale, rotation=rotation, shear=shear)


def _matrices(a, b, c, d):
    return np.stack([np.stack([a, b], axis=-1), np.stack([c, d], axis=-1)], axis=-2)


def _redraw(images, index, ranges, rng, params, lost, zoom):
    """Draw the maps that lose mass again, in place."""
    for _ in range(MAX_DRAWS):
        (again,) = np.nonzero(lost)
        if len(again) == 0:
            return
        fresh = _draw_affine(len(again), ranges, rng)
        for name, values in fresh.items():
            params[name][again] = values
        lost[again] = _lost_shares(images, index[again], zoom * fresh.matrix, fresh.shift)
    raise ValueError(
        f"{MAX_DRAWS} maps were drawn for image {again[0]} and each moved mass off the canvas. "
        "Narrow the ranges of scale, shear and shift, or enlarge the canvas with "
        "stack_images(images, shape=...)."
    )


def _row_column_maps(matrix, shift):
    """The maps of (x, y), y up, as maps of (row, column) and as offsets of them."""
    flip = np.array([[0, 1], [-1, 0]])  # (x, y) = flip @ (row, column) about the centre
    return flip.T @ matrix @ flip, shift @ flip


def _corners(box, margin=0.0):
    (top, bottom), (left, right) = box + np.array([-margin, margin])
    return np.array([[top, top, bottom, bottom], [left, right, left, right]])


def _lost_shares(images, index, matrix, shift):
    """Share of mass, by pixel centres, that each map moves off the canvas."""
    shape = np.array(images.shape[1:])
    center = (shape - 1) / 2
    forward, offset = _row_column_maps(matrix, shift)
    # Rounding must not move a pixel off the canvas that stays on its edge.
    limit = (shape / 2 + 1e-6)[:, None]
    boxes = {source: _support_box(images[source]) for source in np.unique(index)}
    lost = np.zeros(len(index))
    for position, source in enumerate(index):
        if boxes[source] is None:
            continue
        corners = forward[position] @ (_corners(boxes[source]) - center[:, None])
        if (np.abs(corners + offset[position][:, None]) <= limit).all():
            continue
        places = np.stack(np.nonzero(images[source]))
        masses = images[source][tuple(places)].astype(np.float64)
        moved = forward[position] @ (places - center[:, None]) + offset[position][:, None]
        outside = (np.abs(moved) > limit).any(axis=0)
        lost[position] = masses[outside].sum() / masses.sum()
    return lost


def _warn_cut(lost, stacklevel=3):
    (cut,) = np.nonzero(lost)
    if len(cut) == 0:
        return
    worst = cut[np.argsort(-lost[cut], kind="stable")[:5]]
    shares = ", ".join(f"{position} ({lost[position]:.1%})" for position in worst)
    warnings.warn(
        f"Mass left the canvas in {len(cut)} of {len(lost)} images; the sample indices with "
        f"the largest lost shares: {shares}. Enlarge the canvas with "
        "stack_images(images, shape=...), or deform less.",
        UserWarning,
        stacklevel=stacklevel,
    )


def _check_maps(values, name, shape, n_images):
    """Return an array of shape (n_images, *shape) of finite numbers."""
    try:
        maps = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        maps = np.empty(0)
    if maps.shape == shape:
        maps = np.broadcast_to(maps, (n_images, *shape))
    if maps.shape != (n_images, *shape) or not np.isfinite(maps).all():
        raise ValueError(
            f"{name} must hold finite numbers in shape {shape}, or one such {name} for each of "
            f"the {n_images} images, got {values!r}."
        )
    return maps
