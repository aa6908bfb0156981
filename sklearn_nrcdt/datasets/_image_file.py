"""One image file as grey values, read by Pillow."""

import math
import warnings
from contextlib import contextmanager

import numpy as np
from PIL import Image, UnidentifiedImageError
from skimage.color import rgb2gray

from sklearn_nrcdt._support.formats import FORMATS

# Pillow's modes that are plain grey or color channels, unlike CMYK and others.
PLAIN_MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "I", "F", "I;16", "I;16B", "I;16L")
# Tags of EXIF and TIFF.
ORIENTATION, BITS_PER_SAMPLE, SAMPLE_FORMAT, PLANES = 274, 258, 339, 284
TILE_WIDTH, TILE_LENGTH = 322, 323
UNSIGNED, FLOAT, ONE_BY_ONE = 1, 3, 2
# Tiles may be larger than the image, up to this many pixels: libtiff allocates whole tiles.
MAX_TILE = 4096**2
# Dots per inch that programs write if they know nothing, and those that can be true.
SCREENS, MIN_DPI, MAX_DPI = (72, 96), 25, 4800
# Pixels converted to grey values at a time.
BLOCK = 2**20


class Unreadable(Exception):
    """Raised with the reason why a file cannot be used."""


def read_size(file):
    """Return height and width of an upright image, from the beginning of its file."""
    with _opened(file) as image:
        lies = image.format != "TIFF" and _orientation(image) > 4  # Pillow turns TIFF files itself
        return (image.width, image.height) if lies else (image.height, image.width)


def read_grey(file, paper=None):
    """Return grey values as float32, in [0, 1] if they were integers, and dots per inch or NaN.

    `paper` is the grey value behind transparent pixels; None takes black behind bright pixels and
    white behind dark ones.
    """
    with _opened(file) as image:
        grey = _to_grey(_decode(image), paper)
        dpi = _dpi(image)
    if not np.isfinite(grey).all() or grey.min() < 0:
        raise Unreadable("negative or non-finite grey values")
    return grey, dpi


def _dpi(image):
    try:
        dpi = sum(map(float, image.info.get("dpi", (0, 0)))) / 2
    except (TypeError, ValueError, ZeroDivisionError):
        return math.nan
    return math.nan if round(dpi) in SCREENS or not MIN_DPI <= dpi <= MAX_DPI else dpi


@contextmanager
def _opened(file):
    """Open a file, after a look at its header; any error becomes `Unreadable` with a reason."""
    Image.init()
    known = [name for name in FORMATS if name in Image.OPEN]
    try:
        with warnings.catch_warnings():
            # Pillow warns of more pixels than its limit, and refuses twice as many.
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            warnings.filterwarnings("ignore", "Corrupt EXIF data")  # the picture is fine
            # Given a name, Pillow 13 maps uncompressed TIFF files into memory and mistakes their
            # rows for columns if they are to be turned.
            with open(file, "rb") as stream, Image.open(stream, formats=known) as image:
                yield image
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Unreadable(
            f"more than {Image.MAX_IMAGE_PIXELS} pixels; make it smaller or, if you trust it, "
            "raise PIL.Image.MAX_IMAGE_PIXELS"
        ) from None
    except Unreadable:
        raise
    except UnidentifiedImageError:
        raise Unreadable("not an image, or of an unknown format") from None
    except Exception as error:  # the readers of a dozen formats raise all kinds
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        raise Unreadable(f"{type(error).__name__}: {reason}") from error


def _decode(image):
    """Return the pixels of an image, upright; never more than one frame of bounded size."""
    if image.format == "TIFF":
        _check_tiff(image)
    elif getattr(image, "n_frames", 1) > 1 and image.format != "MPO":  # MPO: photo and preview
        raise Unreadable(f"not a single image, but {image.n_frames} frames")
    image.load()  # turns TIFF files by itself, and may find EXIF data at the end
    orientation = _orientation(image)
    keyed = "transparency" in image.info and image.mode in ("1", "L", "P", "RGB")
    # Pillow keeps the 16 bits that these formats have at most in 32.
    wide = image.mode == "I" and image.format in ("PNG", "PPM")
    if keyed or image.mode == "PA":
        image = image.convert("LA" if image.mode == "L" else "RGBA")
    elif image.mode == "P" or image.mode not in PLAIN_MODES:
        image = image.convert("RGB")
    pixels = np.asarray(image)
    if orientation > 4:  # rows and columns are exchanged
        pixels = pixels.swapaxes(0, 1)
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return pixels.astype(np.uint16) if wide else pixels


def _orientation(image):
    """Return the EXIF orientation of an image, 1 for upright."""
    try:
        # PNG files have a method of their own, which would decode the image.
        value = Image.Image.getexif(image).get(ORIENTATION, 1)
    except Exception:  # broken in one of many ways
        return 1
    return value if value in range(1, 9) else 1


def _check_tiff(image):
    """Refuse what Pillow would misread, films, and tiles that take more memory than the image."""
    tags, size = image.tag_v2, image.size
    tile = tags.get(TILE_WIDTH, 0) * tags.get(TILE_LENGTH, 0)
    if tile > max(size[0] * size[1], MAX_TILE):
        raise Unreadable(f"tiles of {tags[TILE_LENGTH]} x {tags[TILE_WIDTH]} pixels")
    bits = max(tags.get(BITS_PER_SAMPLE, (1,)))
    kinds = set(tags.get(SAMPLE_FORMAT, (UNSIGNED,)))
    exact = kinds == {FLOAT} if image.mode == "F" else kinds == {UNSIGNED} and bits <= 16
    if not exact or (bits > 8 and tags.get(PLANES) == ONE_BY_ONE):
        raise Unreadable("a rare kind of TIFF; save it with 8 or 16 bits without a sign")
    if image.n_frames > 1:
        image.seek(1)
        if image.size == size:  # otherwise a preview
            raise Unreadable(f"not a single image, but {image.n_frames} pages")
        image.seek(0)


def _to_grey(pixels, paper):
    flat = pixels.reshape(-1, 1 if pixels.ndim == 2 else pixels.shape[2])
    has_alpha = flat.shape[1] in (2, 4)
    largest = np.iinfo(pixels.dtype).max if pixels.dtype.kind in "ui" else 1
    grey = np.empty(len(flat), np.float32)
    gap = np.empty(len(flat) if has_alpha else 0, np.float32)  # share of the background
    for start in range(0, len(flat), BLOCK):
        rows = slice(start, start + BLOCK)
        block = np.divide(flat[rows], largest, dtype=np.float64)
        color = block[:, :-1] if has_alpha else block
        values = rgb2gray(color) if color.shape[1] == 3 else color[:, 0]
        if has_alpha:
            values = values * block[:, -1]
            gap[rows] = 1 - block[:, -1]
        grey[rows] = values
    if has_alpha:
        if paper is None:
            covered = len(gap) - gap.sum(dtype=np.float64)
            paper = float(grey.sum(dtype=np.float64) < covered / 2)
        grey += gap * np.float32(paper)
    return grey.reshape(pixels.shape[:2])
