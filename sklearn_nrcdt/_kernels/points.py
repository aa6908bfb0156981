"""Contours as sets of points, matched one by one.

In its own frame, a shape is some 150 places of a lattice that lie on contours, each with its
weight and a descriptor: a small histogram of oriented gradients of its surroundings. The cost of
two shapes is what the points of either pay for their cheapest partners in the other; a bend moves
points a little and costs a little. Rotations that the frame leaves open are tried one by one.
Quarter turns and reflections permute places and directions, so only the turns between them
resample the image.

A histogram over the direction t of the gradient is given by its Fourier coefficients: 1, cos t,
sin t, cos 2t, sin 2t, weighted as in max(0, cos t)^2, the usual bin of a histogram.
"""

import math
from functools import lru_cache
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from sklearn_nrcdt._kernels.tangents import SATURATION, cell_centers

# Places of the lattice on a side, their distance, and how many more there are around them for
# the descriptors of the outermost.
N_PLACES = 22
SPACING = 0.25
MARGIN = 2
# Fourier coefficients of max(0, cos t)^2, the norm being that of eight bins.
ORDERS = np.sqrt(8) * np.array([1 / 4, *[4 / (3 * np.pi * 2**0.5)] * 2, *[1 / (4 * 2**0.5)] * 2])
# Widths of the Gaussians that spread directions and the strength of contours over the lattice.
SPREAD = 0.25
CONTOUR = 0.1
# Places are points where the contour has more than this share of its largest strength, at most
# so many: more cost time and tell no more.
FAINTEST = 0.5
MOST_POINTS = 160
# A descriptor d is divided by sqrt(|d|^2 + 0.3^2): faint surroundings count less.
CONTRAST = 0.3
# Price of the squared distance of two points, and the same after the steps that bring them nearer.
PRICE = 0.3
PRICE_AFTER_STEPS = 0.6
# Steps are damped by so much mass at its old place: those of an affine map, and those of a field
# that a Gaussian of this width smooths.
DAMPING = 0.05
REACH = 0.7
# Packed points hold numbers from -1 to 1 in 16 bits.
SCALE = 2**15 - 1
# Turns of the whitened image that are tried, and those below a quarter turn.
N_TURNS = 48
N_RESAMPLED = N_TURNS // 4
# What a shape without contours costs any other.
NOTHING = 1e4
# Numbers of a point: its descriptor, its place, and what their product needs, see `partners`.
N_SEEN = 9 * len(ORDERS)
PLACE = slice(N_SEEN, N_SEEN + 2)
# Shape and type of the packed points of a shape: descriptor, number of the place, strength.
PACKED = (MOST_POINTS, N_SEEN + 2), np.int16
# Shapes and type of its maps in 16 bits, which take half the room but have to be unpacked.
MAPS = (
    ((N_PLACES + 2 * MARGIN, N_PLACES + 2 * MARGIN, len(ORDERS)), np.int16),
    ((N_PLACES, N_PLACES), np.int16),
)


def contour_waves(gx, gy):
    """Strength of the contours and Fourier coefficients of their directions, from gradients.

    Returns an array of shape (n, 6, n_cells, n_cells): first the five numbers of a histogram, then
    the strength.
    """
    squares = gx * gx + gy * gy
    size = np.sqrt(squares)
    total = np.maximum(squares.sum(axis=(1, 2)), 1e-30)
    typical = np.sqrt(np.square(squares).sum(axis=(1, 2)) / total)[:, None, None]
    waves = np.empty((len(gx), len(ORDERS) + 1, *gx.shape[1:]), np.float32)
    strength = np.divide(size, np.maximum(size + SATURATION * typical, 1e-30), out=waves[:, -1])
    x, y = gx / np.maximum(size, 1e-30), gy / np.maximum(size, 1e-30)
    constant, first, second = ORDERS[::2].tolist()
    np.multiply(strength, constant, out=waves[:, 0])
    np.multiply(strength * first, x, out=waves[:, 1])
    np.multiply(strength * first, y, out=waves[:, 2])
    np.multiply(strength * second, x * x - y * y, out=waves[:, 3])
    np.multiply(strength * (2 * second), x * y, out=waves[:, 4])
    return waves


def contour_maps(waves):
    """Directions and strength of the contours on the lattice, from `contour_waves`.

    Directions are of shape (n, N_PLACES + 2 * MARGIN, N_PLACES + 2 * MARGIN, 5), strength
    (n, N_PLACES, N_PLACES), rows from the top. They are Gaussian means at the cells, interpolated
    linearly.
    """
    wide, narrow = _lattice_means(waves.shape[2])
    directions = (wide @ (waves[:, :-1] @ wide.T)).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(directions), narrow @ waves[:, -1] @ narrow.T


