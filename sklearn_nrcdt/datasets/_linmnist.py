"""LinMNIST: affinely transformed handwritten digits."""

import numpy as np
from sklearn.utils import check_random_state

from sklearn_nrcdt.datasets._affine import check_affine, random_affine_of
from sklearn_nrcdt.datasets._bunch import image_bunch
from sklearn_nrcdt.datasets._checks import check_dtype, check_images, check_integer, check_number
from sklearn_nrcdt.datasets._mnist import find_mnist
from sklearn_nrcdt.datasets._stack import stack_images


def make_linmnist(
    images=None,
    labels=None,
    *,
    path=None,
    n_samples_per_class=500,
    zoom=2.0,
    size=128,
    scale=(0.75, 1.0),
    rotation=(0.0, 360.0),
    shear=(0.0, 0.0),
    shift=(-20, 20),
    order=2,
    cut="warn",
    dtype=np.float32,
    data_home=None,
    random_state=None,
    n_jobs=None,
    return_X_y=False,
):
    """Make LinMNIST, a data set of affinely transformed handwritten digits.

    The first samples of each class of MNIST are enlarged, centred on a larger canvas and
    mapped by a random affine map; enlargement and map are one interpolation. MNIST comes
    from the arrays that are passed, else from the local file ``path``, else from
    `sklearn.datasets.fetch_openml`, which keeps it in scikit-learn's cache.

    Parameters
    ----------
    images : array-like of shape (n, 28, 28) or (n, 784), default=None
        The digits, or images of any other shape (n, height, width).
    labels : array-like of shape (n,), default=None
        Their labels.
    path : str or path-like, default=None
        A file with images and labels: an ``.npz`` archive (arrays ``x_train`` and
        ``y_train``, ``images`` and ``labels``, ``data`` and ``target``, or ``X`` and
        ``y``), an ``.npy`` array of images (`labels` must be passed), or an idx file of
        images as MNIST is distributed, ``.gz`` or not, with the file of labels beside it.
    n_samples_per_class : int or None, default=500
        How many images of each class are taken, in the given order. None takes all.
    zoom : float, default=2.0
        Enlargement before the random map.
    size : int, default=128
        Side of the square canvas in pixels.
    scale, rotation, shear, shift : pair of numbers
        Ranges of the affine maps, see `random_affine`.
    order : int, default=2
        Order of the interpolating splines.
    cut : {"warn", "redraw", "ignore"}, default="warn"
        What to do about maps that move mass off the canvas, see `random_affine`.
    dtype : {np.float32, np.float64}, default=np.float32
        Data type of the images.
    data_home : str or path-like, default=None
        Folder of scikit-learn's cache, for `sklearn.datasets.fetch_openml`.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of all draws.
    n_jobs : int, default=None
        Number of threads over the images. The result does not depend on it.
    return_X_y : bool, default=False
        If True, return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    linmnist : Bunch
        With the attributes

        - images : ndarray of shape (n_samples, size, size), in MNIST's order and grey values
        - data : ndarray of shape (n_samples, size * size), the flattened images
        - target : ndarray of shape (n_samples,), the digits
        - target_names : ndarray of shape (n_classes,), the different labels
        - indices : ndarray of shape (n_samples,), which images of MNIST were taken
        - params : Bunch, what was drawn, see `random_affine`; the enlargement is not part
          of it
        - DESCR : str

    See Also
    --------
    random_affine : The random maps alone.

    Examples
    --------
    Try it with scikit-learn's digits of 8 x 8 pixels:

    >>> from sklearn.datasets import load_digits
    >>> from sklearn_nrcdt.datasets import make_linmnist
    >>> digits = load_digits()
    >>> linear = make_linmnist(
    ...     digits.images, digits.target, n_samples_per_class=5, zoom=7, random_state=0
    ... )
    >>> linear.images.shape
    (50, 128, 128)
    """
    ranges = check_affine(scale, rotation, shear, shift, order, cut)
    zoom = check_number(zoom, "zoom", low=0, open_low=True)
    size = check_integer(size, "size", low=1)
    dtype = check_dtype(dtype)
    if n_samples_per_class is not None:
        check_integer(n_samples_per_class, "n_samples_per_class", low=1)
    rng = check_random_state(random_state)

    digits, target = find_mnist(images, labels, path, data_home)
    indices = _first_of_each_class(target, n_samples_per_class)
    digits = check_images(digits[indices]).astype(dtype, copy=False)
    target = target[indices]
    if size < max(digits.shape[1:]):
        raise ValueError(
            f"size={size} is smaller than the images of shape {digits.shape[1:]}. Raise it."
        )
    canvas = stack_images(digits, shape=(size, size))
    index = np.arange(len(canvas))
    moved, params = random_affine_of(
        canvas, index, ranges, zoom=zoom, order=order, cut=cut, rng=rng, n_jobs=n_jobs
    )
    return image_bunch(
        moved,
        target,
        np.unique(target),
        f"LinMNIST: {len(moved)} handwritten digits, enlarged {zoom:g} times and mapped "
        "by random affine maps.",
        return_X_y=return_X_y,
        indices=indices,
        params=params,
    )


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
