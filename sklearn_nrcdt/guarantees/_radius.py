"""Certified radii: the largest perturbation for which a separation theorem applies."""

from functools import partial

import numpy as np
from sklearn.utils import gen_batches

from sklearn_nrcdt.guarantees._features import DiscreteFeatures
from sklearn_nrcdt.guarantees._perturbation import (
    angle_shift,
    max_paper,
    max_sharp,
    mean_paper,
    mean_sharp,
    shift_to_anisotropy,
    weighted_sharp,
)
from sklearn_nrcdt.guarantees._report import CONDITIONS, RadiusReport

# Pairs of templates at a time.
CHUNK_PAIRS = 2**16
# A bisection halves an interval of at most 1; then it is as fine as the numbers are.
BISECTIONS = 55
# Features that differ by no more than this are equal up to rounding.
EQUAL = 1e-9

CODES = {name: np.int8(code) for code, name in enumerate(CONDITIONS)}


def largest_epsilon(moved, limit, room):
    """Largest epsilon below `limit` with ``moved(epsilon) < room``, by bisection.

    `moved` increases. The result is the lower end of the last interval: on the safe side.
    """
    low, high = np.zeros(np.broadcast(limit, room).shape), np.array(limit + np.zeros_like(room))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        inside = moved(middle) < room
        np.copyto(low, middle, where=inside)
        np.copyto(high, middle, where=~inside)
    return low


def _is_paper(bound):
    if bound not in ("paper", "sharp"):
        raise ValueError(f"bound must be one of 'paper', 'sharp', got {bound!r}.")
    return bound == "paper"


