"""Projection: images -> mass in every bin of every direction.

An image is a measure: its grey values are constant densities on pixel squares. Column
``c`` and row ``r`` of an ``(h, w)`` image sit at ``x = (c - (w - 1) / 2) * side`` and
``y = ((h - 1) / 2 - r) * side`` with ``side = sqrt(2) / max(h, w)``, so the whole image
lies in the unit disc, x to the right and y up. Projected on the direction
``(cos, sin)``, a pixel square becomes a trapezoid: the sum of two independent uniform
variables of widths ``side * |cos|`` and ``side * |sin|``. The mass that it leaves in
each bin of the radii grid is a difference of that trapezoid's distribution function,
hence exact. It does not depend on the image, so it is tabulated once as a sparse
operator.

Two symmetries keep the operator small. A half turn of the image mirrors every
projection, so only the upper half of the pixels is tabulated. Flips and, for square
images, transposition permute the directions, so only those of one quarter or one
eighth of the full circle are tabulated. The operator is applied to flipped and
transposed copies ("variants") of the images instead.
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

import numpy as np
import scipy.sparse as sp

# Entries (value and index) per block of the operator, and how many are kept in all:
# beyond that, blocks are built when they are needed and dropped again.
BLOCK_ENTRIES = 2**22
KEPT_ENTRIES = 2**24
# Below this share of non-zero pixels an image is projected as a sparse row. Decided
# for each image on its own, so that a result never depends on its neighbours.
SPARSE_DENSITY = 0.08


def n_directions(n_angles: int) -> int:
    """Return the number of different lines among equispaced angles.

    Opposite angles see the same projection, mirrored; for an even number of angles all
    of them come in such pairs.
    """
    return n_angles if n_angles % 2 else n_angles // 2


def pixel_side(image_shape: tuple[int, int]) -> float:
    """Return the side of a pixel in units of the disc's radius."""
    return math.sqrt(2) / max(image_shape)


def bin_edges(n_radii: int) -> np.ndarray:
    """Return the radii: the edges of the bins on [-1, 1]."""
    return np.linspace(-1, 1, n_radii)


def trapezoid_cdf(z: np.ndarray, long: float, short: float) -> np.ndarray:
    """Distribution function of U(-long/2, long/2) + U(-short/2, short/2).

    Requires ``long >= short >= 0``.
    """
    if short < 1e-9 * long:
        return np.clip(z / long + 0.5, 0, 1)

    def integral(v):  # of the wider variable's distribution function
        inside = np.clip(v + long / 2, 0, long)
        return inside * inside / (2 * long) + np.maximum(v - long / 2, 0)

    return (integral(z + short / 2) - integral(z - short / 2)) / short


def _footprints(x, y, angle, side, n_radii):
    """Return bins and masses, both (n_pixels, n_touched), of pixels at one angle."""
    step = 2 / (n_radii - 1)
    cos, sin = math.cos(angle), math.sin(angle)
    short, long = sorted((abs(cos) * side / step, abs(sin) * side / step))
    width = short + long
    centre = ((x * cos + y * sin) + 1) / step
    first = np.floor(centre - width / 2 + 1e-9)
    n_touched = math.ceil(width - 1e-9) + 1
    edges = (first - centre)[:, None] + np.arange(1, n_touched)
    cdf = np.empty((centre.size, n_touched + 1))
    cdf[:, 0], cdf[:, -1] = 0, 1
    cdf[:, 1:-1] = trapezoid_cdf(edges, long, short)
    bins = np.clip(first[:, None] + np.arange(n_touched), 0, n_radii - 2)
    return bins.astype(np.int32), np.diff(cdf)


