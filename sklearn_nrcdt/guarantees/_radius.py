"""Certified radii: the largest perturbation for which a theorem applies."""

from numbers import Integral, Real
from typing import Literal

import numpy as np

from sklearn_nrcdt._estimators.distance_classifier import validate_labels
from sklearn_nrcdt._estimators.rcdt import RadonCDT
from sklearn_nrcdt._support.compat import Interval, Options, StrOptions, validate_params
from sklearn_nrcdt._support.types import ArrayLike, Images, Shape
from sklearn_nrcdt.guarantees._estimate import sensitivities
from sklearn_nrcdt.guarantees._max import Boxes
from sklearn_nrcdt.guarantees._mean import Means, tilted
from sklearn_nrcdt.guarantees._report import RadiusReport
from sklearn_nrcdt.guarantees._templates import load_templates

# Each halves the interval in which a radius lies; its lower end is what we report.
BISECTIONS = 18
# Nearest other templates that the estimates look at.
N_NEAREST = 8


@validate_params(
    {
        "y": ["array-like", None],
        "feature": [StrOptions({"max", "mean", "weighted_mean"})],
        "order": [Options(Real, {2, np.inf}), None],
        "metric": [StrOptions({"chebyshev", "euclidean"}), None],
        "anisotropy": [Interval(Real, 0, None, closed="left")],
        "rigorous": ["boolean"],
        "n_angles": [Interval(Integral, 2, None, closed="left"), None],
        "n_quantiles": [Interval(Integral, 1, None, closed="left")],
    }
)
def certified_radius(
    images: Images,
    y: ArrayLike | None = None,
    feature: Literal["max", "mean", "weighted_mean"] = "max",
    *,
    order: float | None = None,
    metric: Literal["chebyshev", "euclidean"] | None = None,
    anisotropy: float = 0.0,
    rigorous: bool = False,
    n_angles: int | None = None,
    n_quantiles: int = 64,
    image_shape: Shape | None = None,
) -> RadiusReport:
    """Certify how far mass may move before features fail to tell templates apart.

    For each pair of templates, the radius is an epsilon such that all admissible affine maps of
    all measures within Wasserstein distance epsilon of one template are linearly separable
    from those of the other. For each template, it is an epsilon up to which the nearest
    template is one of its own class. The page on guarantees has the proofs.

    Parameters
    ----------
    images : array-like of shape (n_templates, height, width) or (n_templates, height * width)
        Templates: grey images, bright on dark. Rows may be a sparse matrix.
    y : array-like of shape (n_templates,), default=None
        Class labels. Pairs within a class need not be separated. None means one class per image.
    feature : {"max", "mean", "weighted_mean"}, default="max"
        The feature of `MaxNRCDT`, of `MeanNRCDT` or of ``MeanNRCDT(weighting="precision")``.
    order : {2, inf}, default=None
        Order of the Wasserstein distance: `inf` bounds how far any mass moves, 2 the root mean
        square. None means `inf` for "max" and 2 for the means, which allow nothing else.
    metric : {"chebyshev", "euclidean"}, default=None
        That of the nearest template. None means "chebyshev" for "max" and "euclidean" for the
        means, which allow nothing else.
    anisotropy : float, default=0.0
        For "mean", the largest ``(sigma_max - sigma_min) / sigma_min`` of the affine maps that
        may follow the perturbation; 0 admits similarities. The other features admit all maps.
    rigorous : bool, default=False
        Whether to count the discretisation and rounding of the features. Radii then hold for the
        exact features of samples, without the error of their own grid of angles.
    n_angles : int, default=None
        Directions, with at least four bins for each. None means 128, and 2048 if `rigorous`.
    n_quantiles : int, default=64
        Number of levels, as of `MaxNRCDT`.
    image_shape : tuple (height, width), default=None
        Shape of flattened images that are not square.

    Returns
    -------
    report : RadiusReport
        Radii of all pairs and templates, and estimates of the true ones.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> from sklearn_nrcdt.guarantees import certified_radius
    >>> symbols = load_symbols(size=128)
    >>> report = certified_radius(symbols.images, symbols.target)
    >>> round(float(report.template_radius.min()), 1)
    0.1
    """
    if feature != "max" and (order not in (2, None) or metric == "chebyshev"):
        raise ValueError(
            f"feature={feature!r} is certified with order=2 and metric='euclidean' only, got "
            f"order={order} and metric={metric!r}. Leave them out."
        )
    order = order or (np.inf if feature == "max" else 2)
    if anisotropy == np.inf:
        raise ValueError("anisotropy must be finite. For all maps, take feature='weighted_mean'.")
    n_angles = n_angles or (2048 if rigorous else 128)
    side, templates = load_templates(images, image_shape, n_angles, n_quantiles + 2)
    labels, same = _classes(y, len(templates))
    n = len(templates)
    if feature == "max":
        boxes, euclidean = Boxes(templates, order, rigorous), metric == "euclidean"
        others = [boxes.features[~row] for row in same]
        near = np.array([_box_radius(boxes, i, others[i], euclidean) for i in range(n)])
        radius, admitted = _box_pairs(boxes), np.full(n, np.inf)
        estimate, near_estimate = _box_estimates(boxes, templates, same, order, euclidean)
    else:
        means = Means(templates, feature == "weighted_mean", rigorous)
        found = [_ball_radii(means, i, same[i], anisotropy) for i in range(n)]
        radius, near, admitted = map(np.array, zip(*found, strict=True))
        radius = np.minimum(radius, radius.T)  # equal up to rounding
        estimate, near_estimate = _ball_estimates(means, templates, same)
    if rigorous:
        # The deviations are rounded, and all radii are proportional to them.
        left = max(0, 1 - max(template.rounding for template in templates))
        radius, near = radius * left, near * left
    radius[same] = estimate[same] = np.inf
    return RadiusReport(
        feature=feature,
        order=order,
        radius=radius / side,
        template_radius=near / side,
        estimate=np.maximum(estimate, radius) / side,
        template_estimate=np.maximum(near_estimate, near) / side,
        anisotropy=admitted,
        rigorous=bool(rigorous),
        labels=labels,
    )


