"""Invariants from the whole circle of the NR-CDT, not only from its extremes or mean.

An affine map of the image re-parametrises the circle of directions. Seen from the
whitened image, whose covariance is the identity, what is left of the map is a rotation or
a reflection. There, harmonics of the NR-CDT along the circle change by a phase only, and
products in which the phases cancel are invariant.
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


def resample_whitened(quantiles: np.ndarray) -> np.ndarray:
    """NR-CDT at angles that are equispaced in the whitened image.

    Linear interpolation between the given lines. Returns an array of the shape of
    `quantiles`, (n, n_directions, n_quantiles), again one line each.
    """
    n_lines = quantiles.shape[1]
    angles = np.pi * np.arange(n_lines) / n_lines
    roots = square_roots(covariances(relative_variances(quantiles), angles))
    wanted = np.linalg.solve(roots, np.stack([np.cos(angles), np.sin(angles)])[None])
    position = np.arctan2(wanted[:, 1], wanted[:, 0]) / np.pi * n_lines
    left = np.floor(position)
    part = (position - left)[:, :, None]
    normalized = normalize(quantiles)
    return (1 - part) * _at_line(normalized, left) + part * _at_line(normalized, left + 1)


def _at_line(half, index):
    """Values at lines of any index: half a turn further, the function is mirrored."""
    turns, line = np.divmod(index.astype(int), half.shape[1])
    values = np.take_along_axis(half, line[:, :, None], axis=1)
    return np.where(turns[:, :, None] % 2, -values[:, :, ::-1], values)


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


def cross_spectrum(coefficients: np.ndarray, mirror: bool) -> np.ndarray:
    """Products of harmonics of the same order at two levels, in which phases cancel.

    For each order k they form a Hermitian matrix, here divided by the norm of its harmonics,
    so that features are of the size of the NR-CDT and not of its square, and multiplied by
    ``sqrt(1 + k)``, since higher orders are smaller but tell as much. Off the diagonal the
    factor ``sqrt(2)`` makes Euclidean distances of features those of the matrices.

    Parameters
    ----------
    coefficients : complex ndarray of shape (n, n_harmonics, n_levels)
    mirror : bool
        Whether features shall tell mirror images apart: the imaginary parts, which a
        reflection negates, follow the real parts.

    Returns
    -------
    features : ndarray of shape (n, n_features)
        In the order of `cross_spectrum_labels`.
    """
    n, n_harmonics, n_levels = coefficients.shape
    size = np.sqrt(np.mean(np.abs(coefficients) ** 2, axis=2, keepdims=True))
    scaled = np.divide(
        coefficients, np.sqrt(size), out=np.zeros_like(coefficients), where=size > 1e-12
    )
    scaled *= (1 + np.arange(n_harmonics)[:, None]) ** 0.25
    first, second = np.triu_indices(n_levels)
    products = scaled[:, :, first] * scaled[:, :, second].conj()
    products *= np.where(first == second, 1, np.sqrt(2))
    features = [products.real.reshape(n, -1)]
    if mirror:
        # Those of order 0 and of a level with itself are zero.
        features.append(products[:, 1:, first != second].imag.reshape(n, -1))
    return np.concatenate(features, axis=1)


def cross_spectrum_labels(n_harmonics: int, levels: list[str], mirror: bool) -> list[str]:
    """Names of the features of `cross_spectrum`."""
    first, second = np.triu_indices(len(levels))
    pairs = [f"q{levels[i]}_q{levels[j]}" for i, j in zip(first, second, strict=True)]
    labels = [f"re{k}_{pair}" for k in range(n_harmonics) for pair in pairs]
    if mirror:
        mixed = [pair for pair, i, j in zip(pairs, first, second, strict=True) if i != j]
        labels += [f"im{k}_{pair}" for k in range(1, n_harmonics) for pair in mixed]
    return labels
