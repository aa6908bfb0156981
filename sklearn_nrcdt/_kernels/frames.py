"""The shape's own frame: its center, its scatter, and the image resampled in it.

A frame is a center m and a matrix L with ``L L' = S``, the scatter of the mass about m. An affine
map A of the image turns S into ``A S A'``, hence L into ``A L O`` with an orthogonal O: seen at
``m + L v``, the image is only rotated or mirrored. Points are (x, y) in pixels, x to the right and
y up: column c and row r are at ``(c, -r)``.
"""

import math

import numpy as np

from sklearn_nrcdt._kernels.crops import block_means

# Large images are reduced until the smaller deviation of their mass is 10 to 20 pixels: point
# samples of anything larger miss thin lines.
REDUCTION = 0.1
# ... and until they have no more pixels than this, which bounds the memory of long thin shapes.
MOST_PIXELS = 2**20
# Added to the variances, in pixels: lines and single pixels get a regular frame. Interpolation by
# cubics adds no variance of its own; bilinear interpolation would add 1/6, and small shapes would
# no longer have the frame of large ones.
LEAST_VARIANCE = 0.02
# The scatter is that of a t distribution with FREEDOM degrees of freedom, fitted in STEPS steps:
# far specks count little, whereas plain moments follow every speck.
FREEDOM = 8
STEPS = 7
# The frame shows the square [-3.2, 3.2]^2; more than that is empty, less cuts shapes off.
FRAME_HALF_WIDTH = 3.2
# Samples on a side of a cell, at most: more cost time.
MOST_SAMPLES = 4
# Points are padded to a multiple of this, so that sums do not depend on the padding.
LANE = 64


def reduced(image, isotropic=False):
    """Average blocks of pixels of a large image, so that a cell of its frame spans few of them.

    A block begins at the pixel edge that is nearest to the center of mass: flipped and turned
    images become flipped and turned blocks.
    """
    h, w = image.shape
    # A deviation is at most half a side.
    if (max if isotropic else min)(h, w) < 2 / REDUCTION and h * w <= MOST_PIXELS:
        return image
    x, y = np.arange(w) - (w - 1) / 2, np.arange(h) - (h - 1) / 2
    by_column = (np.stack([np.ones(h), y]).astype(np.float32) @ image).astype(np.float64)
    by_row = (image @ np.ones(w, np.float32)).astype(np.float64)
    sums = (by_column[0] @ x, by_row @ y, by_column[0] @ x**2, by_column[1] @ x, by_row @ y**2)
    f, before, after = _blocks(np.array(sums) / by_row.sum(), (h, w), isotropic)
    if f == 1:
        return image
    return block_means(np.pad(image, list(zip(before, after, strict=True))), f)


