"""Projection: images -> mass in every bin of every direction.

An image is a measure: its grey values are constant densities on pixel squares. Column
``c`` and row ``r`` of an ``(h, w)`` image sit at ``x = (c - (w - 1) / 2) * side`` and
``y = ((h - 1) / 2 - r) * side`` with ``side = sqrt(2) / max(h, w)``, so the whole image
lies in the unit disc, x to the right and y up. The footprint of a pixel in the bins (see
`footprints`) does not depend on the image, so it is tabulated once as a sparse operator.

Two symmetries keep the table small. A half turn of the image mirrors every projection,
so only one half of the pixels is tabulated. Flips and, for square images, transposition
permute the directions, so only those of one quarter or one eighth of the full circle are
tabulated. The table is applied to flipped and transposed copies ("variants") of the
images instead.

The empty border of an image costs nothing: the pixels of the table are ordered by shells
around the centre, so that the smallest window around the filled pixels is the beginning of
the table. Pixels beyond the largest window seen are not even tabulated.
"""

import math
import threading
import weakref
from collections.abc import Iterator
from functools import reduce
from itertools import pairwise
from operator import iadd

import numpy as np
import scipy.sparse as sp

from sklearn_nrcdt._kernels.footprints import FootprintTable

# Images projected at a time: more if they are small, fewer if they are large, by the number of
# elements of their copies or projections.
CHUNK_IMAGES = 16
LEAST_ELEMENTS = 2**18
MOST_ELEMENTS = 2**23
# Pixels searched at a time for filled ones.
WINDOW_PIXELS = 2**19
# Below this share of non-zero pixels in its window, for each byte of a number, an image is
# projected pixel by pixel: about where both methods take the same time. Decided for each
# image on its own, so that a result never depends on other images.
SPARSE_DENSITY = 0.008
# Bytes of tables that are kept for reuse although no estimator uses them.
RECENT_BYTES = 2**27
# Images are rescaled if the exponent of their largest value is beyond this.
SAFE_EXPONENT = 60


def n_directions(n_angles: int) -> int:
    """Return the number of different lines among equispaced angles.

    Opposite angles see the same projection, mirrored; for an even number of angles all
    of them come in such pairs.
    """
    return n_angles if n_angles % 2 else n_angles // 2