def turned_maps(waves):
    """Do what `contour_maps` does for one image in all turns below a quarter turn.

    Turned counter-clockwise by so many of N_TURNS parts of a circle. Gaussian means turn with the
    image: they are only interpolated elsewhere, and their directions turned.
    """
    n_cells, side = waves.shape[1], N_PLACES + 2 * MARGIN
    wide, narrow = _smoothing(n_cells, SPREAD), _smoothing(n_cells, CONTOUR)
    smooth = (wide @ (waves[:-1] @ wide.T)).reshape(len(ORDERS), -1)
    at_places, at_inner_places = _turning(n_cells)
    directions = at_places @ np.ascontiguousarray(smooth.T)
    directions = directions.reshape(N_RESAMPLED, side**2, -1) @ _steering()
    strength = at_inner_places @ (narrow @ waves[-1] @ narrow.T).ravel()
    strength = strength.reshape(N_RESAMPLED, N_PLACES, N_PLACES)
    return directions.reshape(N_RESAMPLED, side, side, -1), strength


@lru_cache(maxsize=2)
def _lattice_means(n_cells):
    """Matrices that take means at the places of the lattice, for directions and for strength."""
    wide = _interpolation(n_cells, N_PLACES + 2 * MARGIN) @ _smoothing(n_cells, SPREAD)
    return wide, _interpolation(n_cells, N_PLACES) @ _smoothing(n_cells, CONTOUR)


@lru_cache(maxsize=4)
def _smoothing(n_cells, width):
    """Matrix of shape (n_cells, n_cells) that takes Gaussian means, each row of sum 1."""
    apart = cell_centers(n_cells)[:, None] - cell_centers(n_cells)
    weights = np.exp(-0.5 * (apart / width) ** 2)
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def _interpolation(n_cells, n_places):
    """Matrix of shape (n_places, n_cells) that interpolates linearly at the lattice."""
    centers = cell_centers(n_cells)
    apart = np.abs(_lattice(n_places)[:, None] - centers) / (centers[1] - centers[0])
    return np.maximum(1 - apart, 0).astype(np.float32)


def _lattice(n_places):
    return (np.arange(n_places) - (n_places - 1) / 2) * SPACING


@lru_cache(maxsize=2)
def _turning(n_cells):
    """Sparse matrices that interpolate cells linearly at turned places, and at the inner ones."""
    place = _lattice(N_PLACES + 2 * MARGIN)
    x, y = np.meshgrid(place, -place)
    # Where the turned image shows (x, y), the image is seen turned back.
    seen = (x + 1j * y).ravel() * np.exp(-2j * np.pi * np.arange(N_RESAMPLED) / N_TURNS)[:, None]
    centers = cell_centers(n_cells)
    across, down = (
        (part.ravel() - centers[0]) / (centers[1] - centers[0]) for part in (seen.real, -seen.imag)
    )
    rows, columns, weights = [], [], []
    for i in (np.floor(across), np.floor(across) + 1):
        for j in (np.floor(down), np.floor(down) + 1):
            inside = (np.minimum(i, j) >= 0) & (np.maximum(i, j) < n_cells)
            rows.append(np.flatnonzero(inside))
            columns.append((j * n_cells + i)[inside].astype(int))
            weights.append(((1 - abs(across - i)) * (1 - abs(down - j)))[inside])
    parts = np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns))
    matrix = sp.csr_array(parts, shape=(seen.size, n_cells**2), dtype=np.float32)
    inner = np.arange(seen.size).reshape(N_RESAMPLED, len(place), -1)
    return matrix, matrix[inner[:, MARGIN:-MARGIN, MARGIN:-MARGIN].ravel()]


@lru_cache(maxsize=1)
def _steering():
    """Matrices that turn the numbers of a histogram."""
    matrices = np.tile(np.eye(len(ORDERS), dtype=np.float32), (N_RESAMPLED, 1, 1))
    for k in (1, 2):
        angles = 2 * np.pi * k * np.arange(N_RESAMPLED) / N_TURNS
        c, s = np.cos(angles), np.sin(angles)
        turn = np.moveaxis(np.array([[c, s], [-s, c]]), 2, 0)
        matrices[:, 2 * k - 1 : 2 * k + 1, 2 * k - 1 : 2 * k + 1] = turn
    return matrices