def reduced_pixels(rows, columns, greys, isotropic=False):
    """Do what `reduced` does, given places and values of the filled pixels of an image."""
    rows, columns = rows - rows.min(), columns - columns.min()
    h, w = int(rows.max()) + 1, int(columns.max()) + 1
    x, y = columns - (w - 1) / 2, rows - (h - 1) / 2
    weights = greys / greys.sum(dtype=np.float64)
    moments = weights @ np.stack([x, y, x * x, x * y, y * y], axis=1)
    f, before, after = _blocks(moments, (h, w), isotropic)
    shape = [(b + n + a) // f for b, n, a in zip(before, (h, w), after, strict=True)]
    place = (rows + before[0]) // f * shape[1] + (columns + before[1]) // f
    blocks = np.bincount(place, greys, minlength=shape[0] * shape[1]).reshape(shape)
    return (blocks / f**2).astype(np.float32)


def _blocks(moments, shape, isotropic):
    """Return the side of the blocks, and the padding before and after both axes."""
    mx, my, xx, xy, yy = moments
    xx, xy, yy = xx - mx * mx, xy - mx * my, yy - my * my
    smaller = (xx + yy) / 2
    if not isotropic:
        smaller -= np.hypot((xx - yy) / 2, xy)
    least = math.ceil(math.sqrt(shape[0] * shape[1] / MOST_PIXELS))
    f = max(1, least, int(REDUCTION * np.sqrt(max(smaller, 0))))
    # Rounded first, so that noise does not decide between two edges that are equally near.
    edges = [round(round(m, 3) + n / 2) for m, n in zip((my, mx), shape, strict=True)]
    before = [-edge % f for edge in edges]
    after = [-(b + n) % f for b, n in zip(before, shape, strict=True)]
    return f, before, after


def robust_frames(images, isotropic):
    """Centers, (n, 2), and scatters, (n, 2, 2), of 2-D images, none of them blank.

    If isotropic, scatters are multiples of the identity.
    """
    clouds = [np.nonzero(image) for image in images]
    length = max(len(rows) for rows, _ in clouds)
    length += -length % LANE
    points = np.zeros((len(images), 2, length))
    greys = np.zeros((len(images), length))
    for point, grey, image, (rows, columns) in zip(points, greys, images, clouds, strict=True):
        point[0, : len(rows)], point[1, : len(rows)] = columns, -rows
        grey[: len(rows)] = image[rows, columns]
    return frames_of_points(points, greys, LEAST_VARIANCE, isotropic)


def frames_of_points(points, greys, least, isotropic):
    """Centers, (n, 2), and scatters, (n, 2, 2), of weighted points, by iterated reweighting.

    Points have the shape (n, 2, n_points), their weights (n, n_points), zero where there is no
    point. `least` is added to the diagonal of the scatter at every step. With 0, frames of
    affinely mapped points are the mapped frames, up to rounding.
    """
    greys = greys / greys.sum(axis=1, keepdims=True)
    # About the center of mass, where the differences of moments below lose no digits.
    origin = np.einsum("nl,nil->ni", greys, points)
    x, y = (points - origin[:, :, None]).transpose(1, 0, 2)
    powers = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)
    moments = _moments(powers, greys, least, isotropic)
    for _ in range(STEPS - 1):
        distances = (_distance_polynomial(*moments)[:, None] @ powers)[:, 0]
        weights = greys * ((FREEDOM + 2) / (FREEDOM + distances))
        moments = _moments(powers, weights, least, isotropic)
    mx, my, xx, xy, yy = moments
    return _as_rows(mx, my) + origin, _as_rows(xx, xy, xy, yy).reshape(-1, 2, 2)


def _as_rows(*numbers):
    return np.array(numbers).reshape(len(numbers), -1).T.copy()


def _moments(powers, weights, least, isotropic):
    """Center m and the entries xx, xy, yy of the scatter S: five numbers of each image."""
    sums = np.einsum("nkl,nl->kn", powers, weights)
    # Arithmetic on scalars is much faster than on arrays of length 1.
    total, x, y, xx, xy, yy = sums[:, 0] if len(weights) == 1 else sums
    mx, my = x / total, y / total
    xx, xy, yy = xx - x * mx + least, xy - x * my, yy - y * my + least
    if isotropic:
        xx, xy = (xx + yy) / 2, 0 * xy
        yy = xx
    return mx, my, xx, xy, yy


def _distance_polynomial(mx, my, xx, xy, yy):
    """Coefficients, of 1, x, y, xx, xy, yy, of (p - m)' S^-1 (p - m)."""
    det = xx * yy - xy * xy
    a, b, c = yy / det, -xy / det, xx / det
    x, y = a * mx + b * my, b * mx + c * my
    return _as_rows(x * mx + y * my, -2 * x, -2 * y, a, 2 * b, c)


def symmetric_roots(scatters):
    """Symmetric square roots of positive definite 2 x 2 matrices."""
    values, vectors = np.linalg.eigh(scatters)
    return vectors * np.sqrt(values)[:, None, :] @ vectors.transpose(0, 2, 1)


def upper_triangular_roots(scatters):
    """Upper triangular L with ``L L' = S``: horizontal lines stay horizontal."""
    flipped = np.linalg.cholesky(scatters[:, ::-1, ::-1])
    return flipped[:, ::-1, ::-1]


