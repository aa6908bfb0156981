"""Your own folder of images: batch by batch, or all at once."""

import os
from collections.abc import Iterator
from contextlib import suppress
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.utils import Bunch

from sklearn_nrcdt._kernels import cleaning
from sklearn_nrcdt._support.compat import Interval, StrOptions, validate_params
from sklearn_nrcdt._support.formats import find_image_files
from sklearn_nrcdt._support.misreadings import report_bright_borders
from sklearn_nrcdt._support.progress import Progress
from sklearn_nrcdt._support.types import Errors, PathLike
from sklearn_nrcdt.datasets._image_file import Unreadable, read_grey, read_size
from sklearn_nrcdt.datasets._image_stacks import stack_images

# The images of one batch take little more than this, however many.
BATCH_BYTES = 2**28
MAX_NAMED = 10
# What to do about bright borders, for each value of `invert`.
ADVICE = {
    False: "pass invert=True or invert='auto'",
    True: "pass invert=False",
    "auto": "pass invert=True",
}

READING = {
    "path": [str, os.PathLike, list],
    "layout": [StrOptions({"auto", "classes", "flat", "nested"})],
    "invert": ["boolean", StrOptions({"auto"})],
    "background": [Interval(Real, 0, None, closed="left"), StrOptions({"otsu"}), None],
    "errors": [StrOptions({"raise", "skip"})],
    "verbose": ["verbose"],
}


class MixedFolderError(ValueError):
    """Raised if a folder holds images beside subfolders of images, and no layout is given.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> from sklearn_nrcdt.datasets import MixedFolderError, load_image_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (Path(folder) / "a").mkdir()
    ...     for name in ("1.png", "a/2.png"):
    ...         Image.new("L", (4, 4)).save(Path(folder) / name)
    ...     try:
    ...         scans = load_image_folder(folder)
    ...     except MixedFolderError:
    ...         scans = load_image_folder(folder, layout="classes")
    >>> scans.filenames.tolist()
    ['a/2.png']
    """


class UnreadableImagesError(ValueError):
    """Raised if files of a folder cannot be used.

    Attributes
    ----------
    skipped : dict
        Path, relative to the folder, and reason of each file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn_nrcdt.datasets import UnreadableImagesError, load_image_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     n_letters = (Path(folder) / "text.png").write_text("no image")
    ...     try:
    ...         scans = load_image_folder(folder)
    ...     except UnreadableImagesError as error:
    ...         print(error.skipped)
    {'text.png': 'not an image, or of an unknown format'}
    """

    skipped: dict[str, str]


class _Files(NamedTuple):
    """What is in a folder: paths relative to its root, in order."""

    root: Path
    images: list
    ignored: list
    closed: dict  # subfolders that cannot be looked into, and why
    labeled: bool  # whether the first part of a path is a class

    def error(self, skipped):
        n_files = len(self.images) + len(self.closed)
        named = "\n".join(f"  {file}: {why}" for file, why in list(skipped.items())[:MAX_NAMED])
        more = f"\n  ... and {len(skipped) - MAX_NAMED} more" if len(skipped) > MAX_NAMED else ""
        advice = "\nRemove them, or leave them out with errors='skip'."
        error = UnreadableImagesError(
            f"{len(skipped)} of {n_files} files in {str(self.root)!r} could not be used:\n"
            f"{named}{more}{advice if len(skipped) < n_files else ''}"
        )
        error.skipped = skipped
        return error