def _strongest(directions, strength):
    """Points of shapes from the maps of their contours: shape, place, strength and descriptor."""
    n, side = directions.shape[:2]
    strength = np.rint(strength.reshape(n, -1) * np.float32(SCALE)).astype(np.int16)
    strongest = strength.max(axis=1)
    # Beyond what is tied with the first that is left out: a mirror image keeps the same ones.
    limit = np.partition(strength, -MOST_POINTS - 1, axis=1)[:, -MOST_POINTS - 1]
    limit = np.maximum(limit, np.floor(FAINTEST * strongest).astype(np.int16))
    limit = np.minimum(limit, np.maximum(strongest - 1, 0))
    found = np.flatnonzero(strength > limit[:, None])
    shape, place = np.divmod(found, N_PLACES**2)
    if len(found) > MOST_POINTS:
        kept = _slots(shape, n) < MOST_POINTS
        found, shape, place = found[kept], shape[kept], place[kept]
    around = np.arange(0, 2 * MARGIN + 1, MARGIN)
    first = shape * side**2 + place // N_PLACES * side + place % N_PLACES
    neighbors = first[:, None] + (around[:, None] * side + around).ravel()
    seen = directions.reshape(-1, len(ORDERS)).take(neighbors, axis=0).reshape(-1, N_SEEN)
    norm = np.sqrt(np.einsum("pi,pi->p", seen, seen) + np.float32(CONTRAST**2))
    seen *= (np.float32(SCALE) / norm)[:, None]
    # Rounded even if it is not packed: the cost is symmetric.
    return shape, place, strength.ravel()[found], np.rint(seen, out=seen)


def _slots(shape, n):
    """Number the points of each of n shapes from 0, given the shape of each point in order."""
    return np.arange(len(shape)) - np.searchsorted(shape, np.arange(n))[shape]


def packed_points(directions, strength):
    """Points of shapes in 16 bits, (n, *PACKED[0]), from the maps of their contours.

    Rows beyond the last point are zero, all of them without contours.
    """
    n = len(directions)
    shape, place, strength, seen = _strongest(directions, strength)
    rows = np.empty((len(shape), N_SEEN + 2), PACKED[1])
    rows[:, :N_SEEN] = seen
    rows[:, N_SEEN], rows[:, N_SEEN + 1] = place, strength
    packed = np.zeros((n, *PACKED[0]), PACKED[1])
    packed[shape, _slots(shape, n)] = rows
    return packed


def small_maps(directions, strength):
    """Maps of contours in 16 bits, see MAPS."""
    return [np.rint(part * np.float32(SCALE)).astype(np.int16) for part in (directions, strength)]


def points_of_small_maps(directions, strength):
    """Do what `packed_points` does, from `small_maps`."""
    return packed_points(*(part * np.float32(1 / SCALE) for part in (directions, strength)))


def point_sets(packed):
    """Points of shapes, and weights of sum 1, from `packed_points`.

    The points of a shape are rows of N_SEEN + 4 numbers in float32: the descriptor, the place times
    the root of the price, the squared norm of these, and 1. Without contours there are none.
    """
    shape, slot = np.nonzero(packed[..., -1])
    rows = packed[shape, slot]
    return _sets(len(packed), shape, rows[:, N_SEEN], rows[:, -1], rows[:, :N_SEEN])


def point_sets_of_maps(directions, strength):
    """Do what `point_sets` does, from the maps of contours."""
    return _sets(len(directions), *_strongest(directions, strength))


def _sets(n, shape, place, strength, seen):
    """Return what `point_sets` does, from what `_strongest` returns of n shapes."""
    points = np.empty((len(place), N_SEEN + 4), np.float32)
    np.multiply(seen, np.float32(1 / SCALE), out=points[:, :N_SEEN])
    points[:, PLACE] = _places()[place]
    known = points[:, : PLACE.stop]
    points[:, -2] = np.einsum("pi,pi->p", known, known)
    points[:, -1] = 1
    weights = strength.astype(np.float32)
    ends = np.searchsorted(shape, np.arange(n + 1)).tolist()
    return [(points[a:b], weights[a:b] / max(weights[a:b].sum(), 1)) for a, b in pairwise(ends)]


@lru_cache(maxsize=1)
def _places():
    """Coordinates of the places of the lattice, times the root of the price."""
    place = math.sqrt(PRICE) * _lattice(N_PLACES)
    x, y = np.meshgrid(place, -place)
    return np.stack([x.ravel(), y.ravel()], axis=1).astype(np.float32)


def posed(points, n_quarters, mirrored):
    """Turn points counter-clockwise by quarter turns, then flip them left to right if asked."""
    order, signs = _poses()[n_quarters % 4 + 4 * bool(mirrored)]
    return points[:, order] * signs


