"""One image file, of whatever format, as grey values."""

import math
import warnings

import numpy as np
from PIL import Image, UnidentifiedImageError
from skimage.color import rgb2gray
from tifffile import TiffFile

# They run another program, Ghostscript. Files are told apart by their content, not by name.
UNSAFE_FORMATS = ("EPS",)
# Pillow's modes that are grey or colour channels as they stand, unlike CMYK and the like.
PLAIN_MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "I", "F", "I;16", "I;16B", "I;16L")


class Unreadable(Exception):
    """Why a file is no image that we can use."""


def read_grey(file, transparent):
    """Return an image as a 2-D array of grey values, in [0, 1] if they were integers."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            pixels = _read_pixels(file)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Unreadable(
            f"more than {Image.MAX_IMAGE_PIXELS} pixels; if you trust it, raise the limit "
            "PIL.Image.MAX_IMAGE_PIXELS"
        ) from None
    except Unreadable:
        raise
    except Exception as error:  # the readers of a dozen formats raise all kinds
        raise Unreadable(f"{type(error).__name__}: {error}".splitlines()[0]) from error
    if pixels.dtype.kind not in "buif":
        raise Unreadable(f"no real grey values, but {pixels.dtype}")
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[..., 0]
    if pixels.size == 0 or not (pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] <= 4)):
        raise Unreadable(f"no single grey or colour image, but of shape {pixels.shape}")
    grey = _to_grey(_to_float(pixels), transparent)
    if not np.isfinite(grey).all() or grey.min() < 0:
        raise Unreadable("negative or non-finite grey values")
    return grey


def _read_pixels(file):
    """Read a file, after a look at its header; never more than one image of bounded size."""
    Image.init()
    formats = [name for name in Image.OPEN if name not in UNSAFE_FORMATS]
    try:
        with Image.open(file, formats=formats) as image:
            _check_size(image.width * image.height)
            if image.mode not in PLAIN_MODES:
                return np.asarray(image.convert("RGB"))
            if image.format != "TIFF":
                return _decode(image)
    except UnidentifiedImageError:
        if file.suffix.lower() not in (".tif", ".tiff"):
            raise
    return _read_tiff(file)


def _check_size(n_pixels):
    if n_pixels > (Image.MAX_IMAGE_PIXELS or np.inf):
        raise Image.DecompressionBombError


def _decode(image):
    # Photos with a preview, which MPO files are, are no films: the first frame is the photo.
    n_frames = 1 if image.format == "MPO" else getattr(image, "n_frames", 1)
    if n_frames > 1:
        raise Unreadable(f"no single image, but {n_frames} frames")
    keyed = "transparency" in image.info and image.mode in ("1", "L", "P", "RGB")
    if keyed or image.mode == "PA":
        image = image.convert("LA" if image.mode == "L" else "RGBA")
    elif image.mode == "P":
        image = image.convert("RGB")
    pixels = np.asarray(image)
    # Pillow keeps the 16 bits that these formats have at most in 32.
    wide = image.mode == "I" and image.format in ("PNG", "PPM")
    return pixels.astype(np.uint16) if wide else pixels


def _read_tiff(file):
    """Read the first series of a TIFF file, which has more data types than Pillow knows."""
    # Those kinds of TIFF may name other files to be read, anywhere.
    with TiffFile(file, is_ome=False, is_mmstack=False, is_ndtiff=False) as tiff:
        series = tiff.series[0]
        has_channels = len(series.shape) > 2 and series.shape[-1] <= 4
        _check_size(math.prod(series.shape[:-1] if has_channels else series.shape))
        pixels = series.asarray()
    # A film of one frame is an image, an image of one row is no film.
    is_film = pixels.ndim == 4 or (pixels.ndim == 3 and pixels.shape[2] > 4)
    return pixels[0] if is_film and len(pixels) == 1 else pixels


def _to_float(pixels):
    if pixels.dtype.kind == "f":
        return pixels.astype(np.float64)
    largest = 1 if pixels.dtype.kind == "b" else np.iinfo(pixels.dtype).max
    return pixels / largest


def _to_grey(pixels, transparent):
    if pixels.ndim == 2:
        return pixels
    has_alpha = pixels.shape[2] in (2, 4)
    colour = pixels[..., :-1] if has_alpha else pixels
    grey = rgb2gray(colour) if colour.shape[2] == 3 else colour[..., 0]
    if has_alpha:
        alpha = pixels[..., -1]
        grey = alpha * grey + (1 - alpha) * transparent
    return grey
