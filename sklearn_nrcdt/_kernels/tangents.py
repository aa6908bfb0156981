"""Contours in the shape's own frame: gradients, their tangents, and harmonics of the position.

At each place v of the whitened image, the gradient gives the tangent of the contour: its distance
s from the center, and how far along it the place is, t. A rotation of the whitened image changes
neither. Windows in the (s, t) plane are channels; the harmonics of the angle at which v is seen
then turn by a phase that is the same in all channels.
"""

from functools import lru_cache
from itertools import pairwise

import numpy as np

from sklearn_nrcdt._kernels.circle import N_ORDERS
from sklearn_nrcdt._kernels.frames import FRAME_HALF_WIDTH

# Gaussian windows exp(-2 |(s, t) - (a, b)|^2) at (a, b) = 0.8 (i, j), i^2 + j^2 <= 9.
SPACING = 0.8
SHARPNESS = 2.0
# i and j of the 29 windows, in integers: floating point would lose some of them.
WINDOWS = np.array([(i, j) for i in range(-3, 4) for j in range(-3, 4) if i * i + j * j <= 9])
# Gradients g below this share of the largest one do not count, the others by
# g / (g + 0.3 rho), where rho is their typical size: faint contours count almost as much as
# strong ones.
FAINTEST = 0.01
SATURATION = 0.3
# z = (x - i y) / sqrt(|v|^2 + 0.01): near the center, where the angle means little, z is small.
CENTER = 0.01
# Higher orders move more when a shape is deformed: they are damped by exp(-(0.24 k)^2 / 2).
DAMPING = 0.24


def gradients(cells, width):
    """Derivatives in x and y of whitened images, smoothed by a Gaussian of this width."""
    smooth, derivative = _gaussians(cells.shape[-1], width)
    # Rows count from the top, hence the sign.
    return smooth @ (cells @ derivative.T), -derivative @ (cells @ smooth.T)


@lru_cache(maxsize=4)
def _gaussians(n_cells, width):
    centers = cell_centers(n_cells)
    apart = centers[:, None] - centers
    smooth = np.exp(-0.5 * (apart / width) ** 2)
    return smooth.astype(np.float32), (-apart / width**2 * smooth).astype(np.float32)


def cell_centers(n_cells):
    return (np.arange(n_cells) + 0.5) * (2 * FRAME_HALF_WIDTH / n_cells) - FRAME_HALF_WIDTH


@lru_cache(maxsize=4)
def _places(n_cells):
    """Coordinates of the cells, and the powers of z that are their harmonics."""
    x, y = np.meshgrid(cell_centers(n_cells), -cell_centers(n_cells))
    x, y = x.ravel(), y.ravel()
    z = (x - 1j * y) / np.sqrt(x**2 + y**2 + CENTER)
    waves = z[:, None] ** np.arange(N_ORDERS)
    waves = np.concatenate([waves.real, waves.imag], axis=1)
    return x.astype(np.float32), y.astype(np.float32), waves.astype(np.float32)


def tangent_harmonics(gx, gy):
    """Harmonics of whitened images, (n, N_ORDERS, n_channels), from their gradients.

    They have norm 1 before damping: ``|C_0|^2 + 2 |C_1|^2 + ... = 1``. A rotation of the whitened
    image by phi multiplies order k by ``exp(-i k phi)``; a reflection at the x-axis conjugates all
    of them: the windows at (a, b) and (a, -b), which it exchanges, are combined to their sum and,
    times i, their difference.
    """
    n, n_cells, _ = gx.shape
    x, y, waves = _places(n_cells)
    size = np.hypot(gx, gy).reshape(n, -1)
    faintest = np.float32(FAINTEST) * size.max(axis=1)
    squares = np.square(size, dtype=np.float64)
    typical = np.sqrt(np.square(squares).sum(axis=1) / np.maximum(squares.sum(axis=1), 1e-300))
    image, place = np.nonzero(size > faintest[:, None])
    g = size[image, place]
    nx, ny = gx.reshape(n, -1)[image, place] / g, gy.reshape(n, -1)[image, place] / g
    # Counted from the threshold on, so that no cell jumps in or out.
    weight = (g - faintest[image]) / (g + SATURATION * typical.astype(np.float32)[image])
    x, y = x[place], y[place]
    s, t = x * nx + y * ny, y * nx - x * ny
    waves = waves[place] * weight[:, None]
    ends = np.searchsorted(image, np.arange(n + 1))
    # Image by image: sums of floating point numbers depend on how they lie in memory.
    sums = np.stack([_tangent_bins(s[a:b], t[a:b]) @ waves[a:b] for a, b in pairwise(ends)])
    coefficients = MIRROR_MATRIX @ (sums[..., :N_ORDERS] + 1j * sums[..., N_ORDERS:])
    return _normalized(coefficients.transpose(0, 2, 1))


def _tangent_bins(s, t):
    """Values of the 29 windows, of shape (29, n_places)."""
    centers = SPACING * np.arange(-3, 4, dtype=np.float32)[:, None]
    along_s = np.exp(-np.float32(SHARPNESS) * np.square(s - centers))
    along_t = np.exp(-np.float32(SHARPNESS) * np.square(t - centers))
    i, j = WINDOWS.T + 3
    return along_s[i] * along_t[j]


def _mirror_matrix():
    """Combine the windows at (a, b) and (a, -b) to their sum and i times their difference."""
    matrix = np.zeros((len(WINDOWS), len(WINDOWS)), np.complex64)
    windows = WINDOWS.tolist()
    for row, (i, j) in enumerate(windows):
        other = windows.index([i, -j])
        matrix[row, row] = 1 if j == 0 else 0.5**0.5 if j > 0 else -1j * 0.5**0.5
        if j:
            matrix[row, other] = 0.5**0.5 if j > 0 else 1j * 0.5**0.5
    return matrix


MIRROR_MATRIX = _mirror_matrix()


def _normalized(coefficients):
    """Divide by the norm over channels and orders, then damp the higher orders."""
    order = np.arange(N_ORDERS)
    counts = np.where(order, 2, 1)[:, None]
    norm = np.sqrt((counts * np.abs(coefficients) ** 2).sum(axis=(1, 2), keepdims=True))
    damping = np.exp(-0.5 * (DAMPING * order) ** 2).astype(np.float32)[:, None]
    return coefficients * (damping / np.maximum(norm, 1e-30))
