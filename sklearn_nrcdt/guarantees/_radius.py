"""Certified radii: the largest perturbation for which a separation theorem applies."""

from functools import partial

import numpy as np
from sklearn.utils import gen_batches

from sklearn_nrcdt.guarantees._features import DiscreteFeatures, check_option
from sklearn_nrcdt.guarantees._geometry import check_templates, geometry
from sklearn_nrcdt.guarantees._perturbation import (
    BOUNDS,
    angle_shift,
    check_anisotropy,
    max_paper,
    max_sharp,
    mean_paper,
    mean_sharp,
    shift_to_anisotropy,
    weighted_sharp,
)
from sklearn_nrcdt.guarantees._report import CONDITIONS, RadiusReport

# Pairs of templates that are worked on at a time.
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


class _Templates:
    """Validated templates: geometry, features, distances, which pairs count."""

    def __init__(self, images, y, feature, rigorous, n_angles, n_radii, n_quantiles, image_shape):
        images, shape = check_templates(images, image_shape)
        self.shapes = geometry(images, shape)
        self.labels = np.arange(images.shape[0]) if y is None else np.asarray(y)
        if self.labels.shape != (images.shape[0],):
            raise ValueError(
                f"y must hold one label for each of the {images.shape[0]} templates, got an "
                f"array of shape {self.labels.shape}."
            )
        self.codes = np.unique(self.labels, return_inverse=True)[1]
        if self.codes.max() == 0:
            raise ValueError(
                "A separation needs templates of at least two classes, got "
                f"{len(self.labels)} template(s) of one class."
            )
        features = DiscreteFeatures(
            images, shape, self.shapes, feature, n_angles, n_radii, n_quantiles
        )
        self.std = self.shapes.smallest_std
        self.distance, self.error = features.distances(), features.error
        self.rigorous = bool(rigorous)
        self.certain = self.distance.copy()
        if rigorous:
            self.certain -= self.error[:, None] + self.error
        self.certain[(self.certain < 0) | (self.distance <= EQUAL)] = 0

    def chunks(self):
        """Yield blocks (rows, columns) that cover each pair at least once."""
        n = len(self.std)
        for rows in gen_batches(n, max(1, CHUNK_PAIRS // n)):
            yield rows, slice(rows.start, n)

    def nearest(self):
        """Certain distance of each template from the nearest one of another class."""
        nearest = np.empty(len(self.std))
        for rows in gen_batches(len(nearest), max(1, CHUNK_PAIRS // len(nearest))):
            same = self.codes[rows, None] == self.codes
            nearest[rows] = np.where(same, np.inf, self.certain[rows]).min(axis=1)
        return nearest

    def report(self, statement, metric, solve_pairs, template_radius, anisotropy):
        """Fill the arrays of pairs.

        ``solve_pairs(rows, columns, distance)`` gives radii and conditions of a block
        for positive distances; what is left is decided here.
        """
        n = len(self.std)
        radius, binding = np.empty((n, n)), np.empty((n, n), np.int8)
        mirrored = np.arange(len(CODES), dtype=np.int8)
        mirrored[[CODES["row"], CODES["column"]]] = CODES["column"], CODES["row"]
        for rows, columns in self.chunks():
            certain = self.certain[rows, columns]
            r, b = solve_pairs(rows, columns, certain)
            void = certain <= 0
            r[void] = 0
            b[void] = CODES["discretisation"]
            b[self.distance[rows, columns] <= EQUAL] = CODES["distance"]
            same = self.codes[rows, None] == self.codes[columns]
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
    near = largest_epsilon(lambda e: moved(e, std, size), limit * std, templates.nearest() / 2)
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
    """Certify how much mass may move before the max-normalized R-CDT fails to separate.

    ``thm:sep-pert-max-nrcdt``: for each pair of templates the largest epsilon such that
    all affine maps of all measures within Wasserstein-infinity distance epsilon of one
    template are linearly separable from those of the other. The theorem's second
    condition, ``epsilon < c / 2``, never binds: its inequality is violated before.

    Parameters
    ----------
    images : array-like of shape (n_templates, height, width) or (n_templates, height * width)
        Templates: grey images, bright on dark. Rows may be a sparse matrix.
    y : array-like of shape (n_templates,), default=None
        Class labels. Pairs within a class need not be separated. None: all differ.
    bound : {"paper", "sharp"}, default="paper"
        The perturbation bound, see `max_nrcdt_bound`.
    rigorous : bool, default=False
        Whether to subtract the proved `discretisation_error` of both templates from their
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

    See Also
    --------
    max_nrcdt_bound : The perturbation bound for given epsilon.

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
    paper = check_option(bound, "bound", BOUNDS) == "paper"
    templates = _Templates(images, y, "max", rigorous, n_angles, n_radii, n_quantiles, image_shape)
    if paper:
        moved, size, limit = max_paper, templates.shapes.diameter, 0.5
    else:
        moved, size, limit = max_sharp, templates.shapes.reach, 1.0
    statement = f"max-normalized R-CDT, thm:sep-pert-max-nrcdt ({bound} bound)"
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
    """Certify perturbations and affine maps for the mean-normalized R-CDT.

    ``thm:sep-mean-nrcdt`` and ``thm:sep-pert-mean-nrcdt``: each pair has a distance in
    feature space, of which each class may use the share `c_prime`. The share `c` is for
    affine maps, which bounds ``(sigma_max - sigma_min) / sigma_min`` (the report's
    `anisotropy`); the rest is for perturbations in the Wasserstein-2 distance (its
    `radius`). ``c = 0`` admits similarities only, ``c = c_prime`` no perturbation:
    ``thm:sep-mean-nrcdt``.

    Parameters
    ----------
    images : array-like of shape (n_templates, height, width) or (n_templates, height * width)
        Templates: grey images, bright on dark. Rows may be a sparse matrix.
    y : array-like of shape (n_templates,), default=None
        Class labels. Pairs within a class need not be separated. None: all differ.
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
        The perturbation bound, see `mean_nrcdt_bound`.
    rigorous : bool, default=False
        Whether to subtract the proved `discretisation_error` of both templates from their
        distance. Take more angles, radii and levels then.
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
    paper = check_option(bound, "bound", BOUNDS) == "paper"
    if not 0 < c_prime <= 0.5:
        raise ValueError(f"c_prime must lie in (0, 0.5], got {c_prime!r}.")
    if anisotropy is not None:
        anisotropy = check_anisotropy(anisotropy)
    elif not 0 <= c <= c_prime:
        raise ValueError(f"c must lie in [0, c_prime={c_prime}], got {c!r}.")
    templates = _Templates(images, y, "mean", rigorous, n_angles, n_radii, n_quantiles, image_shape)
    nearest = templates.nearest()
    if anisotropy is None:
        # The paper takes the anisotropy itself for what the map does to the features.
        admitted, of_template = c * templates.certain, c * nearest
        if not paper:
            admitted, of_template = shift_to_anisotropy(admitted), shift_to_anisotropy(of_template)
        shift = None
    else:
        admitted, of_template = np.broadcast_to(anisotropy, templates.distance.shape), anisotropy
        shift = anisotropy if paper else angle_shift(anisotropy)
    solve = partial(_solve_mean, std=templates.std, shift=shift, c=c, c_prime=c_prime, paper=paper)
    moved = mean_paper if paper else mean_sharp
    near = largest_epsilon(
        lambda epsilon: moved(epsilon, templates.std, of_template),
        (0.5 if paper else 1.0) * templates.std,
        c_prime * nearest,
    )
    statement = f"mean-normalized R-CDT, thm:sep-pert-mean-nrcdt ({bound} bound)"
    return templates.report(statement, "Wasserstein-2", solve, near, admitted)


def _solve_mean(rows, columns, distance, std, shift, c, c_prime, paper):
    """Radii and conditions of a block of pairs; `shift` is what A may do, or None for c."""
    smaller = np.minimum(std[rows, None], std[columns])
    spent = c * distance if shift is None else np.full(distance.shape, float(shift))
    left = np.maximum(c_prime * distance - spent, 0)
    if paper:
        # The theorem's condition on epsilon, with C_mu = C_nu = 1. It implies the other
        # one, epsilon < c_mu / 2, since two unit vectors are at most 2 apart.
        radius = left / 4 * smaller / (spent + 1)
        binding = np.where(std[rows, None] <= std[columns], CODES["row"], CODES["column"])
    else:
        radius, binding = _solve_balls(
            rows, columns, 2 * left, mean_sharp, std, np.zeros_like(std), limit=1.0
        )
    nothing = left <= 0
    radius[nothing], binding[nothing] = 0, CODES["anisotropy"]
    return radius, binding.astype(np.int8)


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
    """Certify perturbations for the precision-weighted mean, under all affine maps.

    Not in the paper; proved in ``docs/guarantees.md``. The feature, that of
    ``MeanNRCDT(weighting="precision")``, is the mean of the NR-CDT over the angles with
    weights proportional to the inverse variance of the projection. For each pair of
    templates, the radius is the largest epsilon such that all affine maps of all measures
    within Wasserstein-2 distance epsilon of one template are linearly separable from those
    of the other. Nothing is asked of the affine maps, unlike in
    ``thm:sep-pert-mean-nrcdt``.

    Parameters
    ----------
    images : array-like of shape (n_templates, height, width) or (n_templates, height * width)
        Templates: grey images, bright on dark. Rows may be a sparse matrix.
    y : array-like of shape (n_templates,), default=None
        Class labels. Pairs within a class need not be separated. None: all differ.
    rigorous : bool, default=False
        Whether to subtract the proved `discretisation_error` of both templates from their
        distance. Take more angles, radii and levels then.
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
        images, y, "weighted_mean", rigorous, n_angles, n_radii, n_quantiles, image_shape
    )
    statement = "precision-weighted mean R-CDT, all affine maps (docs/guarantees.md)"
    return _balls_report(templates, statement, "Wasserstein-2", weighted_sharp, templates.std, 1.0)
