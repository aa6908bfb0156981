"""Functions on a circle up to rotation: spectra, correlation at the best rotation.

Channels (quantile levels, or windows in the tangent frame) are functions of one angle, given by
harmonics C_k, (n, n_orders, n_channels). A rotation of the whitened image multiplies C_k by
``exp(-i k phi)`` in all channels, a reflection conjugates it.
"""

from functools import lru_cache

import numpy as np

from sklearn_nrcdt._kernels.frames import symmetric_roots
from sklearn_nrcdt._kernels.normalize import normalize, precision_weights, relative_variances

# Functions are compared at the best rotation by their orders 0 to 7. Higher orders hold next to
# nothing, and with a fixed number the length of a row tells its number of channels.
N_ORDERS = 8
# Rotations on the grid, and Newton steps that refine the best of them.
N_ROTATIONS = 64
N_STEPS = 2
# Numbers that the correlations of one block of pairs may hold.
BLOCK_ELEMENTS = 2**21


_pairs = lru_cache(maxsize=8)(np.triu_indices)


def cross_spectrum(coefficients):
    """Products of harmonics of the same order in two channels, in which phases cancel.

    Of the Hermitian matrices ``C C^H / |C|``, at the scale of the harmonics: the real parts on and
    above the diagonal, as of `np.triu_indices`, and the imaginary parts above it, which a
    reflection negates, both (n, n_orders, n_products). The factor ``sqrt(2)`` off the diagonal
    makes Euclidean distances of features equal to those of the matrices.
    """
    norm = np.sqrt(np.square(np.abs(coefficients)).sum(axis=2, keepdims=True))
    scaled = np.divide(
        coefficients, np.sqrt(norm), out=np.zeros_like(coefficients), where=norm > 1e-9
    )
    # In real numbers, whose products do not depend on their place in memory.
    re, im = scaled.real, scaled.imag
    first, second = _pairs(coefficients.shape[2])
    real = re[:, :, first] * re[:, :, second] + im[:, :, first] * im[:, :, second]
    real *= np.where(first == second, 1, np.sqrt(2)).astype(real.dtype)
    first, second = _pairs(coefficients.shape[2], 1)
    imaginary = im[:, :, first] * re[:, :, second] - re[:, :, first] * im[:, :, second]
    imaginary *= real.dtype.type(np.sqrt(2))
    return real, imaginary


def cross_spectrum_labels(orders, channels):
    """Names of the real and of the imaginary parts of `cross_spectrum`."""
    first, second = np.triu_indices(len(channels))
    pairs = list(zip(first, second, strict=True))
    real = [f"re{k}_{channels[i]}_{channels[j]}" for k in orders for i, j in pairs]
    mixed = [f"im{k}_{channels[i]}_{channels[j]}" for k in orders for i, j in pairs if i != j]
    return real, mixed


def to_circle(coefficients):
    """Rows of real numbers whose Euclidean norm is that of the functions on the circle.

    For each order the real parts of all channels, then the imaginary parts. An order k > 0 also
    stands for -k, hence ``sqrt(2)``.
    """
    order = np.arange(coefficients.shape[1])[:, None]
    scaled = coefficients * np.where(order, np.sqrt(2), 1)
    return np.stack([scaled.real, scaled.imag], axis=2).reshape(len(coefficients), -1)


def flipped(coefficients):
    """Harmonics of images flipped left to right: conjugated, and turned by half a circle."""
    return (-1.0) ** np.arange(N_ORDERS)[:, None] * coefficients.conj()


def circle_labels(channels):
    """Names of the numbers of a row of `to_circle`."""
    orders = [f"{part}{k}" for k in range(N_ORDERS) for part in ("re", "im")]
    return [f"{order}_{channel}" for order in orders for channel in channels]


def from_circle(rows):
    """Return the scaled harmonics, (n, N_ORDERS, n_channels), of rows from `to_circle`."""
    parts = rows.reshape(len(rows), N_ORDERS, 2, -1)
    return parts[:, :, 0] + 1j * parts[:, :, 1]


def best_correlation(products):
    """Largest real part of ``sum_k products_k exp(i k phi)`` over all rotations phi.

    Products are of shape (..., N_ORDERS), the result is of shape (...).
    """
    order = np.arange(N_ORDERS)
    angles = 2 * np.pi * np.arange(N_ROTATIONS) / N_ROTATIONS
    waves = np.exp(1j * np.outer(order, angles)).astype(products.dtype)
    on_grid = products.real @ waves.real - products.imag @ waves.imag
    best = on_grid.argmax(axis=-1)
    products = products * waves.T[best]
    weights = np.stack([order, order**2], axis=1).astype(products.real.dtype)
    limit = 2 * np.pi / N_ROTATIONS
    for _ in range(N_STEPS):
        slope, bend = -(products.imag @ weights[:, 0]), products.real @ weights[:, 1]
        # At a maximum the bend is positive; the step stays between the neighbors on the grid.
        step = np.exp(1j * np.clip(slope / np.maximum(bend, 1e-30), -limit, limit))
        power = step = step.astype(products.dtype)
        for k in range(1, N_ORDERS):
            products[..., k] *= power
            power = power * step
    return np.maximum(products.real.sum(axis=-1), on_grid.max(axis=-1))


def best_rotation_distances(X, Y, mirror):
    """Distances of all pairs of rows from `to_circle`, over rotations and perhaps reflections."""
    distances = np.empty((len(X), len(Y)))
    side = max(1, int(np.sqrt(BLOCK_ELEMENTS / N_ROTATIONS)))
    for i in range(0, len(X), side):
        for j in range(0, len(Y), side):
            block = _block(X[i : i + side], Y[j : j + side], mirror)
            distances[i : i + side, j : j + side] = block
    return distances


def _block(X, Y, mirror):
    squares = np.square(X).sum(axis=1)[:, None] + np.square(Y).sum(axis=1)
    # Orders first: one product of matrices for each.
    X, Y = from_circle(X).transpose(1, 0, 2), from_circle(Y).transpose(1, 2, 0)
    best = best_correlation(np.moveaxis(X @ Y.conj(), 0, -1))
    if mirror:
        best = np.maximum(best, best_correlation(np.moveaxis(X @ Y, 0, -1)))
    return np.sqrt(np.maximum(squares - 2 * best, 0))


def covariances(variances: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Fit ``d' C d`` to the variances, (n, n_directions), of projections on the directions d.

    The squares of relative errors are weighted by the inverse variances: that makes the
    fit equivariant under affine maps, even where the variances are no exact quadratic form.
    C is positive definite.
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


def whitened_angles(quantiles: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Angles, (n, n_directions), at which whitened images show the projections at given angles."""
    roots = symmetric_roots(covariances(relative_variances(quantiles), angles))
    seen = roots @ np.stack([np.cos(angles), np.sin(angles)])
    return np.arctan2(seen[:, 1], seen[:, 0])


def nrcdt_harmonics(quantiles: np.ndarray, n_harmonics: int) -> np.ndarray:
    """Weighted Fourier coefficients of the NR-CDT along the circle of the whitened image.

    From the R-CDT of equispaced lines, for the levels up to 1/2, which determine the others:
    (n, n_harmonics, ceil(n_quantiles / 2)).
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
