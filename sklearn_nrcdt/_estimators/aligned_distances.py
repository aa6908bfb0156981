"""Distances between shapes at their best relative rotation."""

import numpy as np

from sklearn_nrcdt._kernels.alignment import best_rotation_distances
from sklearn_nrcdt._kernels.circle import N_ORDERS
from sklearn_nrcdt._support.compat import check_array


def aligned_pairwise_distances(X, Y=None, *, reflection="distinguish"):
    """Compute distances between shapes at their best relative rotation.

    The features must come with ``keep="circle"``: functions on the circle of directions, which an
    affine map of the image rotates or reflects. The distance is the root mean square of their
    difference, minimised over all rotations. For `SpectralNRCDT` it is an affine-invariant sliced
    Wasserstein-2 distance of functions smoothed along the circle.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        Features of ``InvariantHOG(keep="circle")`` or ``SpectralNRCDT(keep="circle")``. Not with
        ``invariance="slant"`` or "scale", where rotations make a difference.
    Y : array-like of shape (n_samples_Y, n_features), default=None
        Features to compare with; None means X.
    reflection : {"distinguish", "ignore"}, default="distinguish"
        "distinguish" treats mirror images as different shapes, "ignore" takes the better one.

    Returns
    -------
    distances : ndarray of shape (n_samples_X, n_samples_Y)
        Distances of all pairs. Memory beyond this array is bounded by a constant.

    See Also
    --------
    aligned_distance : The distance of two vectors.
    NearestTemplateClassifier : Uses it with ``metric="aligned"``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt import InvariantHOG, aligned_pairwise_distances
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> images = load_symbols(size=64).images[[0, 4, 11]]
    >>> turned = np.rot90(images, axes=(1, 2))
    >>> shapes = InvariantHOG(keep="circle").fit(images)
    >>> X, Y = shapes.transform(images), shapes.transform(turned)
    >>> aligned_pairwise_distances(X, Y).argmin(axis=1)
    array([0, 1, 2])
    """
    if reflection not in ("distinguish", "ignore"):
        raise ValueError(f"reflection must be 'distinguish' or 'ignore', got {reflection!r}.")
    X = _check_features(X, "X")
    Y = X if Y is None else _check_features(Y, "Y")
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"X has {X.shape[1]} features and Y has {Y.shape[1]}. Use one transformer for both."
        )
    return best_rotation_distances(X, Y, mirror=reflection == "ignore")


def aligned_distance(x, y, *, reflection="distinguish"):
    """Compute the distance between two shapes at their best relative rotation.

    Parameters
    ----------
    x, y : array-like of shape (n_features,)
        Features of ``InvariantHOG(keep="circle")`` or ``SpectralNRCDT(keep="circle")``.
    reflection : {"distinguish", "ignore"}, default="distinguish"
        "distinguish" treats mirror images as different shapes, "ignore" takes the better one.

    Returns
    -------
    distance : float
        The distance.

    See Also
    --------
    aligned_pairwise_distances : Many distances at once, much faster than one by one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt import InvariantHOG, aligned_distance
    >>> image = np.zeros((1, 32, 32))
    >>> image[0, 8:24, 8:12] = image[0, 20:24, 8:20] = 1  # an L
    >>> shapes = InvariantHOG(keep="circle").fit(image)
    >>> x, y = shapes.transform([image[0], np.rot90(image[0])])
    >>> round(aligned_distance(x, y), 3)
    0.0
    """
    x, y = np.asarray(x), np.asarray(y)
    return float(aligned_pairwise_distances(x[None], y[None], reflection=reflection)[0, 0])


def _check_features(X, name):
    X = check_array(X, dtype=[np.float64, np.float32], input_name=name)
    if X.shape[1] % (2 * N_ORDERS):
        raise ValueError(
            f"{name} has {X.shape[1]} features, not a multiple of {2 * N_ORDERS}. Pass features of "
            'InvariantHOG(keep="circle") or SpectralNRCDT(keep="circle").'
        )
    return X
