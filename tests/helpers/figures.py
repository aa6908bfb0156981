"""Images with known transforms."""

import numpy as np


def pixel_grid(shape):
    """Coordinates (x, y) of pixel centres, written independently of the library."""
    h, w = shape
    side = np.sqrt(2) / max(h, w)
    x = (np.arange(w) - (w - 1) / 2) * side
    y = ((h - 1) / 2 - np.arange(h)) * side
    return np.meshgrid(x, y)


def gaussian_mixture(shape, means, covariances, weights):
    """Density of a Gaussian mixture, evaluated at the pixel centres."""
    points = np.stack(pixel_grid(shape), axis=-1)
    image = np.zeros(shape)
    for mean, cov, weight in zip(means, covariances, weights, strict=True):
        diff = points - mean
        power = np.einsum("hwi,ij,hwj->hw", diff, np.linalg.inv(cov), diff)
        image += weight * np.exp(-power / 2) / np.sqrt(np.linalg.det(cov))
    return image


MIXTURE = {
    "means": np.array([[0.0, 0.0], [0.14, 0.05], [-0.05, 0.16]]),
    "covariances": np.array([np.diag([0.05, 0.02]) ** 2, np.eye(2) * 0.03**2, np.eye(2) * 0.04**2]),
    "weights": np.array([1.0, 0.6, 0.8]),
}


def mapped_mixture(shape, matrix, shift):
    """The mixture under x -> matrix x + shift: mapped exactly, not warped."""
    means = MIXTURE["means"] @ matrix.T + shift
    covariances = matrix @ MIXTURE["covariances"] @ matrix.T
    return gaussian_mixture(shape, means, covariances, MIXTURE["weights"])
