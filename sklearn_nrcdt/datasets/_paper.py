"""Photographs of paper held against the light, with drawings in it as wires of the mould."""

from typing import NamedTuple

import numpy as np
from scipy import ndimage
from skimage.morphology import skeletonize
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.parallel import Parallel, delayed

from sklearn_nrcdt.datasets._bunch import image_bunch
from sklearn_nrcdt.datasets._checks import (
    check_dtype,
    check_integer,
    check_number,
    check_option,
    check_range,
)
from sklearn_nrcdt.datasets._stack import check_image, check_shape

LEVEL = 0.5  # grey value of plain paper
GRAIN = 0.12  # deviation of the grain, in parts of the light; the unit of all that is on paper
MAX_SNR = 8.0  # a line of this depth is black
# The grain of old paper: fine fibres, flocks and clouds of fibres, by radius and share.
FLOCKS = ((0.6, 0.75), (2.0, 0.15), (6.0, 0.10))
WARP_RADIUS = 40  # pixels over which paper stretches alike
MARGIN = 4  # pixels between a drawing and the edge of the photograph


def make_paper_scans(
    drawings,
    n_samples_per_drawing=1,
    *,
    shape=(512, 400),
    snr=1.0,
    nuisances="all",
    warp=1.0,
    rotation=0.0,
    scale=1.0,
    mirror=False,
    line_width=3.5,
    polarity="dark",
    dtype=np.float32,
    random_state=None,
    n_jobs=None,
    return_X_y=False,
):
    """Simulate photographs of watermarked paper in transmitted light.

    The wire of a drawing leaves a faint line in the sheet, as do the other wires of the mould:
    the dense laid lines and the chain lines across them. The sheet has been folded, stained and
    written on, and the light behind it is uneven. If wires are dark, ink and folds are bright,
    and vice versa. Lengths are those of scans at 100 dots per inch.

    Parameters
    ----------
    drawings : sequence of array-like of shape (height, width), or Bunch
        Bright strokes on black, of any sizes. They are thinned, because a wire has the same
        width everywhere. From a Bunch, ``target`` and ``target_names`` are used as well.
    n_samples_per_drawing : int, default=1
        Number of photographs of each drawing.
    shape : (int, int), default=(512, 400)
        Height and width of the photographs. Each drawing lies at a random place within.
    snr : float or (float, float), default=1.0
        Signal-to-noise ratio from 0 to 8, or its range: depth of the drawing's lines in units
        of the standard deviation of the grain. Marks in old paper are often near 1; 0 gives the
        same sheets without the drawing.
    nuisances : "all" or collection of str, default="all"
        What else is on the paper: any of ``"grain"``, ``"light"``, ``"laid"``, ``"chains"``,
        ``"folds"``, ``"stains"``, ``"writing"``. Each looks the same whether the others are there
        or not.
    warp : float, default=1.0
        How much the paper has shrunk and stretched: standard deviation of a smooth
        displacement, in pixels.
    rotation : float or (float, float), default=0.0
        Angle of the sheet in degrees, counterclockwise, or its range. Laid and chain
        lines turn with the drawing.
    scale : float or (float, float), default=1.0
        Factor from the drawing to the photograph, or its range.
    mirror : bool, default=False
        If True, half of the sheets, chosen at random, are seen from behind.
    line_width : float, default=3.5
        Width of the drawing's lines in the photograph, in pixels at half of the depth.
    polarity : {"dark", "bright"}, default="dark"
        Whether wires are darker or brighter than the paper around them.
    dtype : {np.float32, np.float64, np.uint8}, default=np.float32
        Data type of the images: values in [0, 1], or whole numbers in [0, 255].
    random_state : int, RandomState instance or None, default=None
        Seed or generator of all draws.
    n_jobs : int, default=None
        Number of threads over the images. The result does not depend on it.
    return_X_y : bool, default=False
        If True, return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    scans : Bunch
        With the attributes

        - images : ndarray of shape (n_samples, height, width), drawing by drawing
        - data : ndarray of shape (n_samples, height * width), the flattened images
        - target : ndarray of shape (n_samples,), position of the drawing among
          `drawings`, or its label if they are a Bunch
        - target_names : ndarray of shape (n_drawings,)
        - poses : Bunch, where the drawing is: ``position`` (row and column of the centre
          of the drawing's image), ``rotation``, ``scale`` and ``mirror``, see Notes
        - snr : ndarray of shape (n_samples,)
        - DESCR : str

    See Also
    --------
    make_drawings : A catalogue of made-up drawings.

    Notes
    -----
    The drawing is mirrored left to right about the centre of its image if ``mirror`` is true,
    then scaled, rotated by ``rotation``, and moved so that its centre is at ``position``. The
    warp comes on top of that and is not returned.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import make_drawings, make_paper_scans
    >>> drawings = make_drawings(3, random_state=0)
    >>> scans = make_paper_scans(drawings, snr=2, rotation=(-3, 3), random_state=0)
    >>> scans.images.shape, scans.target
    ((3, 512, 400), array([0, 1, 2]))
    >>> scans.poses.rotation.round(1)
    array([-0.9,  0. ,  0.6])
    """
    wires, labels, names = _check_drawings(drawings)
    n_samples = check_integer(n_samples_per_drawing, "n_samples_per_drawing", low=1)
    shape = check_shape(shape)
    ranges = {
        "snr": check_range(snr, "snr", low=0, high=MAX_SNR),
        "rotation": check_range(rotation, "rotation"),
        "scale": check_range(scale, "scale", low=0, open_low=True),
    }
    nuisances = _check_nuisances(nuisances)
    warp = check_number(warp, "warp", low=0)
    line_width = check_number(line_width, "line_width", low=0, open_low=True)
    if not isinstance(mirror, bool | np.bool_):
        raise ValueError(f"mirror must be True or False, got {mirror!r}.")
    sign = -1 if check_option(polarity, "polarity", ("dark", "bright")) == "dark" else 1
    dtype = check_dtype(dtype, also=(np.uint8,))
    root = check_random_state(random_state).randint(2**31)

    index = np.repeat(np.arange(len(wires)), n_samples)
    drawn = [_draw_pose(wires[i], shape, ranges, mirror, [root, k]) for k, i in enumerate(index)]
    _check_fit(drawn, index, shape)
    images = np.empty((len(index), *shape), dtype=dtype)

    def photograph(k):
        sheet = Sheet.lay(shape, drawn[k], warp, [root, k])
        wire = _wire(wires[index[k]], sheet, line_width)
        paper = sign * drawn[k].snr * wire
        for name in nuisances:
            if name != "light":
                paper += PAPER[name](sheet, sheet.stream(name), sign)
        grey = LEVEL * (1 + GRAIN * paper)
        if "light" in nuisances:
            grey *= _light(sheet, sheet.stream("light"), sign)
        np.clip(grey, 0, 1, out=grey)
        images[k] = np.rint(255 * grey) if dtype == np.uint8 else grey

    Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(photograph)(k) for k in range(len(index)))
    poses = Bunch(
        position=np.array([pose.position for pose in drawn]),
        rotation=np.array([pose.rotation for pose in drawn]),
        scale=np.array([pose.scale for pose in drawn]),
        mirror=np.array([pose.mirror for pose in drawn]),
    )
    return image_bunch(
        images,
        labels[index],
        names,
        f"{n_samples} photographs of paper with each of {len(wires)} drawings in it.",
        return_X_y=return_X_y,
        poses=poses,
        snr=np.array([pose.snr for pose in drawn]),
    )


