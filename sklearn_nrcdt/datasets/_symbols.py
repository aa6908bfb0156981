"""The twelve symbols of the paper's Figure 1, and data sets of deformed templates."""

import numpy as np
from sklearn.utils import Bunch, check_random_state

from sklearn_nrcdt.datasets._affine import check_affine, random_affine_of
from sklearn_nrcdt.datasets._bunch import image_bunch
from sklearn_nrcdt.datasets._checks import (
    check_dtype,
    check_images,
    check_integer,
    check_number,
    check_range,
)
from sklearn_nrcdt.datasets._draw import (
    circle_depth,
    fill,
    path_distance,
    polygon_depth,
    segment_distance,
    stroke,
)
from sklearn_nrcdt.datasets._noise import add_salt
from sklearn_nrcdt.datasets._wave import check_wave, random_wave_of

RADIUS = 0.375
SHAPES = ("circle", "square", "triangle")
RAYS = (1, 4, 8)
SYMBOL_NAMES = np.array(
    [f"{shape} orb, {n} ray{'s' * (n > 1)}" for shape in SHAPES for n in RAYS]
    + [f"shield, {shape}" for shape in SHAPES]
)

SYMBOLS_DESCR = """\
Twelve symbols, one image per class, after Figure 1 of the paper.

Classes 1 to 9 are orb and cross: an orb (circle, square, triangle) below a star of 1, 4 or
8 rays. Classes 10 to 12 are shields with a circle, square or triangle. White lines
(grey value 1) on black (0), drawn on the inner half of the canvas so that deformations
have room.
"""


def load_symbols(*, size=256, line_width=None, dtype=np.float64, return_X_y=False):
    """Draw the twelve template symbols of the paper.

    Parameters
    ----------
    size : int, default=256
        Side of the square images in pixels. The drawing fills the inner half.
    line_width : float, default=None
        Width of the lines in pixels. None scales the paper's 4 pixels with the size:
        ``size / 64``.
    dtype : {np.float64, np.float32}, default=np.float64
        Data type of the images.
    return_X_y : bool, default=False
        If True, return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    symbols : Bunch
        With the attributes

        - images : ndarray of shape (12, size, size), values in [0, 1]
        - data : ndarray of shape (12, size * size), the flattened images
        - target : ndarray of shape (12,), the class numbers 1 to 12 as the paper counts
        - target_names : ndarray of shape (12,), a description of each class, in the
          order of the class numbers
        - DESCR : str

    See Also
    --------
    make_symbols : A data set of deformed symbols.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> symbols = load_symbols()
    >>> symbols.images.shape
    (12, 256, 256)
    >>> print(symbols.target[4], symbols.target_names[4])
    5 square orb, 4 rays
    """
    size = check_integer(size, "size", low=8)
    if line_width is None:
        line_width = size / 64
    check_number(line_width, "line_width", low=0, high=size / 8, open_low=True)
    images = _draw_symbols(size, line_width).astype(check_dtype(dtype), copy=False)
    return image_bunch(
        images, np.arange(1, 13), SYMBOL_NAMES.copy(), SYMBOLS_DESCR, return_X_y=return_X_y
    )


def _draw_symbols(size, width):
    # The unit of the drawing, [-1, 1]^2 with y down, is the inner half of the canvas.
    unit = size / 4
    axis = np.arange(size) - (size - 1) / 2
    points = axis[None, :], axis[:, None]
    stem = stroke(segment_distance(points, (0, -0.5 * unit), (0, 0.5 * unit)), width)
    stars = [stroke(_star_distance(points, n_rays, unit), width) for n_rays in RAYS]
    images = []
    for shape in SHAPES:
        orb = _shape_depth(points, shape, (0, 0.5), unit)
        below = np.maximum(stem * (1 - fill(orb)), stroke(np.abs(orb), width))
        images += [np.maximum(below, star) for star in stars]
    shield = stroke(_shield_distance(points, unit), width)
    for shape in SHAPES:
        emblem = np.abs(_shape_depth(points, shape, (0, -0.125), unit))
        images.append(np.maximum(shield, stroke(emblem, width)))
    return np.stack(images)


