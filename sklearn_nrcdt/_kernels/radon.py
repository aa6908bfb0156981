"""Projection: images -> mass in every bin of every direction.

Grey values are constant densities on pixel squares. Column ``c`` and row ``r`` of an ``(h, w)``
image sit at ``x = (c - (w - 1) / 2) * side`` and ``y = ((h - 1) / 2 - r) * side`` with
``side = sqrt(2) / max(h, w)``, so the whole image lies in the unit disc, x to the right and y up.
The footprint of a pixel in the bins is tabulated once as a sparse operator, see `footprints`.

Two symmetries keep the table small. A half turn of the image mirrors every projection, so only
one half of the pixels is tabulated. Flips and, for square images, transposition permute the
directions, so only those of one quarter or one eighth of the full circle are tabulated, and the
table is applied to flipped and transposed copies ("variants") of the images.

The pixels of the table are ordered by shells around the center, so that the smallest window
around the filled pixels is its beginning. Pixels beyond the largest window seen are not tabulated.
"""

import math
from collections.abc import Iterator
from functools import reduce
from operator import iadd

import numpy as np
import scipy.sparse as sp

from sklearn_nrcdt._kernels.caches import bounded_cache
from sklearn_nrcdt._kernels.footprints import FootprintTable

# Images projected at a time; fewer if their copies or projections have more than MOST_ELEMENTS,
# more up to LEAST_ELEMENTS.
CHUNK_IMAGES = 16
LEAST_ELEMENTS = 2**18
MOST_ELEMENTS = 2**23
# Pixels searched at a time for filled ones.
WINDOW_PIXELS = 2**19
# Below this share of non-zero pixels in its window, for each byte of a number, an image is
# projected pixel by pixel. A result never depends on other images.
SPARSE_DENSITY = 0.008
# Images are rescaled if the exponent of their largest value is beyond this.
SAFE_EXPONENT = 60


def n_directions(n_angles: int) -> int:
    """Return the number of different lines among equispaced angles, as seen from one side."""
    return n_angles if n_angles % 2 else n_angles // 2


class Projector:
    """The mass that images of one shape leave in each bin of each direction; see `projector`."""

    def __init__(self, image_shape, n_directions, n_radii, dtype):
        self.image_shape = image_shape
        self.n_directions = n_directions
        self.n_radii = n_radii
        self.dtype = np.dtype(dtype)
        square = image_shape[0] == image_shape[1]
        self._n_variants = 4 if square and n_directions % 2 == 0 else 2
        angles = np.pi * np.arange(n_directions // self._n_variants + 1) / n_directions
        self.table = FootprintTable(image_shape, angles, n_radii, self.dtype)
        self.nbytes = self.table.most_bytes
        self._variant, self._tabulated = _seen_from(n_directions, self._n_variants)

    def project(self, images) -> np.ndarray:
        """Return the mass of images, (n, h, w), in bins, (n, n_directions, n_radii - 1).

        In units that are the same for all directions of an image; m is ``pi * m / n_directions``.
        """
        masses = np.zeros((len(images), self.n_directions, self.n_radii - 1), self.dtype)
        for rows, part in self.project_parts(images):
            trimmed = (self.n_radii - 1 - part.shape[2]) // 2
            masses[rows, :, trimmed : trimmed + part.shape[2]] = part
        return masses

    def project_parts(self, images) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Project images in chunks, in the cheapest order.

        Yields indices of images that are not blank, and their masses as in `project`, trimmed
        equally at both ends to the bins that they reach.
        """
        n_filled, shells = self._outermost_shells(images)
        # The table holds one half of the pixels.
        few = SPARSE_DENSITY * self.dtype.itemsize * 2 * self.table.shell_stops[shells]
        dense, sparse = n_filled > few, (n_filled > 0) & (n_filled <= few)
        for chosen in sparse, dense:
            # Images of similar windows together.
            rows = np.flatnonzero(chosen)
            rows = rows[np.argsort(-shells[rows], kind="stable")]
            while len(rows):
                shell = shells[rows[0]]
                n = self._n_together(shell)
                chunk, rows = np.sort(rows[:n]), rows[n:]
                if chosen is dense:
                    yield chunk, self._project_dense(images, chunk, shell)
                else:
                    yield chunk, self._project_pixels([_filled(images[i]) for i in chunk], shell)

    def project_pixels(self, index, grey) -> np.ndarray:
        """Project one image, given by places (row * w + column) and values of its pixels.

        Returns masses, trimmed as in `project_parts`.
        """
        shell = self.table.shell_of(*np.divmod(index, self.image_shape[1])).max()
        return self._project_pixels([(index, grey)], shell)

    def _outermost_shells(self, images):
        """Return the number of filled pixels of each image, and their outermost shell."""
        h, w = self.image_shape
        n_filled, shells = np.empty(len(images), dtype=int), np.empty(len(images), dtype=int)
        # A filled row or column reaches at least as far as it is away from the center.
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
        return _first_rows(block, stop - start) @ pixels.reshape(stop - start, -1)

    def _sources(self, start, stop):
        """Where pixels of the table come from, for each half turn and variant."""
        h, w = self.image_shape
        r, c = np.divmod(self.table.pixels[start:stop].astype(np.intp), w)
        top, left = h - 1 - r, w - 1 - c
        variants = [r * w + c, r * w + left, left * w + top, left * w + r]
        index = np.stack(variants[: self._n_variants], axis=1)
        return np.stack([index, h * w - 1 - index], axis=1)

    def _project_pixels(self, images, shell):
        """Project images given by places and values of pixels, all of which lie within a shell."""
        n_places, n_out = 2 * self._n_variants, len(self.table.angles) * (self.n_radii - 1)
        totals = np.zeros((len(images), n_places * n_out), self.dtype)
        targets = [self._targets(index, grey) for index, grey in images]
        for total, place, grey, footprints in self._footprints(totals, targets, shell):
            # Each half turn of each variant has its own place among the bins.
            offset = np.repeat((place * n_out).astype(np.int32), np.diff(footprints.indptr))
            parts = (footprints.data, footprints.indices + offset, footprints.indptr)
            total += sp.csr_array(parts, shape=(len(grey), len(total))).T @ grey
        totals = totals.reshape(len(images), n_places, len(self.table.angles), self.n_radii - 1)
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


@bounded_cache
def projector(image_shape, n_directions, n_radii, dtype) -> Projector:
    """Return the projector of a geometry; the dtype is a name.

    Tables are kept here and not in estimators, so that a grid search finds its table ready.
    """
    return Projector(image_shape, n_directions, n_radii, dtype)


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


def _filled(image):
    image = image.ravel()
    index = np.flatnonzero(image != 0)
    return index, image[index]


def _near_one(greys):
    """Scale images by powers of two where sums of their values might over- or underflow."""
    axes = tuple(range(1, greys.ndim))
    _, exponent = np.frexp(greys.max(axis=axes, keepdims=True))
    beyond = np.abs(exponent) > SAFE_EXPONENT
    return np.ldexp(greys, -np.where(beyond, exponent, 0)) if beyond.any() else greys


def _first_rows(matrix, n):
    """Return the first rows of a CSR array, transposed, without a copy."""
    stop = matrix.indptr[n]
    parts = (matrix.data[:stop], matrix.indices[:stop], matrix.indptr[: n + 1])
    return sp.csc_array(parts, shape=(matrix.shape[1], n))
