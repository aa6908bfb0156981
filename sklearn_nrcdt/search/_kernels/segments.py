"""Coarse search by segments: sums of shifted planes, in integers.

A drawing is covered by short straight segments. The photograph is filtered once with such a segment
in each of twelve directions and rounded to small integers. How well a drawing fits around a center
is the sum of one of them for each segment: for all centers at once, a sum of shifted planes. To
pose a drawing is to pose its segments, so that the photograph is never resampled. Sums of integers
do not depend on their order: NumPy and compiled loops agree bit for bit.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import scipy.fft

from sklearn_nrcdt.search._kernels.correlation import LEAST_VISIBLE

N_DIRECTIONS = 12
LENGTH = 12.0  # of a segment, in pixels
SPACING = 8.0  # between segments on a line; they overlap, so that no place of a line counts little
MAX_SEGMENTS = 512  # of a drawing: more say no more, and their sums fit into 16 bits
GROUP, LARGEST = 12, 10  # so many values, so large, can be added in 8 bits
DEVIATION = 4.0  # of the values, before they are rounded
SHARES = 64  # steps in which the visible share of a drawing is measured
PART = 64  # drawings that one worker looks for at a time
_SHARE = np.arange(SHARES + 1) / SHARES
# How much sums count for each visible share: a sum of fewer terms deviates less. Below the least
# share anything may fit.
WEIGHTS = np.where(
    _SHARE >= LEAST_VISIBLE, np.rint(SHARES / np.sqrt(np.maximum(_SHARE, LEAST_VISIBLE))), 0
).astype(np.int64)
BLOCK = 4096  # positions that compiled loops treat at a time: they stay in the cache
# Sums for so many drawings and poses take NumPy as long as it takes to load the compiled loops.
WORTH_COMPILING = 10_000


def cover(elements, spacing=SPACING):
    """Cover line elements (n, 3) by segments (n_segments, 3), so far apart on a line.

    The directions of segments are in steps of pi / `N_DIRECTIONS`.
    """
    # An element is left out if one of about its direction is nearer than that.
    cells = np.floor(elements[:, :2] * (4 / spacing)).astype(int)
    cells -= cells.min(axis=0) - 4
    half = np.floor(elements[:, 2] * (6 / math.pi)).astype(int) % 6
    taken = np.zeros((6, *cells.max(axis=0) + 5), bool)
    kept = []
    for k, (d, y, x) in enumerate(zip(half.tolist(), *cells.T.tolist(), strict=True)):
        if not taken[d, y, x]:
            kept.append(k)
            for near in (d - 1, d, (d + 1) % 6):
                taken[near, y - 3 : y + 4, x - 3 : x + 4] = True
    if len(kept) > MAX_SEGMENTS:
        kept = [kept[k] for k in np.linspace(0, len(kept) - 1, MAX_SEGMENTS).astype(int)]
    scale = np.array([1, 1, N_DIRECTIONS / math.pi], np.float32)
    return elements[kept] * scale


class Part(NamedTuple):
    """Some drawings of a catalogue that reach about as far."""

    indices: np.ndarray  # their positions in the catalogue
    segments: np.ndarray  # (3, n): y, x and direction; filled up to multiples of `GROUP`
    starts: np.ndarray  # (n_drawings + 1,): the first segment of each
    counts: np.ndarray  # (n_drawings,): their segments
    reach: float  # from the centers to the segments, at most


def parts_of(covers, indices):
    """Return a list of `Part` of some drawings, given the segments of all."""
    reach = {i: np.hypot(*covers[i][:, :2].T).max() for i in indices}
    order = sorted(indices, key=reach.__getitem__)
    parts, first = [], 0
    for k in range(1, len(order) + 1):
        # Small drawings are not to pay for the room around large ones.
        if k < min(len(order), first + PART) and reach[order[k]] <= 1.5 * reach[order[first]] + 8:
            continue
        own = np.array(order[first:k])
        counts = np.array([len(covers[i]) for i in own])
        starts = np.append(0, np.cumsum(-(-counts // GROUP) * GROUP))
        segments = np.full((3, starts[-1]), np.inf, np.float32)
        segments[2] = 0
        for i, start, n in zip(own, starts, counts, strict=False):
            segments[:, start : start + n] = covers[i].T
        parts.append(Part(own, segments, starts, counts, reach[own[-1]]))
        first = k
    return parts


def segment_planes(spectrum, shape, inside, factor):
    """Filter a photograph, given as whitened spectrum of its ridges, with segments.

    `shape` is that of the FFT, `inside` that of the photograph, with `factor` pixels between two
    grid points. Returns planes (N_DIRECTIONS, *inside) from -`LARGEST` to `LARGEST`, int8.
    """
    n = len(spectrum)
    y = scipy.fft.fftfreq(shape[0])[:, None]
    x = scipy.fft.rfftfreq(shape[1])
    found = np.empty((N_DIRECTIONS, *inside), np.float32)
    for k, out in enumerate(found):
        place = k * n / N_DIRECTIONS
        low, share = math.floor(place), np.float32(place % 1)
        mixed = spectrum[low] * (1 - share) + spectrum[(low + 1) % n] * share
        angle = math.pi * k / N_DIRECTIONS
        along = np.sinc((x * math.cos(angle) + y * math.sin(angle)) * (LENGTH / factor))
        filtered = scipy.fft.irfft2(mixed * along.astype(np.float32), shape)
        out[:] = filtered[: inside[0], : inside[1]]
    scale = DEVIATION / max(float(np.sqrt(np.square(found).mean())), 1e-30)
    return np.clip(np.rint(found * scale), -LARGEST, LARGEST).astype(np.int8)


class Grid(NamedTuple):
    """Centers that are tried, in the memory of padded planes."""

    height: int  # rows and columns of centers
    width: int
    margin: int  # of which so many lie before the first row and column of the photograph
    above: int  # rows and columns around the centers that segments may be in
    beside: int
    stride: int  # from a row to the next
    size: int  # of a plane


def pad_planes(planes, reach, fragments):
    """Return planes with zeros around them, in one row, and their `Grid`.

    Segments reach so many grid points from the centers. After the planes come one of zeros and one
    that is 1 in the photograph.
    """
    reach = math.ceil(reach) + 1
    margin = reach if fragments else 0
    height, width = (side + 2 * margin for side in planes.shape[1:])
    above, beside = min(reach, height), min(reach, width)
    # The zeros after a row are those before the next.
    rows, stride = height + 2 * above + 2, width + beside
    flat = np.zeros((N_DIRECTIONS + 2, rows, stride), np.int8)
    top = above + 1 + margin
    inside = np.s_[top : top + planes.shape[1], margin : margin + planes.shape[2]]
    flat[:N_DIRECTIONS, *inside] = planes
    flat[-1][inside] = 1
    return flat.ravel(), Grid(height, width, margin, above, beside, stride, rows * stride)


def place_segments(segments, matrix, grid, factor):
    """Return where the segments of posed drawings are in padded planes, for the first center.

    `segments` are those of a `Part`, `matrix` the pose of all, (2, 2), or of each, (2, 2, n). There
    are two places of each segment: in the plane of its direction, and in the one that is 1 in the
    photograph. What is out of reach is in the plane of zeros.
    """
    y, x, direction = segments
    (a, b), (c, d) = (matrix / factor).astype(np.float32)
    with np.errstate(invalid="ignore"):
        dy, dx = np.rint(a * y + b * x), np.rint(c * y + d * x)
        near = (np.abs(dy) <= grid.above) & (np.abs(dx) <= grid.beside)
    turn = np.arctan2(b, d) * np.float32(N_DIRECTIONS / math.pi)
    plane = np.rint(turn + np.sign(a * d - b * c) * direction).astype(np.int32) % N_DIRECTIONS
    dy, dx = (np.where(near, step, 0).astype(np.int32) for step in (dy, dx))
    place = (dy + grid.above + 1) * grid.stride + dx
    zeros = N_DIRECTIONS * grid.size
    return (
        np.where(near, place + plane * grid.size, zeros).astype(np.intp),
        np.where(near, place + (N_DIRECTIONS + 1) * grid.size, zeros).astype(np.intp),
    )


def best_sums(flat, places, seen, starts, counts, grid):
    """Find the center of each drawing where its sum is largest.

    `places` and `seen` are from `place_segments`; if `seen` is empty, all centers count alike.
    Returns rows of the largest sum, its center as a number, the sum of all squares, and how many
    centers count.
    """
    found = np.empty((len(starts) - 1, 4), np.int64)
    n = (grid.height - 1) * grid.stride + grid.width
    part = np.empty(n, np.int8)
    total, visible = np.zeros((2, grid.height * grid.stride), np.int16)

    def add(where, out):
        out[:] = 0
        for first in range(0, len(where), GROUP):
            part[:] = flat[where[first] : where[first] + n]
            for k in where[first + 1 : first + GROUP]:
                np.add(part, flat[k : k + n], out=part)
            np.add(out[:n], part, out=out[:n])
        return out.reshape(grid.height, grid.stride)[:, : grid.width].ravel()

    for d in range(len(found)):
        where = slice(starts[d], starts[d + 1])
        sums, area = add(places[where], total).astype(np.int64), grid.height * grid.width
        if len(seen):
            shares = add(seen[where], visible).astype(np.int64) * SHARES // counts[d]
            sums *= WEIGHTS[shares]
            area = np.count_nonzero(WEIGHTS[shares])
        best = sums.argmax()
        found[d] = sums[best], best, np.dot(sums, sums), area
    return found


def best_sums_in_loops(flat, places, seen, starts, counts, grid):
    """Do what `best_sums` does, in loops that can be compiled."""
    height, width, stride = grid.height, grid.width, grid.stride
    found = np.empty((len(starts) - 1, 4), np.int64)
    n = (height - 1) * stride + width
    total = np.empty((2, n), np.int16)
    for d in range(len(found)):
        for kind in range(2 if len(seen) else 1):
            where = seen if kind else places
            for low in range(0, n, BLOCK):
                length = min(BLOCK, n - low)
                out = total[kind, low : low + length]
                out[:] = 0
                for k in range(starts[d], starts[d + 1], GROUP):
                    p0 = flat[where[k] + low : where[k] + low + length]
                    p1 = flat[where[k + 1] + low : where[k + 1] + low + length]
                    p2 = flat[where[k + 2] + low : where[k + 2] + low + length]
                    p3 = flat[where[k + 3] + low : where[k + 3] + low + length]
                    p4 = flat[where[k + 4] + low : where[k + 4] + low + length]
                    p5 = flat[where[k + 5] + low : where[k + 5] + low + length]
                    p6 = flat[where[k + 6] + low : where[k + 6] + low + length]
                    p7 = flat[where[k + 7] + low : where[k + 7] + low + length]
                    p8 = flat[where[k + 8] + low : where[k + 8] + low + length]
                    p9 = flat[where[k + 9] + low : where[k + 9] + low + length]
                    p10 = flat[where[k + 10] + low : where[k + 10] + low + length]
                    p11 = flat[where[k + 11] + low : where[k + 11] + low + length]
                    for i in range(length):
                        s = np.int8(p0[i] + p1[i] + p2[i] + p3[i] + p4[i] + p5[i])
                        s = np.int8(s + p6[i] + p7[i] + p8[i] + p9[i] + p10[i] + p11[i])
                        out[i] += s
        peak, place, square, area = np.int64(-(2**62)), 0, np.int64(0), 0
        for y in range(height):
            row = total[0, y * stride : y * stride + width]
            if len(seen):
                for x in range(width):
                    weight = WEIGHTS[total[1, y * stride + x] * SHARES // counts[d]]
                    value = row[x] * weight
                    area += weight > 0
                    square += value * value
                    if value > peak:
                        peak, place = value, y * width + x
                continue
            largest = row[0]
            for x in range(width):
                value = np.int32(row[x])
                square += value * value
                largest = max(largest, row[x])
            if largest > peak:
                peak = np.int64(largest)
                place = y * width + np.argmax(row)
        found[d, 0], found[d, 1], found[d, 2] = peak, place, square
        found[d, 3] = area if len(seen) else height * width
    return found


def best_of_part(planes, part, matrices, factor, fragments, compiled):
    """Find the pose and the center in which each drawing of a part fits best.

    `planes` are from `segment_planes`. Each of `matrices` is a pose of all drawings, (2, 2), or has
    one for each, (2, 2, n_drawings). With `fragments`, centers may be outside the photograph, and
    what is visible counts. Returns scores, positions in `matrices`, and centers (y, x) in pixels.
    """
    n = len(part.indices)
    scores, poses, centers = np.full(n, -np.inf), np.zeros(n, int), np.zeros((n, 2))
    scale = max(np.sqrt(np.square(matrix).sum(axis=(0, 1)) / 2).max() for matrix in matrices)
    flat, grid = pad_planes(planes, part.reach * scale / factor, fragments)
    run = (compiled and compiled_sums()) or best_sums
    for k, matrix in enumerate(matrices):
        each = np.repeat(matrix, np.diff(part.starts), axis=2) if matrix.ndim == 3 else matrix
        places, seen = place_segments(part.segments, each, grid, factor)
        found = run(flat, places, seen if fragments else seen[:0], part.starts, part.counts, grid)
        peak, place, square, area = found.T
        score = peak * np.sqrt(area / np.maximum(square, 1))
        better = np.flatnonzero(score > scores)
        scores[better], poses[better] = score[better], k
        points = np.column_stack(np.divmod(place[better], grid.width)) - grid.margin
        centers[better] = (points + 0.5) * factor
    return scores, poses, centers


@cache
def compiled_sums():
    """Return the compiled loops, None without numba."""
    try:
        from numba import njit
    except ImportError:
        return None
    try:
        return njit(nogil=True, cache=True)(best_sums_in_loops)
    except RuntimeError:  # no folder to keep the compiled code in
        return njit(nogil=True)(best_sums_in_loops)
