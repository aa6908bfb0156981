"""Distances between shapes at their best relative rotation."""

from typing import Any

import numpy as np

from sklearn_nrcdt._kernels.circle import N_ORDERS, best_rotation_distances
from sklearn_nrcdt._support.compat import StrOptions, check_array, validate_params
from sklearn_nrcdt._support.types import ArrayLike, FloatArray, NDArray, Reflection


@validate_params({"reflection": [StrOptions({"distinguish", "ignore"})]})
def aligned_pairwise_distances(
    X: ArrayLike, Y: ArrayLike | None = None, *, reflection: Reflection = "distinguish"
) -> FloatArray:
    """Compute distances between shapes at their best relative rotation.

    Features with ``keep="circle"`` are functions on the circle of directions, which an affine map
    rotates or reflects. The distance is the root mean square of their difference, minimized over
    rotations. For `SpectralNRCDT` it is an affine-invariant sliced Wasserstein-2 distance.

    Parameters
    ----------
    X : array-like of shape (n_samples_X, n_features)
        Features of ``InvariantHOG(keep="circle")`` or ``SpectralNRCDT(keep="circle")``.
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
    X = _check_circles(X, "X")
    Y = X if Y is None else _check_circles(Y, "Y")
    if X.shape[1] != Y.shape[1]:
        raise ValueError(
            f"X has {X.shape[1]} features and Y has {Y.shape[1]}. Use one transformer for both."
        )
    return best_rotation_distances(X, Y, mirror=reflection == "ignore")


def _check_circles(X: Any, name: str) -> NDArray[Any]:
    """Return rows of `to_circle`; refuse others."""
    X = check_array(X, dtype=[np.float64, np.float32], input_name=name)
    n_channels, rest = divmod(X.shape[1], 2 * N_ORDERS)
    # Order 0 is the mean along the circle. In each channel it is real or imaginary, and of a shape
    # that is not blank it is not zero.
    real, imaginary = (X[:, :n_channels] != 0), (X[:, n_channels : 2 * n_channels] != 0)
    mixed = (real.any(axis=0) & imaginary.any(axis=0)).any()
    without_mean = ~(real | imaginary).any(axis=1)
    if rest or mixed or X[without_mean].any():
        raise ValueError(
            f"{name} of shape {X.shape} does not hold functions on a circle. Pass the features of "
            'InvariantHOG(keep="circle") or SpectralNRCDT(keep="circle") as they are.'
        )
    return X
