"""Functions on a circle up to rotation: spectra, filters, correlation at the best rotation.

Projections and contours both end here: channels (quantile levels, or windows in the tangent
frame) are functions of one angle, given by harmonics C_k. A rotation of the whitened image
multiplies C_k by ``exp(-i k phi)`` in all channels, a reflection conjugates it. Arrays of harmonics
have the shape (n, n_orders, n_channels).
"""

import numpy as np

# Functions are compared at the best rotation by their orders 0 to 7. Higher orders hold next to
# nothing, and with a fixed number the length of a row tells its number of channels.
N_ORDERS = 8
# Rotations on the grid, and Newton steps that refine the best of them.
N_ROTATIONS = 64
N_STEPS = 2


def cross_spectrum(coefficients):
    """Products of harmonics of the same order in two channels, in which phases cancel.

    For each order they form a Hermitian matrix ``C C^H / |C|``. The norm keeps features at the
    scale of the harmonics instead of their squares. Off the diagonal, the factor ``sqrt(2)``
    makes Euclidean distances of features equal to those of the matrices.

    Parameters
    ----------
    coefficients : complex ndarray of shape (n, n_orders, n_channels)

    Returns
    -------
    real : ndarray of shape (n, n_orders, n_channels * (n_channels + 1) / 2)
        In the order of `np.triu_indices`.
    imaginary : ndarray of shape (n, n_orders, n_channels * (n_channels - 1) / 2)
        The same without the diagonal, where it is zero. A reflection negates them.
    """
    norm = np.sqrt(np.square(np.abs(coefficients)).sum(axis=2, keepdims=True))
    scaled = np.divide(
        coefficients, np.sqrt(norm), out=np.zeros_like(coefficients), where=norm > 1e-9
    )
    first, second = np.triu_indices(coefficients.shape[2])
    products = scaled[:, :, first] * scaled[:, :, second].conj()
    products *= np.where(first == second, 1, np.sqrt(2))
    return products.real, products.imag[:, :, first != second]


def cross_spectrum_labels(orders, channels):
    """Names of the real and of the imaginary parts of `cross_spectrum`."""
    first, second = np.triu_indices(len(channels))
    pairs = list(zip(first, second, strict=True))
    real = [f"re{k}_{channels[i]}_{channels[j]}" for k in orders for i, j in pairs]
    mixed = [f"im{k}_{channels[i]}_{channels[j]}" for k in orders for i, j in pairs if i != j]
    return real, mixed


def to_circle(coefficients):
    """Rows of real numbers whose Euclidean norm is that of the functions on the circle.

    Returns an array of shape (n, 2 * n_orders * n_channels): for each order the real parts of
    all channels, then the imaginary parts. An order k > 0 also stands for -k, hence ``sqrt(2)``.
    """
    order = np.arange(coefficients.shape[1])[:, None]
    scaled = coefficients * np.where(order, np.sqrt(2), 1)
    return np.stack([scaled.real, scaled.imag], axis=2).reshape(len(coefficients), -1)


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

    Parameters
    ----------
    products : complex ndarray of shape (..., N_ORDERS)

    Returns
    -------
    largest : ndarray of shape (...)
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
        # At a maximum the bend is positive; the step stays between the neighbours on the grid.
        step = np.exp(1j * np.clip(slope / np.maximum(bend, 1e-30), -limit, limit))
        power = step = step.astype(products.dtype)
        for k in range(1, N_ORDERS):
            products[..., k] *= power
            power = power * step
    return np.maximum(products.real.sum(axis=-1), on_grid.max(axis=-1))


def random_filters(n_filters, n_channels, random_state):
    """Random functions on the circle of norm 1, as scaled harmonics (see `from_circle`).

    Parameters
    ----------
    n_filters, n_channels : int
    random_state : RandomState
        Not a `Generator`: NumPy guarantees its numbers for `RandomState` only.
    """
    shape = (n_filters, N_ORDERS, n_channels)
    filters = random_state.standard_normal(shape) + 1j * random_state.standard_normal(shape)
    return filters / np.sqrt(np.square(np.abs(filters)).sum(axis=(1, 2), keepdims=True))


def max_filters(coefficients, filters, mirror):
    """Largest correlations with filters over all rotations.

    Orders above 0 are divided by the root of their common norm, which puts shapes with strong and
    with weak higher orders on one scale.

    Parameters
    ----------
    coefficients : complex ndarray of shape (n, N_ORDERS, n_channels)
    filters : complex ndarray of shape (n_filters, N_ORDERS, n_channels)
    mirror : bool
        Whether mirror images are tried too.

    Returns
    -------
    features : ndarray of shape (n, n_filters)
    """
    scaled = from_circle(to_circle(coefficients))
    norm = np.sqrt(np.square(np.abs(scaled[:, 1:])).sum(axis=(1, 2), keepdims=True))
    scaled[:, 1:] /= np.sqrt(np.maximum(norm, 1e-9))
    features = np.empty((len(scaled), len(filters)), scaled.real.dtype)
    turned = filters.transpose(1, 2, 0).astype(scaled.dtype)
    for row, one in zip(features, scaled, strict=True):
        products = (one[:, None] @ turned.conj())[:, 0].T
        row[:] = best_correlation(products)
        if mirror:
            row[:] = np.maximum(row, best_correlation((one[:, None] @ turned)[:, 0].T))
    return features
