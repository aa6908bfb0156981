"""Simulated photographs of paper held against the light, with drawings as wires of the mould."""

from collections.abc import Collection, Sequence
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import ndimage
from skimage.morphology import skeletonize
from sklearn.utils import Bunch, check_random_state

from sklearn_nrcdt._support.compat import Interval, StrOptions, validate_params
from sklearn_nrcdt._support.images import check_container, check_image
from sklearn_nrcdt._support.ranges import check_range, check_shape
from sklearn_nrcdt._support.types import (
    ArrayLike,
    Bounds,
    FloatType,
    NDArray,
    Polarity,
    Seed,
    Shape,
)
from sklearn_nrcdt.search._kernels.line_elements import pose_matrix
from sklearn_nrcdt.search._paper_lines import lines_bunch

LEVEL = 0.5  # grey value of plain paper
GRAIN = 0.12  # standard deviation of the grain relative to the light; all layers are in units of it
MAX_SNR = 8.0  # a line of this depth is black
# The grain of old paper: fine fibres, flocks and clouds of fibres, by radius and share.
FLOCKS = ((0.6, 0.75), (2.0, 0.15), (6.0, 0.10))
LAID, CHAINS = (4.4, 5.8), (75, 110)  # distances of the lines of the mould, in pixels
TILT = (-0.5, 0.5)  # degrees from level and from upright
WARP_RADIUS = 40  # pixels over which paper stretches alike
LINE_WIDTH = 3.5  # of the drawing in the photograph, at half of the depth
MARGIN = 4  # pixels between a drawing and the edge of the photograph