def _check_drawings(drawings):
    """Return the thinned drawings, their labels and names."""
    images = drawings["images"] if isinstance(drawings, dict) else drawings
    if isinstance(images, np.ndarray) and images.ndim != 3:
        raise ValueError(
            "drawings must be a sequence of 2-D images or a stack of shape (n_drawings, height, "
            f"width), got an array of shape {images.shape}. Pass a single drawing as [drawing]."
        )
    wires = []
    for k, image in enumerate(images):
        image = check_image(image, k, "drawings")
        if not np.isfinite(image).all() or image.min() < 0:
            raise ValueError(
                f"drawings[{k}] contains NaN, infinity or negative values. Drawings are bright "
                "strokes on black."
            )
        if image.max() == 0:
            raise ValueError(f"drawings[{k}] is blank. Leave it out.")
        wires.append(skeletonize(image > 0.4 * image.max()))
    if not wires:
        raise ValueError("drawings is empty. Pass at least one drawing.")
    labels = names = np.arange(len(wires))
    if isinstance(drawings, dict):
        labels = np.asarray(drawings.get("target", labels))
        names = np.asarray(drawings.get("target_names", labels))
    if labels.shape != (len(wires),):
        raise ValueError(f"drawings hold {len(wires)} images, but {len(labels)} labels.")
    return wires, labels, names


def _check_nuisances(nuisances):
    if isinstance(nuisances, str) and nuisances == "all":
        return list(PAPER)
    try:
        chosen = [nuisances] if isinstance(nuisances, str) else list(nuisances)
    except TypeError:
        chosen = [nuisances]
    for name in chosen:
        check_option(name, "nuisances", tuple(PAPER))
    return [name for name in PAPER if name in chosen]


# -- where the drawing is --------------------------------------------------------------


