"""Balls and harmonics for the means of the NR-CDT: how far they move.

The theorems of the means in ``docs/guarantees.md``. A perturbation moves a mean by at most the
radius of a ball. An affine map moves it, in the direction of another template, by a power series
in ``q = (sigma_max - sigma_min) / (sigma_max + sigma_min)`` whose coefficients are even harmonics
of the NR-CDT along the circle.
"""

import numpy as np
from scipy.special import ellipe

# The tail of the power series is bounded.
N_HARMONICS = 32


class Means:
    """Features, (n, n_levels), of the plain or the weighted mean, their harmonics and errors.

    The errors, (n,), bound the distances from the exact features in L2; not `rigorous`, they are 0.
    """

    def __init__(self, templates, weighted, rigorous):
        self.weighted = weighted
        self.stds = np.array([template.smallest_std for template in templates])
        largest = np.array([template.largest_std for template in templates])
        self.n_cells = templates[0].functions.shape[1]
        if weighted:
            self.ball = np.array([_elliptic_mean(*c) for c in zip(self.stds, largest, strict=True)])
        else:
            self.ball = 1 / np.sqrt(2 * self.stds * largest)
        features, harmonics, errors = zip(*map(self._project, templates), strict=True)
        self.features, self.harmonics = np.stack(features), np.stack(harmonics)
        self.errors = np.array(errors) * rigorous

    def _project(self, template):
        weights, waves = circle_weights(template, self.weighted)
        functions = template.functions[:, 1:-1]
        means = np.concatenate([weights[None], waves]) @ functions
        # With the opposite directions.
        means = (means - means[:, ::-1]) / 2
        # Within half a cell of directions, their density changes by at most this factor.
        ratio = template.largest_std / template.smallest_std
        uneven = 0 if self.weighted else template.half_gap * (ratio - 1 / ratio)
        error = template.error + template.half_gap / 2 * min(2, np.exp(uneven))
        return means[0].real, means[1:], error

    def directions(self, i):
        """Distances in L2 of a template from all, (n,), and coefficients of each pair.

        Those of the template and those of the others, (n, n_harmonics), in the direction from one
        to the other.
        """
        unit = self.features - self.features[i]
        distances = np.sqrt(np.square(unit).sum(axis=1) / self.n_cells)
        unit /= np.maximum(distances, 1e-300)[:, None] * self.n_cells
        others = np.einsum("jt,jkt->jk", unit, self.harmonics)
        own = np.abs(unit @ self.harmonics[i].T) + self.errors[i]
        return distances, own, np.abs(others) + self.errors[:, None]

    def moved(self, epsilon, i, coefficients, anisotropy):
        """How far the features of templates i move at most in directions of other templates.

        By perturbations and affine maps of this anisotropy; the weighted mean admits all maps.
        """
        share = epsilon / self.stds[i]
        valid = share < 1
        share = np.where(valid, share, 0.0)
        turn = 2 * np.sin(np.arcsin(share) / 2) / np.maximum(share, 1e-300)
        if self.weighted:
            q = share / np.sqrt(2 - share**2)
            one = np.sqrt((1 + q**2) / (1 - q**2) / 2) * share
            ball = np.minimum(one, (1 + q) / (1 - q) * epsilon * self.ball[i])
        else:
            q = np.asarray(anisotropy / (2 + anisotropy))
            ball = (1 + anisotropy) * epsilon * self.ball[i]
        return np.where(valid, turn * ball + tilted(q, coefficients), np.inf)


def tilted(q, coefficients):
    """How far an affine map moves a mean, from the coefficients of its power series."""
    value = np.zeros(coefficients.shape[:-1])
    for coefficient in np.moveaxis(coefficients, -1, 0)[::-1]:
        value = (value + 2 * coefficient) * q
    return value + 4 / np.pi * q ** (coefficients.shape[-1] + 1) / (1 - q)


def circle_weights(template, weighted):
    """Weights of the directions in the mean, (n_lines,), and in its harmonics, (n, n_lines).

    Exact integrals over the cells around the directions: in the image for the plain mean, in the
    frame of the template for the weighted one.
    """
    ends = template.half_gap * (2 * np.arange(len(template.slopes) + 1) - 1)
    if not weighted:
        ends = template.image_angles(ends)
    k = np.arange(1, N_HARMONICS + 1)[:, None]
    return np.diff(ends) / np.pi, np.diff(np.exp(2j * k * ends)) / (2j * k * np.pi)


def _elliptic_mean(small, large):
    """Upper bound of the largest mean of sqrt(p cos^2 / large^2 + (1 - p) sin^2 / small^2).

    Over all p in [0, 1], of the mean over the circle. The grid of p is bounded from both ends.
    """
    p = np.concatenate([[0], np.geomspace(1e-6, 1, 2000)])
    one, other = p[1:] / large**2, (1 - p[:-1]) / small**2
    high, low = np.maximum(one, other), np.minimum(one, other)
    return (2 / np.pi * np.sqrt(high) * ellipe(1 - low / high)).max()
