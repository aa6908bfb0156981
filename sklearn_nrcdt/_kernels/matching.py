"""Match a shape with a catalogue: a short list by the circle, then point by point."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sklearn_nrcdt._kernels import circle, points
from sklearn_nrcdt._kernels.circle import N_ORDERS

# Classes that the templates on a short list come from, at least.
N_CLASSES = 5
# Templates that an answer is judged by. More may be asked for; they change nothing in these.
N_CANDIDATES = 20
# Turns that are matched, and how many of the best candidates the second one is tried with, and
# the steps that bring points nearer.
N_TURNS_TRIED = 2
N_TRIED_AGAIN = 10
# Where strangers cost less than this, shapes are smooth and points tell little: distances on the
# circle join the costs.
SMOOTH = 0.15
MOST_CIRCLE = 3.0
# Templates whose harmonics lie side by side: a block fits into the cache of a processor.
BLOCK = 1024


class Catalogue(NamedTuple):
    """Templates to match with.

    All arrays but `squares` and `codes` may be larger than memory: only rows that a query needs are
    read, and blocks of harmonics one by one.

    harmonics : ndarray of shape (n_blocks, N_ORDERS, n_channels, block), complex64
        Those of `scaled_for_matching`, from `in_blocks`.
    squares : ndarray of shape (n_templates,)
        Their squared norms in float64, 0 for blank templates.
    points : ndarray of shape (n_templates, *points.PACKED[0]), int16
        Points of their contours, see `points.packed_points`.
    codes : ndarray of shape (n_templates,), int
        Their classes.
    columns : ndarray of shape (n_templates,), int
        Where their harmonics are: columns of the blocks side by side. Others do not count.
    """

    harmonics: np.ndarray
    squares: np.ndarray
    points: np.ndarray
    codes: np.ndarray
    columns: np.ndarray


def scaled_for_matching(harmonics):
    """Return harmonics, conjugated and scaled as by `from_circle`, and their squared norms."""
    scaled = circle.from_circle(circle.to_circle(harmonics)).conj().astype(np.complex64)
    return scaled, np.square(scaled.view(np.float32), dtype=np.float64).sum(axis=(1, 2))


def in_blocks(scaled):
    """Put rows (n_templates, ...) side by side: (n_blocks, ..., block), the last block padded."""
    n = len(scaled)
    block = max(1, min(BLOCK, n))
    padded = np.zeros((-(-n // block) * block, *scaled.shape[1:]), scaled.dtype)
    padded[:n] = scaled
    blocks = padded.reshape(-1, block, *scaled.shape[1:])
    return np.ascontiguousarray(np.moveaxis(blocks, 1, -1))


def find_matches(waves, row, catalogue, *, upright, mirror, n_wanted, left_out):
    """Match one shape with the `n_wanted` templates that are nearest on the circle.

    The shape is its `points.contour_waves` and its `row` of `circle.to_circle`. If upright, it is
    compared as it stands, without turns, and points of the best templates step nearer; `mirror`
    tries its mirror image too. The template `left_out`, the shape itself, is not looked at; -1 if
    there is none.

    Returns places of templates, what the points pay (see `points.match_cost`), and squared
    distances on the circle at the best rotation.
    """
    versions = circle.from_circle(row[None])[0][None]
    if mirror:
        versions = np.concatenate([versions, circle.flipped(versions)])
    turning = _waves(1 if upright else points.N_TURNS)
    nearest = _nearest_on_circle(versions.astype(np.complex64), catalogue, turning)
    if left_out >= 0:
        nearest[left_out] = np.inf
    chosen = _short_list(nearest, catalogue.codes, n_wanted)
    block, place = np.divmod(catalogue.columns[chosen], catalogue.harmonics.shape[-1])
    nearby = catalogue.harmonics[block, ..., place].transpose(1, 2, 0)
    correlations = _correlations(versions, nearby, turning)
    poses = _likely_poses(correlations)
    templates = points.point_sets(catalogue.points[chosen])
    queries = _posed_sets(waves, np.unique(poses), len(turning))
    best = correlations.max(axis=(0, 1))
    if not upright:
        products = versions.transpose(1, 0, 2) @ nearby
        best = circle.best_correlation(np.moveaxis(products, 0, -1)).max(axis=0)
    squares = catalogue.squares[chosen] + np.square(row).sum()
    distances = np.round(np.maximum(squares - 2 * best, 0), 6)
    codes, costs = catalogue.codes[chosen], np.empty(len(chosen))
    for start in range(0, len(chosen), N_CANDIDATES):
        part = slice(start, start + N_CANDIDATES)
        costs[part] = _costs(templates[part], queries, poses[:, part], codes[part], upright)
    return chosen, costs, distances


def ranked(places, costs, distances, weight):
    """Return templates and costs with distances, in ascending order; ties by position."""
    costs = np.round(costs + weight * distances, 6)
    order = np.lexsort((places, costs), axis=1)
    return np.take_along_axis(places, order, axis=1), np.take_along_axis(costs, order, axis=1)


def circle_weight(costs):
    """Weight of squared distances on the circle, from what points pay for the nearest stranger."""
    costs = costs[costs < points.NOTHING]
    usual = np.median(costs) if len(costs) else np.inf
    return float(min((SMOOTH / max(usual, 1e-9)) ** 3, MOST_CIRCLE))


def lowest_costs(codes, costs, n_classes):
    """Lowest costs of all classes; those that no match belongs to cost as much as the worst."""
    lowest = np.repeat(costs.max(axis=1, keepdims=True), n_classes, axis=1)
    np.minimum.at(lowest, (np.arange(len(codes))[:, None], codes), costs)
    return lowest


def best_partners(waves, others, *, upright, mirror):
    """Find out how one shape lies best on another, given the `points.contour_waves` of both.

    The others are tried in all turns, with `mirror` also as mirror images; `upright` is that of
    `find_matches`. Returns the cost, by how many degrees counter-clockwise the others are
    turned, whether they are flipped after that, the places of the points of both in this pose, and
    for each point of the first its partner among the others.
    """
    n_turns = 1 if upright else points.N_TURNS
    [template] = points.point_sets_of_maps(*points.contour_maps(waves[None]))
    queries = _posed_sets(others, np.arange(n_turns * (1 + mirror)), n_turns)
    costs = [_cost(template, query, upright) for query in queries.values()]
    pose = int(np.argmin(costs))
    x, y = _places(template, queries[pose])
    paid = template[0] @ queries[pose][0].T
    if upright:
        paid = points.paid_after_steps(paid, template[1], queries[pose][1], x, y)
    flipped, turn = divmod(pose, n_turns)
    degrees = 360 / n_turns * (-turn % n_turns if flipped else turn)
    return costs[pose], degrees, bool(flipped), x, y, paid.argmin(axis=1)


def _costs(templates, queries, poses, codes, steps):
    """Costs of templates of these classes and a query in the cheapest of its likely poses.

    Second poses, and steps, are tried with those only that may win by it. Steps with the best of
    several classes, so that these compare.
    """
    costs = np.full(len(templates), np.inf)
    chosen = poses[0].copy()
    tried = np.arange(len(templates))
    for rank, pose in enumerate(poses):
        if rank:
            tried = np.argsort(costs, kind="stable")[:N_TRIED_AGAIN]
            tried = tried[pose[tried] != poses[0, tried]]
        for k in tried:
            cost = _cost(templates[k], queries[pose[k]])
            if cost < costs[k]:
                costs[k], chosen[k] = cost, pose[k]
    if steps:
        nearest = _heads_first(np.argsort(costs, kind="stable"), codes)[:N_TRIED_AGAIN]
        stepped = [_cost(templates[k], queries[chosen[k]], steps) for k in nearest]
        # Costs without steps do not compare with these: the others stay behind the better half.
        costs = np.maximum(costs, np.median(stepped))
        costs[nearest] = stepped
    return costs


def _cost(template, query, steps=False):
    """Cost of a template from `points.point_sets` and a query from `_posed_sets`.

    With steps, those of either towards the other are tried, and the dearer match counts.
    """
    (some, weights), (others, other_weights) = template, query
    paid = some @ others.T
    if not steps:
        return points.match_cost(paid, weights, other_weights)
    x, y = _places(template, query)
    there = points.paid_after_steps(paid, weights, other_weights, x, y)
    back = points.paid_after_steps(paid.T, other_weights, weights, y, x).T
    return max(points.match_cost(part, weights, other_weights) for part in (there, back))


def _places(template, query):
    return points.places_of(template[0]), points.places_of(query[0]) / -2


def _nearest_on_circle(versions, catalogue, waves):
    """Squared distances to all templates at the best turn, up to a constant."""
    n_blocks, *_, size = catalogue.harmonics.shape
    best = np.empty((n_blocks, size), np.float32)
    for k, harmonics in enumerate(catalogue.harmonics):
        best[k] = _correlations(versions, harmonics, waves).max(axis=(0, 1))
    nearest = (catalogue.squares - 2 * best.ravel()[catalogue.columns]).astype(np.float32)
    # Rounded, so that the order of the templates does not decide what is near.
    return np.round(nearest, 5)


@lru_cache(maxsize=2)
def _waves(n_turns):
    """Real and imaginary parts by which orders turn, of shape (n_turns, 2 * N_ORDERS)."""
    angles = 2 * np.pi * np.arange(n_turns) / n_turns
    waves = np.exp(-1j * np.outer(angles, np.arange(N_ORDERS)))
    return np.concatenate([waves.real, -waves.imag], axis=1).astype(np.float32)


def _correlations(versions, harmonics, waves):
    """Correlations with templates at all turns, of shape (n_versions, n_turns, n_templates)."""
    products = versions.transpose(1, 0, 2) @ harmonics
    parts = np.concatenate([products.real, products.imag]).transpose(1, 0, 2)
    return waves @ parts


def _short_list(nearest, codes, n_wanted):
    """Positions of the nearest templates, from several classes, nearest first."""
    n_near, n_heads = n_wanted, min(N_CLASSES, codes.max() + 1)
    while True:
        # All that may be among them: far faster than to sort all.
        limit = np.partition(nearest, n_near - 1)[n_near - 1]
        near = np.flatnonzero(nearest <= limit)
        near = near[np.argsort(nearest[near], kind="stable")]
        if len(np.unique(codes[near])) >= n_heads or n_near == len(nearest):
            return _heads_first(near, codes)[:n_wanted]
        n_near = min(8 * n_near, len(nearest))


def _heads_first(near, codes):
    """Put the first one of each class in front, of the first N_CLASSES classes."""
    heads = np.sort(np.unique(codes[near], return_index=True)[1])[:N_CLASSES]
    return np.concatenate([near[heads], np.delete(near, heads)])


def _likely_poses(correlations):
    """Return the poses with the highest maxima, of shape (<= N_TURNS_TRIED, n_templates).

    A pose is a turn, plus the number of turns for the mirror image.
    """
    n_versions, n_turns, n = correlations.shape
    if n_turns == 1:
        return np.repeat(np.arange(n_versions)[:, None], n, axis=1)
    left, right = np.roll(correlations, 1, axis=1), np.roll(correlations, -1, axis=1)
    peaks = np.where((correlations >= left) & (correlations > right), correlations, -np.inf)
    flat = peaks.reshape(-1, n)
    order = np.argsort(-flat, axis=0, kind="stable")[:N_TURNS_TRIED]
    # Where there is no second maximum, the first one is tried twice; a function without any
    # is constant.
    found = np.isfinite(np.take_along_axis(flat, order, axis=0))
    return np.where(found, order, order[:1])


def _posed_sets(waves, poses, n_turns):
    """Points of a shape in these poses, as partners; a dictionary."""
    mirrored, turns = np.divmod(poses, n_turns)
    # The mirror image turned is the image turned the other way, mirrored.
    turns = np.where(mirrored, -turns % n_turns, turns)
    n_quarters, turns = np.divmod(turns, points.N_RESAMPLED)
    needed, places = np.unique(turns, return_inverse=True)
    if needed.any():
        maps = [part[needed] for part in points.turned_maps(waves)]
    else:
        maps = points.contour_maps(waves[None])
    sets = [(points.partners(some), weights) for some, weights in points.point_sets_of_maps(*maps)]
    found = {}
    for pose, k, n, flip in zip(poses.tolist(), places, n_quarters, mirrored, strict=True):
        found[pose] = points.posed(sets[k][0], n, flip), sets[k][1]
    return found
