"""The twelve symbols of the paper's Figure 1, and data sets of deformed templates."""

from numbers import Integral
from typing import Literal

import numpy as np
from sklearn.utils import Bunch, check_random_state

from sklearn_nrcdt._support.compat import Interval, validate_params
from sklearn_nrcdt._support.types import ArrayLike, Bounds, Seed
from sklearn_nrcdt.datasets._affine import AFFINE, check_affine, random_affine_of
from sklearn_nrcdt.datasets._bending import check_wave, random_wave_of
from sklearn_nrcdt.datasets._draw import (
    circle_depth,
    fill,
    path_distance,
    polygon_depth,
    segment_distance,
    stroke,
)
from sklearn_nrcdt.datasets._image_stacks import check_images, image_bunch
from sklearn_nrcdt.datasets._noise import add_salt

RADIUS = 0.375
SHAPES = ("circle", "square", "triangle")
RAYS = (1, 4, 8)
SYMBOL_NAMES = np.array(
    [f"{shape} orb, {n} ray{'s' * (n > 1)}" for shape in SHAPES for n in RAYS]
    + [f"shield, {shape}" for shape in SHAPES]
)


@validate_params({"size": [Interval(Integral, 8, None, closed="left")]})
def load_symbols(*, size: int = 256) -> Bunch:
    """Draw the twelve template symbols of the paper's Figure 1, white lines on black.

    Classes 1 to 9 are orb and cross: an orb (circle, square, triangle) below a star of 1, 4 or 8
    rays. Classes 10 to 12 are shields with a circle, square or triangle.

    Parameters
    ----------
    size : int, default=256
        Side of the square images in pixels. The drawing fills the inner half; its lines are
        ``size / 64`` pixels wide, as in the paper.

    Returns
    -------
    symbols : Bunch
        - images : ndarray of shape (12, size, size), values in [0, 1]
        - data : ndarray of shape (12, size * size), the flattened images
        - target : ndarray of shape (12,), the class numbers 1 to 12 as the paper counts
        - target_names : ndarray of shape (12,), a description of each class

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
    images = _draw_symbols(size, size / 64)
    return image_bunch(images, target=np.arange(1, 13), target_names=SYMBOL_NAMES.copy())


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


@validate_params(AFFINE | {"n_samples_per_class": [Interval(Integral, 1, None, closed="left")]})
def make_symbols(
    n_samples_per_class: int = 10,
    *,
    templates: ArrayLike | Bunch | None = None,
    classes: ArrayLike | None = None,
    amplitude: Bounds | None = None,
    frequency: Bounds = (0.5, 2.0),
    scale: Bounds = (0.5, 1.25),
    rotation: Bounds = (0.0, 360.0),
    shear: Bounds = (-45.0, 45.0),
    shift: Bounds = (-20, 20),
    n_discs: int | tuple[int, int] = 0,
    strength: float = 9.0,
    cut: Literal["warn", "redraw", "ignore"] = "redraw",
    random_state: Seed = None,
) -> Bunch:
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
    cut : {"redraw", "warn", "ignore"}, default="redraw"
        What to do about affine maps that move mass off the canvas, see `random_affine`.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of all draws.

    Returns
    -------
    symbols : Bunch
        - images : float32 ndarray of shape (n_samples, height, width), class by class
        - data : ndarray of shape (n_samples, height * width), the flattened images
        - target : ndarray of shape (n_samples,), the labels
        - target_names : ndarray of shape (n_classes,), names in the order of the templates
        - templates : ndarray of shape (n_classes, height, width)
        - template_target : ndarray of shape (n_classes,), labels of the templates
        - params : Bunch, what was drawn: ``matrix``, ``shift``, ``scale``, ``rotation``,
          ``shear`` and, with waves, ``amplitude`` and ``frequency``

    See Also
    --------
    load_symbols : The templates.
    make_glyphs : Templates from a font.

    Examples
    --------
    The paper's Table 3, the second of its data sets:

    >>> from sklearn_nrcdt.datasets import make_symbols
    >>> ranges = {"amplitude": (2.5, 7.5), "scale": (0.75, 1.0), "shear": (-5, 5)}
    >>> symbols = make_symbols(10, classes=[1, 5, 12], **ranges, random_state=0)
    >>> symbols.images.shape, symbols.target[::10]
    ((30, 256, 256), array([ 1,  5, 12]))
    """
    affine_ranges = check_affine(scale, rotation, shear, shift)
    wave_ranges = None if amplitude is None else check_wave(amplitude, frequency)
    originals, labels, names = _check_templates(templates, classes)
    rng = check_random_state(random_state)

    images = originals
    white = images.max() or None
    index = np.repeat(np.arange(len(images)), n_samples_per_class)
    target = labels[index]
    params = Bunch()
    if wave_ranges is not None:
        wave_cut = "ignore" if cut == "ignore" else "warn"
        images, drawn = random_wave_of(images, index, wave_ranges, cut=wave_cut, rng=rng)
        index = np.arange(len(images))
        params.update(drawn)
    images, drawn = random_affine_of(images, index, affine_ranges, cut=cut, rng=rng)
    params.update(drawn)
    if np.size(n_discs) != 1 or n_discs != 0:
        images = add_salt(images, n_discs=n_discs, strength=strength, white=white, random_state=rng)
    return image_bunch(
        images,
        target=target,
        target_names=names,
        templates=originals,
        template_target=labels,
        params=params,
    )


def _check_templates(templates, classes):
    """Return images, labels and names of the templates of the chosen classes."""
    if templates is None:
        templates = load_symbols()
    given = templates if isinstance(templates, dict) else {"images": templates}
    if "images" not in given:
        raise ValueError("templates is a dictionary without images. Pass a stack of images.")
    images = check_images(given["images"], "templates").astype(np.float32, copy=False)
    labels = np.asarray(given.get("target", np.arange(len(images))))
    names = np.asarray(given.get("target_names", labels))
    shape = (len(images),)
    if not (labels.shape == np.unique(labels).shape == names.shape == shape):
        raise ValueError(
            f"templates must hold one image per class: got {len(images)} images, the labels "
            f"{labels.tolist()} and {len(names)} target_names."
        )
    if classes is None:
        return images, labels, names
    wanted, known = np.atleast_1d(np.asarray(classes)).tolist(), labels.tolist()
    chosen = [known.index(label) for label in wanted if label in known]
    if not chosen or len(set(chosen)) < len(wanted):
        raise ValueError(
            f"classes must be different labels out of {known[0]}, ..., {known[-1]}, "
            f"got {classes!r}."
        )
    return images[chosen], labels[chosen], names[chosen]
