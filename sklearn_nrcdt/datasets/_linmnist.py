"""LinMNIST: affinely transformed handwritten digits."""

import importlib.util
import math
from numbers import Integral, Real
from typing import Literal

import numpy as np
from sklearn.datasets import fetch_openml
from sklearn.utils import Bunch, check_random_state

from sklearn_nrcdt._support.compat import Interval, validate_params
from sklearn_nrcdt._support.types import ArrayLike, Bounds, Seed
from sklearn_nrcdt.datasets._affine import AFFINE, check_affine, random_affine_of
from sklearn_nrcdt.datasets._image_stacks import check_images, image_bunch, stack_images


@validate_params(
    AFFINE
    | {
        "n_samples_per_class": [Interval(Integral, 1, None, closed="left"), None],
        "zoom": [Interval(Real, 0, np.inf, closed="neither")],
        "size": [Interval(Integral, 1, None, closed="left")],
    }
)
def make_linmnist(
    images: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    *,
    n_samples_per_class: int | None = 500,
    zoom: float = 2.0,
    size: int = 128,
    scale: Bounds = (0.75, 1.0),
    rotation: Bounds = (0.0, 360.0),
    shear: Bounds = (0.0, 0.0),
    shift: Bounds = (-20, 20),
    cut: Literal["warn", "redraw", "ignore"] = "warn",
    random_state: Seed = None,
) -> Bunch:
    """Make LinMNIST, a data set of affinely transformed handwritten digits.

    The first samples of each class of MNIST are centered on a larger canvas, enlarged and mapped by
    one interpolation. Without arrays, `sklearn.datasets.fetch_openml` brings and caches MNIST.

    Parameters
    ----------
    images : array-like of shape (n, 28, 28) or (n, 784), default=None
        The digits, or images of any other shape (n, height, width).
    labels : array-like of shape (n,), default=None
        Their labels.
    n_samples_per_class : int or None, default=500
        How many images of each class are taken, in the given order. None takes all.
    zoom : float, default=2.0
        Enlargement before the random map.
    size : int, default=128
        Side of the square canvas in pixels.
    scale, rotation, shear, shift : pair of numbers
        Ranges of the affine maps, see `random_affine`.
    cut : {"warn", "redraw", "ignore"}, default="warn"
        What to do about maps that move mass off the canvas, see `random_affine`.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of all draws.

    Returns
    -------
    linmnist : Bunch
        - images : float32 ndarray of shape (n_samples, size, size), in MNIST's order and grey
          values
        - data : ndarray of shape (n_samples, size * size), the flattened images
        - target : ndarray of shape (n_samples,), the digits
        - target_names : ndarray of shape (n_classes,), the different labels
        - indices : ndarray of shape (n_samples,), which images of MNIST were taken
        - params : Bunch, what was drawn, see `random_affine`, without the enlargement

    See Also
    --------
    random_affine : The random maps alone.

    Examples
    --------
    Try it with scikit-learn's digits of 8 x 8 pixels:

    >>> from sklearn.datasets import load_digits
    >>> from sklearn_nrcdt.datasets import make_linmnist
    >>> digits, labels = load_digits(return_X_y=True)
    >>> make_linmnist(digits, labels, n_samples_per_class=5, zoom=7, random_state=0).images.shape
    (50, 128, 128)
    """
    ranges = check_affine(scale, rotation, shear, shift)
    rng = check_random_state(random_state)

    digits, target = _find_mnist(images, labels)
    indices = _first_of_each_class(target, n_samples_per_class)
    digits = check_images(digits[indices]).astype(np.float32, copy=False)
    target = target[indices]
    if size < max(digits.shape[1:]):
        raise ValueError(
            f"size={size} is smaller than the images of shape {digits.shape[1:]}. Raise it."
        )
    canvas = stack_images(digits, shape=(size, size))
    index = np.arange(len(canvas))
    moved, params = random_affine_of(canvas, index, ranges, zoom=zoom, cut=cut, rng=rng)
    names = np.unique(target)
    return image_bunch(moved, target=target, target_names=names, indices=indices, params=params)


def _find_mnist(images, labels):
    """Return images of shape (n, h, w) and labels."""
    if (images is None) != (labels is None):
        raise ValueError("Pass images and labels, or neither: one of them is missing.")
    if images is None:
        images, labels = _fetch_mnist()
    images, labels = np.asarray(images), np.asarray(labels)
    if images.ndim == 2 and math.isqrt(images.shape[1]) ** 2 == images.shape[1]:
        side = math.isqrt(images.shape[1])
        images = images.reshape(-1, side, side)
    if images.ndim != 3:
        raise ValueError(
            "images must have shape (n, height, width) or be rows of square images, got shape "
            f"{images.shape}."
        )
    if labels.shape != (len(images),):
        raise ValueError(
            f"labels must hold one label for each of the {len(images)} images, got shape "
            f"{labels.shape}."
        )
    if labels.dtype.kind in "OU" and all(str(label).isdecimal() for label in labels):
        labels = labels.astype(int)  # OpenML's labels are strings
    return images, labels


def _fetch_mnist():
    # The faster parser needs pandas, which is no dependency of this package.
    parser = "pandas" if importlib.util.find_spec("pandas") else "liac-arff"
    try:
        return fetch_openml("mnist_784", version=1, as_frame=False, return_X_y=True, parser=parser)
    except OSError as error:
        raise OSError(
            "MNIST is not in scikit-learn's cache and could not be downloaded from OpenML "
            f"({error}). Pass the digits as images and labels, or run once with network access "
            "(the cache is in sklearn.datasets.get_data_home())."
        ) from error


def _first_of_each_class(target, n_samples):
    """Indices of the first samples of each class, in ascending order."""
    if n_samples is None:
        return np.arange(len(target))
    classes, counts = np.unique(target, return_counts=True)
    if counts.min() < n_samples:
        scarce = np.argmin(counts)
        raise ValueError(
            f"n_samples_per_class={n_samples}, but there are only {counts[scarce]} images of "
            f"class {classes[scarce]}. Lower it, or pass None to take all."
        )
    firsts = [np.flatnonzero(target == label)[:n_samples] for label in classes]
    return np.sort(np.concatenate(firsts))
