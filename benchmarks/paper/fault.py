"""The fault in the code behind the paper's numbers, put into our features.

Until August 2025, after the paper, the authors' program chose between two ways to follow a ray
as if angles ended at 180 degrees. Rays with angles between 225 and 315 degrees, which run
along the rows, were followed like those that run along the columns: row by row, and in each
row only the two pixels beside the place where the ray crosses the row's middle were looked at.
A pixel's projection is cut off then at a distance of ``abs(cos(angle))`` pixels from its middle.
Near 270 degrees most of it is lost; at exactly 270 degrees all is, and a small constant that
the program adds makes the projection uniform.

`follow_rows` puts that in for all angles, `lose_270` for that one angle alone. The latter needs
no images; with at most 32 angles the two are nearly the same.
"""

from functools import lru_cache

import numpy as np
from scipy.sparse import csr_matrix

BACKGROUND = 1e-10
IMAGES_AT_ONCE = 50


def follow_rows(images, rcdt, nrcdt, n_radii):
    """R-CDT (or None) and NR-CDT with the projections from 225 to 315 degrees gone wrong."""
    n_images, n_angles, n_quantiles = nrcdt.shape
    angles, operator = _operator(images.shape[1:], n_angles, n_radii)
    rcdt, nrcdt = None if rcdt is None else rcdt.copy(), nrcdt.copy()
    for start in range(0, n_images, IMAGES_AT_ONCE):
        some = slice(start, start + IMAGES_AT_ONCE)
        pixels = csr_matrix(images[some].reshape(-1, operator.shape[0]), dtype=np.float32)
        integrals = (pixels @ operator).toarray().reshape(-1, len(angles), n_radii)
        quantiles = _quantiles(integrals.astype(np.float64), n_quantiles)
        if rcdt is not None:
            rcdt[some, angles] = quantiles
        nrcdt[some, angles] = _normalized(quantiles)
    return rcdt, nrcdt


def lose_270(nrcdt):
    """NR-CDT with a uniform projection at 270 degrees."""
    nrcdt = nrcdt.copy()
    if nrcdt.shape[1] % 4 == 0:
        nrcdt[:, 3 * nrcdt.shape[1] // 4] = _normalized(np.arange(nrcdt.shape[2], dtype=float))
    return nrcdt


def _normalized(quantiles):
    centred = quantiles - quantiles.mean(axis=-1, keepdims=True)
    return centred / centred.std(axis=-1, keepdims=True)


@lru_cache(maxsize=2)
def _operator(shape, n_angles, n_radii):
    """Indices of the angles that go wrong, and the integrals of all pixels along their rays."""
    side, step = np.sqrt(2) / max(shape), 2 / (n_radii - 1)
    rows, columns = np.indices(shape)
    x = (columns.ravel() - (shape[1] - 1) / 2) * side
    y = ((shape[0] - 1) / 2 - rows.ravel()) * side
    degrees = 360 * np.arange(n_angles) / n_angles
    (angles,) = np.nonzero(np.abs(degrees - 270) < 45)
    found = []
    for position, angle in enumerate(np.deg2rad(degrees[angles])):
        cos, sin = np.abs(np.cos(angle)) * side, np.abs(np.sin(angle)) * side
        if degrees[angles[position]] == 270:
            continue
        middle = x * np.cos(angle) + y * np.sin(angle)
        radius = np.ceil((middle - cos + 1) / step).astype(np.int32)
        for _ in range(int(2 * cos / step) + 2):
            distance = np.abs(radius * step - 1 - middle)
            # The chord of a pixel: constant in the middle, falling to zero over its corners.
            chord = np.clip((0.5 * (cos + sin) - distance) / cos, 0, 1)
            (seen,) = np.nonzero((distance < cos) & (radius >= 0) & (radius < n_radii))
            found.append((seen.astype(np.int32), position * n_radii + radius[seen], chord[seen]))
            radius = radius + 1
    pixels, rays, weights = (np.concatenate(parts) for parts in zip(*found, strict=True))
    size = len(x), len(angles) * n_radii
    return angles, csr_matrix((weights.astype(np.float32), (pixels, rays)), shape=size)


def _quantiles(integrals, n_quantiles):
    """Quantile functions of densities that are known at equispaced radii in [-1, 1]."""
    n_images, n_angles, n_radii = integrals.shape
    cumulated = np.cumsum(integrals + BACKGROUND, axis=2).reshape(-1, n_radii)
    cumulated /= cumulated[:, -1:]
    levels = np.arange(1, n_quantiles + 1) / (n_quantiles + 1)
    # One search for all projections: the k-th one takes its values from 2 k on.
    offsets = 2.0 * np.arange(len(cumulated))[:, None]
    places = np.searchsorted((cumulated + offsets).ravel(), (levels + offsets).ravel())
    right = places.reshape(len(cumulated), -1) - n_radii * np.arange(len(cumulated))[:, None]
    right = np.clip(right, 1, n_radii - 1)
    below, above = (np.take_along_axis(cumulated, right - i, axis=1) for i in (1, 0))
    share = np.clip((levels - below) / (above - below), 0, 1)
    return (2 * (right - 1 + share) / (n_radii - 1) - 1).reshape(n_images, n_angles, n_quantiles)