def _shape_depth(points, shape, center, unit):
    center = np.multiply(center, unit)
    if shape == "circle":
        return circle_depth(points, center, RADIUS * unit)
    n_corners, first = (4, np.pi / 4) if shape == "square" else (3, -np.pi / 2)
    angles = first + 2 * np.pi * np.arange(n_corners) / n_corners
    corners = np.column_stack([np.cos(angles), np.sin(angles)])
    return polygon_depth(points, center + RADIUS * unit * corners)


def _star_distance(points, n_rays, unit):
    center = np.array([0, -0.5 * unit])
    angles = -np.pi / 2 + 2 * np.pi * np.arange(n_rays) / n_rays
    tips = center + RADIUS * unit * np.column_stack([np.cos(angles), np.sin(angles)])
    return np.minimum.reduce([segment_distance(points, center, tip) for tip in tips])


def _shield_distance(points, unit):
    t = np.linspace(0, 1, 65)[:, None]
    controls = np.array([[0.75, -0.5], [0.75, 0.5], [0, 0.75], [0, 0.75]])
    weights = np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    right = np.vstack([[[0, -0.75], [0.75, -0.75]], weights @ controls])
    # The outline is its own mirror image, so the right half serves for both.
    return path_distance((np.abs(points[0]), points[1]), right * unit)


def make_symbols(
    n_samples_per_class=10,
    *,
    templates=None,
    classes=None,
    amplitude=None,
    frequency=(0.5, 2.0),
    scale=(0.5, 1.25),
    rotation=(0.0, 360.0),
    shear=(-45.0, 45.0),
    shift=(-20, 20),
    n_discs=0,
    strength=9.0,
    order=2,
    cut="redraw",
    dtype=np.float32,
    random_state=None,
    n_jobs=None,
    return_X_y=False,
):
    """Make a data set of deformed symbols, or of deformations of any templates.

    Every sample is its class's template, bent by a wave, mapped affinely and salted, in
    this order. The defaults are the paper's hardest affine data set.

    Parameters
    ----------
    n_samples_per_class : int, default=10
        Number of samples of each class.
    templates : array-like of shape (n_classes, height, width) or Bunch, default=None
        One image per class. None stands for `load_symbols`. A Bunch brings its own
        ``target`` and ``target_names``; the classes of a plain array are 0, 1, ...
    classes : array-like of int, default=None
        Labels of the classes to use, for example ``[1, 5, 12]``. None uses all.
    amplitude : (float, float), default=None
        Range of the waves' amplitudes in pixels, see `random_wave`. None means no waves.
    frequency : (float, float), default=(0.5, 2.0)
        Range of the waves' frequencies.
    scale, rotation, shear, shift : pair of numbers
        Ranges of the affine maps, see `random_affine`.
    n_discs : int or (int, int), default=0
        Number of salt discs, or its range, see `add_salt`.
    strength : float, default=9.0
        Strength of the salt.
    order : int, default=2
        Order of the interpolating splines.
    cut : {"redraw", "warn", "ignore"}, default="redraw"
        What to do about an affine map that moves mass off the canvas: draw another one,
        warn, or do nothing.
    dtype : {np.float32, np.float64}, default=np.float32
        Data type of the images.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of all draws.
    n_jobs : int, default=None
        Number of threads over the images. The result does not depend on it.
    return_X_y : bool, default=False
        If True, return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    symbols : Bunch
        With the attributes

        - images : ndarray of shape (n_samples, height, width), class by class
        - data : ndarray of shape (n_samples, height * width), the flattened images
        - target : ndarray of shape (n_samples,), the labels
        - target_names : ndarray of shape (n_classes,), names of the classes that were
          taken, in the order of the templates
        - templates : ndarray of shape (n_classes, height, width)
        - template_target : ndarray of shape (n_classes,), labels of the templates
        - params : Bunch, what was drawn: ``matrix``, ``shift``, ``scale``, ``rotation``,
          ``shear`` and, with waves, ``amplitude`` and ``frequency``
        - DESCR : str

    See Also
    --------
    load_symbols : The templates.
    make_glyphs : Templates from a font.

    Examples
    --------
    The paper's Table 3, the second of its data sets:

    >>> from sklearn_nrcdt.datasets import make_symbols
    >>> symbols = make_symbols(
    ...     10,
    ...     classes=[1, 5, 12],
    ...     amplitude=(2.5, 7.5),
    ...     scale=(0.75, 1.0),
    ...     shear=(-5, 5),
    ...     random_state=0,
    ... )
    >>> symbols.images.shape, symbols.target[::10]
    ((30, 256, 256), array([ 1,  5, 12]))
    """
    n_samples = check_integer(n_samples_per_class, "n_samples_per_class", low=1)
    affine_ranges = check_affine(scale, rotation, shear, shift, order, cut)
    wave_ranges = None if amplitude is None else check_wave(amplitude, frequency)
    check_range(n_discs, "n_discs", low=0, integer=True)
    originals = _take_classes(_check_templates(templates, check_dtype(dtype)), classes)
    rng = check_random_state(random_state)

    images = originals.images
    white = images.max() or None
    index = np.repeat(np.arange(len(images)), n_samples)
    target = originals.target[index]
    params = Bunch()
    if wave_ranges is not None:
        wave_cut = "ignore" if cut == "ignore" else "warn"
        images, drawn = random_wave_of(
            images, index, wave_ranges, order=order, cut=wave_cut, rng=rng, n_jobs=n_jobs
        )
        index = np.arange(len(images))
        params.update(drawn)
    images, drawn = random_affine_of(
        images, index, affine_ranges, order=order, cut=cut, rng=rng, n_jobs=n_jobs
    )
    params.update(drawn)
    if n_discs != 0:
        images = add_salt(images, n_discs=n_discs, strength=strength, white=white, random_state=rng)
    return image_bunch(
        images,
        target,
        originals.target_names,
        f"{n_samples} random deformations of each of {len(originals.target)} templates.",
        return_X_y=return_X_y,
        templates=originals.images,
        template_target=originals.target,
        params=params,
    )


