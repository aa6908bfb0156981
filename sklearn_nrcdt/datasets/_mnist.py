"""MNIST from arrays, from a file or from scikit-learn's cache."""

import gzip
import importlib.util
import math
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import fetch_openml

# The names under which the usual archives of MNIST keep images and labels.
ARCHIVE_KEYS = (("x_train", "y_train"), ("images", "labels"), ("data", "target"), ("X", "y"))
IDX_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
MAX_IDX_BYTES = 2**32


def find_mnist(images, labels, path, data_home):
    """Return images of shape (n, h, w) and labels."""
    if images is not None and path is not None:
        raise ValueError("Pass either images or path, not both.")
    if images is None and path is None:
        if labels is not None:
            raise ValueError("labels were passed without images. Pass images or path as well.")
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


def _fetch_mnist(data_home):
    # The faster parser needs pandas, which is no dependency of this package.
    parser = "pandas" if importlib.util.find_spec("pandas") else "liac-arff"
    try:
        with warnings.catch_warnings():
            # If the second attempt fails as well, the error below says so.
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
        raise FileNotFoundError(f"path={str(path)!r} is not a file. Pass a .npz, .npy or idx file.")
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
            raise ValueError("it is not a .npz, .npy or idx file")
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
