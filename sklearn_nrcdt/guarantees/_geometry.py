"""What the theorems ask of an image as a measure, in closed form.

A pixel is a square of constant density, so every number here is exact: no direction, bin or
quantile level is chosen. Lengths are in units of the disc's radius, as everywhere.
"""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.spatial import ConvexHull
from scipy.spatial.distance import pdist
from sklearn.utils import gen_batches

from sklearn_nrcdt import RadonCDT
from sklearn_nrcdt._kernels.footprints import pixel_side
from sklearn_nrcdt._support.images import validate_images
from sklearn_nrcdt._support.samples import named

# Elements per batch.
BATCH_ELEMENTS = 2**22


@dataclass
class Geometry:
    """Moments and support of n images, from `geometry`.

    Parameters
    ----------
    mean : ndarray of shape (n, 2)
    covariance : ndarray of shape (n, 2, 2)
        With the ``side^2 / 12`` of the pixel squares.
    smallest_std, largest_std : ndarray of shape (n,)
        Of a projection, over all directions. The smallest is ``c_0``, ``c_mu`` of the paper
        (Lemma 4.1, Proposition 4.7, Theorem 4.9, Theorem 4.15). The variance in direction
        ``d`` is ``d' S d`` with the covariance ``S``, so these are the roots of the eigenvalues
        of ``S``.
    diameter : ndarray of shape (n,)
        Largest distance of two points of the support, ``diam(mu_0)`` of
        Proposition 4.7: of two corners of the convex hull of all pixels that are not
        zero. A faint stray pixel counts like a bright one.
    reach : ndarray of shape (n,)
        Largest absolute value of the NR-CDT over all levels and directions. With the mean
        ``m``, the largest value of ``<x - m, d> / sqrt(d' S d)`` over all directions ``d`` is
        the Mahalanobis distance ``sqrt((x - m)' S^-1 (x - m))`` of the point ``x``, and the
        farthest point of the support is a corner of its convex hull. It is at most
        ``diameter / smallest_std``, and no affine map changes it.
    hulls : list of n arrays
        Corners of the convex hull.
    pixel_side : float
    """

    mean: np.ndarray
    covariance: np.ndarray
    smallest_std: np.ndarray
    largest_std: np.ndarray
    diameter: np.ndarray
    reach: np.ndarray
    hulls: list
    pixel_side: float

    def project(self, angles):
        """Mean and standard deviation of the projections, both (n, n_angles)."""
        cos, sin = np.cos(angles), np.sin(angles)
        xx, xy, yy = (self.covariance[:, i, j, None] for i, j in ((0, 0), (0, 1), (1, 1)))
        variance = xx * cos**2 + 2 * xy * cos * sin + yy * sin**2
        mean = self.mean @ np.stack([cos, sin])
        # Rounding must not take the variance below what is known exactly.
        return mean, np.sqrt(np.maximum(variance, self.smallest_std[:, None] ** 2))


def check_templates(images, image_shape=None):
    """Return validated images (as `validate_images` does) and their shape.

    Raises an error for blank images, which are no probability measures.
    """
    carrier = RadonCDT(image_shape=image_shape)
    images = validate_images(carrier, images, reset=True, one_shape=True)
    filled = np.diff(images.indptr) > 0 if sp.issparse(images) else images.any(axis=(1, 2))
    blank = np.flatnonzero(~filled)
    if len(blank):
        raise ValueError(
            f"{len(blank)} of the images have no mass (all pixels are zero): samples "
            f"{named(blank)}. Remove them: there is no guarantee for blank images."
        )
    return images, carrier.image_shape_


def float_batches(images, image_shape, per_image=1):
    """Yield slices and dense float64 images with maximum 1, a few at a time."""
    height, width = image_shape
    size = max(1, BATCH_ELEMENTS // max(height * width, per_image))
    for rows in gen_batches(images.shape[0], size):
        batch = images[rows]
        if sp.issparse(batch):
            batch = batch.toarray().reshape(-1, height, width)
        peak = batch.max(axis=(1, 2), keepdims=True).astype(np.float64)
        yield rows, batch / peak


def geometry(images, image_shape) -> Geometry:
    """Moments and support of images as `check_templates` returns them."""
    side = pixel_side(image_shape)
    moments, hulls = [], []
    for _, batch in float_batches(images, image_shape):
        moments.append(_moments(batch, side))
        hulls += [_hull(image) * side for image in batch > 0]
    mean, covariance = map(np.concatenate, zip(*moments, strict=True))
    smallest, largest = _extreme_stds(covariance, side)
    diameter = np.array([pdist(hull).max() for hull in hulls])
    reach = np.array([_reach(*args) for args in zip(hulls, mean, covariance, strict=True)])
    return Geometry(mean, covariance, smallest, largest, diameter, reach, hulls, side)


def _moments(images, side):
    """Mean and covariance: those of the pixel centres, plus that of one pixel square."""
    _, h, w = images.shape
    x, y = (np.arange(w) - (w - 1) / 2) * side, ((h - 1) / 2 - np.arange(h)) * side
    total = images.sum(axis=(1, 2))
    columns, rows = images.sum(axis=1) / total[:, None], images.sum(axis=2) / total[:, None]
    mean = np.column_stack([columns @ x, rows @ y])
    # About the mean, so that nothing cancels.
    dx, dy = x - mean[:, :1], y - mean[:, 1:]
    xx, yy = (columns * dx**2).sum(axis=1), (rows * dy**2).sum(axis=1)
    xy = np.einsum("nhw,nh,nw->n", images, dy, dx, optimize=True) / total
    covariance = np.stack([xx + side**2 / 12, xy, xy, yy + side**2 / 12], axis=1)
    return mean, covariance.reshape(-1, 2, 2)


def _extreme_stds(covariance, side):
    """Roots of the eigenvalues of symmetric 2 x 2 matrices."""
    xx, xy, yy = covariance[:, 0, 0], covariance[:, 0, 1], covariance[:, 1, 1]
    half = np.hypot((xx - yy) / 2, xy)
    smallest = (xx + yy) / 2 - half
    # No image is thinner than a pixel, whatever the rounding did.
    return np.sqrt(np.maximum(smallest, side**2 / 12)), np.sqrt((xx + yy) / 2 + half)


def _hull(support):
    """Corners of the convex hull of the pixel squares, in pixels, y up, origin centred."""
    h, w = support.shape
    r = np.flatnonzero(support.any(axis=1))
    left = support[r].argmax(axis=1)
    right = w - support[r, ::-1].argmax(axis=1)
    # Only the ends of a row of pixels can be corners of the hull.
    x = np.concatenate([left, left, right, right]) - w / 2
    y = h / 2 - np.concatenate([r, r + 1, r, r + 1])
    points = np.column_stack([x, y])
    return points[ConvexHull(points).vertices]


def _reach(hull, mean, covariance):
    # det is at least (side^2 / 12)^2 > 0: pixels are squares.
    offset = hull - mean
    return np.sqrt((offset * np.linalg.solve(covariance, offset.T).T).sum(axis=1).max())
