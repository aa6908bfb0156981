"""Features of more images than memory holds, written to a file."""

import mmap
import os
import uuid
import warnings
from collections.abc import Iterable
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from sklearn.utils import Bunch

from sklearn_nrcdt._support.compat import Interval, validate_params
from sklearn_nrcdt._support.messages import BlankImageWarning, warn
from sklearn_nrcdt._support.progress import Progress
from sklearn_nrcdt._support.samples import first_few
from sklearn_nrcdt._support.types import FloatArray, Images, PathLike


@validate_params(
    {"batch_size": [Interval(Integral, 1, None, closed="left")], "verbose": ["verbose"]},
    prefer_skip_nested_validation=False,
)
def transform_to_npy(
    transformer: Any,
    images: Images | Iterable[Images],
    path: PathLike,
    *,
    batch_size: int = 1024,
    verbose: int = 0,
) -> FloatArray:
    """Transform images batch by batch and write the features to a ``.npy`` file.

    Peak memory does not depend on the number of images. The file gets its name only when it is
    complete and on disk: a run that fails leaves nothing that could be mistaken for a result.
    Several runs may write to one name; the last one to finish wins.

    Parameters
    ----------
    transformer : fitted transformer
        Any transformer with dense rows of numbers as output, or a fitted pipeline of those.
    images : array-like or iterable of array-likes
        Something that can be sliced, such as a memory map of shape (n, height, width), sparse rows
        or a list of 2-D images, or an iterable of batches of whatever the transformer takes, such
        as :func:`~sklearn_nrcdt.datasets.iter_image_folder`.
    path : str or path-like
        File to write, ``*.npy``, in an existing folder.
    batch_size : int, default=1024
        Number of images at a time. Batches of an iterable keep their own size.
    verbose : int, default=0
        1 prints the progress about once a second; `iter_image_folder` prints a bar of its own.

    Returns
    -------
    features : memmap of shape (n, n_features)
        The written file, opened for reading.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_nrcdt import MaxNRCDT, transform_to_npy
    >>> images = load_digits().images
    >>> transformer = MaxNRCDT(n_angles=16).fit(images[:1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     features = transform_to_npy(transformer, images, folder + "/features.npy")
    ...     features.shape
    (1797, 64)
    """
    path = _check_path(path)
    if isinstance(images, str | os.PathLike):
        raise TypeError(
            f"images must be images or batches of them, got the path {str(images)!r}. Read a "
            "folder with sklearn_nrcdt.datasets.iter_image_folder, a .npy file with "
            "np.load(path, mmap_mode='r')."
        )
    total = _number_of_images(images)
    batches = images if total is None else _slices(images, total, batch_size)
    # A unique name: two runs must not write into one file.
    part = path.with_name(f"{path.name}.{uuid.uuid4().hex[:12]}.part")
    try:
        with open(part, "xb") as file:
            with Progress(total, verbose) as progress:
                blank = _write(transformer, batches, file, progress)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    if blank:
        warn(
            f"{len(blank)} of the images have no mass or features: samples {first_few(blank)}. "
            "Their features are zero.",
            BlankImageWarning,
        )
    return np.load(path, mmap_mode="r")


def _check_path(path: PathLike) -> Path:
    """Return the path if it can be written to; complain now, not when the work is done."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(
            f"path={str(path)!r} is a folder. Pass the name of a .npy file in it."
        )
    if path.suffix.lower() != ".npy":
        raise ValueError(
            f"path={str(path)!r} must end in '.npy'. To write another format, save the result, for "
            "example with np.savetxt."
        )
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"path={str(path)!r} is in a folder that does not exist. Make {str(path.parent)!r} "
            "first."
        )
    return path


def _number_of_images(images):
    """Return how many images there are, or None for an iterable of batches."""
    if getattr(images, "shape", None):
        return images.shape[0]
    # As everywhere, a list of 2-D arrays is a list of images.
    first = images[0] if isinstance(images, list | tuple) and images else None
    return len(images) if isinstance(first, np.ndarray) and first.ndim == 2 else None


def _slices(images, total, batch_size):
    """Yield batches; release the pages read of a memory map, which the system may cache."""
    mapped = images
    while isinstance(mapped, np.ndarray):
        mapped = mapped.base
    # Of a map that is not read-only, a private copy would be lost.
    read_only = isinstance(mapped, mmap.mmap) and getattr(images, "mode", None) == "r"
    for start in range(0, total, batch_size):
        yield images[start : start + batch_size]
        if read_only and hasattr(mmap, "MADV_DONTNEED"):
            mapped.madvise(mmap.MADV_DONTNEED)


def _write(transformer, batches, file, progress):
    """Write header and rows; return the indices of rows that are zero."""
    n_written, width, dtype, blank = 0, None, None, []
    for batch in batches:
        with warnings.catch_warnings():
            # Positions would count from the start of the batch; we warn once at the end.
            warnings.filterwarnings("ignore", category=BlankImageWarning)
            try:
                images = batch.images if isinstance(batch, Bunch) else batch
                features = np.asarray(transformer.transform(images))
            except Exception as error:
                error.add_note(f"This was the batch that starts at image {n_written}.")
                raise
        if features.ndim != 2 or features.dtype.kind not in "buif":
            raise ValueError(
                "The transformer must give dense rows of real numbers, got an array of shape "
                f"{features.shape} and dtype {features.dtype}."
            )
        if width is None:
            width, dtype = features.shape[1], features.dtype
            _write_header(file, dtype, (0, width))
        if features.shape[1] != width or features.dtype != dtype:
            raise ValueError(
                f"The batch that starts at image {n_written} gave {features.shape[1]} features "
                f"of {features.dtype}, the batches before it {width} of {dtype}."
            )
        file.write(np.ascontiguousarray(features).tobytes())
        blank += (n_written + np.flatnonzero(~features.any(axis=1))).tolist()
        n_written += len(features)
        progress.show(n_written)
    if width is None:
        raise ValueError("There are no images to transform.")
    # The header leaves room for the number of rows, which is known only now.
    file.seek(0)
    _write_header(file, dtype, (n_written, width))
    return blank


def _write_header(file, dtype, shape):
    header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    npy.write_array_header_1_0(file, header)