def _classes(y, n):
    """Return labels, and which pairs of templates share one."""
    labels = np.arange(n) if y is None else y
    if np.shape(labels) != (n,):
        raise ValueError(
            f"y must hold one label for each of the {n} templates, got an array of shape "
            f"{np.shape(labels)}."
        )
    labels = validate_labels(RadonCDT(), labels)
    codes = np.unique(labels, return_inverse=True)[1]
    if codes.max() == 0:
        raise ValueError(
            f"A separation needs templates of at least two classes, got {n} template(s) of one "
            "class."
        )
    return labels, codes[:, None] == codes


def _largest(holds, limit):
    """Largest numbers up to a limit for which a monotone condition holds, on the safe side."""
    low, high = np.zeros(np.shape(limit)), np.array(limit, dtype=float)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        inside = holds(middle)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return low


def _box_radius(boxes, i, others, euclidean):
    """Radius up to which all of the box of a template is nearer to it than to other features."""
    own = boxes.features[i]

    def holds(epsilon):
        lower, upper = boxes.lower(epsilon, i), boxes.upper(epsilon, i)
        if euclidean:
            farthest = np.where(others > own, upper, lower) - (others + own) / 2
            return (np.sum((others - own) * farthest, axis=1) < 0).all()
        away = np.maximum(upper - own, own - lower).max()
        return away < np.maximum(others - upper, lower - others).max(axis=1).min()

    return _largest(holds, boxes.limits[i])