class Projector:
    """The mass that each image leaves in each bin of each direction.

    Built for one image shape; see `projector`, which shares equal ones.
    """

    def __init__(self, image_shape, n_directions, n_radii, dtype):
        self.image_shape = image_shape
        self.n_directions = n_directions
        self.n_radii = n_radii
        self.dtype = np.dtype(dtype)
        self.upper_rows = -(-image_shape[0] // 2)
        square = image_shape[0] == image_shape[1]
        self._n_variants = 4 if square and n_directions % 2 == 0 else 2
        self._n_tabulated = n_directions // self._n_variants + 1
        self._plan = self._plan_blocks()
        entries = sum(self._entries(rows, k) for rows, ks in self._plan for k in ks)
        keep = entries <= KEPT_ENTRIES
        self._operators = [self._operator(*p) for p in self._plan] if keep else None

    def __reduce__(self):
        # A pickle carries the geometry, not the table.
        args = (self.image_shape, self.n_directions, self.n_radii, self.dtype.name)
        return projector, args

    @property
    def elements_per_image(self) -> int:
        """How many numbers the projection of one dense image holds at a time."""
        rows, _ = self._plan[0]
        pixels = (rows.stop - rows.start) * self.image_shape[1]
        return 2 * self._n_variants * max(pixels, self._n_tabulated * self.n_radii)

    def project(self, images) -> np.ndarray:
        """Project images.

        Parameters
        ----------
        images : ndarray of shape (n, h, w) or sparse array of shape (n, h * w)
            Non-negative and finite.

        Returns
        -------
        masses : ndarray of shape (n, n_directions, n_radii - 1)
            Mass in each bin in arbitrary units, the same for all directions of an
            image; zero for a blank image. Direction ``m`` is the angle
            ``pi * m / n_directions``.
        """
        n = images.shape[0]
        masses = np.zeros((n, self.n_directions, self.n_radii - 1), self.dtype)
        if sp.issparse(images):
            filled = np.diff(images.indptr)
        else:
            images = images.reshape(n, -1)
            filled = np.array([np.count_nonzero(row) for row in images != 0])
        dense = filled > SPARSE_DENSITY * math.prod(self.image_shape)
        for i in np.flatnonzero(~dense & (filled > 0)):
            masses[i] = self._project_sparse(images[[i]])
        if dense.any():
            chosen = images if dense.all() else images[dense]
            masses[dense] = self._project_dense(chosen.toarray() if sp.issparse(chosen) else chosen)
        return masses

    # -- geometry ---------------------------------------------------------------------

    def _angle(self, k):
        return math.pi * k / self.n_directions

    def _entries(self, rows, k):
        """Bound the entries of one angle, from the mean width of its footprints."""
        cos, sin = math.cos(self._angle(k)), math.sin(self._angle(k))
        width = pixel_side(self.image_shape) * (cos + sin) * (self.n_radii - 1) / 2
        return math.ceil((rows.stop - rows.start) * self.image_shape[1] * (width + 1))

    def _plan_blocks(self) -> list[tuple[slice, range]]:
        """Cut the table into blocks of rows of pixels x angles."""
        plan = []
        most = 2 + math.ceil(pixel_side(self.image_shape) * (self.n_radii - 1))
        n_rows = max(1, BLOCK_ENTRIES // (self.image_shape[1] * most))
        for start in range(0, self.upper_rows, n_rows):
            rows = slice(start, min(start + n_rows, self.upper_rows))
            n_ks = max(1, BLOCK_ENTRIES // self._entries(rows, self._n_tabulated - 1))
            for k in range(0, self._n_tabulated, n_ks):
                plan.append((rows, range(k, min(k + n_ks, self._n_tabulated))))
        return plan

    def _operator(self, rows, ks) -> sp.csr_array:
        """Table of one block: pixels x (angle, bin)."""
        h, w = self.image_shape
        n_bins = self.n_radii - 1
        side = pixel_side(self.image_shape)
        r, c = np.mgrid[rows, :w].reshape(2, -1)
        x, y = (c - (w - 1) / 2) * side, ((h - 1) / 2 - r) * side
        tables = [_footprints(x, y, self._angle(k), side, self.n_radii) for k in ks]
        bins = np.hstack([b + i * n_bins for i, (b, _) in enumerate(tables)])
        masses = np.hstack([m.astype(self.dtype) for _, m in tables])
        used = masses > np.finfo(self.dtype).eps
        indptr = np.concatenate([[0], np.cumsum(used.sum(axis=1))]).astype(np.int32)
        shape = (r.size, len(ks) * n_bins)
        return sp.csr_array((masses[used], bins[used], indptr), shape=shape)

    def _blocks(self) -> Iterator[tuple[slice, range, sp.csr_array]]:
        for i, (rows, ks) in enumerate(self._plan):
            operator = self._operators[i] if self._operators else None
            yield rows, ks, self._operator(rows, ks) if operator is None else operator

    # -- images -----------------------------------------------------------------------

    def _project_dense(self, images):
        """Project rows of pixels, all together."""
        n, (h, w) = len(images), self.image_shape
        peak = images.max(axis=1, keepdims=True).astype(self.dtype)
        images = np.divide(images, peak, dtype=self.dtype)  # no overflow, no underflow
        # Pixels first, images last: what is added up lies side by side.
        base = np.ascontiguousarray(images.T).reshape(h, w, n)
        turned = base.transpose(1, 0, 2)
        variants = [base, base[:, ::-1], turned[::-1, ::-1], turned[:, ::-1]]
        variants = variants[: self._n_variants]
        totals = self._empty_totals(n)
        for rows, group in groupby(self._blocks(), key=lambda block: block[0]):
            shape = (rows.stop - rows.start, w, 2, self._n_variants, n)
            pixels = np.empty(shape, self.dtype)
            for v, variant in enumerate(variants):
                pixels[:, :, 0, v] = variant[rows]
                pixels[:, :, 1, v] = variant[::-1, ::-1][rows]
            if h % 2 and rows.stop == self.upper_rows:
                pixels[-1, :, 1] = 0  # the middle row is its own half turn
            pixels = pixels.reshape(shape[0] * w, -1)
            for _, ks, operator in group:
                totals[ks.start : ks.stop] += self._apply(operator, pixels)
        return self._join(totals)

    def _project_sparse(self, image):
        """Project one row of pixels that is mostly zero."""
        h, w = self.image_shape
        if sp.issparse(image):
            index, grey = image.indices, image.data
        else:
            index = np.flatnonzero(image != 0)
            grey = image[0, index]
        grey = np.divide(grey, grey.max().astype(self.dtype), dtype=self.dtype)
        r, c = np.divmod(index.astype(np.int64), w)
        top, left = h - 1 - r, w - 1 - c
        variants = [r * w + c, r * w + left, left * w + top, c * w + top]
        index = np.stack(variants[: self._n_variants])
        lower = index >= self.upper_rows * w
        index = np.where(lower, h * w - 1 - index, index)
        pixels = np.zeros((self.upper_rows * w, 2, self._n_variants), self.dtype)
        pixels[index, lower.astype(int), np.arange(self._n_variants)[:, None]] = grey
        pixels = pixels.reshape(len(pixels), -1)
        used = np.zeros(len(pixels), bool)
        used[index] = True
        used = np.flatnonzero(used)
        totals = self._empty_totals(1)
        for rows, ks, operator in self._blocks():
            first, last = np.searchsorted(used, (rows.start * w, rows.stop * w))
            here = used[first:last]
            part = self._apply(operator[here - rows.start * w], pixels[here])
            totals[ks.start : ks.stop] += part
        return self._join(totals)[0]

    def _empty_totals(self, n):
        """Zeros of shape (tabulated angle, bin, half turn * variant * image)."""
        shape = (self._n_tabulated, self.n_radii - 1, 2 * self._n_variants * n)
        return np.zeros(shape, self.dtype)

    def _apply(self, operator, pixels):
        """Multiply, with operator' stored by columns: one sweep over the pixels."""
        return (operator.T @ pixels).reshape(-1, self.n_radii - 1, pixels.shape[1])

    def _join(self, totals):
        """Add the half turns; order (variant, tabulated angle) as directions."""
        upper, lower = np.split(totals, 2, axis=2)
        whole = upper + lower[:, ::-1]
        whole = whole.reshape(*whole.shape[:2], self._n_variants, -1)
        full = self.n_directions
        m = np.arange(full)
        # Variant 1 is seen from pi - angle, 2 from pi/2 - angle, 3 from pi/2 + angle.
        if self._n_variants == 4:
            quadrant, rest = np.divmod(m, full // 2)
            beyond = 4 * rest > full
            variant = np.array([[0, 2], [3, 1]])[quadrant, beyond.astype(int)]
            tabulated = np.where(beyond, full // 2 - rest, rest)
        else:
            variant = (2 * m > full).astype(int)
            tabulated = np.where(variant, full - m, m)
        masses = np.empty((whole.shape[3], full, whole.shape[1]), whole.dtype)
        for v in range(self._n_variants):
            seen = variant == v
            masses[:, seen] = whole[tabulated[seen], :, v].transpose(2, 0, 1)
        return masses


@lru_cache(maxsize=2)
def projector(image_shape, n_directions, n_radii, dtype) -> Projector:
    """Return the projector of a geometry; the last ones are kept.

    A grid search fits the same geometry again and again, and worker processes are sent
    the geometry only: both find the table ready.
    """
    return Projector(image_shape, n_directions, n_radii, dtype)