@validate_params(
    {
        "n_samples_per_drawing": [Interval(Integral, 1, None, closed="left")],
        "nuisances": [str, "array-like"],
        "warp": [Interval(Real, 0, None, closed="left")],
        "polarity": [StrOptions({"dark", "bright"})],
        "random_state": ["random_state"],
    }
)
def make_paper_scans(
    drawings: Sequence[ArrayLike] | NDArray[Any],
    n_samples_per_drawing: int = 1,
    *,
    shape: Shape = (512, 400),
    snr: float | Bounds = 1.0,
    nuisances: str | Collection[str] = "all",
    warp: float = 1.0,
    rotation: float | Bounds = 0.0,
    scale: float | Bounds = 1.0,
    polarity: Polarity = "dark",
    dtype: FloatType | type[np.uint8] | Literal["uint8"] = np.float32,
    random_state: Seed = None,
) -> Bunch:
    """Simulate photographs of watermarked paper in transmitted light.

    The wire of a drawing leaves a faint line in the sheet, as do the dense laid lines of the mould
    and the chain lines across them. The sheet has been folded, stained and written on, and the
    light behind it is uneven. If wires are dark, ink and folds are bright, and vice versa. Lengths
    are those of scans at 100 dots per inch.

    Parameters
    ----------
    drawings : sequence of array-like of shape (height, width)
        Bright strokes on black, of any sizes and widths.
    n_samples_per_drawing : int, default=1
        Number of photographs of each drawing.
    shape : (int, int), default=(512, 400)
        Height and width of the photographs. Each drawing lies at a random place within.
    snr : float or (float, float), default=1.0
        Signal-to-noise ratio from 0 to 8, or its range: depth of the drawing's lines in standard
        deviations of the grain. It is often near 1; 0 gives the same sheets without the drawing.
    nuisances : "all" or collection of str, default="all"
        What else is on the paper: any of "grain", "light", "laid", "chains", "folds", "stains",
        "writing". Each looks the same whether the others are there or not.
    warp : float, default=1.0
        How much the paper is distorted: deviation of a smooth displacement, in pixels.
    rotation : float or (float, float), default=0.0
        Angle of the sheet in degrees, counterclockwise, or its range.
    scale : float or (float, float), default=1.0
        Factor from the drawing to the photograph, or its range.
    polarity : {"dark", "bright"}, default="dark"
        Whether wires are darker or brighter than the paper around them.
    dtype : {np.float32, np.float64, np.uint8}, default=np.float32
        Data type of the images: values in [0, 1], or whole numbers in [0, 255].
    random_state : int, RandomState instance or None, default=None
        Seed or generator of all draws.

    Returns
    -------
    scans : Bunch
        With the attributes

        - images : ndarray of shape (n_samples, height, width), drawing by drawing
        - target : ndarray of shape (n_samples,), position of the drawing among `drawings`
        - poses : Bunch of ``position`` (row and column of the center of the drawing's image),
          ``rotation`` and ``scale``, see Notes
        - snr : ndarray of shape (n_samples,)
        - lines : Bunch, distances in pixels and directions in degrees of the lines of the mould,
          as `paper_lines` measures them

    See Also
    --------
    make_drawings : A catalogue of made-up drawings.

    Notes
    -----
    The drawing is scaled and rotated about the center of its image, and moved so that its center is
    at ``position``. The warp comes on top and is not returned. Sheets seen from behind are
    ``images[:, :, ::-1]``.

    Examples
    --------
    >>> from sklearn_nrcdt.search import make_drawings, make_paper_scans
    >>> drawings = make_drawings(3, random_state=0).images
    >>> scans = make_paper_scans(drawings, snr=2, rotation=(-3, 3), random_state=0)
    >>> scans.images.shape, scans.target
    ((3, 512, 400), array([0, 1, 2]))
    >>> scans.poses.rotation.round(1)
    array([-0.9,  0. ,  0.6])
    """
    wires = _thin(drawings)
    shape = check_shape(shape)
    ranges = (
        check_range(snr, "snr", Interval(Real, 0, MAX_SNR, closed="both")),
        check_range(rotation, "rotation", Interval(Real, None, None, closed="neither")),
        check_range(scale, "scale", Interval(Real, 0.001, 1000, closed="both")),
    )
    nuisances = _check_nuisances(nuisances)
    try:
        known = np.dtype(dtype) in (np.float32, np.float64, np.uint8)
    except TypeError:
        known = False
    if not known:
        raise ValueError(f"dtype must be float32, float64 or uint8, got {dtype!r}.")
    root = check_random_state(random_state).randint(2**31)

    index = np.repeat(np.arange(len(wires)), n_samples_per_drawing)
    drawn = [_draw_pose(wires[i], shape, ranges, [root, k]) for k, i in enumerate(index)]
    ratios, turns, sizes, position, rooms = map(np.array, zip(*drawn, strict=True))
    large = (rooms > shape).any(axis=1)
    if large.any():
        raise ValueError(
            f"drawings[{index[large][0]}] does not fit into photographs of shape={shape}: up to "
            f"{tuple(rooms.max(axis=0).tolist())} pixels are needed in the poses drawn. "
            "Enlarge shape or lower scale."
        )
    images = np.empty((len(index), *shape), dtype=dtype)
    for k, pose in enumerate(drawn):
        sheet = _lay_sheet(shape, pose, warp, [root, k])
        paper = -pose.snr * _wire(wires[index[k]], sheet)
        for name in nuisances:
            if name != "light":
                paper += PAPER[name](sheet, _stream([root, k], name))
        grey = LEVEL * (1 + GRAIN * (paper if polarity == "dark" else -paper))
        if "light" in nuisances:
            grey *= _light(sheet, _stream([root, k], "light"))
        np.clip(grey, 0, 1, out=grey)
        images[k] = np.rint(255 * grey) if images.dtype == np.uint8 else grey
    poses = Bunch(position=position, rotation=turns, scale=sizes)
    return Bunch(images=images, target=index, poses=poses, snr=ratios, lines=_lines(drawn, root))


def _lines(drawn, root):
    """Return distances and directions of the lines of the mould, as the layers draw them."""
    rows = []
    for k, pose in enumerate(drawn):
        laid, chains = (_stream([root, k], name) for name in ("laid", "chains"))
        period, spacing = laid.uniform(*LAID), chains.uniform(*CHAINS)
        along = pose.rotation + laid.uniform(*TILT)
        across = pose.rotation + 90 - chains.uniform(*TILT)
        along, across = ((turn + 90) % 180 - 90 for turn in (along, across))
        rows.append([pose.scale * period, along, pose.scale * spacing, across])
    return lines_bunch(rows)


