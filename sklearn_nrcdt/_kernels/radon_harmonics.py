"""Harmonics of the NR-CDT along the circle of the whitened image.

An affine map of the image re-parametrises the circle of directions. In the whitened image,
whose covariance is the identity, the map becomes a rotation or a reflection. There, harmonics
of the NR-CDT along the circle only change by a phase.
"""

import numpy as np

from sklearn_nrcdt._kernels.normalize import normalize, precision_weights, relative_variances


def covariances(variances: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Fit ``d' C d`` to the variances of projections on the directions d.

    The squares of relative errors are weighted by the inverse variances: that makes the
    fit equivariant under affine maps, even where the variances are no exact quadratic form.

    Parameters
    ----------
    variances : ndarray of shape (n, n_directions)
        Positive.
    angles : ndarray of shape (n_directions,)

    Returns
    -------
    covariances : ndarray of shape (n, 2, 2)
        Positive definite.
    """
    cos, sin = np.cos(angles), np.sin(angles)
    forms = np.stack([cos**2, 2 * cos * sin, sin**2], axis=1)
    relative = forms / variances[:, :, None]
    weighted = relative / variances[:, :, None]
    normal = weighted.transpose(0, 2, 1) @ relative
    # With fewer than three lines there are many solutions: the smallest one.
    inverse = np.linalg.pinv(normal, hermitian=True)
    fitted = (inverse @ weighted.sum(axis=1)[:, :, None])[:, :, 0]
    covariance = fitted[:, [[0, 1], [1, 2]]]
    # An image that is almost a line may be fitted by a form that is not quite positive.
    values, vectors = np.linalg.eigh(covariance)
    values = np.maximum(values, variances.min(axis=1)[:, None] * 1e-6)
    return vectors * values[:, None, :] @ vectors.transpose(0, 2, 1)


def square_roots(covariances: np.ndarray) -> np.ndarray:
    """Symmetric square roots of positive definite 2 x 2 matrices."""
    values, vectors = np.linalg.eigh(covariances)
    return vectors * np.sqrt(values)[:, None, :] @ vectors.transpose(0, 2, 1)


def whitened_angles(quantiles: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Angles at which the whitened images show the projections at the given angles.

    Parameters
    ----------
    quantiles : ndarray of shape (n, n_directions, n_quantiles)
        R-CDT of the lines at the given angles.

    Returns
    -------
    whitened : ndarray of shape (n, n_directions)
    """
    roots = square_roots(covariances(relative_variances(quantiles), angles))
    seen = roots @ np.stack([np.cos(angles), np.sin(angles)])
    return np.arctan2(seen[:, 1], seen[:, 0])


def harmonics(quantiles: np.ndarray, n_harmonics: int) -> np.ndarray:
    """Weighted Fourier coefficients of the NR-CDT along the circle of the whitened image.

    Parameters
    ----------
    quantiles : ndarray of shape (n, n_directions, n_quantiles)
        R-CDT of equispaced lines.
    n_harmonics : int
        Orders 0, 1, ..., n_harmonics - 1.

    Returns
    -------
    coefficients : complex ndarray of shape (n, n_harmonics, ceil(n_quantiles / 2))
        For the levels up to 1/2, which determine the others.
    """
    n_lines, n_quantiles = quantiles.shape[1:]
    angles = np.pi * np.arange(n_lines) / n_lines
    normalized = normalize(quantiles)
    order = np.arange(n_harmonics)
    phase = whitened_angles(quantiles, angles)[:, None, :] * order[:, None]
    waves = precision_weights(quantiles)[:, None, :] * np.exp(-1j * phase)
    # The opposite direction shows -N(1 - t), and a harmonic of order k turns by (-1)^k.
    lower = (n_quantiles + 1) // 2
    sign = np.where(order % 2, 1.0, -1.0)[:, None]
    here, there = waves @ normalized[:, :, :lower], waves @ normalized[:, :, : -lower - 1 : -1]
    return (here + sign * there) / 2
