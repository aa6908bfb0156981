"""Templates as measures: moments, support, and the NR-CDT on a grid of directions.

A pixel is a square of constant density. All numbers are in the frame in which the covariance of
the template is the identity: there, every projection has unit deviation, so the NR-CDT is its
quantile function, and an affine map of the image is at most a rotation or reflection. Lengths
elsewhere are in units of the disc's radius.
"""

import copy
import math

import numpy as np
import scipy.fft

from sklearn_nrcdt import RadonCDT
from sklearn_nrcdt._kernels.footprints import pixel_side, trapezoid_cdf
from sklearn_nrcdt._kernels.frames import symmetric_roots
from sklearn_nrcdt._support.images import filled_pixels, validate_images
from sklearn_nrcdt._support.samples import first_few

# Bins of a projection for each direction of the circle, at least.
BINS_PER_ANGLE = 4
# With n terms, rounding changes each of our sums by at most this (n + 200) of the sum of absolute
# terms: n units for a sum, and four times the 7 log2(n) units that Higham (Accuracy and Stability,
# Theorem 24.2) proves for the L2 error of a Fourier transform of radix 2.
ROUNDING = 64 * 2.0**-53


class Template:
    """One image as a measure, of the mass in pixels of a side with centers at points, (n, 2).

    The points are in the unit disc. `rounding` bounds the relative error of all deviations.

    `smallest_std` and `largest_std` are those of all projections, `whitening` is the inverse root
    of the covariance, `white` the centers in the frame of the template, and `reach` the distance of
    the farthest corner from its origin, the largest value of the NR-CDT.

    `functions`, (n_lines, n_cells), are means of the NR-CDT over cells of [0, 1], within `error`,
    for directions spread over half of the circle of this frame, with a `half_gap` to either side.
    The opposite direction has minus the function in reverse order. `slopes`, (n_lines, 2), are what
    a pixel is multiplied by to get its value there: direction / deviation.
    """

    def __init__(self, points, mass, side, n_angles, n_cells):
        self.mass, offset = mass, points - mass @ points
        # The pixels are squares, not points.
        scatter = (offset * mass[:, None]).T @ offset + side**2 / 12 * np.eye(2)
        half = np.hypot((scatter[0, 0] - scatter[1, 1]) / 2, scatter[0, 1])
        # No image is thinner than a pixel, whatever the rounding did.
        self.smallest_std = np.sqrt(max(np.trace(scatter) / 2 - half, side**2 / 12))
        self.largest_std = np.sqrt(np.trace(scatter) / 2 + half)
        self.whitening = np.linalg.inv(symmetric_roots(scatter[None])[0])
        self.white = offset @ self.whitening
        corner = side / 2 * self.whitening @ [[1, 1], [1, -1]]
        corners = self.white[:, None] + np.concatenate([corner.T, -corner.T])
        n_bins = 2 ** max(6, math.ceil(math.log2(BINS_PER_ANGLE * n_angles)))
        terms = ROUNDING * (len(mass) + n_bins + 200)
        # Sums over large squares become small deviations by subtraction.
        thin = (self.largest_std / self.smallest_std) ** 2 + 1 / self.smallest_std
        self.rounding = terms * thin
        self.reach = np.sqrt(np.square(corners).sum(axis=2).max()) * (1 + self.rounding)

        n_lines = max(1, n_angles // 2)
        self.half_gap = np.pi / n_lines / 2
        self.slopes = self.directions(2 * self.half_gap * np.arange(n_lines)) @ self.whitening
        # Two bins to spare at either end: no mass goes round the circle of the transform.
        bound = self.reach / (1 - 4 / n_bins)
        step = 2 * bound / n_bins
        self.functions = np.empty((n_lines, n_cells))
        for k, slope in enumerate(self.slopes):
            bins = ((offset @ slope + bound) / step).astype(np.intp)
            histogram = np.bincount(bins, mass, n_bins)
            masses = _smeared(histogram, *sorted(np.abs(slope) * side / step))
            means = _cell_means(masses, n_cells) * step - bound
            self.functions[k] = np.clip(means, -self.reach, self.reach)
        # A center moves by half a bin, and a quantile lies in the right bin. Rounding shifts the
        # levels at both ends of a cell, between which the function rises by two bounds at most,
        # and changes the frame.
        self.error = 1.5 * step + 4 * bound * (n_cells * terms + self.rounding)

    def thinned(self):
        """The same template in fewer directions, which are enough for estimates."""
        n_lines = len(self.slopes)
        stride = next(k for k in range(max(1, n_lines // 64), 0, -1) if n_lines % k == 0)
        thin = copy.copy(self)
        thin.functions, thin.slopes = self.functions[::stride], self.slopes[::stride]
        thin.half_gap = stride * self.half_gap
        return thin

    @staticmethod
    def directions(angles):
        """Unit vectors, (n_angles, 2)."""
        return np.stack([np.cos(angles), np.sin(angles)], axis=-1)

    def image_angles(self, angles):
        """Angles in the image of directions of this frame; not reduced to a full turn."""
        x, y = (self.directions(angles) @ self.whitening).T
        return np.unwrap(np.arctan2(y, x))


def load_templates(images, image_shape, n_angles, n_cells):
    """Return the side of a pixel and a `Template` for each image."""
    carrier = RadonCDT(image_shape=image_shape)
    images = validate_images(carrier, images, reset=True, one_shape=True)
    (height, width), side = carrier.image_shape_, pixel_side(carrier.image_shape_)
    filled = list(filled_pixels(images, carrier.image_shape_))
    blank = [k for k, (_, _, greys) in enumerate(filled) if not len(greys)]
    if blank:
        raise ValueError(
            f"{len(blank)} of the images have no mass (all pixels are zero): samples "
            f"{first_few(blank)}. Remove them: there is no guarantee for blank images."
        )
    templates = []
    for rows, columns, greys in filled:
        x, y = (columns - (width - 1) / 2) * side, ((height - 1) / 2 - rows) * side
        greys = greys.astype(np.float64)  # holds the inverse of the least float32
        with np.errstate(over="ignore"):  # NumPy 1 divides 1 by subnormal numbers in unused lanes
            mass = greys / greys.max()
        points = np.column_stack([x, y])
        templates.append(Template(points, mass / mass.sum(), side, n_angles, n_cells))
    return side, templates


def _smeared(histogram, short, long):
    """Masses of bins when points in the middle of a bin spread over trapezoids of these widths."""
    reach = int(np.ceil((short + long + 1) / 2))
    kernel = np.zeros(len(histogram))
    edges = np.arange(-reach, reach + 2) - 0.5
    kernel[np.arange(-reach, reach + 1)] = np.diff(trapezoid_cdf(edges, long, short))
    product = scipy.fft.rfft(histogram) * scipy.fft.rfft(kernel)
    return np.maximum(scipy.fft.irfft(product, len(histogram)), 0)


def _cell_means(masses, n_cells):
    """Means of the quantile function over equal cells, in bins from the lower end."""
    masses = masses / masses.sum()
    edges = np.arange(len(masses))
    cdf = np.concatenate([[0], np.cumsum(masses)])
    moment = np.concatenate([[0], np.cumsum(masses * (edges + 0.5))])
    levels = np.arange(1, n_cells) / n_cells
    bins = np.minimum(np.searchsorted(cdf, levels, side="right") - 1, len(masses) - 1)
    above = levels - cdf[bins]
    share = above / np.where(masses[bins] > 0, masses[bins], 1)
    # Integrals of the quantile function from 0 to the levels.
    integrals = moment[bins] + above * (edges[bins] + share / 2)
    return np.diff(np.concatenate([[0], integrals, moment[-1:]])) * n_cells