@lru_cache(maxsize=1)
def _poses():
    """Return the order of the numbers of a point, and their signs, for all eight poses."""
    grid = np.arange(9).reshape(3, 3)
    # A quarter turn makes cos t, sin t to -sin t, cos t; a flip changes the sign of cos t.
    turn = _permutation(np.rot90(grid), [0, 2, 1, 3, 4], [1, -1, 1, -1, -1])
    flip = _permutation(grid[:, ::-1], [0, 1, 2, 3, 4], [1, -1, 1, 1, -1])
    poses = [(np.arange(N_SEEN + 4), np.ones(N_SEEN + 4, np.float32))]
    for _ in range(3):
        poses.append(_combined(poses[-1], turn))
    return poses + [_combined(pose, flip) for pose in poses]


def _combined(pose, then):
    (order, signs), (next_order, next_signs) = pose, then
    return order[next_order], signs[next_order] * next_signs


def _permutation(neighbors, order, signs):
    """Order and signs of the numbers of a point, given those of neighbors and of a histogram."""
    seen = np.add.outer(len(ORDERS) * neighbors.ravel(), order).ravel()
    rest = N_SEEN + np.array([order[1] - 1, order[2] - 1, 2, 3])
    all_signs = np.array([*np.tile(signs, 9), *signs[1:3], 1, 1], np.float32)
    return np.concatenate([seen, rest]), all_signs


def partners(points):
    """Return points such that their product with others is the squared distance.

    A point is (u, |u|^2, 1), a partner (-2 u, 1, |u|^2). `posed` applies to both.
    """
    result = points * np.float32(-2)
    result[:, -2], result[:, -1] = 1, points[:, -2]
    return result


def places_of(points):
    """Places of points in the frame, x to the right and y up."""
    return points[:, PLACE] / math.sqrt(PRICE)


def match_cost(paid, weights, other_weights):
    """Cost of two shapes: what points of either pay for their cheapest partners in the other.

    `paid` is what each pair pays: the product of points from `point_sets` and of `partners`. At
    least 0, to six digits: the others are noise of float32.
    """
    if not paid.size:
        return 0.0 if paid.shape == (0, 0) else NOTHING
    cost = weights @ paid.min(axis=1) + other_weights @ paid.min(axis=0)
    return round(max(float(cost), 0.0), 6)


def paid_after_steps(paid, weights, other_weights, x, y):
    """What pairs pay after points moved to their partners: by an affine map, by a smooth field.

    Takes what `match_cost` takes; the points are at places x of the lattice, the others at y. Each
    step looks for partners anew. Distances have a higher price after the steps.
    """
    if not paid.size:
        return paid
    share, lead = _pull(paid, weights, other_weights, x, y)
    rows = np.column_stack([np.ones(len(x)), x])
    weighted = rows.T * share
    moved = x + rows @ np.linalg.solve(weighted @ rows + DAMPING * np.eye(3), rows.T @ lead)
    now = paid + _dearer(x, moved, y)
    share, lead = _pull(now, weights, other_weights, moved, y)
    moved += _smooth_field(share, lead, x)
    return paid + _dearer(x, moved, y)


def _dearer(x, moved, y):
    """Price of distances of all pairs after the steps minus that of before, in float32."""
    # As one product: |x - y|^2 is (x, |x|^2, 1) times (-2 y, 1, |y|^2).
    rows, columns = np.ones((len(x), 4), np.float32), np.ones((4, len(y)), np.float32)
    rows[:, :2] = 2 * (PRICE * x - PRICE_AFTER_STEPS * moved)
    rows[:, 2] = (PRICE_AFTER_STEPS * moved * moved - PRICE * x * x).sum(axis=1)
    columns[:2] = y.T
    columns[3] = ((PRICE_AFTER_STEPS - PRICE) * y * y).sum(axis=1)
    return rows @ columns


def _pull(paid, weights, other_weights, x, y):
    """Mass of the partners of points at x, and where it pulls them: the moment of its distances.

    Partners, at y, are of both kinds: those that a point chooses, and those that choose it.
    """
    claimed = paid.argmin(axis=0)
    share = weights + np.bincount(claimed, other_weights, len(x))
    lead = weights[:, None] * y[paid.argmin(axis=1)] - share[:, None] * x
    for axis in (0, 1):
        lead[:, axis] += np.bincount(claimed, other_weights * y[:, axis], len(x))
    return share, lead


def _smooth_field(share, lead, x):
    """Means of where points are pulled, over those that are near at places x of the lattice."""
    column, row = np.rint(x.T / SPACING + (N_PLACES - 1) / 2).astype(int)
    grid = np.zeros((3, N_PLACES, N_PLACES))
    grid[0, row, column], grid[1:, row, column] = share, lead.T
    near = _nearness()
    mass, *field = (near @ grid @ near)[:, row, column]
    return np.transpose(field / (mass + DAMPING))


@lru_cache(maxsize=1)
def _nearness():
    place = _lattice(N_PLACES)
    return np.exp(-0.5 * ((place[:, None] - place) / REACH) ** 2)