@validate_params(READING | {"batch_size": [Interval(Integral, 1, None, closed="left")]})
def iter_image_folder(
    path: PathLike | list[Any],
    *,
    batch_size: int = 256,
    layout: Literal["auto", "classes", "flat", "nested"] = "auto",
    invert: bool | Literal["auto"] = False,
    background: float | Literal["otsu"] | None = None,
    errors: Errors = "raise",
    verbose: int = 0,
) -> Iterator[Bunch]:
    """Read a folder of images batch by batch, for folders that do not fit into memory.

    The images are those of `load_image_folder`, in the same order.

    Parameters
    ----------
    path : str, path-like or list of them
        The folder, or a list of files, which have no classes.
    batch_size : int, default=256
        Number of images in a batch. A batch of large images ends earlier, when it takes 256 MB.
    layout, invert, background : str, bool, float or None
        As of `load_image_folder`.
    errors : {"raise", "skip"}, default="raise"
        What to do about a file or subfolder that cannot be read: raise an error that names it
        when its turn comes, or leave it out.
    verbose : int, default=0
        If positive, print the progress.

    Returns
    -------
    batches : iterator of Bunch
        Each with the attributes ``target``, ``filenames``, ``inverted``, ``dpi`` and ``ignored``
        of `load_image_folder`, and

        - images : list of 2-D arrays in their own sizes; `stack_images` puts them on a canvas
        - target_names : ndarray of shape (n_classes,), names of all subfolders with images;
          None if flat
        - skipped : dict, path and reason of files that could not be used so far; one and
          the same for all batches

    See Also
    --------
    load_image_folder : All images at once.
    sklearn_nrcdt.transform_to_npy : Takes such batches.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from skimage.io import imsave
    >>> from sklearn_nrcdt import MaxNRCDT, transform_to_npy
    >>> from sklearn_nrcdt.datasets import iter_image_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number in range(5):
    ...         image = np.pad(np.full((9, 2 + number), 200, dtype=np.uint8), 3)
    ...         imsave(Path(folder) / f"{number}.png", image, check_contrast=False)
    ...     first = next(iter_image_folder(folder)).images
    ...     transformer = MaxNRCDT(n_angles=16).fit(first)
    ...     batches = iter_image_folder(folder, batch_size=2)
    ...     features = transform_to_npy(transformer, batches, Path(folder) / "features.npy")
    >>> features.shape
    (5, 64)
    """
    files = _find_files(path, layout)
    if files.closed and errors == "raise":
        raise files.error(files.closed)
    # Errors so far are raised here, not when the first batch is requested.
    return _batches(files, batch_size, BATCH_BYTES, invert, background, errors, verbose)