def _box_pairs(boxes):
    """Radii of pairs, each at the level that separates it longest."""
    n, n_levels = boxes.features.shape
    # Boxes for a few perturbations, to find that level. Void beyond the limits.
    grid = boxes.limits.max() / 2.0 ** np.arange(12)
    lower, upper = np.full((2, len(grid), n, n_levels), np.inf) * [[[[-1]]], [[[1]]]]
    for k, i in np.argwhere(grid[:, None] <= boxes.limits):
        lower[k, i], upper[k, i] = boxes.lower(grid[k], i), boxes.upper(grid[k], i)
    radius = np.zeros((n, n))
    for i in range(n - 1):
        j = np.arange(i + 1, n)
        gap = np.abs(boxes.features[j] - boxes.features[i])
        rises = boxes.features[j] > boxes.features[i]
        apart = np.where(rises, lower[:, j] - upper[:, [i]], lower[:, [i]] - upper[:, j])
        # The largest perturbation that leaves a level separated, and the level that seems to stay
        # so longest, by what is left of it there and after twice the perturbation.
        separated = (apart > 0).any(axis=2)
        at = np.where(separated.any(axis=0), separated.argmax(axis=0), len(grid) - 1)
        pairs = np.arange(len(j))
        left, after = apart[at, pairs], apart[np.maximum(at - 1, 0), pairs]
        after = np.where(np.isfinite(after) & (after < left), after, 2 * left - gap)
        longest = left / np.maximum(left - after, 1e-300)
        level = np.where(left > 0, 1 + longest, left).argmax(axis=1)
        up = rises[pairs, level]
        limit = np.minimum(np.minimum(boxes.limits[i], boxes.limits[j]), 2 * grid[at])
        radius[i, j] = _level_radii(boxes, np.where(up, i, j), np.where(up, j, i), level, limit)
    return radius + radius.T


def _level_radii(boxes, below, above, level, limit):
    """Radii up to which a level of one template stays below that of another."""

    def holds(epsilon):
        return boxes.upper(epsilon, below, level) < boxes.lower(epsilon, above, level)

    return _largest(holds, limit)


def _ball_radii(means, i, same, anisotropy):
    """Radii of the pairs of a template, its own, and the anisotropy that is admissible for it."""
    distance, own, others = means.directions(i)
    room = distance - means.errors[i] - means.errors
    half = np.where(same, np.inf, distance / 2 - means.errors[i])

    def moved(epsilon):
        return means.moved(epsilon, i, own, anisotropy)

    def separated(epsilon):
        return moved(epsilon) + means.moved(epsilon, slice(None), others, anisotropy) < room

    pairs = _largest(separated, np.minimum(means.stds[i], means.stds))
    limits = np.full(len(same), means.stds[i])
    radius = _largest(lambda epsilon: moved(epsilon) < half, limits).min()
    if means.weighted:
        return pairs, radius, np.inf
    q = _largest(lambda q: tilted(q, own) < half, np.ones(len(same))).min()
    return pairs, radius, 2 * q / (1 - q)


def _box_estimates(boxes, templates, same, order, euclidean):
    """First-order estimates of the radii of pairs, at one level, and of templates."""
    pairs, near = np.empty(same.shape), np.empty(len(same))
    for i, template in enumerate(templates):
        to_others = boxes.features - boxes.features[i]
        pairs[i] = (np.abs(to_others) / (boxes.rates[i] + boxes.rates)).max(axis=1)
        squares = np.square(to_others).sum(axis=1)
        others = np.argsort(np.where(same[i], np.inf, squares))
        close = others[: min(N_NEAREST, (~same[i]).sum())]
        norms = sensitivities(template, "max", order, to_others[close])
        radii = squares[close] / np.maximum(norms, 1e-300) / 2
        if not euclidean:
            at_one_level = np.abs(to_others[close]) / boxes.rates[i] / 2
            radii = np.maximum(radii, at_one_level.max(axis=1))
        near[i] = radii.min()
    return pairs, near


def _ball_estimates(means, templates, same):
    """First-order estimates of the radii of pairs and of templates."""
    feature = "weighted_mean" if means.weighted else "mean"
    pairs, norms = np.empty(same.shape), np.empty(same.shape)
    for i, template in enumerate(templates):
        to_others = means.features - means.features[i]
        pairs[i] = np.square(to_others).sum(axis=1)
        norms[i] = np.maximum(sensitivities(template, feature, 2, to_others), 1e-300)
    near = np.where(same, np.inf, pairs / norms / 2).min(axis=1)
    return pairs / (norms + norms.T), near
