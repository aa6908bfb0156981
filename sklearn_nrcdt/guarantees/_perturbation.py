"""How far a perturbation moves a feature: the inequalities of the proofs.

The functions take the perturbation ``epsilon``, the smallest standard deviation ``std`` and
what else the statement needs, all broadcast. Where a statement is void the result is infinite.
"""

import numpy as np


def max_paper(epsilon, std, diameter):
    """Bound of Proposition 4.7 and Corollary 4.8, in the maximum norm.

    For a perturbation in the Wasserstein-infinity distance and any affine map after it; void
    from ``epsilon = std / 2`` on.
    """
    rest = std - 2 * epsilon
    with np.errstate(divide="ignore", invalid="ignore"):
        value = 4 * epsilon * (diameter + 2 * epsilon) / (std * rest)
    return np.where(rest > 0, value, np.inf)


def max_sharp(epsilon, std, reach):
    """The same with the exact sup norm and deviations that differ by epsilon only."""
    rest = std - epsilon
    with np.errstate(divide="ignore", invalid="ignore"):
        value = epsilon * (2 + reach) / rest
    return np.where(rest > 0, value, np.inf)


def mean_paper(epsilon, std, anisotropy):
    """Bound of Proposition 4.14 and of the proof of Theorem 4.15, in L2.

    For a perturbation in the Wasserstein-2 distance and an affine map of this anisotropy after
    it; void from ``epsilon = std / 2`` on. The paper's ``C_mu``, the norm of the NR-CDT, is 1 by
    its normalisation.
    """
    value = anisotropy + (1 + anisotropy) * 4 * epsilon / std
    return np.where(2 * epsilon < std, value, np.inf)


def mean_sharp(epsilon, std, anisotropy):
    """Angle between the functions, and total variation of the angles; void from std on."""
    value = turn(epsilon / std) + angle_shift(anisotropy)
    return np.where(epsilon < std, value, np.inf)


def weighted_sharp(epsilon, std, _=None):
    """The weighted mean, for all affine maps; void from ``epsilon = std`` on."""
    s = np.minimum(epsilon / std, 1)
    value = 4 / np.pi * np.arcsin(s / np.sqrt(2 - s * s)) + turn(s)
    return np.where(epsilon < std, value, np.inf)


def turn(share):
    """Largest distance of x / |x| and y / |y| for |x - y| <= share * |x|."""
    return 2 * np.sin(np.arcsin(np.minimum(share, 1)) / 2)


def angle_shift(anisotropy):
    """L1 distance between the uniform density on the circle and its image under A."""
    # (sigma_max - sigma_min) / (sigma_max + sigma_min), finite for all anisotropies.
    return 4 / np.pi * np.arcsin(1 - 2 / (2 + anisotropy))


def shift_to_anisotropy(shift):
    """Inverse of `angle_shift`; infinite from a shift of 2 on, that of a singular map."""
    q = np.sin(np.pi / 4 * np.clip(shift, 0, 2))
    return np.divide(2 * q, 1 - q, out=np.full(np.shape(q), np.inf), where=q < 1)
