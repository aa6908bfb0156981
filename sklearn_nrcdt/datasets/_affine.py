"""Affine maps of image stacks, given or drawn at random."""

import numpy as np
from sklearn.utils import Bunch, check_random_state

from sklearn_nrcdt.datasets._checks import check_images, check_integer, check_option, check_range
from sklearn_nrcdt.datasets._sampling import REACH, each_image, look_up, support_box, warn_cut

MAX_DRAWS = 1000


def affine(images, matrix, shift=(0, 0), *, order=2, cut="warn", n_jobs=None):
    """Apply given affine maps to images.

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
        warn_cut(_lost_shares(images, index, matrix, shift))
    return _apply(images, index, matrix, shift, order, n_jobs)


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
        What to do about maps that move mass off the canvas: warn, draw another map for that
        image, or do nothing.
    return_params : bool, default=False
        If True, also return the parameters that were drawn.
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
    random_elastic : Smooth random deformations, for copies to learn from.

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
    ranges = check_affine(scale, rotation, shear, shift, order, cut)
    rng = check_random_state(random_state)
    moved, params = random_affine_of(
        images, np.arange(len(images)), ranges, order=order, cut=cut, rng=rng, n_jobs=n_jobs
    )
    return (moved, params) if return_params else moved


def check_affine(scale, rotation, shear, shift, order, cut):
    """Check the parameters of random maps, and return the four ranges as pairs."""
    check_integer(order, "order", low=0, high=5)
    check_option(cut, "cut", ("warn", "redraw", "ignore"))
    shear = check_range(shear, "shear", low=-90, high=90)
    if shear[0] == -90 or shear[1] == 90:
        raise ValueError(f"shear must lie between -90 and 90 degrees, exclusively, got {shear}.")
    return (
        check_range(scale, "scale", low=0, open_low=True),
        check_range(rotation, "rotation"),
        shear,
        check_range(shift, "shift", integer=True),
    )


def random_affine_of(images, index, ranges, *, order, cut, rng, n_jobs, zoom=1.0):
    """Enlarge the images ``images[index]`` by `zoom`, then map them randomly."""
    params = _draw(len(index), ranges, rng)
    if cut == "redraw":
        _redraw(images, index, ranges, rng, params, zoom)
    elif cut == "warn":
        warn_cut(_lost_shares(images, index, zoom * params.matrix, params.shift))
    return _apply(images, index, zoom * params.matrix, params.shift, order, n_jobs), params


def _apply(images, index, matrix, shift, order, n_jobs):
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
        moved[position, first[0] : last[0], first[1] : last[1]] = look_up(
            source,
            rr * rows + rc * columns + center[0],
            cr * rows + cc * columns + center[1],
            order,
        )

    each_image(move, images, index, order, n_jobs)
    return moved


def _draw(n_images, ranges, rng):
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
    boxes = {source: support_box(images[source]) for source in np.unique(index)}
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