def _stream(seed, name):
    """Random numbers of one nuisance, the same whichever others there are."""
    return np.random.default_rng([*seed, 2 + list(PAPER).index(name)])


def _thin(drawings):
    """Return the strokes of drawings, one pixel wide."""
    wires = []
    check_container(drawings, "drawings")
    for k, drawing in enumerate(drawings):
        image = check_image(drawing, f"drawings[{k}]")
        if not (image.min() >= 0 and 0 < image.max() < np.inf):  # nor NaN
            raise ValueError(
                f"drawings[{k}] must be bright strokes on black, neither blank nor with NaN, "
                "infinity or negative values."
            )
        wires.append(skeletonize(image > 0.4 * image.max()))
    if not wires:
        raise ValueError("drawings is empty. Pass at least one drawing.")
    return wires


def _check_nuisances(nuisances):
    if isinstance(nuisances, str):
        nuisances = PAPER if nuisances == "all" else [nuisances]
    if unknown := [name for name in nuisances if name not in PAPER]:
        raise ValueError(f"nuisances must be some of {', '.join(PAPER)}, got {unknown[0]!r}.")
    return [name for name in PAPER if name in list(nuisances)]


# -- where the drawing is --------------------------------------------------------------


class Pose(NamedTuple):
    """What was drawn for one photograph."""

    snr: float
    rotation: float
    scale: float
    position: np.ndarray
    room: np.ndarray  # height and width that the drawing needs


def _draw_pose(wire, shape, ranges, seed):
    rng = np.random.default_rng([*seed, 0])
    snr, rotation, scale = (rng.uniform(*pair) for pair in ranges)
    places = np.stack(np.nonzero(wire)) - _center(wire.shape)
    strokes = pose_matrix(rotation, scale, False) @ places
    first, last = strokes.min(axis=1) - MARGIN, strokes.max(axis=1) + MARGIN
    position = rng.random(2) * (np.array(shape) - 1 - (last - first)) - first
    return Pose(snr, rotation, scale, position, np.ceil(last - first).astype(int) + 1)


def _center(shape):
    return (np.array(shape)[:, None] - 1) / 2


class Sheet(NamedTuple):
    """A sheet before the camera: where in the mould each pixel of the photograph was."""

    shape: tuple
    scale: float
    rows: np.ndarray  # in the mould, about the center of the drawing, in its pixels
    columns: np.ndarray


def _lay_sheet(shape, pose, warp, seed):
    rng = np.random.default_rng([*seed, 1])
    places = np.indices(shape, dtype=float) - pose.position[:, None, None]
    if warp > 0:
        places += [warp * smooth_noise(shape, WARP_RADIUS, rng) for _ in range(2)]
    to_mould = np.linalg.inv(pose_matrix(pose.rotation, pose.scale, False))
    return Sheet(shape, pose.scale, *np.einsum("ij,jkl->ikl", to_mould, places))


def _wire(skeleton, sheet):
    """Gaussian profile along the strokes, 1 on them."""
    sigma = LINE_WIDTH / np.sqrt(8 * np.log(2))
    reach = int(np.ceil(4 * sigma / sheet.scale)) + 2
    distance = ndimage.distance_transform_edt(~np.pad(skeleton, reach))
    places = np.stack([sheet.rows, sheet.columns]) + _center(distance.shape)[..., None]
    found = ndimage.map_coordinates(distance, places, order=1, cval=distance.max())
    return np.exp(-((found * sheet.scale / sigma) ** 2) / 2)


# -- what else is on the paper, in units of the grain, if wires are dark ------------------


