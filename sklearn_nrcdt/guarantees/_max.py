"""Boxes for the max NR-CDT: how far a perturbation moves each of its levels.

The theorem of one direction in ``docs/guarantees.md``, for each direction of the grid. If the
perturbation is the share ``s`` of the deviation, a level ``q`` stays below ``u`` if
``q + s V(u) <= u``, or ``<= k u`` for negative u. V rises at most as fast as u and is convex, so
it lies below its chord between q and a bound for the largest perturbation that we admit: with
either slope, u has a closed form.
"""

import numpy as np

# Perturbations are certified up to this share of the smallest deviation.
LARGEST_SHARE = 1 / 3
# Values nearer to each other than this differ by rounding only.
ROUNDING = 1e-9
# Values of u at which the integral of |1 + u q| is tabulated for each direction.
N_TABULATED = 49


class Boxes:
    """Bounds of the max NR-CDT of perturbed templates and all their affine maps.

    `features` and their first-order change by a perturbation, `rates`, are of shape (n, n_levels);
    `limits` are the largest perturbations that are admitted, (n,). If `rigorous`, the bounds hold
    for the exact feature, else for that on the grid.
    """

    def __init__(self, templates, order, rigorous):
        self.stds = np.array([template.smallest_std for template in templates])
        errors = np.array([(template.half_gap, template.error) for template in templates])
        self.gaps, self.errors = rigorous * errors.T
        slopes = [np.linalg.norm(template.slopes, axis=1) for template in templates]
        self.slopes = np.tile(slopes, 2)  # of the opposite directions, too
        given = zip(templates, self.slopes, self.gaps, self.errors, strict=True)
        parts = zip(*(_chords(order, *each) for each in given), strict=True)
        self.values, self.tops, self.norms, self.chords = map(np.stack, parts)
        self.features = self.values.max(axis=2)
        self.limits = LARGEST_SHARE * self.stds / (1 + self.gaps)
        best = first_best(self.values, axis=2)[..., None]
        rates = self.norms * self.slopes[:, None]
        self.rates = np.take_along_axis(rates, best, axis=2)[..., 0]

    def upper(self, epsilon, i, levels=slice(None)):
        """Upper bounds of levels after perturbations by epsilon.

        For one template i, or for arrays of templates and levels with an epsilon for each.
        """
        return self._stays_below(epsilon, i, levels, between=True).max(axis=-1)

    def lower(self, epsilon, i, levels=slice(None)):
        """Lower bounds, as `upper`. For these, the directions of the grid are enough."""
        # Minus the function is the function of the opposite direction, in reverse order.
        mirrored = -1 - np.arange(self.values.shape[1])[levels]
        return -self._stays_below(epsilon, i, mirrored, between=False).min(axis=-1)

    def _stays_below(self, epsilon, i, levels, between):
        """Bounds of levels for each direction of the grid, and those between if asked for."""
        epsilon = np.asarray(epsilon)[..., None]
        values, norms, chords = (
            array[i, levels] for array in (self.values, self.norms, self.chords)
        )
        share = epsilon * self.slopes[i]
        if between:
            start = self.tops[i, levels]
            share = share + epsilon * (self.gaps[i] / self.stds[i])[..., None]
        else:
            start = values + self.errors[i][..., None]
        return _bounds(values, start, share, norms, chords)


def first_best(values, axis):
    """Positions of maxima; of equal ones, such as symmetric templates have, the first."""
    return (values > values.max(axis=axis, keepdims=True) - ROUNDING).argmax(axis=axis)


def _bounds(values, start, share, norms, slopes):
    """Numbers u with start + share (norms + slopes (u - values)) = u, or = k u if negative."""
    rise = start + share * (norms - slopes * values)
    k = 1 + share**2 / (2 * (1 - share))
    return rise / (np.where(rise < 0, k, 1) - share * slopes)


def _chords(order, template, slopes, gap, error):
    """Values, their bounds between directions, V at the values and the slopes of its chords.

    All are of shape (n_levels, n_directions).
    """
    functions, reach = template.functions, template.reach
    n_cells = functions.shape[1]
    uncertain = reach * gap + error  # of a value, between the directions of the grid
    grid = np.linspace(-1, 1, N_TABULATED) * 2 * reach
    if order == np.inf:
        # The opposite direction has the values of u with the other sign.
        table = np.tile(_mean_absolute(functions, grid, reach + error), (2, 1))
        signs = np.repeat([1, -1], len(functions))[:, None]
    values = np.concatenate([functions, -functions[:, ::-1]])[:, 1:-1]

    def norms(u):
        if order == 2:
            square = n_cells - 1 - 2 * u * values + u * u + 2 * np.abs(u) * uncertain
            return np.sqrt(np.maximum(square, 0))
        mean = _interpolate(grid, table, signs * u)
        # The cell counts less if the integrand has one sign there.
        gain = np.where(np.abs(u) * reach < n_cells - 1, 1 + u * values, 0)
        return 1 + mean - 2 / n_cells * (gain - np.abs(u) * uncertain) + np.abs(u) * (gap + error)

    at_values = norms(values)
    # A pixel turns by at most the gap about the mean, within the reach.
    turned = np.arcsin(np.clip((values + error) / reach, -1, 1)) + gap
    tops = reach * np.sin(np.minimum(turned, np.pi / 2))
    share = LARGEST_SHARE * (template.smallest_std * slopes[:, None] + gap) / (1 + gap)
    highest = _bounds(values, tops, share, at_values, 1)
    chords = np.minimum((norms(highest) - at_values) / (highest - values), 1)
    return values.T, tops.T, at_values.T, chords.T


def _mean_absolute(functions, grid, largest):
    """Upper bounds of the integrals of |1 + u q| for each function q, (n_functions, n_grid).

    From the largest |q| and the means of q over cells: exact but for the cell where the sign
    changes, in which q lies between the neighboring means, so that two values with its mean are
    the worst case.
    """
    ends = np.full((len(functions), 1), largest)
    below = np.concatenate([-ends, functions[:, :-1]], axis=1)
    above = np.concatenate([functions[:, 1:], ends], axis=1)
    table = np.empty((len(functions), len(grid)))
    for k, u in enumerate(grid):
        mean, one, other = 1 + u * functions, 1 + u * below, 1 + u * above
        mixed = one * other < 0
        worst = np.abs(mean)
        high, low = np.maximum(one, other)[mixed], np.minimum(one, other)[mixed]
        worst[mixed] = (mean[mixed] * (high + low) - 2 * high * low) / (high - low)
        table[:, k] = worst.mean(axis=1)
    return table


def _interpolate(grid, table, u):
    """Values at u, (n_functions, n), of convex functions that are tabulated: upper bounds."""
    # Beyond the grid, an integral grows at most as fast as |u|.
    beyond = np.maximum(np.abs(u) - grid[-1], 0)
    return [np.interp(x, grid, row) for x, row in zip(u, table, strict=True)] + beyond
