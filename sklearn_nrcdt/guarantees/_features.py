"""Features as the theorems define them, their distances, and their numerical error.

The estimators normalise with mean and deviation over the quantile levels, as the authors'
programs do. The theorems integrate instead. Both integrals are known in closed form here, so
that only the quantile functions and what is taken over the angles are discretised.

As in the estimators, a quantile function is replaced by its means over cells. That brings no
two functions farther apart, neither in the maximum norm nor in L2, so every bound of the
theorems holds for the means, too, and their distances are at most those of the functions.
"""

import numpy as np
from scipy.spatial.distance import cdist

from sklearn_nrcdt import RadonCDT
from sklearn_nrcdt.guarantees._geometry import check_templates, float_batches, geometry


class DiscreteFeatures:
    """Features of images in the sense of the theorems, with a bound of their error.

    The paper's features (Sections 4.1 and 4.2), normalised by the exact mean
    and standard deviation of each projection. `MaxNRCDT` and `MeanNRCDT` take these over the
    cells, which leaves out the tails.

    Parameters
    ----------
    images : array-like of shape (n, height, width) or (n, height * width)
    feature : {"max", "mean", "weighted_mean"}
        What is taken over the angles. "weighted_mean" weights them by the inverse variance of
        the projection.
    n_angles, n_radii, n_quantiles, image_shape : as of `RadonCDT`

    Attributes
    ----------
    shapes : Geometry
        Of the images.
    values : ndarray of shape (n, n_quantiles)
        The features.
    error : ndarray of shape (n,)
        A worst case that is proved, not an estimate: of the maximum norm over the cells for
        "max", of L2 for the means. The true error is much smaller as a rule.
    """

    def __init__(
        self, images, feature, n_angles=128, n_radii="auto", n_quantiles=64, image_shape=None
    ):
        images, image_shape = check_templates(images, image_shape)
        self.feature, self.shapes = feature, geometry(images, image_shape)
        transformer = RadonCDT(n_angles, n_radii, n_quantiles).fit(np.zeros((1, *image_shape)))
        mean, std = self.shapes.project(transformer.angles_)
        weights = std**-2.0 if feature == "weighted_mean" else np.ones_like(std)
        weights /= weights.sum(axis=1, keepdims=True)
        self.values = np.empty((len(std), n_quantiles))
        for rows, batch in float_batches(images, image_shape, n_angles * n_quantiles):
            quantiles = np.asarray(transformer.transform(batch))
            quantiles = quantiles.reshape(-1, n_angles, n_quantiles)
            normal = (quantiles - mean[rows, :, None]) / std[rows, :, None]
            if feature == "max":
                self.values[rows] = normal.max(axis=1)
            else:
                self.values[rows] = np.einsum("ka,kaq->kq", weights[rows], normal)
        bin_width = transformer.radii_[1] - transformer.radii_[0]
        if feature == "max":
            # Every quantile lies in the right bin; a maximum is missed by at most half a gap.
            missed = self.shapes.reach * self._gaps(std).max(axis=1) / 2
            self.error = bin_width / std.min(axis=1) + missed
        else:
            self.error = bin_width * (weights / std).sum(axis=1) + self._angle_error(std, weights)

    def distances(self):
        """Distances of all pairs, (n, n), in the norm of the theorem.

        The maximum norm of Theorem 4.9, or the norm of ``L2_rho`` of Theorem 4.11 and
        Theorem 4.15.
        """
        if self.feature == "max":
            return cdist(self.values, self.values, "chebyshev")
        # Cells of [0, 1], where the reference measure is uniform; two of them are left out.
        return cdist(self.values, self.values) / np.sqrt(self.values.shape[1] + 2)

    def _gaps(self, std):
        """Angles between neighbouring directions after whitening, (n, n_angles).

        There, an angle of g changes the NR-CDT by at most g * reach in the maximum norm
        and by at most g in L2.
        """
        n_angles = std.shape[1]
        step = 2 * np.pi / n_angles
        if n_angles == 1:
            return np.full(std.shape, step)
        angles = step * np.arange(n_angles)
        here = np.stack([np.cos(angles), np.sin(angles)])
        there = np.roll(here, -1, axis=1)
        # Both times the product of the two deviations.
        sine = np.sqrt(np.linalg.det(self.shapes.covariance))[:, None] * np.sin(step)
        cosine = np.einsum("ik,nij,jk->nk", here, self.shapes.covariance, there)
        return np.arctan2(sine, cosine)

    def _angle_error(self, std, weights):
        if self.feature == "mean":
            stretch = np.minimum(self.shapes.largest_std / self.shapes.smallest_std, 2)
            return stretch * np.pi / (2 * std.shape[1])
        gaps = self._gaps(std) / (2 * np.pi)
        cells = (gaps + np.roll(gaps, 1, axis=1)) / 2
        return np.pi / 2 * (gaps**2).sum(axis=1) + np.abs(cells - weights).sum(axis=1)