class Pose(NamedTuple):
    """What was drawn for one photograph, and the room that the drawing needs in it."""

    snr: float
    rotation: float
    scale: float
    mirror: bool
    position: np.ndarray
    needed: np.ndarray

    def to_photo(self):
        """Matrix from places (row, column) about the drawing's centre to the photograph."""
        cos, sin = np.cos(np.deg2rad(self.rotation)), np.sin(np.deg2rad(self.rotation))
        # Rows count downwards, so that this turns counterclockwise.
        turn = self.scale * np.array([[cos, -sin], [sin, cos]])
        return turn * ([1, -1] if self.mirror else [1, 1])


def _draw_pose(wire, shape, ranges, mirror, seed):
    rng = np.random.default_rng([*seed, 0])
    chosen = {name: rng.uniform(*ranges[name]) for name in ("snr", "rotation", "scale")}
    seen_from_behind = bool(mirror) and bool(rng.random() < 0.5)
    pose = Pose(**chosen, mirror=seen_from_behind, position=np.zeros(2), needed=np.zeros(2))
    strokes = pose.to_photo() @ (np.stack(np.nonzero(wire)) - _center(wire.shape))
    first, last = strokes.min(axis=1) - MARGIN, strokes.max(axis=1) + MARGIN
    room = np.array(shape) - 1 - (last - first)
    position = rng.random(2) * room - first
    return pose._replace(position=position, needed=np.ceil(last - first).astype(int) + 1)


def _check_fit(drawn, index, shape):
    large = [k for k, pose in enumerate(drawn) if (pose.needed > shape).any()]
    if large:
        needed = tuple(np.max([drawn[k].needed for k in large], axis=0).tolist())
        raise ValueError(
            f"drawings[{index[large[0]]}] does not fit into photographs of shape={shape}: up to "
            f"{needed} pixels are needed in the poses drawn. Enlarge shape or lower scale."
        )


def _center(shape):
    return (np.array(shape)[:, None] - 1) / 2


class Sheet(NamedTuple):
    """A sheet before the camera: where in the mould each pixel of the photograph was."""

    shape: tuple
    pose: Pose
    rows: np.ndarray  # in the mould, about the centre of the drawing, in its pixels
    columns: np.ndarray
    seed: list

    @classmethod
    def lay(cls, shape, pose, warp, seed):
        rng = np.random.default_rng([*seed, 1])
        places = np.indices(shape, dtype=float) - pose.position[:, None, None]
        if warp > 0:
            places += [warp * smooth_noise(shape, WARP_RADIUS, rng) for _ in range(2)]
        rows, columns = np.einsum("ij,jkl->ikl", np.linalg.inv(pose.to_photo()), places)
        return cls(shape, pose, rows, columns, seed)

    def stream(self, name):
        """Random numbers of one nuisance, the same whichever others there are."""
        return np.random.default_rng([*self.seed, 2 + list(PAPER).index(name)])


def _wire(skeleton, sheet, line_width):
    """Gaussian profile along the strokes, 1 on them."""
    sigma = line_width / np.sqrt(8 * np.log(2))
    reach = int(np.ceil(4 * sigma / sheet.pose.scale)) + 2
    distance = ndimage.distance_transform_edt(~np.pad(skeleton, reach))
    center = _center(distance.shape)[:, 0]
    places = np.stack([sheet.rows + center[0], sheet.columns + center[1]])
    far = distance.max()
    found = ndimage.map_coordinates(distance, places, order=1, cval=far, mode="constant")
    return np.exp(-((found * sheet.pose.scale / sigma) ** 2) / 2)


# -- what else is on the paper, in units of the grain -----------------------------------


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
    noise -= noise.mean()
    return noise / noise.std()


def _grain(sheet, rng, sign):
    noise = sum(np.sqrt(share) * smooth_noise(sheet.shape, radius, rng) for radius, share in FLOCKS)
    noise -= noise.mean()
    return noise / noise.std()


def _light(sheet, rng, sign):
    """A lamp behind some place of the sheet, and clouds of thicker paper."""
    height, width = sheet.shape
    row, column = rng.uniform(-0.2, 1.2, 2) * [height, width]
    rows, columns = np.ogrid[:height, :width]
    far = ((rows - row) ** 2 + (columns - column) ** 2) / (height**2 + width**2)
    lamp = np.exp(-rng.uniform(0.3, 1.2) * far)
    clouds = sum(rng.uniform(0.03, 0.08) * smooth_noise(sheet.shape, r, rng) for r in (12, 30))
    light = lamp * np.exp(clouds)
    return light / light.mean()


