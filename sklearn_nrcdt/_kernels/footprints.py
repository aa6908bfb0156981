"""Footprints of pixels in the bins of projections: one table for all images.

Projected on the direction ``(cos, sin)``, a pixel square becomes a trapezoid: the sum of
two independent uniform variables of widths ``side * |cos|`` and ``side * |sin|``. The
mass in a bin is a difference of the trapezoid's distribution function, hence exact.
"""

import math
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from sklearn_nrcdt._kernels.caches import built_once

# Pixels and entries (value and index) per block of the table, and how many entries are kept
# in all: the blocks of a larger table are built when they are needed and dropped again.
BLOCK_PIXELS = 2**16
BLOCK_ENTRIES = 2**21
KEPT_ENTRIES = 2**25
# Number of square shells around the center.
N_SHELLS = 16


def pixel_side(image_shape: tuple[int, int]) -> float:
    """Return the side of a pixel in units of the disc's radius."""
    return math.sqrt(2) / max(image_shape)


def trapezoid_cdf(z: np.ndarray, long: float, short: float) -> np.ndarray:
    """Distribution function of U(-long/2, long/2) + U(-short/2, short/2).

    Requires ``long >= short >= 0``. Rounding errors are below 1e-15.
    """
    distance = np.abs(z)
    # What lies beyond: the part below the slope of the density, and that below its plateau.
    slope = np.clip((long + short) / 2 - distance, 0, short)
    plateau = np.maximum((long - short) / 2 - distance, 0)
    beyond = slope * slope / (2 * long * max(short, 1e-300)) + plateau / long
    return np.where(z < 0, beyond, 1 - beyond)


def _widths(angle, side, n_radii):
    """Return the widths of the two uniform variables in bins, the smaller one first."""
    step = 2 / (n_radii - 1)
    return sorted((abs(math.cos(angle)) * side / step, abs(math.sin(angle)) * side / step))


def n_touched(angle, side, n_radii):
    """Return how many bins a pixel may touch at an angle."""
    return math.ceil(sum(_widths(angle, side, n_radii)) - 1e-9) + 1


def footprints(x, y, angle, side, n_radii):
    """Return bins and masses, both (n_touched, n_pixels), of pixels at one angle."""
    step = 2 / (n_radii - 1)
    short, long = _widths(angle, side, n_radii)
    center = ((x * math.cos(angle) + y * math.sin(angle)) + 1) / step
    first = np.floor(center - (short + long) / 2 + 1e-9)
    n = n_touched(angle, side, n_radii)
    cdf = np.empty((n + 1, center.size))
    cdf[0], cdf[-1] = 0, 1
    cdf[1:-1] = trapezoid_cdf((first - center) + np.arange(1, n)[:, None], long, short)
    bins = first.astype(np.int32) + np.arange(n, dtype=np.int32)[:, None]
    return np.clip(bins, 0, n_radii - 2), np.diff(cdf, axis=0)


