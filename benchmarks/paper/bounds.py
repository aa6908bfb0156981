"""Certified radii by earlier bounds: those that the paper prints, and our first ones.

Lengths are in units of the disc's radius. Features are exactly those of the theorems.
"""

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.distance import cdist, pdist


def max_moves(epsilon, std, diameter):
    """How far the max NR-CDT moves at most: Proposition 4.7 and Corollary 4.8.

    For a perturbation in the Wasserstein-infinity distance and any affine map after it; void
    from ``epsilon = std / 2`` on.
    """
    rest = std - 2 * epsilon
    with np.errstate(divide="ignore", invalid="ignore"):
        value = 4 * epsilon * (diameter + 2 * epsilon) / (std * rest)
    return np.where(rest > 0, value, np.inf)


def mean_moves(epsilon, std, anisotropy=0.0):
    """How far the mean moves at most: Proposition 4.14 and the proof of Theorem 4.15.

    For a perturbation in the Wasserstein-2 distance and an affine map of this anisotropy after
    it; void from ``epsilon = std / 2`` on. The paper's ``C_mu``, the norm of the NR-CDT, is 1 by
    its normalisation.
    """
    value = anisotropy + (1 + anisotropy) * 4 * epsilon / std
    return np.where(2 * epsilon < std, value, np.inf)


def our_max_moves(epsilon, std, reach):
    """The same with the largest value of the NR-CDT, and deviations that differ by epsilon."""
    rest = std - epsilon
    with np.errstate(divide="ignore", invalid="ignore"):
        value = epsilon * (2 + reach) / rest
    return np.where(rest > 0, value, np.inf)


def our_mean_moves(epsilon, std, _=0.0):
    """The same by the angle between the functions."""
    share = np.minimum(epsilon / std, 1)
    return np.where(share < 1, 2 * np.sin(np.arcsin(share) / 2), np.inf)


def our_weighted_moves(epsilon, std, _=0.0):
    """The same for the weighted mean, under all affine maps."""
    share = np.minimum(epsilon / std, 1)
    tilt = 4 / np.pi * np.arcsin(share / np.sqrt(2 - share**2))
    return np.where(share < 1, tilt + our_mean_moves(share, 1.0), np.inf)


BOUNDS = {
    "paper": {"max": max_moves, "mean": mean_moves},
    "earlier": {"max": our_max_moves, "mean": our_mean_moves, "weighted_mean": our_weighted_moves},
}


def _largest_epsilon(moved, limit, room):
    low, high = np.zeros_like(room), np.broadcast_to(limit, room.shape)
    for _ in range(55):
        middle = (low + high) / 2
        inside = moved(middle) < room
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return low


def diameter(points, side):
    """Largest distance of two corners of pixels with these centers."""
    corners = points[:, None] + side / 2 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    corners = corners.reshape(-1, 2)
    return pdist(corners[ConvexHull(corners).vertices]).max()


def radii(bound, feature, features, others, std, size):
    """Radii of templates for the nearest of others, and of the pairs of templates.

    The paper's are those of Theorem 4.9, and of Theorem 4.15 for similarities. A distance of 0
    from one of the others is that of a template from itself. `std` are smallest deviations, and
    `size`, for "max", diameters ("paper") or reaches ("earlier").
    """
    moves = BOUNDS[bound][feature]
    size = size if feature == "max" else np.zeros_like(std)

    def distances(a, b):
        if feature == "max":
            return cdist(a, b, "chebyshev")
        return cdist(a, b) / np.sqrt(a.shape[1] + 2)

    def both(epsilon):
        return moves(epsilon, std[:, None], size[:, None]) + moves(epsilon, std, size)

    nearest = distances(features, others)
    nearest = np.where(nearest > 0, nearest, np.inf).min(axis=1)
    near = _largest_epsilon(lambda epsilon: moves(epsilon, std, size), std, nearest / 2)
    limit, between = np.minimum(std[:, None], std), distances(features, features)
    if (bound, feature) == ("paper", "mean"):
        # As Theorem 4.15 has it: half of the distance for each class, and the smaller deviation.
        return near, between / 8 * limit
    return near, _largest_epsilon(both, limit, between)
