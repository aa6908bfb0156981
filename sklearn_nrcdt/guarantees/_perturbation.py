"""How far a perturbation moves a feature: the inequalities of the proofs.

The functions on numbers take the perturbation ``epsilon``, the smallest standard deviation
``std`` and what else the statement needs, all broadcast. Where a statement is void the
result is infinite.
"""

import numpy as np

from sklearn_nrcdt.guarantees._features import check_option
from sklearn_nrcdt.guarantees._geometry import check_templates, geometry

BOUNDS = ("paper", "sharp")


def max_paper(epsilon, std, diameter):
    """``prop:max-nrcdt-w-infty``; void from ``epsilon = std / 2`` on."""
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
    """Proof of ``thm:sep-pert-mean-nrcdt``; void from ``epsilon = std / 2`` on.

    The paper's ``C_mu``, the norm of the NR-CDT, is 1 by its normalisation.
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


def check_epsilon(epsilon):
    epsilon = np.asarray(epsilon, float)
    if epsilon.ndim > 1 or not np.all((epsilon >= 0) & (epsilon < np.inf)):
        raise ValueError(f"epsilon must be a finite number >= 0 or a list of such, got {epsilon}.")
    return epsilon


def check_anisotropy(anisotropy):
    if not 0 <= anisotropy < np.inf:
        raise ValueError(f"anisotropy must be a finite number >= 0, got {anisotropy!r}.")
    return float(anisotropy)


def _of_images(function, images, image_shape, epsilon, argument):
    epsilon = check_epsilon(epsilon)
    shapes = geometry(*check_templates(images, image_shape))
    if isinstance(argument, str):
        argument = getattr(shapes, argument)
    columns = (-1,) + (1,) * epsilon.ndim
    return function(epsilon, shapes.smallest_std.reshape(columns), np.reshape(argument, columns))


def max_nrcdt_bound(images, epsilon, *, bound="paper", image_shape=None):
    """Bound how far a perturbation and an affine map move the max-normalized R-CDT.

    ``prop:max-nrcdt-w-infty`` and ``cor:max-nrcdt-w-infty``: if no mass of the image is
    moved by more than `epsilon` (Wasserstein-infinity distance) and the result is mapped
    by any invertible affine map, no feature changes by more than this bound.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width) or (n_images, height * width)
        Grey images, bright on dark. Rows may be a sparse matrix.
    epsilon : float or array-like of shape (n_epsilons,)
        Perturbation in units of the disc's radius; a pixel is
        ``sqrt(2) / max(height, width)``.
    bound : {"paper", "sharp"}, default="paper"
        "paper" is ``4 epsilon (diam + 2 epsilon) / (c (c - 2 epsilon))`` for
        ``epsilon < c / 2``, with `support_diameter` and `smallest_std` c. "sharp" is
        ``epsilon (2 + reach) / (c - epsilon)`` for ``epsilon < c``, with
        `mahalanobis_reach`; it is never larger.
    image_shape : tuple (height, width), default=None
        Shape of flattened images that are not square.

    Returns
    -------
    bound : ndarray of shape (n_images,) or (n_images, n_epsilons)
        In the maximum norm; infinite where the statement says nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.guarantees import max_nrcdt_bound
    >>> image = np.zeros((1, 64, 64))
    >>> image[0, 16:48, 16:48] = 1
    >>> pixel = np.sqrt(2) / 64
    >>> max_nrcdt_bound(image, [0, pixel, 5 * pixel]).round(3)
    array([[0.   , 2.827,   inf]])
    >>> max_nrcdt_bound(image, [0, pixel, 5 * pixel], bound="sharp").round(3)
    array([[0.  , 0.54, 5.25]])
    """
    if check_option(bound, "bound", BOUNDS) == "paper":
        return _of_images(max_paper, images, image_shape, epsilon, "diameter")
    return _of_images(max_sharp, images, image_shape, epsilon, "reach")


def mean_nrcdt_bound(images, epsilon, *, anisotropy=0.0, bound="paper", image_shape=None):
    """Bound how far a perturbation and an affine map move the mean-normalized R-CDT.

    ``prop:mean-nrcdt-w-2``, and with ``anisotropy > 0`` the proof of
    ``thm:sep-pert-mean-nrcdt``: the image is perturbed by `epsilon` in the Wasserstein-2
    distance and then mapped by an affine map with
    ``(sigma_max - sigma_min) / sigma_min <= anisotropy``.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width) or (n_images, height * width)
        Grey images, bright on dark. Rows may be a sparse matrix.
    epsilon : float or array-like of shape (n_epsilons,)
        Perturbation in units of the disc's radius.
    anisotropy : float, default=0.0
        How far the map is from a similarity; 0 for similarities.
    bound : {"paper", "sharp"}, default="paper"
        "paper" is ``a + (1 + a) 4 epsilon / c`` for ``epsilon < c / 2``. "sharp" is
        ``4 / pi arcsin(a / (2 + a)) + 2 sin(arcsin(epsilon / c) / 2)`` for
        ``epsilon < c``; it is never larger.
    image_shape : tuple (height, width), default=None
        Shape of flattened images that are not square.

    Returns
    -------
    bound : ndarray of shape (n_images,) or (n_images, n_epsilons)
        In L2 of the reference measure; infinite where the statement says nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.guarantees import mean_nrcdt_bound
    >>> image = np.zeros((1, 64, 64))
    >>> image[0, 16:48, 16:48] = 1
    >>> pixel = np.sqrt(2) / 64
    >>> mean_nrcdt_bound(image, [0, pixel]).round(3)
    array([[0.   , 0.433]])
    >>> mean_nrcdt_bound(image, [0, pixel], bound="sharp").round(3)
    array([[0.   , 0.108]])
    """
    anisotropy = check_anisotropy(anisotropy)
    paper = check_option(bound, "bound", BOUNDS) == "paper"
    function = mean_paper if paper else mean_sharp
    return _of_images(function, images, image_shape, epsilon, [anisotropy])


def weighted_mean_nrcdt_bound(images, epsilon, *, image_shape=None):
    """Bound how far a perturbation and any affine map move the precision-weighted mean.

    Not in the paper; proved in ``docs/guarantees.md``. The mean of the NR-CDT over the
    angles with weights proportional to the inverse variance of the projection moves by at
    most ``4 / pi arcsin(s / sqrt(2 - s^2)) + 2 sin(arcsin(s) / 2)`` with
    ``s = epsilon / smallest_std < 1``, for a perturbation by `epsilon` in the
    Wasserstein-2 distance followed by any invertible affine map.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width) or (n_images, height * width)
        Grey images, bright on dark. Rows may be a sparse matrix.
    epsilon : float or array-like of shape (n_epsilons,)
        Perturbation in units of the disc's radius.
    image_shape : tuple (height, width), default=None
        Shape of flattened images that are not square.

    Returns
    -------
    bound : ndarray of shape (n_images,) or (n_images, n_epsilons)
        In L2 of the reference measure; infinite where the statement says nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.guarantees import weighted_mean_nrcdt_bound
    >>> image = np.zeros((1, 64, 64))
    >>> image[0, 16:48, 16:48] = 1
    >>> weighted_mean_nrcdt_bound(image, np.sqrt(2) / 64).round(3)
    array([0.206])
    """
    return _of_images(weighted_sharp, images, image_shape, epsilon, [0.0])
