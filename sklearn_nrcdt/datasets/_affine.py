"""Affine maps of image stacks, given or drawn at random."""

from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.utils import Bunch, check_random_state

from sklearn_nrcdt._support.compat import Interval, StrOptions, validate_params
from sklearn_nrcdt._support.ranges import check_range
from sklearn_nrcdt._support.types import ArrayLike, Bounds, FloatArray, Seed
from sklearn_nrcdt.datasets._image_stacks import check_images
from sklearn_nrcdt.datasets._sampling import CUT, SPLINE_MARGIN, look_up, sources, warn_cut

MAX_DRAWS = 1000
AFFINE = {"cut": [StrOptions({"warn", "redraw", "ignore"})], "random_state": ["random_state"]}


@validate_params({"cut": CUT})
def affine(
    images: ArrayLike,
    matrix: ArrayLike,
    shift: ArrayLike = (0, 0),
    *,
    cut: Literal["warn", "ignore"] = "warn",
) -> FloatArray:
    """Apply given affine maps to images.

    The map is ``x' = matrix @ x + shift``, where ``x = (x, y)`` is the position in pixels
    relative to the center of the image, x to the right and y up. Images are interpolated by the
    paper's bi-quadratic splines; negative values beside bright lines are set to zero.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width)
        Bright images on black.
    matrix : array-like of shape (2, 2) or (n_images, 2, 2)
        One map for all images, or one for each.
    shift : array-like of shape (2,) or (n_images, 2), default=(0, 0)
        Shift to the right and up, in pixels.
    cut : {"warn", "ignore"}, default="warn"
        What to do about images that lose mass because it is mapped off the canvas.

    Returns
    -------
    images : ndarray of shape (n_images, height, width)
        The mapped images; float32 for float32 input, else float64. The total mass grows by
        ``abs(det(matrix))``.

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
    n_images = len(images)
    matrix = _check_maps(matrix, "matrix", (2, 2), n_images)
    shift = _check_maps(shift, "shift", (2,), n_images)
    singular = np.flatnonzero(np.linalg.cond(matrix) > 1e12)
    if len(singular):
        raise ValueError(
            f"matrix must be invertible, got {matrix[singular[0]].tolist()}: it would map the "
            "image to a line or a point."
        )
    return _apply(images, np.arange(n_images), matrix, shift, cut)


@validate_params(AFFINE)
def random_affine(
    images: ArrayLike,
    *,
    scale: Bounds = (0.75, 1.0),
    rotation: Bounds = (0.0, 360.0),
    shear: Bounds = (-5.0, 5.0),
    shift: Bounds = (0, 0),
    cut: Literal["warn", "redraw", "ignore"] = "warn",
    random_state: Seed = None,
) -> FloatArray:
    """Apply a random affine map to each image.

    An image is scaled, rotated, sheared in x, sheared in y and shifted, in this order, about its
    center, by one interpolation. Numbers are drawn uniformly for each image and each axis.

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
    cut : {"warn", "redraw", "ignore"}, default="warn"
        What to do about maps that move mass off the canvas; "redraw" draws others.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draws.

    Returns
    -------
    images : ndarray of shape (n_images, height, width)
        The mapped images; float32 for float32 input, else float64.

    See Also
    --------
    affine : Given maps.
    make_symbols : Also returns what was drawn.
    random_wave, random_elastic : Deformations that are not affine.

    Notes
    -----
    A range may also be one number: ``scale=1, rotation=0, shear=0`` leaves shifts only. Images are
    sampled, not averaged: details finer than one pixel after a reduction in size alias.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols, random_affine
    >>> images = load_symbols().images
    >>> random_affine(images, shift=(-20, 20), random_state=0).shape
    (12, 256, 256)
    """
    images = check_images(images)
    ranges = check_affine(scale, rotation, shear, shift)
    rng = check_random_state(random_state)
    return random_affine_of(images, np.arange(len(images)), ranges, cut=cut, rng=rng)[0]


def check_affine(scale, rotation, shear, shift):
    return (
        check_range(scale, "scale", Interval(Real, 0, None, closed="neither")),
        check_range(rotation, "rotation", Interval(Real, None, None, closed="neither")),
        check_range(shear, "shear", Interval(Real, -90, 90, closed="neither")),
        check_range(shift, "shift", Interval(Integral, None, None, closed="neither")),
    )


def random_affine_of(images, index, ranges, *, cut, rng, zoom=1.0):
    """Enlarge the images ``images[index]`` by `zoom`, map them randomly, and say how."""
    params = _draw(len(index), ranges, rng)
    if cut == "redraw":
        _redraw(images, index, ranges, rng, params, zoom)
    return _apply(images, index, zoom * params.matrix, params.shift, cut), params


def _apply(images, index, matrix, shift, cut):
    if cut == "warn":
        warn_cut(_lost_shares(images, index, matrix, shift))
    shape = np.array(images.shape[1:])
    center = (shape - 1) / 2
    forward, offset = _row_column_maps(matrix, shift)
    backward = np.linalg.inv(forward)
    moved = np.zeros((len(index), *shape), dtype=images.dtype)

    for position, source in sources(images, index):
        (top, bottom), (left, right) = source.box + np.array([-SPLINE_MARGIN, SPLINE_MARGIN])
        corners = np.array([[top, top, bottom, bottom], [left, right, left, right]])
        reached = forward[position] @ (corners - center[:, None])
        reached += (center + offset[position])[:, None]
        first = np.clip(np.ceil(reached.min(axis=1)), 0, shape).astype(int)
        last = np.clip(np.floor(reached.max(axis=1)) + 1, first, shape).astype(int)
        rows = np.arange(first[0], last[0])[:, None] - center[0] - offset[position, 0]
        columns = np.arange(first[1], last[1])[None, :] - center[1] - offset[position, 1]
        (rr, rc), (cr, cc) = backward[position]
        from_rows = rr * rows + rc * columns + center[0]
        from_columns = cr * rows + cc * columns + center[1]
        found = look_up(source, from_rows, from_columns)
        moved[position, first[0] : last[0], first[1] : last[1]] = found
    return moved


def _draw(n_images, ranges, rng):
    # One row per image, so that the first images get the same maps however many follow.
    drawn = rng.uniform(size=(n_images, 7))
    low, high = np.array(ranges, dtype=float)[[0, 0, 1, 2, 2, 3, 3]].T
    values = low + (high - low) * drawn
    scale, rotation, shear = values[:, :2], values[:, 2], values[:, 3:5]
    # Whole pixels, both ends included.
    shift = (low + np.floor((high - low + 1) * drawn))[:, 5:].astype(int)
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


def _redraw(images, index, ranges, rng, params, zoom):
    """Draw the maps that lose mass again, in place."""
    again = np.arange(len(index))
    for _ in range(MAX_DRAWS):
        matrix, shift = zoom * params.matrix[again], params.shift[again]
        again = again[_lost_shares(images, index[again], matrix, shift) > 0]
        if len(again) == 0:
            return
        for name, values in _draw(len(again), ranges, rng).items():
            params[name][again] = values
    raise ValueError(
        f"All {MAX_DRAWS} maps drawn for image {again[0]} moved mass off the canvas. "
        "Narrow the ranges of scale, shear and shift, or enlarge the canvas with "
        "stack_images(images, shape=...)."
    )


def _row_column_maps(matrix, shift):
    """The maps of (x, y), y up, as maps of (row, column) and as offsets of them."""
    flip = np.array([[0, 1], [-1, 0]])  # (x, y) = flip @ (row, column) about the center
    return flip.T @ matrix @ flip, shift @ flip


def _lost_shares(images, index, matrix, shift):
    """Share of mass, by pixel centers, that each map moves off the canvas."""
    shape = np.array(images.shape[1:])
    forward, offset = _row_column_maps(matrix, shift)
    # Rounding must not move a pixel off the canvas that stays on its edge.
    limit = (shape / 2 + 1e-6)[:, None]
    lost = np.zeros(len(index))
    for source in np.unique(index):
        places = np.stack(np.nonzero(images[source]))
        masses = images[source][tuple(places)].astype(np.float64)
        centered = places - ((shape - 1) / 2)[:, None]
        for position in np.flatnonzero(index == source):
            moved = forward[position] @ centered + offset[position][:, None]
            outside = (np.abs(moved) > limit).any(axis=0)
            if outside.any():
                lost[position] = masses[outside].sum() / masses.sum()
    return lost


def _check_maps(values: Any, name: str, shape: tuple[int, ...], n_images: int) -> FloatArray:
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
