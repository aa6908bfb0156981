"""Pages: the photograph on a page, and what the drawings of a catalogue have in common.

Archives publish pages with a ruler, an arrow and a caption around the figure. On the page of a
photograph, the photograph is a filled box on white. On pages with drawings, the rest recurs: what
most drawings share cannot tell them apart. Lengths are in working pixels: a stroke is four of them
wide, which is a millimeter of paper in watermarks.
"""

import math
from functools import cache

import numpy as np
from scipy import ndimage

from sklearn_nrcdt.search._kernels.line_elements import draw_elements

WHITE = 0.96  # of the brightest value: jpeg files of white pages have noise
EVEN = 0.02  # of its light, by which white paper may deviate from a light that falls off evenly
MIN_LIGHT = 0.25  # of the brightest value, in the darkest corner of a page
SPECK = 7  # pixels; ruler, arrow and caption are thinner than that
INSET = 6  # pixels between the edge of the box and what is searched: edges are strong lines
MIN_FILL = 0.25  # of the page that the photograph covers, and of its box that is dark

# Straight lines across a drawing, such as the lines of the mould.
MIN_LENGTH, MAX_GAP, MAX_TILT = 80, 25, math.radians(15)
GROUPED = 21  # pixels; strokes that are nearer to each other are one part, such as a caption
SMALL = 40  # line elements of parts that are too small to tell anything
# What is around a point: directions on a grid of cells, smoothed, every second one of 9 x 9.
N_PLANES, CELL, SMOOTHING, SIDE, SPACING = 6, 2.5, 0.8, 9, 2
N_POINTS = 200  # of a drawing that are compared, with three times as many of another
N_REFERENCES = 12  # drawings of other classes that each drawing is compared with
COMMON = 0.25  # of these have something alike
ALIKE = 0.8  # cosine; parts of figures reach 0.7, captions 0.9
MOST = 0.9  # of the drawings have such parts; else they belong to figures
N_SAMPLE = 24  # drawings that say so for a large catalogue


def photograph_box(page, zoom=1.0):
    """Return the rows and columns, as slices, that the photograph on a page covers.

    That is the whole image unless it is a filled box on a white page. A pixel is `zoom` working
    pixels.
    """
    whole = tuple(slice(0, side) for side in page.shape)
    # Of scans of high resolution, some of the pixels are enough.
    step = max(1, math.floor(0.5 / zoom))
    page, zoom = page[::step, ::step], zoom * step
    page = page.astype(np.float32) if page.dtype == np.float16 else page  # no linear algebra
    white = _white(page)
    if white is None:
        return whole
    size = 2 * math.floor(SPECK / zoom / 2) + 1
    dark = (page < WHITE * white).view(np.uint8)
    dark = ndimage.maximum_filter(ndimage.minimum_filter(dark, size), size)
    labels, n = ndimage.label(dark)
    if n == 0:
        return whole
    sizes = np.bincount(labels.ravel())[1:]
    box = ndimage.find_objects(labels)[sizes.argmax()]
    area = math.prod(side.stop - side.start for side in box)
    if area < MIN_FILL * page.size or sizes.max() < MIN_FILL * area:
        return whole
    inset = round(INSET / zoom)
    box = tuple(slice((side.start + inset) * step, (side.stop - inset) * step) for side in box)
    return box if all(side.stop > side.start for side in box) else whole


def _white(page):
    """Return the grey value of white, which may vary over the page; None if its border is not."""
    height, width = page.shape
    y = np.concatenate([np.zeros(width), np.full(width, 1.0), *[np.linspace(0, 1, height)] * 2])
    x = np.concatenate([*[np.linspace(0, 1, width)] * 2, np.zeros(height), np.full(height, 1.0)])
    brightest = page.max()
    border = np.concatenate([page[0], page[-1], page[:, 0], page[:, -1]])
    if np.mean(border >= WHITE * brightest) >= 0.5:
        return brightest
    border = border / float(brightest)
    # Light from one side: white paper follows it closely, photographs do not.
    terms = np.stack([np.ones_like(x), x, y, x * y], axis=1)
    kept = np.ones(len(border), bool)
    for _ in range(3):
        if kept.sum() < len(border) / 2:
            return None
        factors = np.linalg.lstsq(terms[kept], border[kept], rcond=None)[0]
        kept = np.abs(border - terms @ factors) <= EVEN * np.abs(terms @ factors)
    corners = factors @ np.array([[1, 1, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1]])
    if kept.mean() < 0.5 or corners.min() < MIN_LIGHT:
        return None
    dtype = np.result_type(page.dtype, np.float32)
    a, b, c, d = (factors * float(brightest)).astype(dtype)
    x, y = (np.linspace(0, 1, side, dtype=dtype) for side in (width, height))
    return (a + c * y)[:, None] + (b + d * y)[:, None] * x