def smooth_noise(shape, radius, rng):
    """Gaussian noise of zero mean and unit deviation, alike within a radius."""
    if radius < 8:
        noise = ndimage.gaussian_filter(rng.standard_normal(shape), radius, mode="wrap")
    else:
        # White noise on a coarse grid, smoothed onto the fine one.
        knots = [np.arange(-2 * radius, side + 2 * radius, radius / 2) for side in shape]
        down, across = (
            np.exp(-(((np.arange(side)[:, None] - knot) / radius) ** 2) / 2)
            for side, knot in zip(shape, knots, strict=True)
        )
        noise = down @ rng.standard_normal([len(knot) for knot in knots]) @ across.T
    return _standardized(noise)


def _standardized(noise):
    noise = noise - noise.mean()
    return noise / noise.std()


def _grain(sheet, rng):
    layers = [np.sqrt(share) * smooth_noise(sheet.shape, radius, rng) for radius, share in FLOCKS]
    return _standardized(sum(layers))


def _light(sheet, rng):
    """A lamp behind some place of the sheet, and clouds of thicker paper."""
    height, width = sheet.shape
    row, column = rng.uniform(-0.2, 1.2, 2) * [height, width]
    rows, columns = np.ogrid[:height, :width]
    far = ((rows - row) ** 2 + (columns - column) ** 2) / (height**2 + width**2)
    lamp = np.exp(-rng.uniform(0.3, 1.2) * far)
    clouds = sum(rng.uniform(0.03, 0.08) * smooth_noise(sheet.shape, r, rng) for r in (12, 30))
    light = lamp * np.exp(clouds)
    return light / light.mean()


def _laid(sheet, rng):
    period, tilt = rng.uniform(*LAID), np.deg2rad(rng.uniform(*TILT))
    # Wires of a mould are not quite evenly spaced.
    along = sheet.rows * np.cos(tilt) + sheet.columns * np.sin(tilt)
    phase = 2 * np.pi * along / period + 0.5 * smooth_noise(sheet.shape, 60, rng)
    strength = rng.uniform(0.3, 0.6) * np.exp(0.4 * smooth_noise(sheet.shape, 30, rng))
    return -strength * np.cos(phase + rng.uniform(0, 2 * np.pi))


def _chains(sheet, rng):
    """Thin lines, some 25 mm apart, with shadows where the pulp lay thicker or thinner."""
    spacing, tilt = rng.uniform(*CHAINS), np.deg2rad(rng.uniform(*TILT))
    across = sheet.columns * np.cos(tilt) + sheet.rows * np.sin(tilt)
    across = across + rng.uniform(0, spacing) + 0.7 * smooth_noise(sheet.shape, 40, rng)
    distance = np.abs((across + spacing / 2) % spacing - spacing / 2)
    line = rng.uniform(0.8, 1.5) * np.exp(0.3 * smooth_noise(sheet.shape, 15, rng))
    shadow = rng.uniform(0.2, 0.7) * np.exp(-((distance / 10) ** 2) / 2)
    return -(line * np.exp(-((distance / 1.2) ** 2) / 2) + shadow)


def _folds(sheet, rng):
    """One or two creases across the sheet, along its sides."""
    layer = np.zeros(sheet.shape)
    rows, columns = np.indices(sheet.shape, sparse=True)
    for horizontal in rng.permutation(2)[: rng.integers(1, 3)]:
        along, across = (columns, rows) if horizontal else (rows, columns)
        middle = across.size * rng.uniform(0.2, 0.8) + rng.uniform(-0.02, 0.02) * along
        distance = across - middle
        layer += rng.uniform(2, 6) * np.exp(-((distance / 0.8) ** 2) / 2)
        layer += rng.uniform(0.3, 1) * np.exp(-np.abs(distance) / 3)
    return layer * np.clip(1 + 0.3 * smooth_noise(sheet.shape, 10, rng), 0, None)


