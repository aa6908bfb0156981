"""LinMNIST: affinely transformed handwritten digits."""

import gzip
import importlib.util
import math
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import fetch_openml
from sklearn.utils import check_random_state

from sklearn_nrcdt.datasets._bunch import image_bunch
from sklearn_nrcdt.datasets._checks import (
    check_dtype,
    check_images,
    check_integer,
    check_number,
    check_option,
)
from sklearn_nrcdt.datasets._stack import stack_images
from sklearn_nrcdt.datasets._warp import check_affine_ranges, random_affine_of

# The names under which the usual archives of MNIST keep images and labels.
ARCHIVE_KEYS = (("x_train", "y_train"), ("images", "labels"), ("data", "target"), ("X", "y"))
IDX_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
MAX_IDX_BYTES = 2**32


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
    Scikit-learn's own digits of 8 x 8 pixels will do for a trial:

    >>> from sklearn.datasets import load_digits
    >>> from sklearn_nrcdt.datasets import make_linmnist
    >>> digits = load_digits()
    >>> linear = make_linmnist(
    ...     digits.images, digits.target, n_samples_per_class=5, zoom=7, random_state=0
    ... )
    >>> linear.images.shape
    (50, 128, 128)
    """
    ranges = check_affine_ranges(scale, rotation, shear, shift)
    zoom = check_number(zoom, "zoom", low=0, open_low=True)
    size = check_integer(size, "size", low=1)
    order = check_integer(order, "order", low=0, high=5)
    check_option(cut, "cut", ("warn", "redraw", "ignore"))
    dtype = check_dtype(dtype)
    if n_samples_per_class is not None:
        check_integer(n_samples_per_class, "n_samples_per_class", low=1)
    rng = check_random_state(random_state)

    digits, target = _find_mnist(images, labels, path, data_home)
    indices = _first_of_each_class(target, n_samples_per_class)
    digits = check_images(digits[indices]).astype(dtype, copy=False)
    target = target[indices]
    if size < max(digits.shape[1:]):
        raise ValueError(f"size={size} is smaller than the images of shape {digits.shape[1:]}.")
    canvas = stack_images(digits, shape=(size, size))
    moved, params = random_affine_of(
        canvas,
        np.arange(len(canvas)),
        ranges,
        zoom=zoom,
        order=order,
        cut=cut,
        rng=rng,
        n_jobs=n_jobs,
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


def _find_mnist(images, labels, path, data_home):
    """Return images of shape (n, h, w) and labels, from wherever they are."""
    if images is not None and path is not None:
        raise ValueError("Pass either images or path, not both.")
    if images is None and path is None:
        if labels is not None:
            raise ValueError("labels were passed without images. Pass images or path, too.")
        images, labels = _fetch_mnist(data_home)
    elif path is not None:
        images, found = _read_mnist(Path(path))
        labels = found if labels is None else labels
    if labels is None:
        raise ValueError("labels are missing. Pass labels, one for each image.")
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


def _first_of_each_class(target, n_samples):
    """Indices of the first samples of each class, in ascending order."""
    classes, positions, counts = np.unique(target, return_inverse=True, return_counts=True)
    if n_samples is None:
        return np.arange(len(target))
    if counts.min() < n_samples:
        scarce = np.argmin(counts)
        raise ValueError(
            f"n_samples_per_class={n_samples}, but there are only {counts[scarce]} images of "
            f"class {classes[scarce]}. Lower it, or pass None to take all."
        )
    by_class = np.argsort(positions, kind="stable")
    starts = np.cumsum(counts) - counts
    return np.sort(by_class[(starts[:, None] + np.arange(n_samples)).ravel()])


def _fetch_mnist(data_home):
    # The faster parser needs pandas, which is no dependency of this package.
    parser = "pandas" if importlib.util.find_spec("pandas") else "liac-arff"
    try:
        with warnings.catch_warnings():
            # What a failed first attempt says is said below, if the second fails as well.
            warnings.filterwarnings("ignore", message="A network error occurred")
            return fetch_openml(
                "mnist_784",
                version=1,
                as_frame=False,
                return_X_y=True,
                parser=parser,
                data_home=data_home,
                n_retries=1,
            )
    except OSError as error:
        raise OSError(
            "MNIST is not in scikit-learn's cache and could not be downloaded from OpenML "
            f"({error}). Pass the digits as images and labels, or a local file as path, or "
            "run once with network access (the cache is in "
            "sklearn.datasets.get_data_home(), or in data_home)."
        ) from error


def _read_mnist(path):
    """Return images and labels (None if the file has none)."""
    if not path.is_file():
        raise FileNotFoundError(f"path={str(path)!r} is no file. Pass an .npz, .npy or idx file.")
    readers = {".npz": _read_archive, ".npy": _read_array}
    reader = readers.get(path.suffix.lower())
    if reader:
        return _named(reader, path)
    beside = path.with_name(path.name.replace("images", "labels").replace("idx3", "idx1"))
    has_labels = beside != path and beside.is_file()
    return _named(_read_idx, path), _named(_read_idx, beside) if has_labels else None


def _named(reader, path):
    """Read a file, or name it in the error."""
    try:
        return reader(path)
    except Exception as error:  # unpacking broken files raises all kinds
        raise ValueError(f"{str(path)!r} could not be read as MNIST: {error}") from error


def _read_array(path):
    # A map first: it sees whether the file is as long as its header says.
    return np.array(np.load(path, allow_pickle=False, mmap_mode="r")), None


def _read_archive(path):
    # NumPy leaves a file open that it cannot read.
    with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
        for images, labels in ARCHIVE_KEYS:
            if images in archive and labels in archive:
                return archive[images], archive[labels]
        raise ValueError(
            f"it holds {', '.join(archive.files)}, but no pair of "
            + ", ".join(f"{images} and {labels}" for images, labels in ARCHIVE_KEYS)
        )


def _read_idx(path):
    """Read an array in the idx format: type, number of axes, their lengths, the numbers."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        magic = file.read(4)
        if len(magic) < 4 or magic[:2] != b"\0\0" or magic[2] not in IDX_TYPES or magic[3] > 4:
            raise ValueError("it is no .npz, .npy or idx file")
        dtype = np.dtype(IDX_TYPES[magic[2]])
        shape = np.frombuffer(file.read(4 * magic[3]), dtype=">u4").tolist()
        n_bytes = math.prod(shape) * dtype.itemsize
        if len(shape) != magic[3] or n_bytes > MAX_IDX_BYTES:
            raise ValueError(f"its header announces an array of shape {tuple(shape)}")
        content = file.read(n_bytes)
        file.read(1)  # only at its end, gzip compares checksums
    if len(content) < n_bytes:
        raise ValueError(f"it ends after {len(content)} of {n_bytes} bytes")
    return np.frombuffer(content, dtype=dtype).reshape(shape).astype(dtype.newbyteorder("="))
