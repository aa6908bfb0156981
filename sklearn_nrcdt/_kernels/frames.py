"""The shape's own frame: its centre, its scatter, and the image resampled in it.

A frame is a centre m and a matrix L with ``L L' = S``, the scatter of the mass about m. An affine
map A of the image turns S into ``A S A'``, hence L into ``A L O`` with an orthogonal O: seen at
``m + L v``, the image is only rotated or mirrored. Points are (x, y) in pixels, x to the right and
y up: column c and row r are at ``(c, -r)``.
"""

import math

import numpy as np

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
REACH = 3.2
# Points are padded to a multiple of this, so that sums do not depend on the padding.
LANE = 64


def reduced(image, isotropic=False):
    """Average blocks of pixels of a large image, so that a cell of its frame spans few of them.

    A block begins at the pixel edge that is nearest to the centre of mass: flipped and turned
    images become flipped and turned blocks.

    Parameters
    ----------
    image : ndarray of shape (h, w), float32
    isotropic : bool, default=False
        Whether the frame has one scale for both axes.

    Returns
    -------
    image : ndarray of shape (n_blocks_down, n_blocks_across), float32
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
    blocks = np.pad(image, list(zip(before, after, strict=True)))
    blocks = blocks.reshape(-1, f, blocks.shape[1]).sum(axis=1)
    return blocks.reshape(len(blocks), -1, f).sum(axis=2) / f**2


def reduced_points(rows, columns, greys, isotropic=False):
    """Do what `reduced` does, given the filled pixels of an image.

    Parameters
    ----------
    rows, columns : ndarray of shape (n_points,), int
        From 0 on.
    greys : ndarray of shape (n_points,), float32
    isotropic : bool, default=False
    """
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
    """Centres and scatters of images.

    Parameters
    ----------
    images : list of 2-D ndarray
        None of them blank.
    isotropic : bool
        Whether scatters are multiples of the identity.

    Returns
    -------
    centres : ndarray of shape (n, 2)
    scatters : ndarray of shape (n, 2, 2)
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
    """Centres and scatters of weighted points, by iterated reweighting.

    Parameters
    ----------
    points : ndarray of shape (n, 2, n_points), float64
    greys : ndarray of shape (n, n_points), float64
        Weights; zero where there is no point.
    least : float
        Added to the diagonal of the scatter at every step. With 0, frames of affinely mapped
        points are the mapped frames, up to rounding.
    isotropic : bool
        Whether scatters are multiples of the identity.

    Returns
    -------
    centres : ndarray of shape (n, 2)
    scatters : ndarray of shape (n, 2, 2)
    """
    greys = greys / greys.sum(axis=1, keepdims=True)
    # About the centre of mass, where the differences of moments below lose no digits.
    origin = np.einsum("nl,nil->ni", greys, points)
    x, y = (points - origin[:, :, None]).transpose(1, 0, 2)
    powers = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=1)
    centre, scatter = _moments(powers, greys, least, isotropic)
    for _ in range(STEPS - 1):
        distances = _distance_polynomial(centre, scatter)[:, None] @ powers
        weights = greys * (FREEDOM + 2) / (FREEDOM + distances[:, 0])
        centre, scatter = _moments(powers, weights, least, isotropic)
    return centre + origin, scatter


def _moments(powers, weights, least, isotropic):
    total, x, y, xx, xy, yy = np.einsum("nkl,nl->kn", powers, weights)
    centre = np.stack([x, y], axis=1) / total[:, None]
    scatter = np.array([[xx, xy], [xy, yy]]).transpose(2, 0, 1)
    scatter = scatter - total[:, None, None] * centre[:, :, None] * centre[:, None, :]
    scatter += least * np.eye(2)
    if isotropic:
        scatter = np.trace(scatter, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(2)
    return centre, scatter


def _distance_polynomial(centre, scatter):
    """Coefficients, of 1, x, y, xx, xy, yy, of (p - m)' S^-1 (p - m)."""
    inverse = np.linalg.inv(scatter)
    linear = np.einsum("nij,nj->ni", inverse, centre)
    constant = np.einsum("ni,ni->n", linear, centre)
    (a, b), (_, c) = inverse.transpose(1, 2, 0)
    return np.stack([constant, *(-2 * linear.T), a, 2 * b, c], axis=1)


def symmetric_roots(scatters):
    """Symmetric square roots of positive definite 2 x 2 matrices."""
    det = np.sqrt(np.linalg.det(scatters))[:, None, None]
    trace = np.trace(scatters, axis1=1, axis2=2)[:, None, None]
    return (scatters + det * np.eye(2)) / np.sqrt(trace + 2 * det)


def upper_triangular_roots(scatters):
    """Upper triangular L with ``L L' = S``: horizontal lines stay horizontal."""
    flipped = np.linalg.cholesky(scatters[:, ::-1, ::-1])
    return flipped[:, ::-1, ::-1]


def whitened(image, centre, root, n_cells):
    """Sample an image in its frame by cubic interpolation; it is black beyond its edges.

    Parameters
    ----------
    image : ndarray of shape (h, w), float32
    centre : ndarray of shape (2,)
    root : ndarray of shape (2, 2)
    n_cells : int

    Returns
    -------
    cells : ndarray of shape (n_cells, n_cells), float32
        Means over cells of the square, the first row at the top.
    """
    from skimage.transform import warp  # slow to import; fails under -OO

    (a, b), (c, d) = root.tolist()
    # Samples on a side of a cell: one for every ten pixels of the larger deviation.
    squares, det = a * a + b * b + c * c + d * d, a * d - b * c
    larger = math.sqrt((squares + math.sqrt(max(squares**2 - 4 * det**2, 0))) / 2)
    n_samples = min(max(math.ceil(0.1 * larger - 0.01), 1), 4)
    size = 2 * REACH / n_cells
    first, last = _cells_in_reach(image.shape, centre, root, n_cells)
    cells = np.zeros((n_cells, n_cells), np.float32)
    n_across, n_down = last - first
    if n_across <= 0 or n_down <= 0:
        return cells
    # From column and row of a sample to v, from there to a point, and to column and row.
    step = size / n_samples
    x, y = (first * size - REACH + step / 2).tolist()
    to_pixels = np.array(
        [
            [a * step, -b * step, centre[0] + a * x - b * y],
            [-c * step, d * step, d * y - c * x - centre[1]],
            [0, 0, 1],
        ],
        np.float32,
    )
    shape = (n_down * n_samples, n_across * n_samples)
    samples = warp(image, to_pixels, output_shape=shape, order=3, clip=False)
    rows = samples.reshape(n_down, n_samples, -1).sum(axis=1)
    means = rows.reshape(n_down, n_across, n_samples).sum(axis=2) / n_samples**2
    cells[first[1] : last[1], first[0] : last[0]] = means
    return cells


def _cells_in_reach(shape, centre, root, n_cells):
    """First and last cells, across and down, that an image may reach."""
    h, w = shape
    # Interpolation reaches two pixels beyond the outermost ones.
    corners = np.array([[-2, w + 1, -2, w + 1], [2, 2, -h - 1, -h - 1]])
    seen = np.linalg.solve(root, corners - centre[:, None]) * [[1], [-1]]
    places = (seen + REACH) * (n_cells / (2 * REACH))
    first = np.clip(np.floor(places.min(axis=1)), 0, n_cells).astype(int)
    return first, np.clip(np.ceil(places.max(axis=1)), 0, n_cells).astype(int)