@validate_params(
    READING
    | {"shape": [StrOptions({"own"}), None], "max_bytes": [Interval(Real, 1, None, closed="left")]}
)
def load_image_folder(
    path: PathLike | list[Any],
    *,
    layout: Literal["auto", "classes", "flat", "nested"] = "auto",
    invert: bool | Literal["auto"] = False,
    background: float | Literal["otsu"] | None = None,
    shape: Literal["own"] | None = None,
    errors: Errors = "raise",
    max_bytes: int = 2**32,
    verbose: int = 0,
) -> Bunch:
    """Load a folder of images as a stack of grey images.

    Every image is converted to grey values in [0, 1], turned upright according to its EXIF data,
    and centered on one black canvas without scaling.

    Parameters
    ----------
    path : str, path-like or list of them
        The folder, or a list of files, which have no classes.
    layout : {"auto", "classes", "flat", "nested"}, default="auto"
        "classes": every subfolder is a class, with all images in it, however deep. "flat":
        the images directly in the folder, without labels. "nested": all images, however deep,
        without labels. "auto" takes "classes" or "flat", whatever the folder holds.
    invert : bool or "auto", default=False
        Whether to invert the grey values: True for dark drawings on bright paper, since bright
        pixels count as mass. "auto" inverts each image with a bright border.
    background : float or "otsu", default=None
        Grey values up to this number (after inversion) are set to 0, for example the tint of
        scanned paper. "otsu" finds a threshold for each image, before any border is added.
    shape : {"own", None}, default=None
        None takes a canvas of the largest height and width. With "own" there is no canvas: the
        images are a list of arrays in their own sizes, which `stack_images` puts on any other.
    errors : {"raise", "skip"}, default="raise"
        What to do about files and subfolders that cannot be read: raise one error that names all
        of them, or leave them out.
    max_bytes : int, default=4294967296
        Largest size of the images in memory, looked up before the first one is read.
    verbose : int, default=0
        If positive, print the progress.

    Returns
    -------
    folder : Bunch
        - images : ndarray of shape (n_images, height, width), sorted by path, or list of
          2-D arrays with ``shape="own"``
        - data : ndarray of shape (n_images, height * width); None with ``shape="own"``
        - target : ndarray of shape (n_images,), indices of the classes; None if flat
        - target_names : ndarray of shape (n_classes,), names of the subfolders; None if flat
        - filenames : ndarray of shape (n_images,), paths relative to the folder
        - inverted : ndarray of bool of shape (n_images,), which images were inverted
        - dpi : ndarray of shape (n_images,), dots per inch that the files state, NaN if they do
          not, or only those of a screen (72 or 96)
        - skipped : dict, path and reason of files that could not be used
        - ignored : list of str, other files: not images by their names, beside what the
          layout asks for, or links that lead out of the folder

    See Also
    --------
    iter_image_folder : For folders that do not fit into memory.
    stack_images : The same for arrays.

    Notes
    -----
    Transparent pixels count as background. Files with several frames or with more pixels than
    ``PIL.Image.MAX_IMAGE_PIXELS`` are refused before they are decoded. Other formats than AVIF,
    BMP, GIF, JPEG, JPEG 2000, PBM, PGM, PPM, PNG, TIFF and WebP are not opened, whatever the names.
    No file leads out of the folder or runs another program.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from skimage.io import imsave
    >>> from sklearn_nrcdt.datasets import load_image_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, width in [("disc", 20), ("ring", 30)]:
    ...         (Path(folder) / name).mkdir()
    ...         image = np.full((24, width), 200, dtype=np.uint8)
    ...         imsave(Path(folder) / name / "1.png", image, check_contrast=False)
    ...     scans = load_image_folder(folder, invert=True)
    >>> scans.images.shape, scans.target, scans.target_names
    ((2, 24, 30), array([0, 1]), array(['disc', 'ring'], dtype='<U4'))
    """
    own = shape == "own"
    files = _find_files(path, layout)
    sizes = {}
    for file in files.images:
        with suppress(Unreadable):  # it gets its turn later
            sizes[file] = read_size(files.root / file)
    _check_memory(sizes, own, max_bytes)
    [folder] = _batches(files, np.inf, np.inf, invert, background, "skip", verbose)
    if folder.skipped and errors == "raise":
        raise files.error(folder.skipped)
    # Again: some files store their orientation at the end.
    sizes = {file: image.shape for file, image in zip(folder.filenames, folder.images, strict=True)}
    _check_memory(sizes, own, max_bytes)
    if files.labeled:  # a class without a readable image is none
        classes = _classes(folder.filenames.tolist())
        folder.target_names, folder.target = np.unique(classes, return_inverse=True)
    if not own:
        folder.images = stack_images(folder.images)
    folder.data = None if own else folder.images.reshape(len(folder.images), -1)
    return folder


def _classes(files):
    return [file.split("/")[0] for file in files]


def _find_files(path, layout):
    """Find the images that a layout asks for."""
    if isinstance(path, list):
        return _given_files(path)
    root = Path(path)
    if not os.path.isdir(root):  # its name may be too long to ask
        raise FileNotFoundError(
            f"path={str(path)!r} is not a folder. Pass the folder that holds the images."
        )
    images, ignored, closed = find_image_files(root)
    flat = [file for file in images if "/" not in file]
    nested = [file for file in images if "/" in file]
    if layout == "auto" and flat and nested:
        raise MixedFolderError(
            f"The folder {str(root)!r} holds images ({flat[0]!r}, ...) as well as subfolders of "
            f"images ({nested[0]!r}, ...). Pass layout='classes' to load the subfolders, "
            "layout='flat' to load the images directly in it, or layout='nested' to load both."
        )
    where = {"flat": " directly in it", "classes": " in subfolders"}.get(layout, "")
    if layout == "flat":
        closed = {file: why for file, why in closed.items() if file == "."}
    if layout == "auto":
        layout = "flat" if flat else "classes"
    chosen = {"flat": flat, "classes": nested, "nested": images}[layout]
    ignored = sorted({*ignored, *images} - {*chosen})
    found = _Files(root, chosen, ignored, closed, labeled=layout == "classes")
    if chosen:
        return found
    if closed:
        raise found.error(closed)
    hint = f" It holds other files, such as {ignored[0]!r}." if ignored else ""
    raise ValueError(f"The folder {str(root)!r} has no image files{where}.{hint}")