class _Templates:
    """Templates: geometry, features, distances, which pairs count."""

    def __init__(self, images, y, rigorous, feature, *settings):
        features = DiscreteFeatures(images, feature, *settings)
        self.shapes, self.std = features.shapes, features.shapes.smallest_std
        n = len(self.std)
        self.labels = np.arange(n) if y is None else np.asarray(y)
        if self.labels.shape != (n,):
            raise ValueError(
                f"y must hold one label for each of the {n} templates, got an array of shape "
                f"{self.labels.shape}."
            )
        codes = np.unique(self.labels, return_inverse=True)[1]
        if codes.max() == 0:
            raise ValueError(
                f"A separation needs templates of at least two classes, got {n} template(s) of "
                "one class."
            )
        self.same = codes[:, None] == codes
        self.distance, self.error = features.distances(), features.error
        self.rigorous = bool(rigorous)
        self.certain = self.distance.copy()
        if rigorous:
            self.certain -= self.error[:, None] + self.error
        self.certain[(self.certain < 0) | (self.distance <= EQUAL)] = 0
        # Of each template from those of other classes.
        self.nearest = np.where(self.same, np.inf, self.certain).min(axis=1)

    def report(self, statement, metric, solve_pairs, template_radius, anisotropy):
        """Fill the arrays of pairs.

        ``solve_pairs(rows, columns, distance)`` gives radii and conditions of a block
        for positive distances; other pairs are decided here.
        """
        n = len(self.std)
        radius, binding = np.empty((n, n)), np.empty((n, n), np.int8)
        mirrored = np.arange(len(CODES), dtype=np.int8)
        mirrored[[CODES["row"], CODES["column"]]] = CODES["column"], CODES["row"]
        for rows in gen_batches(n, max(1, CHUNK_PAIRS // n)):
            columns = slice(rows.start, n)  # each pair once
            certain = self.certain[rows, columns]
            r, b = solve_pairs(rows, columns, certain)
            void = certain <= 0
            r[void] = 0
            b[void] = CODES["discretisation"]
            b[self.distance[rows, columns] <= EQUAL] = CODES["distance"]
            same = self.same[rows, columns]
            r[same], b[same] = np.inf, CODES["none"]
            radius[columns, rows], binding[columns, rows] = r.T, mirrored[b].T
            radius[rows, columns], binding[rows, columns] = r, b
        return RadiusReport(
            statement,
            metric,
            radius,
            template_radius,
            self.distance,
            self.error,
            self.rigorous,
            binding,
            anisotropy,
            self.std,
            self.labels,
            self.shapes.pixel_side,
        )


def _solve_balls(rows, columns, distance, moved, std, size, limit):
    """Largest epsilon for which the two balls around the templates are disjoint."""
    limits = limit * np.minimum(std[rows, None], std[columns])

    def of_row(epsilon):
        return moved(epsilon, std[rows, None], size[rows, None])

    def of_column(epsilon):
        return moved(epsilon, std[columns], size[columns])

    radius = largest_epsilon(lambda e: of_row(e) + of_column(e), limits, distance)
    binding = np.where(of_row(radius) >= of_column(radius), CODES["row"], CODES["column"])
    binding[radius >= limits * (1 - 1e-9)] = CODES["std"]
    return radius, binding


def _balls_report(templates, statement, metric, moved, size, limit):
    """Report of a theorem that puts a ball around the features of each template."""
    std = templates.std
    solve = partial(_solve_balls, moved=moved, std=std, size=size, limit=limit)
    near = largest_epsilon(lambda e: moved(e, std, size), limit * std, templates.nearest / 2)
    everything = np.broadcast_to(np.inf, templates.distance.shape)
    return templates.report(statement, metric, solve, near, everything)


def max_nrcdt_radius(
    images,
    y=None,
    *,
    bound="paper",
    rigorous=False,
    n_angles=128,
    n_radii="auto",
    n_quantiles=64,
    image_shape=None,
):
    """Certify how much mass may move before the max NR-CDT fails to separate.

    By Theorem 4.9 of the paper. For each pair of templates, the radius is the largest epsilon
    such that all affine maps of all measures within Wasserstein-infinity distance epsilon of
    one template are linearly separable from those of the other. The theorem's second
    condition, ``epsilon < c / 2``, never binds: its inequality fails first.

    Parameters
    ----------
    images : array-like of shape (n_templates, height, width) or (n_templates, height * width)
        Templates: grey images, bright on dark. Rows may be a sparse matrix.
    y : array-like of shape (n_templates,), default=None
        Class labels. Pairs within a class need not be separated. None means one class per image.
    bound : {"paper", "sharp"}, default="paper"
        How far a perturbation by epsilon moves the features at most. With the smallest standard
        deviation c of a projection and the diameter of the support, "paper" is
        ``4 epsilon (diam + 2 epsilon) / (c (c - 2 epsilon))``. "sharp" is
        ``epsilon (2 + reach) / (c - epsilon)`` with the largest value of the NR-CDT; it is never
        larger.
    rigorous : bool, default=False
        Whether to subtract the proved discretisation error of both templates from their
        distance. Take more angles and radii then, for example ``n_angles=1024,
        n_radii=4097``.
    n_angles, n_radii, n_quantiles : int, default=128, "auto", 64
        Discretisation of the features, as of `RadonCDT`. The other ingredients are exact.
    image_shape : tuple (height, width), default=None
        Shape of flattened images that are not square.

    Returns
    -------
    report : RadiusReport
        Its `template_radius` concerns the nearest template in the maximum norm
        (``NearestTemplateClassifier("chebyshev")``).

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> from sklearn_nrcdt.guarantees import max_nrcdt_radius
    >>> symbols = load_symbols(size=128)
    >>> paper = max_nrcdt_radius(symbols.images, symbols.target)
    >>> sharp = max_nrcdt_radius(symbols.images, symbols.target, bound="sharp")
    >>> bool((paper.radius <= sharp.radius).all())
    True
    """
    paper = _is_paper(bound)
    templates = _Templates(images, y, rigorous, "max", n_angles, n_radii, n_quantiles, image_shape)
    if paper:
        moved, size, limit = max_paper, templates.shapes.diameter, 0.5
    else:
        moved, size, limit = max_sharp, templates.shapes.reach, 1.0
    statement = f"max NR-CDT, Theorem 4.9 ({bound} bound)"
    return _balls_report(templates, statement, "Wasserstein-infinity", moved, size, limit)


def mean_nrcdt_radius(
    images,
    y=None,
    *,
    anisotropy=None,
    c=0.25,
    c_prime=0.5,
    bound="paper",
    rigorous=False,
    n_angles=128,
    n_radii="auto",
    n_quantiles=64,
    image_shape=None,
):
    """Certify perturbations and affine maps for the mean NR-CDT.

    By Theorem 4.11 and Theorem 4.15 of the paper. Each pair has a distance in feature
    space, of which each class may use the share `c_prime`. The share `c` is for
    affine maps, which bounds ``(sigma_max - sigma_min) / sigma_min`` (the report's
    `anisotropy`); the rest is for perturbations in the Wasserstein-2 distance (its
    `radius`). ``c = 0`` admits similarities only, ``c = c_prime`` no perturbation
    (Theorem 4.11).

    Parameters
    ----------
    images : array-like of shape (n_templates, height, width) or (n_templates, height * width)
        Templates: grey images, bright on dark. Rows may be a sparse matrix.
    y : array-like of shape (n_templates,), default=None
        Class labels. Pairs within a class need not be separated. None means one class per image.
    anisotropy : float, default=None
        Affine maps to admit. If given, the smallest `c` that admits them is chosen for each
        pair, which maximises the radius, and the parameter `c` is not used.
    c : float, default=0.25
        Share of the distance for affine maps, in [0, c_prime].
    c_prime : float, default=0.5
        Share of the distance for each class, in (0, 0.5]. The theorem asks for less than
        0.5; the radius for 0.5 is the supremum over all of these, which is what is excluded
        from the radius anyway.
    bound : {"paper", "sharp"}, default="paper"
        How far a perturbation by epsilon and a map of anisotropy a move the features at most.
        With the smallest standard deviation c of a projection, "paper" is
        ``a + (1 + a) 4 epsilon / c``. "sharp" is
        ``4 / pi arcsin(a / (2 + a)) + 2 sin(arcsin(epsilon / c) / 2)``; it is never larger.
    rigorous : bool, default=False
        Whether to subtract the proved discretisation error of both templates from their
        distance. Take more angles and radii then.
    n_angles, n_radii, n_quantiles : int, default=128, "auto", 64
        Discretisation of the features, as of `RadonCDT`. The other ingredients are exact.
    image_shape : tuple (height, width), default=None
        Shape of flattened images that are not square.

    Returns
    -------
    report : RadiusReport
        Its `template_radius` concerns the nearest template in the Euclidean norm, and maps
        of the given `anisotropy`, or of the one that `c` admits for the template's
        nearest other class.

    Notes
    -----
    The paper's ``C_mu``, the norm of the NR-CDT over levels and angles, is always 1,
    because each function is normalised. So the condition on A is
    ``(sigma_max - sigma_min) / sigma_min <= c * distance``.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> from sklearn_nrcdt.guarantees import mean_nrcdt_radius
    >>> symbols = load_symbols(size=128)
    >>> similarities = mean_nrcdt_radius(symbols.images, anisotropy=0)
    >>> more = mean_nrcdt_radius(symbols.images, anisotropy=0.005)
    >>> bool((more.radius <= similarities.radius).all())
    True
    """
    paper = _is_paper(bound)
    if not 0 < c_prime <= 0.5:
        raise ValueError(f"c_prime must lie in (0, 0.5], got {c_prime!r}.")
    if anisotropy is not None and not 0 <= anisotropy < np.inf:
        raise ValueError(f"anisotropy must be a finite number >= 0, got {anisotropy!r}.")
    if anisotropy is None and not 0 <= c <= c_prime:
        raise ValueError(f"c must lie in [0, c_prime={c_prime}], got {c!r}.")
    templates = _Templates(images, y, rigorous, "mean", n_angles, n_radii, n_quantiles, image_shape)
    # The paper takes the anisotropy itself for what the map does to the features.
    to_shift, to_anisotropy = (
        (np.asarray, np.asarray) if paper else (angle_shift, shift_to_anisotropy)
    )
    if anisotropy is None:
        spent = c * templates.certain
        admitted, of_template = to_anisotropy(spent), to_anisotropy(c * templates.nearest)
    else:
        spent, admitted = (
            np.broadcast_to(float(value), templates.distance.shape)
            for value in (to_shift(anisotropy), anisotropy)
        )
        of_template = float(anisotropy)
    near = largest_epsilon(
        lambda epsilon: (mean_paper if paper else mean_sharp)(epsilon, templates.std, of_template),
        (0.5 if paper else 1.0) * templates.std,
        c_prime * templates.nearest,
    )
    solve = partial(_solve_mean, std=templates.std, spent=spent, c_prime=c_prime, paper=paper)
    statement = f"mean NR-CDT, Theorem 4.15 ({bound} bound)"
    return templates.report(statement, "Wasserstein-2", solve, near, admitted)


def _solve_mean(rows, columns, distance, std, spent, c_prime, paper):
    """Radii and conditions of a block of pairs; `spent` is what the maps use of the distance."""
    spent = spent[rows, columns]
    left = np.maximum(c_prime * distance - spent, 0)
    if paper:
        # The theorem's condition on epsilon, with C_mu = C_nu = 1. It implies the other
        # one, epsilon < c_mu / 2, since two unit vectors are at most 2 apart.
        radius = left / 4 * np.minimum(std[rows, None], std[columns]) / (spent + 1)
        binding = np.where(std[rows, None] <= std[columns], CODES["row"], CODES["column"])
    else:
        radius, binding = _solve_balls(
            rows, columns, 2 * left, mean_sharp, std, np.zeros_like(std), limit=1.0
        )
    nothing = left <= 0
    radius[nothing], binding[nothing] = 0, CODES["anisotropy"]
    return radius, binding


def weighted_mean_nrcdt_radius(
    images,
    y=None,
    *,
    rigorous=False,
    n_angles=128,
    n_radii="auto",
    n_quantiles=64,
    image_shape=None,
):
    """Certify perturbations for the precision-weighted mean NR-CDT, under all affine maps.

    Not in the paper; the page on guarantees has the proof. The feature, that of
    ``MeanNRCDT(weighting="precision")``, is the mean of the NR-CDT over the angles with
    weights proportional to the inverse variance of the projection. For each pair of
    templates, the radius is the largest epsilon such that all affine maps of all measures
    within Wasserstein-2 distance epsilon of one template are linearly separable from those
    of the other. Unlike Theorem 4.15 of the paper, this puts no condition on the affine maps.

    Parameters
    ----------
    images : array-like of shape (n_templates, height, width) or (n_templates, height * width)
        Templates: grey images, bright on dark. Rows may be a sparse matrix.
    y : array-like of shape (n_templates,), default=None
        Class labels. Pairs within a class need not be separated. None means one class per image.
    rigorous : bool, default=False
        Whether to subtract the proved discretisation error of both templates from their
        distance. Take more angles and radii then.
    n_angles, n_radii, n_quantiles : int, default=128, "auto", 64
        Discretisation of the features, as of `RadonCDT`. The other ingredients are exact.
    image_shape : tuple (height, width), default=None
        Shape of flattened images that are not square.

    Returns
    -------
    report : RadiusReport
        Its `template_radius` concerns the nearest template in the Euclidean norm.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> from sklearn_nrcdt.guarantees import weighted_mean_nrcdt_radius
    >>> report = weighted_mean_nrcdt_radius(load_symbols(size=128).images)
    >>> bool(np.isinf(report.anisotropy).all())
    True
    """
    templates = _Templates(
        images, y, rigorous, "weighted_mean", n_angles, n_radii, n_quantiles, image_shape
    )
    statement = "precision-weighted mean NR-CDT, all affine maps (docs/guarantees.md)"
    return _balls_report(templates, statement, "Wasserstein-2", weighted_sharp, templates.std, 1.0)
