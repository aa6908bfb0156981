"""First-order estimates of how far features move: no bounds, but close to the truth."""

import numpy as np

from sklearn_nrcdt.guarantees._max import ROUNDING, first_best
from sklearn_nrcdt.guarantees._mean import circle_weights


def sensitivities(template, feature, order, functionals):
    """Norms of the gradients of linear functionals of a feature, one for each of them.

    A perturbation by a small epsilon in the Wasserstein distance of an order changes a functional
    by at most epsilon times this. Functionals are of shape (n_functionals, n_levels).
    """
    fields = gradient(template.thinned(), feature)
    if order == 2:
        flat = (fields * np.sqrt(template.mass)[:, None, None]).reshape(-1, fields.shape[2])
        gram = flat.T @ flat
        return np.sqrt(np.maximum(np.sum(functionals @ gram * functionals, axis=1), 0))
    return np.array(
        [template.mass @ np.linalg.norm(fields @ functional, axis=1) for functional in functionals]
    )


def gradient(template, feature):
    """Change of each level when a pixel moves, per unit of its mass: (n_pixels, 2, n_levels)."""
    functions = template.functions
    n_lines, n_cells = functions.shape
    angles = 2 * template.half_gap * np.arange(n_lines)
    slopes, values = template.slopes, template.white @ template.directions(angles).T
    if feature == "max":
        both = np.concatenate([functions, -functions[:, ::-1]])[:, 1:-1]
        best, levels = first_best(both, axis=0), np.arange(n_cells - 2)
        sign = np.where(best < n_lines, 1, -1)
        slopes, values = sign[:, None] * slopes[best % n_lines], sign * values[:, best % n_lines]
        inside = _cells(values, template.mass, n_cells) == levels + 1
        return slopes.T * (n_cells * inside - 1 - both[best, levels] * values)[:, None]
    weighted = feature == "weighted_mean"
    weights = circle_weights(template, weighted)[0]
    # Pixels of the first and of the last cell change no level by their own value.
    places = _cells(values, template.mass, n_cells) + n_cells * np.arange(len(values))[:, None]
    fields = np.empty((len(values), 2, n_cells))
    for axis in (0, 1):
        pull = weights * slopes[:, axis]
        own = np.bincount(places.ravel(), np.tile(pull, len(values)), fields[:, 0].size)
        stretched = (values * pull) @ functions
        if weighted:
            # The weights change, too: a direction loses weight when its deviation grows.
            mean = weights @ functions
            stretched += 2 * ((values * pull) @ functions - (values @ pull)[:, None] * mean)
        fields[:, axis] = n_cells * own.reshape(-1, n_cells) - pull.sum() - stretched
    return (fields - fields[:, :, ::-1])[:, :, 1:-1] / 2


def _cells(values, mass, n_cells):
    """Cells of [0, 1] in which the pixels are, for projections of shape (n_pixels, n)."""
    order = np.argsort(np.round(values / ROUNDING), axis=0, kind="stable")
    sorted_mass = mass[order]
    middle = np.cumsum(sorted_mass, axis=0) - sorted_mass / 2
    cells = np.empty_like(order)
    np.put_along_axis(cells, order, ((middle + ROUNDING) * n_cells).astype(order.dtype), axis=0)
    return np.minimum(cells, n_cells - 1)
