"""Distances between shapes at their best rotation against each other."""

import numpy as np

from sklearn_nrcdt._kernels.alignment import best_rotation_distances
from sklearn_nrcdt._support.compat import check_array


def aligned_pairwise_distances(X, Y=None, *, n_angles=128, reflection="distinguish"):
    """Compute distances between shapes at their best rotation against each other.

    For features of ``SpectralNRCDT(keep="circle")`` this is an affine-invariant sliced
    Wasserstein-2 distance: the root of the mean over angles and levels of the squared
    difference of normalised quantile functions, minimised over all rotations of the whitened
    images. All rotations are tried at once by a Fourier transform along the angles.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_angles * n_quantiles)
        Features of ``SpectralNRCDT(n_angles, keep="circle")``.
    Y : array-like of shape (n_samples_Y, n_angles * n_quantiles), default=None
        Features to compare with; None means X.
    n_angles : int, default=128
        Number of angles of the features.
    reflection : {"distinguish", "ignore"}, default="distinguish"
        Whether mirror images are different shapes, or the better of both is taken.

    Returns
    -------
    distances : ndarray of shape (n_samples_X, n_samples_Y)
        Distances of all pairs. Memory beyond this array is bounded.

    See Also
    --------
    aligned_distance : The distance of two vectors.
    NearestTemplateClassifier : Takes it as ``metric="aligned"``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt import SpectralNRCDT, aligned_pairwise_distances
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> images = load_symbols(size=64).images[[0, 4, 11]]
    >>> turned = np.rot90(images, axes=(1, 2))
    >>> shapes = SpectralNRCDT(32, keep="circle").fit(images)
    >>> X, Y = shapes.transform(images), shapes.transform(turned)
    >>> aligned_pairwise_distances(X, Y, n_angles=32).argmin(axis=1)
    array([0, 1, 2])
    """
    if reflection not in ("distinguish", "ignore"):
        raise ValueError(f"reflection must be 'distinguish' or 'ignore', got {reflection!r}.")
    X = _check_features(X, "X", n_angles)
    Y = X if Y is None else _check_features(Y, "Y", n_angles)
    if X.shape[1] != Y.shape[1]:
        raise ValueError(f"X has {X.shape[1]} features and Y has {Y.shape[1]}.")
    return best_rotation_distances(X, Y, n_angles, mirror=reflection == "ignore")


def aligned_distance(x, y, *, n_angles=128, reflection="distinguish"):
    """Compute the distance of two shapes at their best rotation against each other.

    Parameters
    ----------
    x, y : array-like of shape (n_angles * n_quantiles,)
        Features of ``SpectralNRCDT(n_angles, keep="circle")``.
    n_angles : int, default=128
        Number of angles of the features.
    reflection : {"distinguish", "ignore"}, default="distinguish"
        Whether mirror images are different shapes, or the better of both is taken.

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
    >>> from sklearn_nrcdt import aligned_distance
    >>> x = np.sin(np.linspace(0, 2 * np.pi, 32, endpoint=False))
    >>> round(aligned_distance(x, np.roll(x, 5), n_angles=32), 6)
    0.0
    """
    x, y = np.asarray(x), np.asarray(y)
    return float(
        aligned_pairwise_distances(x[None], y[None], n_angles=n_angles, reflection=reflection)[0, 0]
    )


def _check_features(X, name, n_angles):
    X = check_array(X, dtype=[np.float64, np.float32], input_name=name)
    if X.shape[1] % n_angles:
        raise ValueError(
            f"{name} has {X.shape[1]} features, no multiple of n_angles={n_angles}. Pass the "
            'n_angles of the SpectralNRCDT(keep="circle") that they come from.'
        )
    return X