def _laid(sheet, rng, sign):
    period, tilt = rng.uniform(4.4, 5.8), np.deg2rad(rng.uniform(-0.5, 0.5))
    # Wires of a mould are not quite evenly spaced.
    along = sheet.rows * np.cos(tilt) + sheet.columns * np.sin(tilt)
    phase = 2 * np.pi * along / period + 0.5 * smooth_noise(sheet.shape, 60, rng)
    strength = rng.uniform(0.3, 0.6) * np.exp(0.4 * smooth_noise(sheet.shape, 30, rng))
    return sign * strength * np.cos(phase + rng.uniform(0, 2 * np.pi))


def _chains(sheet, rng, sign):
    """Thin lines, some 25 mm apart, with shadows where the pulp lay thicker or thinner."""
    spacing, tilt = rng.uniform(75, 110), np.deg2rad(rng.uniform(-0.5, 0.5))
    across = sheet.columns * np.cos(tilt) + sheet.rows * np.sin(tilt)
    across = across + rng.uniform(0, spacing) + 0.7 * smooth_noise(sheet.shape, 40, rng)
    distance = np.abs((across + spacing / 2) % spacing - spacing / 2)
    line = rng.uniform(0.8, 1.5) * np.exp(0.3 * smooth_noise(sheet.shape, 15, rng))
    shadow = rng.uniform(0.2, 0.7)
    return sign * (
        line * np.exp(-((distance / 1.2) ** 2) / 2) + shadow * np.exp(-((distance / 10) ** 2) / 2)
    )


def _folds(sheet, rng, sign):
    """One or two creases across the sheet, along its sides."""
    layer = np.zeros(sheet.shape)
    rows, columns = np.indices(sheet.shape, sparse=True)
    for horizontal in rng.permutation(2)[: rng.integers(1, 3)]:
        along, across = (columns, rows) if horizontal else (rows, columns)
        middle = across.size * rng.uniform(0.2, 0.8) + rng.uniform(-0.02, 0.02) * along
        distance = across - middle
        crease = rng.uniform(2, 6) * np.exp(-((distance / 0.8) ** 2) / 2)
        crease = crease + rng.uniform(0.3, 1) * np.exp(-np.abs(distance) / 3)
        layer -= sign * crease
    return layer * np.clip(1 + 0.3 * smooth_noise(sheet.shape, 10, rng), 0, None)


def _stains(sheet, rng, sign):
    """Spots of water and ink with soft borders; specks and fibres."""
    layer = np.zeros(sheet.shape)
    rows, columns = np.ogrid[: sheet.shape[0], : sheet.shape[1]]
    for _ in range(rng.integers(2, 6)):
        row, column = rng.random(2) * sheet.shape
        radius, edge = rng.uniform(8, 60), rng.uniform(1.5, 6)
        coast = radius * (1 + 0.25 * smooth_noise(sheet.shape, max(radius / 3, 4), rng))
        depth = (coast - np.hypot(rows - row, columns - column)) / edge
        layer += rng.choice([-1, 1]) * rng.uniform(0.5, 2) / (1 + np.exp(-np.clip(depth, -50, 50)))
    n_fibres = rng.poisson(sheet.shape[0] * sheet.shape[1] / 4000)
    for _ in range(n_fibres):
        angle = rng.uniform(0, 2 * np.pi) + np.cumsum(rng.normal(0, 0.15, rng.integers(2, 30)))
        path = rng.random(2) * sheet.shape + np.cumsum(
            0.5 * np.column_stack([np.sin(angle), np.cos(angle)]), axis=0
        )
        _ink(layer, path, -sign * rng.uniform(1, 4), 0.8)
    return layer


def _writing(sheet, rng, sign):
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
    strength = -sign * rng.uniform(3, 7)
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
    heights = np.where(np.arange(n) % 2, 1.0, -1.0)
    tall = rng.random(n)
    heights = heights * np.where(tall < 0.12, 3.2, np.where(tall < 0.2, 2.2, 1))
    steps = rng.uniform(0.5, 1.1, n)
    knots = np.arange(n)
    t = np.linspace(0, n - 1, 60 * n)
    turn = 0.5 * size * rng.uniform(0.4, 1.2)
    x = np.interp(t, knots, np.cumsum(steps)) * size + turn * np.sin(np.pi * t)
    y = size * ndimage.gaussian_filter1d(np.interp(t, knots, heights), 12)
    return np.column_stack([x, y])


def _ink(layer, path, strength, width):
    """Put strokes of a Gaussian profile along dense points (row, column) onto a layer."""
    reach = int(np.ceil(3 * width))
    first = np.maximum(np.floor(path.min(axis=0)).astype(int) - reach, 0)
    last = np.minimum(np.ceil(path.max(axis=0)).astype(int) + reach + 1, layer.shape)
    if (first >= last).any():
        return
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