class FootprintTable:
    """Footprints of one half of the pixels of an image, at some angles.

    The pixels are ordered by square shells around the center, so that those in a window around
    the center come first; `shell_stops` has the number of pixels up to the end of each shell,
    `most_bytes` the approximate memory of the complete table. It is built as far as it is needed.
    """

    def __init__(self, image_shape, angles, n_radii, dtype):
        self.image_shape = image_shape
        self.angles = angles
        self.n_radii = n_radii
        self.dtype = dtype
        h, w = image_shape
        margins = map(self.margins, range(N_SHELLS))
        inside = [(h - 2 * top) * (w - 2 * left) for top, left in margins]
        self.shell_stops = (np.array(inside) + 1) // 2
        # A bound, from the mean width of the footprints.
        bins = pixel_side(image_shape) * (n_radii - 1) / 2
        n_entries = sum((math.cos(angle) + math.sin(angle)) * bins + 1 for angle in angles)
        self.block_pixels = max(1, min(BLOCK_PIXELS, int(BLOCK_ENTRIES / n_entries)))
        n_pixels = int(self.shell_stops[-1])
        kept = n_entries * n_pixels <= KEPT_ENTRIES
        size = n_entries * (4 + np.dtype(dtype).itemsize) if kept else 0
        self.most_bytes = int((size + 2 * 4) * n_pixels)
        self.kept: dict[int, sp.csr_array] | None = {} if kept else None

    # Built on demand: an image with few filled pixels needs neither.
    @built_once
    def pixels(self):
        """Indices of the pixels, counted row by row, in the order of the table."""
        h, w = self.image_shape
        shell = np.empty((h * w + 1) // 2, np.int8)
        for start in range(0, len(shell), BLOCK_PIXELS):
            index = np.arange(start, min(start + BLOCK_PIXELS, len(shell)))
            shell[index] = self.shell_of(*np.divmod(index, w))
        dtype = np.int32 if h * w < 2**31 else np.int64
        return np.argsort(shell, kind="stable").astype(dtype)

    @built_once
    def positions(self):
        """Where each pixel of the first half of the image stands in the table."""
        positions = np.empty_like(self.pixels)
        positions[self.pixels] = np.arange(len(self.pixels))
        return positions

    def shell_of(self, r, c):
        """Return the shells of pixels, given by row and column."""
        h, w = self.image_shape
        ring = np.maximum(np.abs(2 * r - (h - 1)), np.abs(2 * c - (w - 1)))
        return ring * N_SHELLS // max(h, w)

    def margins(self, shell) -> tuple[int, int]:
        """Return how many rows and columns at either end lie beyond a shell."""
        h, w = self.image_shape
        ring = -(-(shell + 1) * max(h, w) // N_SHELLS) - 1
        return max(0, (h - ring) // 2), max(0, (w - ring) // 2)

    def n_trimmed(self, shell) -> int:
        """Return how many bins at either end nothing up to a shell reaches."""
        (h, w), (top, left) = self.image_shape, self.margins(shell)
        reach = math.hypot(h - 2 * top, w - 2 * left) / 2 * pixel_side(self.image_shape)
        # One bin to spare, into which rounding may put a trace of a pixel at the very edge.
        return max(0, math.floor((1 - reach) * (self.n_radii - 1) / 2 - 1e-9) - 1)

    def blocks(self, n_pixels) -> Iterator[tuple[int, int, sp.csr_array]]:
        """Yield the table of the first pixels in parts: pixels from, to, their footprints.

        Footprints are of shape (n_block_pixels, n_angles * n_bins) and may hold more pixels
        than asked for.
        """
        for start in range(0, n_pixels, self.block_pixels):
            stop = min(start + self.block_pixels, n_pixels)
            yield start, stop, self._block(start, stop)

    def _block(self, start, stop):
        if self.kept is None:
            return self.of_pixels(self.pixels[start:stop])
        # Two threads may build the same block; the last one is kept.
        block = self.kept.get(start)
        n_known = 0 if block is None else block.shape[0]
        if n_known < stop - start:
            more = self.of_pixels(self.pixels[start + n_known : stop])
            block = more if block is None else sp.vstack([block, more], format="csr")
            self.kept[start] = block
        return block

    def of_pixels(self, pixels) -> sp.csr_array:
        """Return the footprints of pixels, of shape (n_pixels, n_angles * n_bins)."""
        h, w = self.image_shape
        side, n_bins = pixel_side(self.image_shape), self.n_radii - 1
        widths = [n_touched(angle, side, self.n_radii) for angle in self.angles]
        bins = np.empty((len(pixels), sum(widths)), np.int32)
        masses = np.empty(bins.shape, self.dtype)
        r, c = np.divmod(pixels, w)
        x, y = (c - (w - 1) / 2) * side, ((h - 1) / 2 - r) * side
        end = 0
        for k, (angle, width) in enumerate(zip(self.angles, widths, strict=True)):
            begin, end = end, end + width
            touched, mass = footprints(x, y, angle, side, self.n_radii)
            bins[:, begin:end] = (touched + k * n_bins).T
            masses[:, begin:end] = mass.T
        masses[masses <= np.finfo(self.dtype).eps] = 0
        indptr = np.arange(0, masses.size + 1, masses.shape[1], dtype=np.int32)
        shape = (len(bins), len(self.angles) * n_bins)
        table = sp.csr_array((masses.ravel(), bins.ravel(), indptr), shape=shape)
        table.eliminate_zeros()
        return table