def _check_templates(templates, dtype):
    """Return a Bunch of images, target and target_names."""
    if templates is None:
        return load_symbols(dtype=dtype)
    images = templates["images"] if isinstance(templates, dict) else templates
    images = check_images(images, "templates").astype(dtype, copy=False)
    labels = names = np.arange(len(images))
    if isinstance(templates, dict):
        labels = np.asarray(templates["target"])
        names = np.asarray(templates.get("target_names", labels))
    if labels.shape != (len(images),) or len(np.unique(labels)) != len(labels):
        raise ValueError(
            f"templates must hold one image per class: got {len(images)} images and the "
            f"labels {labels.tolist()}."
        )
    if len(names) != len(images):
        raise ValueError(f"templates hold {len(images)} images, but {len(names)} target_names.")
    return Bunch(images=images, target=labels, target_names=names)


def _take_classes(templates, classes):
    if classes is None:
        return templates
    wanted = np.atleast_1d(np.asarray(classes))
    known = templates.target.tolist()
    unknown = [label for label in wanted.tolist() if label not in known]
    if unknown or wanted.ndim != 1 or len(np.unique(wanted)) != len(wanted) or len(wanted) == 0:
        raise ValueError(
            f"classes must be different labels out of {known[0]}, ..., {known[-1]}, "
            f"got {classes!r}."
        )
    chosen = [known.index(label) for label in wanted.tolist()]
    return Bunch(
        images=templates.images[chosen],
        target=templates.target[chosen],
        target_names=templates.target_names[chosen],
    )
