"""Your own folder of images: all at once, or batch by batch."""

import numpy as np
from sklearn.utils import Bunch

from sklearn_nrcdt._support.polarity import report_bright_borders
from sklearn_nrcdt._support.progress import Progress
from sklearn_nrcdt.datasets._bunch import image_bunch
from sklearn_nrcdt.datasets._checks import check_integer, check_number, check_option
from sklearn_nrcdt.datasets._folder_files import ImageFiles
from sklearn_nrcdt.datasets._folder_sizes import (
    fits,
    is_own,
    memory,
    memory_in_words,
    misfit,
    misfits,
)
from sklearn_nrcdt.datasets._image_file import Unreadable, read_shape
from sklearn_nrcdt.datasets._stack import check_shape, stack_images

# fmt: off
EXTENSIONS = (
    "avif", "bmp", "dib", "gif", "jp2", "jpe", "jpeg", "jpg", "pbm",
    "pgm", "png", "pnm", "ppm", "tga", "tif", "tiff", "webp",
)
# fmt: on
# The images of one batch of `iter_image_folder` take little more than this, however many.
BATCH_BYTES = 2**28


def load_image_folder(
    path,
    *,
    layout="auto",
    invert=False,
    background=None,
    shape=None,
    extensions=EXTENSIONS,
    errors="raise",
    on_bright_border="warn",
    follow_links=False,
    max_bytes=2**32,
    verbose=0,
    dtype=np.float32,
    return_X_y=False,
):
    """Load a folder of images as a stack of grey images.

    Every image is converted to grey values in [0, 1], turned upright according to its EXIF data,
    and centred on one black canvas without scaling. Black borders do not change the invariant
    features.

    Parameters
    ----------
    path : str or path-like
        The folder.
    layout : {"auto", "classes", "flat"}, default="auto"
        "classes": every subfolder is a class, with all images in it, however deep. "flat":
        the images directly in the folder, without labels. "auto" takes what the folder holds.
    invert : bool or "auto", default=False
        Whether to invert the grey values: True for dark drawings on bright paper, since bright
        pixels count as mass. "auto" inverts images with a bright border; where figures touch
        the border, the majority of the folder decides.
    background : float or "otsu", default=None
        Grey values up to this number (after inversion) are set to 0, for example the tint of
        scanned paper. "otsu" finds a threshold for each image, before any border is added.
    shape : (int, int) or "own", default=None
        Height and width of the canvas. None takes the largest height and width. With "own"
        there is no canvas: the images are a list of arrays in their own sizes.
    extensions : sequence of str, default=("avif", "bmp", ..., "webp")
        Which files are images, by the ends of their names. Other files are not opened.
    errors : {"raise", "skip"}, default="raise"
        What to do about files that cannot be used: raise one error that names all of them, or
        leave them out.
    on_bright_border : {"warn", "raise", "ignore"}, default="warn"
        What to do if most images end up with a bright border: a sign of dark drawings on
        white paper.
    follow_links : bool, default=False
        Whether to follow symbolic links that lead out of the folder.
    max_bytes : int, default=4294967296
        Largest size of the images in memory, in bytes. If a few files are so high or wide that
        the canvas gets too large, these count as unusable. The sizes of all images are looked
        up before the first one is read.
    verbose : int, default=0
        If positive, print how large the images will be in memory, and the progress.
    dtype : {np.float32, np.float64}, default=np.float32
        Data type of the images.
    return_X_y : bool, default=False
        If True, return ``(data, target)`` instead of a Bunch, or ``(images, target)`` with
        ``shape="own"``.

    Returns
    -------
    folder : Bunch
        With the attributes

        - images : ndarray of shape (n_images, height, width), sorted by path, or list of
          2-D arrays with ``shape="own"``
        - data : ndarray of shape (n_images, height * width), the flattened images; None
          with ``shape="own"``
        - target : ndarray of shape (n_images,), indices of the classes; None if flat
        - target_names : ndarray of shape (n_classes,), names of the subfolders; None if
          flat
        - filenames : ndarray of shape (n_images,), paths relative to the folder
        - inverted : ndarray of bool of shape (n_images,), which images were inverted
        - skipped : dict, path and reason of files that could not be used
        - ignored : list of str, files without an extension of images, and links that
          were not followed
        - DESCR : str

    See Also
    --------
    iter_image_folder : For folders that do not fit into memory.
    stack_images : The same for arrays.

    Notes
    -----
    Transparent pixels count as background. Images of more pixels than Pillow's limit
    (``PIL.Image.MAX_IMAGE_PIXELS``) cannot be used and are refused before they are decoded, as
    are files with several frames and files that unpack to more than their pixels need. No file
    leads out of the folder or runs another program.

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
    check_option(on_bright_border, "on_bright_border", ("warn", "raise", "ignore"))
    check_option(errors, "errors", ("raise", "skip"))
    check_integer(verbose, "verbose", low=0)
    max_bytes = check_number(max_bytes, "max_bytes", low=1)
    shape = shape if shape is None or is_own(shape) else check_shape(shape)
    folder = ImageFiles(path, layout, invert, background, extensions, follow_links, dtype)

    shapes, skipped = {}, {}
    for file in folder.files:
        try:
            shapes[file] = read_shape(folder.root / file)
        except Unreadable as error:
            skipped[file] = str(error)
    skipped |= misfits(shapes, shape, folder.dtype, max_bytes)
    if verbose:
        sizes = [size for file, size in shapes.items() if file not in skipped]
        print(f"[load_image_folder] {memory_in_words(sizes, shape, folder.dtype)}", flush=True)

    images, inverted = {}, {}
    with Progress(len(folder.files), verbose, "files") as progress:
        for number, file in enumerate(folder.files, 1):
            if file not in skipped:
                try:
                    images[file], inverted[file] = folder.read(file)
                except Unreadable as error:
                    skipped[file] = str(error)
            progress.show(number)
    # Some formats store the orientation at the end of a file, after the size was looked up.
    turned = {file: image.shape for file, image in images.items() if image.shape != shapes[file]}
    if turned:
        for file, why in misfits(shapes | turned, shape, folder.dtype, max_bytes).items():
            if file in images:
                skipped[file] = why
                del images[file], inverted[file]
    if skipped and (errors == "raise" or not images):
        raise ValueError(folder.complaint(skipped))

    report_bright_borders(list(images.values()), on_bright_border, folder.advice)
    names, target = None, None
    if folder.has_classes:
        names, target = np.unique([file.split("/")[0] for file in images], return_inverse=True)
    return image_bunch(
        _together(images, shape),
        target,
        names,
        f"{len(images)} images of a folder.",
        return_X_y=return_X_y,
        filenames=np.array(list(images)),
        inverted=np.array(list(inverted.values())),
        skipped=skipped,
        ignored=folder.ignored,
    )


def iter_image_folder(
    path,
    *,
    batch_size=256,
    layout="auto",
    invert=False,
    background=None,
    shape="own",
    extensions=EXTENSIONS,
    errors="raise",
    on_bright_border="warn",
    follow_links=False,
    verbose=0,
    dtype=np.float32,
):
    """Read a folder of images batch by batch, for folders that do not fit into memory.

    The images are those of `load_image_folder`, in the same order.

    Parameters
    ----------
    path : str or path-like
        The folder.
    batch_size : int, default=256
        Number of images in a batch. A batch of large images ends earlier, when it takes
        256 MB.
    layout : {"auto", "classes", "flat"}, default="auto"
        "classes": every subfolder is a class, with all images in it, however deep. "flat":
        the images directly in the folder, without labels. "auto" takes what the folder holds.
    invert : bool or "auto", default=False
        Whether to invert the grey values: True for dark drawings on bright paper, since bright
        pixels count as mass. "auto" inverts images with a bright border; where figures touch
        the border, the majority of the folder decides.
    background : float or "otsu", default=None
        Grey values up to this number (after inversion) are set to 0, for example the tint of
        scanned paper. "otsu" finds a threshold for each image, before any border is added.
    shape : (int, int) or "own", default="own"
        Height and width of the canvas of all images. With "own" there is no canvas: the
        images of a batch are a list of arrays in their own sizes.
    extensions : sequence of str, default=("avif", "bmp", ..., "webp")
        Which files are images, by the ends of their names. Other files are not opened.
    errors : {"raise", "skip"}, default="raise"
        What to do about a file that cannot be used: raise an error that names it when its turn
        comes, or leave it out.
    on_bright_border : {"warn", "raise", "ignore"}, default="warn"
        What to do if most images of the first batch end up with a bright border: a sign of
        dark drawings on white paper.
    follow_links : bool, default=False
        Whether to follow symbolic links that lead out of the folder.
    verbose : int, default=0
        If positive, print the progress.
    dtype : {np.float32, np.float64}, default=np.float32
        Data type of the images.

    Returns
    -------
    batches : iterator of Bunch
        Each with the attributes

        - images : list of 2-D arrays, or ndarray of shape (n_images, height, width) if
          `shape` is given
        - target : ndarray of shape (n_images,), indices of the classes; None if flat
        - target_names : ndarray of shape (n_classes,), names of all subfolders with images;
          None if flat
        - filenames : ndarray of shape (n_images,), paths relative to the folder
        - inverted : ndarray of bool of shape (n_images,), which images were inverted
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
    >>> names = []
    >>> def batches(folder):
    ...     for batch in iter_image_folder(folder, batch_size=2):
    ...         names.extend(batch.filenames)
    ...         yield batch.images
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number in range(5):
    ...         image = np.pad(np.full((9, 2 + number), 200, dtype=np.uint8), 3)
    ...         imsave(Path(folder) / f"{number}.png", image, check_contrast=False)
    ...     first = next(iter_image_folder(folder)).images
    ...     transformer = MaxNRCDT(n_angles=16).fit(first)
    ...     path = Path(folder) / "features.npy"
    ...     features = transform_to_npy(transformer, batches(folder), path)
    >>> features.shape, [str(name) for name in names[-2:]]
    ((5, 64), ['3.png', '4.png'])
    """
    check_option(on_bright_border, "on_bright_border", ("warn", "raise", "ignore"))
    check_option(errors, "errors", ("raise", "skip"))
    check_integer(verbose, "verbose", low=0)
    batch_size = check_integer(batch_size, "batch_size", low=1)
    shape = shape if is_own(shape) else check_shape(shape)
    folder = ImageFiles(path, layout, invert, background, extensions, follow_links, dtype)
    # Errors so far are raised here, not when the first batch is requested.
    return _batches(folder, batch_size, shape, errors, on_bright_border, verbose)


def _batches(folder, batch_size, shape, errors, on_bright_border, verbose):
    names = None
    if folder.has_classes:
        names = np.unique([file.split("/")[0] for file in folder.files])
    images, inverted, skipped = {}, [], {}
    n_bytes = n_batches = 0
    with Progress(len(folder.files), verbose, "files") as progress:
        for number, file in enumerate(folder.files, 1):
            try:
                image, turned = folder.read(file)
                if not (is_own(shape) or fits(image.shape, shape)):
                    raise Unreadable(misfit(image.shape, shape))
            except Unreadable as error:
                skipped[file] = str(error)
                if errors == "raise":
                    raise ValueError(folder.complaint(skipped)) from error
            else:
                images[file] = image
                inverted.append(turned)
                n_bytes += memory([image.shape], shape, folder.dtype)
            full = len(images) == batch_size or n_bytes >= BATCH_BYTES
            if images and (full or number == len(folder.files)):
                if n_batches == 0:
                    report_bright_borders(list(images.values()), on_bright_border, folder.advice)
                yield _batch(images, names, inverted, skipped, shape)
                images, inverted, n_bytes = {}, [], 0
                n_batches += 1
            progress.show(number)
    if n_batches == 0:
        raise ValueError(folder.complaint(skipped))


def _batch(images, names, inverted, skipped, shape):
    target = None
    if names is not None:
        target = np.searchsorted(names, [file.split("/")[0] for file in images])
    return Bunch(
        images=_together(images, shape),
        target=target,
        target_names=names,
        filenames=np.array(list(images)),
        inverted=np.array(inverted),
        skipped=skipped,
    )


def _together(images, shape):
    return list(images.values()) if is_own(shape) else stack_images(images.values(), shape=shape)
