"""A user's own folder of images."""

import os
from pathlib import Path

import numpy as np

from sklearn_nrcdt._kernels import cleaning
from sklearn_nrcdt.datasets._bunch import image_bunch
from sklearn_nrcdt.datasets._checks import check_dtype, check_integer, check_number, check_option
from sklearn_nrcdt.datasets._image_file import Unreadable, read_grey
from sklearn_nrcdt.datasets._stack import stack_images

# fmt: off
EXTENSIONS = (
    "avif", "bmp", "dib", "gif", "jp2", "jpe", "jpeg", "jpg", "pbm",
    "pgm", "png", "pnm", "ppm", "tga", "tif", "tiff", "webp",
)
# fmt: on
MAX_NAMED = 10


def load_image_folder(
    path,
    *,
    layout="auto",
    invert=False,
    background=None,
    shape=None,
    extensions=EXTENSIONS,
    errors="raise",
    follow_links=False,
    verbose=0,
    dtype=np.float32,
    return_X_y=False,
):
    """Load a folder of images as a stack of grey images.

    Every image is converted to grey values in [0, 1] and centred on one black canvas,
    without scaling: black border changes nothing for the normalized transforms.

    Parameters
    ----------
    path : str or path-like
        The folder.
    layout : {"auto", "classes", "flat"}, default="auto"
        "classes": every subfolder is a class, with all images in it, however deep. "flat":
        the images directly in the folder, without labels. "auto" finds out.
    invert : bool, default=False
        Whether to invert the grey values. True for dark drawings on bright paper: the
        transforms take bright pixels for mass.
    background : float or "otsu", default=None
        Grey values up to this number (after inversion) are set to 0, for example the
        shimmer of scanned paper. "otsu" finds a threshold for each image.
    shape : (int, int), default=None
        Height and width of the canvas. None takes the largest height and width.
    extensions : sequence of str, default=("avif", "bmp", ..., "webp")
        Which files are images, by the ends of their names. Other files are not touched.
    errors : {"raise", "skip"}, default="raise"
        What to do about files that cannot be read: one error that names all of them, or
        leave them out.
    follow_links : bool, default=False
        Whether to follow symbolic links that lead out of the folder.
    verbose : int, default=0
        If positive, print the progress.
    dtype : {np.float32, np.float64}, default=np.float32
        Data type of the images.
    return_X_y : bool, default=False
        If True, return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    folder : Bunch
        With the attributes

        - images : ndarray of shape (n_images, height, width), sorted by path
        - data : ndarray of shape (n_images, height * width), the flattened images
        - target : ndarray of shape (n_images,), indices of the classes; None if flat
        - target_names : ndarray of shape (n_classes,), names of the subfolders; None if
          flat
        - filenames : ndarray of shape (n_images,), paths relative to the folder
        - skipped : dict, path and reason of files that could not be read
        - ignored : list of str, files without an extension of images, and links that
          were not followed
        - DESCR : str

    See Also
    --------
    stack_images : The same for arrays.

    Notes
    -----
    Transparent pixels count as background. Images of more pixels than Pillow's limit
    (``PIL.Image.MAX_IMAGE_PIXELS``) count as unreadable and are refused before they are
    decoded; so are films. No file leads out of the folder or runs another program.

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
    root = Path(path)
    check_option(layout, "layout", ("auto", "classes", "flat"))
    check_option(errors, "errors", ("raise", "skip"))
    check_integer(verbose, "verbose", low=0)
    dtype = check_dtype(dtype)
    if background is not None and background != "otsu":
        background = check_number(background, "background", low=0)
    if not root.is_dir():
        raise FileNotFoundError(f"path={str(path)!r} is no folder.")

    files, ignored = _find_images(root, _check_extensions(extensions), follow_links)
    files = _choose(files, layout, root, ignored)
    images, skipped = {}, {}
    for number, file in enumerate(files):
        try:
            grey = read_grey(root / file, transparent=1.0 if invert else 0.0)
        except Unreadable as error:
            skipped[file] = str(error)
        else:
            images[file] = _clean(grey, invert, background).astype(dtype)
        _report(number + 1, len(files), verbose)
    if skipped and (errors == "raise" or not images):
        raise ValueError(_skipped_message(skipped, len(files), root))

    names, target = None, None
    if "/" in files[0]:
        names, target = np.unique([file.split("/")[0] for file in images], return_inverse=True)
    return image_bunch(
        stack_images(images.values(), shape=shape),
        target,
        names,
        f"{len(images)} images of a folder.",
        return_X_y=return_X_y,
        filenames=np.array(list(images)),
        skipped=skipped,
        ignored=ignored,
    )


def _check_extensions(extensions):
    if isinstance(extensions, str) or not all(isinstance(end, str) for end in extensions):
        raise ValueError(
            f"extensions must be a sequence of strings such as ('png', 'tif'), got {extensions!r}."
        )
    return tuple("." + end.lower().lstrip(".") for end in extensions)


def _find_images(root, extensions, follow_links):
    """Return images and ignored files as sorted posix paths relative to the root."""
    images: list[str] = []
    ignored: list[str] = []
    seen = set()
    real_root = os.path.realpath(root)
    for folder, subfolders, files in os.walk(root, followlinks=follow_links):
        real = os.path.realpath(folder)
        if real in seen:  # a link to where we have been
            subfolders.clear()
            continue
        seen.add(real)
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        if not follow_links:
            links = (Path(folder, name) for name in subfolders)
            ignored += [link.relative_to(root).as_posix() for link in links if link.is_symlink()]
        for file in (Path(folder, name) for name in files if not name.startswith(".")):
            inside = Path(os.path.realpath(file)).is_relative_to(real_root)
            wanted = file.name.lower().endswith(extensions) and (inside or follow_links)
            # Reading from a pipe or a device might never end.
            wanted = wanted and (file.is_file() or not file.exists())
            (images if wanted else ignored).append(file.relative_to(root).as_posix())
    return sorted(images), sorted(ignored)


def _choose(files, layout, root, ignored):
    """Return the files that the layout asks for."""
    flat = [file for file in files if "/" not in file]
    nested = [file for file in files if "/" in file]
    if layout == "auto" and flat and nested:
        raise ValueError(
            f"The folder {str(root)!r} holds images ({flat[0]!r}, ...) as well as subfolders of "
            f"images ({nested[0]!r}, ...). Pass layout='classes' to load the subfolders, or "
            "layout='flat' to load the others."
        )
    chosen = {"auto": flat or nested, "flat": flat, "classes": nested}[layout]
    if not chosen:
        where = {"auto": "", "flat": " directly in it", "classes": " in subfolders"}[layout]
        hint = f" It does hold others, such as {ignored[0]!r}; see extensions." if ignored else ""
        raise ValueError(f"The folder {str(root)!r} has no image files{where}.{hint}")
    return chosen


def _clean(grey, invert, background):
    if invert:
        grey = cleaning.invert(grey, max(1.0, grey.max()))
    if background is None:
        return grey
    level = cleaning.otsu_level(grey) if background == "otsu" else background
    return cleaning.remove_background(grey, level)


def _report(number, n_files, verbose):
    if verbose and (number == n_files or number % max(n_files // 10, 1) == 0):
        print(f"[load_image_folder] {number} of {n_files} files")


def _skipped_message(skipped, n_files, root):
    named = "\n".join(f"  {file}: {why}" for file, why in list(skipped.items())[:MAX_NAMED])
    more = f"\n  ... and {len(skipped) - MAX_NAMED} more" if len(skipped) > MAX_NAMED else ""
    return (
        f"{len(skipped)} of {n_files} files in {str(root)!r} could not be read:\n{named}{more}\n"
        "Remove them, or leave them out with errors='skip'."
    )