def whitened(image, center, root, n_cells):
    """Sample an image in its frame by cubic interpolation; it is black beyond its edges.

    Returns means over cells of the square, (n_cells, n_cells), the first row at the top.
    """
    (a, b), (c, d) = root.tolist()
    size = 2 * FRAME_HALF_WIDTH / n_cells
    squares, det = a * a + b * b + c * c + d * d, a * d - b * c
    larger = math.sqrt((squares + math.sqrt(max(squares**2 - 4 * det**2, 0))) / 2)
    # Samples on a side of a cell: one for every ten pixels of the larger deviation.
    n_samples = min(max(math.ceil(0.1 * larger - 0.01), 1), MOST_SAMPLES)
    # Samples more than a pixel apart would miss thin lines across a long shape.
    if larger * size > MOST_SAMPLES + 0.01:
        image, center, root = _shortened(image, center, root, size / MOST_SAMPLES)
        (a, b), (c, d) = root.tolist()
        n_samples = MOST_SAMPLES
    # Never none: the center of mass is among the pixels.
    first, last = _cells_in_reach(image.shape, center, root, n_cells)
    n_across, n_down = last - first
    # From column and row of a sample to v, from there to a point, and to column and row.
    step = size / n_samples
    x, y = (first * size - FRAME_HALF_WIDTH + step / 2).tolist()
    to_pixels = np.eye(3, dtype=np.float32)
    to_pixels[0] = a * step, -b * step, center[0] + a * x - b * y
    to_pixels[1] = -c * step, d * step, d * y - c * x - center[1]
    samples = _sampled(image, to_pixels, (n_down * n_samples, n_across * n_samples))
    cells = np.zeros((n_cells, n_cells), np.float32)
    cells[first[1] : last[1], first[0] : last[0]] = block_means(samples, n_samples)
    return cells


def _sampled(image, to_pixels, shape):
    """Sample an image by cubic interpolation, given the map from samples to columns and rows."""
    from skimage.transform import warp  # slow to import; fails under -OO

    return warp(image, to_pixels, output_shape=shape, order=3, clip=False)


def _shortened(image, center, root, block):
    """Turn a long shape upright and take means along it, over blocks of this share of its length.

    Blocks that move with the frame show a scaled image as they show the image. Returns the new
    image, and its center and root: the frame shows the same as before.
    """
    axes, (larger, smaller), rest = np.linalg.svd(root)
    n_samples = math.ceil(larger * block - 0.01)  # in a block, at most a pixel apart
    step = np.array([larger * block / n_samples, 1])
    # The part of the image that the frame can show, in samples along and across the shape.
    reached = axes.T @ _corners(image.shape, center)
    shown = math.sqrt(2) * FRAME_HALF_WIDTH * np.array([larger, smaller]) + 2
    low = np.maximum(reached.min(axis=1), -shown) / step
    high = np.minimum(reached.max(axis=1), shown) / step
    # The center lies between two blocks and between two rows.
    low[0] = n_samples * np.floor(low[0] / n_samples) + 0.5
    high[1] = np.ceil(high[1]) + 0.5
    length, height = np.ceil(high - low).astype(int) + 1
    length += -length % n_samples
    to_pixels = np.eye(3)
    to_pixels[:2, :2] = np.array([[1], [-1]]) * axes * [step[0], -1]  # rows count downwards
    to_pixels[:2, 2] = [1, -1] * (center + axes @ [low[0] * step[0], high[1]])
    upright = _sampled(image, to_pixels, (height, length))
    means = upright.reshape(height, -1, n_samples).mean(axis=2)
    place = np.array([(0.5 - low[0]) / n_samples - 0.5, -high[1]])
    return means, place, np.array([[1 / block], [smaller]]) * rest


def _cells_in_reach(shape, center, root, n_cells):
    """First and last cells, across and down, that an image may reach."""
    seen = np.linalg.solve(root, _corners(shape, center)) * [[1], [-1]]
    places = (seen + FRAME_HALF_WIDTH) * (n_cells / (2 * FRAME_HALF_WIDTH))
    first = np.clip(np.floor(places.min(axis=1)), 0, n_cells).astype(int)
    return first, np.clip(np.ceil(places.max(axis=1)), 0, n_cells).astype(int)


def _corners(shape, center):
    """Corners of what an image may reach, seen from a center, of shape (2, 4)."""
    h, w = shape
    # Interpolation reaches two pixels beyond the outermost ones.
    corners = np.array([[-2, w + 1, -2, w + 1], [2, 2, -h - 1, -h - 1]])
    return corners - center[:, None]