def _stains(sheet, rng):
    """Spots of water and ink with soft borders; specks and fibres."""
    layer = np.zeros(sheet.shape)
    rows, columns = np.indices(sheet.shape, sparse=True)
    for _ in range(rng.integers(2, 6)):
        row, column = rng.random(2) * sheet.shape
        radius, edge = rng.uniform(8, 60), rng.uniform(1.5, 6)
        coast = radius * (1 + 0.25 * smooth_noise(sheet.shape, max(radius / 3, 4), rng))
        depth = (coast - np.hypot(rows - row, columns - column)) / edge
        layer += rng.choice([-1, 1]) * rng.uniform(0.5, 2) / (1 + np.exp(-np.clip(depth, -50, 50)))
    for _ in range(rng.poisson(layer.size / 4000)):
        angle = rng.uniform(0, 2 * np.pi) + np.cumsum(rng.normal(0, 0.15, rng.integers(2, 30)))
        steps = 0.5 * np.column_stack([np.sin(angle), np.cos(angle)])
        path = rng.random(2) * sheet.shape + np.cumsum(steps, axis=0)
        _ink(layer, path, rng.uniform(1, 4), 0.8)
    return layer


def _writing(sheet, rng):
    """Lines of joined writing over a part of the sheet."""
    layer = np.zeros(sheet.shape)
    height, width = sheet.shape
    size = rng.uniform(5, 9)  # half the height of a small letter
    spacing = size * rng.uniform(4, 6)
    slant, tilt = rng.uniform(0, 0.6), rng.uniform(-0.05, 0.05)
    first, last = np.sort(rng.random(2)) * height
    left, right = np.sort(rng.random(2)) * width
    first, left = min(first, height / 2), min(left, width / 2)
    last, right = max(last, first + height / 3), max(right, left + width / 3)
    strength = rng.uniform(3, 7)
    for base in np.arange(first, last, spacing):
        column = left + rng.uniform(0, 2 * size)
        while column < right:
            path = _word(rng, size)
            x = column + path[:, 0] - slant * path[:, 1]
            y = base + path[:, 1] + tilt * (x - left)
            _ink(layer, np.column_stack([y, x]), strength, 0.9)
            column = x.max() + size * rng.uniform(1, 2.5)
    return layer


def _word(rng, size):
    """Up and down strokes, joined, with loops above and below: points (x, y), 0.3 apart."""
    n = rng.integers(4, 22)
    knots, tall = np.arange(n), rng.random(n)
    heights = np.where(knots % 2, 1, -1) * np.where(tall < 0.12, 3.2, np.where(tall < 0.2, 2.2, 1))
    steps = rng.uniform(0.5, 1.1, n)
    t = np.linspace(0, n - 1, 60 * n)
    turn = 0.5 * size * rng.uniform(0.4, 1.2)
    x = np.interp(t, knots, np.cumsum(steps)) * size + turn * np.sin(np.pi * t)
    y = size * ndimage.gaussian_filter1d(np.interp(t, knots, heights), 12)
    return np.column_stack([x, y])


def _ink(layer, path, strength, width):
    """Put strokes of a Gaussian profile along dense points (row, column) onto a layer."""
    reach = int(np.ceil(3 * width))
    first = np.maximum(np.floor(path.min(axis=0)).astype(int) - reach, 0)
    last = np.clip(np.ceil(path.max(axis=0)).astype(int) + reach + 1, first, layer.shape)
    part = layer[first[0] : last[0], first[1] : last[1]]
    fine = 2  # pixels of the grid per pixel of the photograph
    cells = np.rint(fine * (path - first)).astype(int)
    canvas = np.ones([fine * side for side in part.shape], dtype=bool)
    hit = ((cells >= 0) & (cells < canvas.shape)).all(axis=1)
    if not hit.any():
        return
    canvas[tuple(cells[hit].T)] = False
    distance = ndimage.distance_transform_edt(canvas)[::fine, ::fine] / fine
    ink = strength * np.exp(-((distance / width) ** 2) / 2)
    # Strokes that cross are as dark as one.
    part[...] = np.where(np.abs(ink) > np.abs(part), ink, part)


PAPER = {
    "grain": _grain,
    "light": _light,
    "laid": _laid,
    "chains": _chains,
    "folds": _folds,
    "stains": _stains,
    "writing": _writing,
}