class Projector:
    """The mass that each image leaves in each bin of each direction.

    Built for one image shape; see `projector`, which shares equal ones.
    """

    def __init__(self, image_shape, n_directions, n_radii, dtype):
        self.image_shape = image_shape
        self.n_directions = n_directions
        self.n_radii = n_radii
        self.dtype = np.dtype(dtype)
        square = image_shape[0] == image_shape[1]
        self._n_variants = 4 if square and n_directions % 2 == 0 else 2
        angles = np.pi * np.arange(n_directions // self._n_variants + 1) / n_directions
        self.table = FootprintTable(image_shape, angles, n_radii, self.dtype)
        self._variant, self._tabulated = _seen_from(n_directions, self._n_variants)

    def __reduce__(self):
        # A pickle carries the geometry, not the table.
        return _received, (self.image_shape, self.n_directions, self.n_radii, self.dtype.name)

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
        masses = np.zeros((images.shape[0], self.n_directions, self.n_radii - 1), self.dtype)
        for rows, part in self.project_parts(images):
            trimmed = (self.n_radii - 1 - part.shape[2]) // 2
            masses[rows, :, trimmed : trimmed + part.shape[2]] = part
        return masses

    def project_parts(self, images) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Project images in chunks, in the cheapest order.

        Yields the indices of images that are not blank, and their masses as in `project`,
        trimmed equally at both ends to the bins that their window reaches.
        """
        n_filled, shells = self._windows(images)
        # The table holds one half of the pixels.
        few = SPARSE_DENSITY * self.dtype.itemsize * 2 * self.table.shell_stops[shells]
        dense, sparse = n_filled > few, (n_filled > 0) & (n_filled <= few)
        for project, chosen in (self._project_sparse, sparse), (self._project_dense, dense):
            # Images of similar windows together.
            rows = np.flatnonzero(chosen)
            rows = rows[np.argsort(-shells[rows], kind="stable")]
            while len(rows):
                shell = shells[rows[0]]
                n = self._n_together(shell)
                chunk, rows = np.sort(rows[:n]), rows[n:]
                yield chunk, project(images, chunk, shell)

    def _windows(self, images):
        """Return the number of filled pixels of each image, and their outermost shell."""
        h, w = self.image_shape
        if sp.issparse(images):
            shell = self.table.shell_of(*np.divmod(images.indices, w))
            outermost = [shell[a:b].max(initial=0) for a, b in pairwise(images.indptr)]
            return np.diff(images.indptr), np.array(outermost, dtype=int)
        n_filled, shells = np.empty(len(images), dtype=int), np.empty(len(images), dtype=int)
        # A filled row or column reaches at least as far as it is away from the centre.
        of_row = self.table.shell_of(np.arange(h), w // 2)
        of_column = self.table.shell_of(h // 2, np.arange(w))
        size = max(1, WINDOW_PIXELS // (h * w))
        for start in range(0, len(images), size):
            part = slice(start, start + size)
            filled = images[part].reshape(-1, h, w) != 0
            n_filled[part] = [np.count_nonzero(image) for image in filled]
            rows, columns = filled.any(axis=2) * of_row, filled.any(axis=1) * of_column
            shells[part] = np.maximum(rows.max(axis=1), columns.max(axis=1))
        return n_filled, shells

    def _n_together(self, shell):
        """How many images to project at a time."""
        n_pixels = min(self.table.block_pixels, self.table.shell_stops[shell])
        n_bins = len(self.table.angles) * self.n_radii
        n_numbers = max(math.prod(self.image_shape), 2 * self._n_variants * max(n_pixels, n_bins))
        # A table that is not kept is rebuilt each time, which is worth more memory.
        most = MOST_ELEMENTS if self.table.kept is not None else 2 * MOST_ELEMENTS
        return max(1, min(max(CHUNK_IMAGES, LEAST_ELEMENTS // n_numbers), most // n_numbers))

    def _project_dense(self, images, rows, shell):
        """Project some images together, all of which lie within a shell."""
        h, w = self.image_shape
        n = len(rows)
        if sp.issparse(images):
            images, rows = images[rows].toarray(), slice(None)
        top, left = self.table.margins(shell)
        window = (slice(top, h - top), slice(left, w - left))
        greys = _near_one(images.reshape(-1, h, w)[:, *window][rows])
        # Pixels first, images last: summands are contiguous.
        base = np.empty((h, w, n), self.dtype)
        base[window] = greys.transpose(1, 2, 0)
        base = base.reshape(h * w, n)
        blocks = self.table.blocks(self.table.shell_stops[shell])
        totals = reduce(iadd, (self._project_block(base, *block) for block in blocks))
        n_angles = len(self.table.angles)
        totals = totals.reshape(n_angles, -1, 2, self._n_variants, n)[:, self._reached(shell)]
        # Bins first in memory, as `cdt` adds them up.
        whole = np.empty((totals.shape[1], n_angles, self._n_variants, n), self.dtype)
        np.add(totals[:, :, 0], totals[:, ::-1, 1], out=whole.swapaxes(0, 1))
        order = self._tabulated * self._n_variants + self._variant
        return whole.reshape(len(whole), -1, n).take(order, axis=1).T

    def _project_block(self, base, start, stop, block):
        """Project some pixels of the table, for all half turns, variants and images."""
        pixels = base.take(self._sources(start, stop), axis=0)
        if len(base) % 2 and start <= self.table.positions[-1] < stop:
            pixels[self.table.positions[-1] - start, 1] = 0  # it is its own half turn
        return _first_rows(block, stop - start).T @ pixels.reshape(stop - start, -1)

    def _sources(self, start, stop):
        """Where pixels of the table come from, for each half turn and variant."""
        h, w = self.image_shape
        r, c = np.divmod(self.table.pixels[start:stop], w)
        top, left = h - 1 - r, w - 1 - c
        variants = [r * w + c, r * w + left, left * w + top, left * w + r]
        index = np.empty((len(r), 2, self._n_variants), np.intp)
        for v in range(self._n_variants):
            index[:, 0, v] = variants[v]
        np.subtract(h * w - 1, index[:, 0], out=index[:, 1])
        return index

    def _project_sparse(self, images, rows, shell):
        """Project some images pixel by pixel, all of which lie within a shell."""
        n_places, n_out = 2 * self._n_variants, len(self.table.angles) * (self.n_radii - 1)
        totals = np.zeros((len(rows), n_places * n_out), self.dtype)
        targets = [self._targets(*_filled_pixels(images, row)) for row in rows]
        for total, place, grey, footprints in self._footprints(totals, targets, shell):
            # Each half turn of each variant has its own place among the bins.
            offset = np.repeat((place * n_out).astype(np.int32), np.diff(footprints.indptr))
            parts = (footprints.data, footprints.indices + offset, footprints.indptr)
            total += sp.csr_array(parts, shape=(len(grey), len(total))).T @ grey
        totals = totals.reshape(len(rows), n_places, len(self.table.angles), self.n_radii - 1)
        totals = totals[..., self._reached(shell)]
        whole = totals[:, : self._n_variants] + totals[:, self._n_variants :, :, ::-1]
        return whole[:, self._variant, self._tabulated]

    def _footprints(self, totals, targets, shell):
        """Yield parts of each image's pixels with their footprints, and where they add up."""
        if self.table.kept is None:
            # Rebuilding the table would take longer than these few pixels.
            for total, (place, pixel, grey) in zip(totals, targets, strict=True):
                for start in range(0, len(pixel), self.table.block_pixels):
                    some = slice(start, start + self.table.block_pixels)
                    yield total, place[some], grey[some], self.table.of_pixels(pixel[some])
            return
        positions = [self.table.positions[pixel] for _, pixel, _ in targets]
        for start, stop, block in self.table.blocks(self.table.shell_stops[shell]):
            for total, position, (place, _, grey) in zip(totals, positions, targets, strict=True):
                some = (position >= start) & (position < stop)
                yield total, place[some], grey[some], block[position[some] - start]

    def _targets(self, index, grey):
        """Return half turn and variant, pixel in the table, and value of filled pixels."""
        h, w = self.image_shape
        r, c = np.divmod(index.astype(np.intp), w)
        top, left = h - 1 - r, w - 1 - c
        variants = [r * w + c, r * w + left, left * w + top, c * w + top]
        index = np.stack(variants[: self._n_variants])
        turned = index >= self.table.shell_stops[-1]
        place = turned * self._n_variants + np.arange(self._n_variants)[:, None]
        pixel = np.where(turned, h * w - 1 - index, index)
        grey = np.tile(_near_one(grey[None])[0].astype(self.dtype), self._n_variants)
        return place.ravel(), pixel.ravel(), grey

    def _reached(self, shell):
        """Return the bins that images within a shell may reach."""
        trimmed = self.table.n_trimmed(shell)
        return slice(trimmed, self.n_radii - 1 - trimmed)


_shared: weakref.WeakValueDictionary[tuple, Projector] = weakref.WeakValueDictionary()
_recent: list[Projector] = []
_lock = threading.Lock()


def projector(image_shape, n_directions, n_radii, dtype) -> Projector:
    """Return the projector of a geometry, shared by all callers.

    It lives as long as it is used. The most recent ones live longer, up to `RECENT_BYTES` in all:
    a grid search fits the same geometry again and again, and finds its table ready.
    """
    key = (tuple(image_shape), n_directions, n_radii, np.dtype(dtype).name)
    with _lock:
        shared = _shared.get(key)
        if shared is None:
            # The allocator of Linux gives memory back to the system, and fetches it page by
            # page, again and again, unless it has seen an array of this size come and go.
            np.empty(31 * 2**20, np.uint8)
            shared = _shared[key] = Projector(*key)
        _recent[:] = [other for other in _recent if other is not shared]
        if shared.table.most_bytes <= RECENT_BYTES:
            _recent.append(shared)
        while sum(other.table.most_bytes for other in _recent) > RECENT_BYTES:
            del _recent[0]
    return shared


def _received(*geometry):
    """Return the projector that was sent to a worker, and keep it for the next batch."""
    global _last_received
    _last_received = projector(*geometry)
    return _last_received


_last_received: Projector | None = None


def _seen_from(n_directions, n_variants):
    """Return the variant, and the tabulated angle, in which each direction is found.

    Variant 1 is seen from pi - angle, 2 from pi/2 - angle, 3 from pi/2 + angle.
    """
    m = np.arange(n_directions)
    if n_variants == 2:
        variant = (2 * m > n_directions).astype(int)
        return variant, np.where(variant, n_directions - m, m)
    quadrant, rest = np.divmod(m, n_directions // 2)
    beyond = 4 * rest > n_directions
    variant = np.array([[0, 2], [3, 1]])[quadrant, beyond.astype(int)]
    return variant, np.where(beyond, n_directions // 2 - rest, rest)


def _filled_pixels(images, i):
    """Return places and values of the pixels of image `i` that are not zero."""
    if sp.issparse(images):
        here = slice(*images.indptr[i : i + 2])
        return images.indices[here], images.data[here]
    image = images[i].ravel()
    index = np.flatnonzero(image != 0)
    return index, image[index]


def _near_one(greys):
    """Scale images by powers of two where sums of their values might over- or underflow."""
    axes = tuple(range(1, greys.ndim))
    _, exponent = np.frexp(greys.max(axis=axes, keepdims=True))
    beyond = np.abs(exponent) > SAFE_EXPONENT
    return np.ldexp(greys, -np.where(beyond, exponent, 0)) if beyond.any() else greys


def _first_rows(matrix, n):
    """Return the first rows of a matrix without a copy."""
    stop = matrix.indptr[n]
    parts = (matrix.data[:stop], matrix.indices[:stop], matrix.indptr[: n + 1])
    return sp.csr_array(parts, shape=(n, matrix.shape[1]))