def shared_elements(elements, labels=None):
    """Find the line elements that most drawings of a catalogue share.

    These are long straight lines, upright or level, and parts that look familiar from other
    drawings, wherever they are and on whichever side they lie. Drawings of the same label are
    expected to be alike, and are not compared. Returns which elements of each drawing are shared,
    never all of them, and how many connected parts that are.
    """
    n = len(elements)
    shared, n_parts = [np.zeros(len(e), bool) for e in elements], np.zeros(n, int)
    labels = np.arange(n) if labels is None else labels
    if len(np.unique(labels)) <= N_REFERENCES:
        return shared, n_parts  # too few to say what is usual
    order = np.random.default_rng(0).permutation(n)

    @cache
    def patches(i):
        return _patches(elements[i], 3 * N_POINTS)[1]

    @cache
    def familiar(i):
        others = [j for j in order if labels[j] != labels[i]][:N_REFERENCES]
        points, own = _patches(elements[i], N_POINTS)
        return points, _familiarity(own, [patches(j) for j in others])

    # Decided without the lines, which figures may have, too.
    whole = [_usual_parts(_parts(elements[i], shared[i]), *familiar(i)) for i in order[:N_SAMPLE]]
    if np.mean([usual.any() for usual in whole]) < MOST:
        return shared, n_parts
    for i, e in enumerate(elements):
        lines = _straight(e, 0) | _straight(e, 1)
        parts = _parts(e, lines)
        left_out = np.flatnonzero(_usual_parts(parts, *familiar(i)) | (_sizes(parts) < SMALL))
        which = lines | np.isin(parts, left_out)
        if which.all():  # keep the figure, whatever it looks like
            which = parts != (np.argmax(_sizes(parts)) if (parts >= 0).any() else -1)
        shared[i], n_parts[i] = which, len(left_out) + lines.any()
    return shared, n_parts


def _straight(elements, axis):
    """Return which elements lie on lines along an axis, perhaps broken, of `MIN_LENGTH` or more."""
    along = math.pi / 2 if axis == 0 else 0.0
    tilt = np.abs((elements[:, 2] - along + math.pi / 2) % math.pi - math.pi / 2)
    near = tilt < MAX_TILT
    places, canvas = _drawn(elements, near)
    canvas = ndimage.maximum_filter1d(canvas, 5, axis=1 - axis)  # hand-drawn lines waver
    canvas = ndimage.maximum_filter1d(canvas, MAX_GAP, axis=axis)
    canvas = ndimage.minimum_filter1d(canvas, MAX_GAP + MIN_LENGTH - 1, axis=axis)
    canvas = ndimage.maximum_filter1d(canvas, MIN_LENGTH, axis=axis)
    return near & canvas[places].astype(bool)


def _drawn(elements, which):
    """Return where line elements are on a canvas, and the canvas with some of them."""
    places = np.floor(elements[:, :2]).astype(int)
    places -= places.min(axis=0)
    canvas = np.zeros(places.max(axis=0) + 1, np.uint8)
    canvas[tuple(places[which].T)] = 1
    return tuple(places.T), canvas


def _parts(elements, lines):
    """Return to which connected part each element belongs, -1 for those on lines."""
    places, canvas = _drawn(elements, ~lines)
    labels, _ = ndimage.label(ndimage.maximum_filter(canvas, GROUPED))
    return np.where(lines, -1, labels[places] - 1)


def _sizes(parts):
    return np.bincount(parts[parts >= 0], minlength=parts.max(initial=-1) + 1)


def _usual_parts(parts, points, familiarity):
    """Return which parts are large enough to tell, and familiar on average."""
    sizes, own = _sizes(parts), parts[points]
    count = np.bincount(own[own >= 0], minlength=len(sizes))
    total = np.bincount(own[own >= 0], familiarity[own >= 0], minlength=len(sizes))
    return (sizes >= SMALL) & (total > ALIKE * count)


def _patches(elements, n):
    """Return some points of a drawing, and descriptions of what is around each, as unit vectors."""
    reach = SPACING * (SIDE // 2)
    cells = elements[:, :2] / CELL
    cells += reach + 1 - cells.min(axis=0)
    shape = tuple(np.ceil(cells.max(axis=0)).astype(int) + reach + 1)
    planes = draw_elements(np.column_stack([cells, elements[:, 2]]), N_PLANES, 1, shape)
    planes = np.sqrt(ndimage.gaussian_filter(planes, (0, SMOOTHING, SMOOTHING)))
    points = np.unique(np.linspace(0, len(cells) - 1, min(len(cells), n)).astype(int))
    steps = SPACING * (np.arange(SIDE) - SIDE // 2)
    middle = cells[points].round().astype(int)
    around = planes[:, middle[:, 0, None, None] + steps[:, None], middle[:, 1, None, None] + steps]
    patches = around.transpose(1, 0, 2, 3)
    return points, patches / np.sqrt(np.square(patches).sum(axis=(1, 2, 3), keepdims=True))


def _familiarity(patches, references):
    """Return how well one of the best quarter of the references has each patch."""
    rows = patches.reshape(len(patches), -1)
    best = np.zeros((len(references), len(rows)), np.float32)
    for out, other in zip(best, references, strict=True):
        for quarter in range(4):
            turned = np.roll(other, quarter * (N_PLANES // 2), axis=1)
            turned = np.rot90(turned, quarter, axes=(2, 3)).reshape(len(other), -1)
            np.maximum(out, (rows @ turned.T).max(axis=1), out=out)
    return np.quantile(best, 1 - COMMON, axis=0)