def _given_files(paths):
    """Return files by their paths relative to the folder that they share."""
    if not paths:
        raise ValueError("path is an empty list. Pass at least one file, or a folder.")
    files = [os.path.abspath(path) for path in paths]
    root = os.path.commonpath([os.path.dirname(file) for file in files])
    names = [os.path.relpath(file, root).replace(os.sep, "/") for file in files]
    return _Files(Path(root), list(dict.fromkeys(names)), [], {}, labeled=False)


def _check_memory(sizes, own, max_bytes):
    """Refuse images that take too much memory, on a canvas or in their own sizes."""
    n_pixels = sum(height * width for height, width in sizes.values())
    where = reason = ""
    if sizes and not own:
        height, width = np.max([*sizes.values()], axis=0).tolist()
        n_pixels = len(sizes) * height * width
        where = f" on a canvas of {height} x {width} pixels"
        large = {max(sizes, key=lambda file: sizes[file][axis]) for axis in (0, 1)}
        named = " and ".join(f"{f} ({sizes[f][0]} x {sizes[f][1]} pixels)" for f in sorted(large))
        reason = f" That is because of {named}: remove it, or pass shape='own'."
    if 4 * n_pixels <= max_bytes:
        return
    raise ValueError(
        f"{len(sizes)} images{where} take {4 * n_pixels / 1e9:.3g} GB, more than "
        f"max_bytes={max_bytes:.0f}.{reason} Read a folder batch by batch with iter_image_folder, "
        "or raise max_bytes if you have that much memory."
    )


def _batches(files, batch_size, batch_bytes, invert, background, errors, verbose):
    """Read file after file, and yield a batch whenever it is full."""
    names = np.unique(_classes(files.images)) if files.labeled else None
    read, n_bytes, n_batches, skipped = {}, 0, 0, dict(files.closed)
    with Progress(len(files.images), verbose, "files") as progress:
        for number, file in enumerate(files.images, 1):
            try:
                read[file] = _read_image(files.root / file, invert, background)
                n_bytes += read[file][0].nbytes
            except Unreadable as error:
                skipped[file] = str(error)
                if errors == "raise":
                    raise files.error(skipped) from error
            full = len(read) == batch_size or n_bytes >= batch_bytes
            if read and (full or number == len(files.images)):
                images, inverted, dpi = zip(*read.values(), strict=True)
                if n_batches == 0:
                    report_bright_borders(images, advice=ADVICE[invert])
                yield Bunch(
                    images=list(images),
                    target=None if names is None else np.searchsorted(names, _classes(read)),
                    target_names=names,
                    filenames=np.array(list(read)),
                    inverted=np.array(inverted),
                    dpi=np.array(dpi),
                    skipped=skipped,
                    ignored=files.ignored,
                )
                read, n_bytes, n_batches = {}, 0, n_batches + 1
            progress.show(number)
    if n_batches == 0:
        raise files.error(skipped)


def _read_image(file, invert, background):
    """Return a bright figure on black, whether it was inverted, and its dots per inch."""
    grey, dpi = read_grey(file, None if invert == "auto" else float(invert))
    if invert == "auto":
        invert = cleaning.border_brightness(grey[None])[0] > 0.5
    if invert:
        grey = cleaning.invert(grey, max(1.0, grey.max()))
    if background is not None:
        level = cleaning.otsu_level(grey) if background == "otsu" else background
        grey = cleaning.remove_background(grey, level)
    return grey, bool(invert), dpi
