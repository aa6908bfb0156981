"""One image file, of any common format, as grey values."""

import lzma
import math
import warnings
import zlib
from contextlib import contextmanager

import numpy as np
from PIL import Image, UnidentifiedImageError
from skimage.color import rgb2gray
from tifffile import TiffFile

# Reading these runs another program, Ghostscript. The content tells the format, not the name.
UNSAFE_FORMATS = ("EPS",)
# Pillow's modes that are plain grey or colour channels, unlike CMYK and others.
PLAIN_MODES = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "I", "F", "I;16", "I;16B", "I;16L")
ORIENTATION, BITS_PER_SAMPLE, SAMPLE_FORMAT = 274, 258, 339  # tags of EXIF and TIFF
# Tiles may be larger than the image, up to this many pixels.
MAX_TILE = 4096**2
# Pixels converted to grey values at a time.
BLOCK = 2**20


class Unreadable(Exception):
    """Raised with the reason why a file cannot be used."""


def read_shape(file):
    """Return height and width of an image, from the beginning of its file."""
    return _guarded(_read_shape, file)


def read_grey(file, transparent, dtype=np.float64):
    """Return an image as a 2-D array of grey values, in [0, 1] if they were integers.

    Parameters
    ----------
    file : Path
        The file.
    transparent : float or None
        Grey value behind transparent pixels. None takes black behind bright pixels and white
        behind dark ones.
    dtype : dtype, default=np.float64
        Of the grey values.
    """
    pixels = _guarded(_read_pixels, file)
    if pixels.dtype.kind not in "buif":
        raise Unreadable(f"grey values of dtype {pixels.dtype}, which are not real numbers")
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[..., 0]
    if pixels.size == 0 or not (pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] <= 4)):
        raise Unreadable(f"not a single grey or colour image, but an array of shape {pixels.shape}")
    grey = _to_grey(pixels, transparent, dtype)
    if not np.isfinite(grey).all() or grey.min() < 0:
        raise Unreadable("negative or non-finite grey values")
    return grey


def _guarded(read, file):
    """Return ``read(file)``, and turn any error into `Unreadable` with a reason."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            warnings.filterwarnings("ignore", "Corrupt EXIF data")  # the picture is fine
            return read(file)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Unreadable(
            f"more than {Image.MAX_IMAGE_PIXELS} pixels; if you trust it, raise the limit "
            "PIL.Image.MAX_IMAGE_PIXELS"
        ) from None
    except Unreadable:
        raise
    except UnidentifiedImageError:
        raise Unreadable("not an image, or of an unknown format") from None
    except Exception as error:  # the readers of a dozen formats raise all kinds
        raise Unreadable(f"{type(error).__name__}: {error}".splitlines()[0]) from error


@contextmanager
def _open(file):
    Image.init()
    formats = [name for name in Image.OPEN if name not in UNSAFE_FORMATS]
    # Given a name, Pillow 13 maps uncompressed TIFF files into memory and mistakes their rows for
    # columns if they are to be turned.
    with open(file, "rb") as stream, Image.open(stream, formats=formats) as image:
        yield image


def _read_shape(file):
    try:
        with _open(file) as image:
            _check_size(image.width * image.height)
            lies = image.format != "TIFF" and _orientation(image) > 4
            return (image.width, image.height) if lies else (image.height, image.width)
    except UnidentifiedImageError:
        if file.suffix.lower() not in (".tif", ".tiff"):
            raise
    with _open_tiff(file) as tiff:
        page = _only_page(tiff)
        shape = page.imagelength, page.imagewidth
        return shape[::-1] if _tiff_orientation(page) > 4 else shape


def _read_pixels(file):
    """Read a file, after a look at its header; never more than one image of bounded size."""
    try:
        with _open(file) as image:
            _check_size(image.width * image.height)
            if image.format != "TIFF":
                return _decode(image)
            if image.n_frames > 1:
                with _open_tiff(file) as tiff:
                    _only_page(tiff)
            if _is_exact(image):
                try:
                    return _decode(image)
                except OSError:  # tifffile is more tolerant
                    pass
    except UnidentifiedImageError:
        if file.suffix.lower() not in (".tif", ".tiff"):
            raise
    return _read_tiff(file)


def _check_size(n_pixels):
    if n_pixels > (Image.MAX_IMAGE_PIXELS or np.inf):
        raise Image.DecompressionBombError


def _decode(image):
    # MPO files are photos with a preview: the first frame is the photo.
    n_frames = getattr(image, "n_frames", 1)
    if n_frames > 1 and image.format not in ("MPO", "TIFF"):
        raise Unreadable(f"not a single image, but {n_frames} frames")
    image.load()  # turns TIFF files by itself, and may find EXIF data at the end
    orientation = _orientation(image)
    keyed = "transparency" in image.info and image.mode in ("1", "L", "P", "RGB")
    # Pillow keeps the 16 bits that these formats have at most in 32.
    wide = image.mode == "I" and image.format in ("PNG", "PPM")
    if keyed or image.mode == "PA":
        image = image.convert("LA" if image.mode == "L" else "RGBA")
    elif image.mode == "P" or image.mode not in PLAIN_MODES:
        image = image.convert("RGB")
    pixels = _turn(np.asarray(image), orientation)
    return pixels.astype(np.uint16) if wide else pixels


def _orientation(image):
    """Return the EXIF orientation of an image, 1 for upright."""
    try:
        # PNG files have a method of their own, which would decode the image.
        value = Image.Image.getexif(image).get(ORIENTATION, 1)
    except Exception:  # broken in one of many ways
        return 1
    return value if value in range(1, 9) else 1


def _turn(pixels, orientation):
    """Undo an orientation of EXIF."""
    if orientation > 4:  # rows and columns are exchanged
        pixels = pixels.swapaxes(0, 1)
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return pixels


# --- TIFF: Pillow reads what it knows without loss, with bounded memory; tifffile the rest --------


def _is_exact(image):
    """Return whether Pillow reads a TIFF file as it is, or knows best what to make of it."""
    bits = image.tag_v2.get(BITS_PER_SAMPLE, (1,))
    kinds = set(image.tag_v2.get(SAMPLE_FORMAT, (1,)))
    if image.mode not in PLAIN_MODES:
        return True
    if image.mode == "F":
        return kinds == {3} and max(bits) <= 32
    return kinds == {1} and (max(bits) <= 8 or image.mode.startswith("I;16"))


def _open_tiff(file):
    # These kinds of TIFF may make tifffile read other files, anywhere.
    return TiffFile(file, is_ome=False, is_mmstack=False, is_ndtiff=False)


def _only_page(tiff):
    """Return the only page of a TIFF file, if its size is bounded."""
    series = tiff.series[0]
    page = series.pages[0]
    _check_size(page.imagewidth * page.imagelength)
    if math.prod(series.shape) != math.prod(page.shape):
        raise Unreadable(f"not a single image, but a series of shape {series.shape}")
    return page


def _read_tiff(file):
    """Read the first image of a TIFF file, which has more data types than Pillow knows."""
    with _open_tiff(file) as tiff:
        page = _only_page(tiff)
        if page.samplesperpixel > 4:
            raise Unreadable(f"{page.samplesperpixel} channels")
        _check_inflation(tiff, page)
        pixels = page.asarray()
        if pixels.ndim == 3 and page.planarconfig == 2:  # one channel after the other
            pixels = np.moveaxis(pixels, 0, -1)
        return _turn(pixels, _tiff_orientation(page))


def _tiff_orientation(page):
    tag = page.tags.get(ORIENTATION)
    return int(tag.value) if tag is not None and tag.value in range(1, 9) else 1


def _check_inflation(tiff, page):
    """Refuse a page that would unpack to more than its pixels need, before it is decoded."""
    n_pixels = page.imagewidth * page.imagelength
    if page.is_tiled and page.tilewidth * page.tilelength > max(n_pixels, MAX_TILE):
        raise Unreadable(f"tiles of {page.tilelength} x {page.tilewidth} pixels")
    if page.compression == 1:
        return
    exceeds = _EXCEEDS.get(page.compression)
    if exceeds is None:
        raise Unreadable(f"TIFF compression {page.compression.name} of such data is not supported")
    largest = math.prod(page.chunks) * page.dtype.itemsize + 2**16
    for position, length in zip(page.dataoffsets, page.databytecounts, strict=True):
        tiff.filehandle.seek(position)
        if exceeds(tiff.filehandle.read(length), largest):
            raise Unreadable(f"a part of it unpacks to more than the {largest} bytes it needs")


def _deflate_exceeds(data, limit):
    return len(zlib.decompressobj().decompress(data, limit + 1)) > limit


def _lzma_exceeds(data, limit):
    decoder = lzma.LZMADecompressor(memlimit=2**28)
    return len(decoder.decompress(data, limit + 1)) > limit


def _packbits_exceeds(data, limit):
    position = n_bytes = 0
    while position < len(data) and n_bytes <= limit:
        code = data[position]
        n_bytes += code + 1 if code < 128 else (257 - code) % 129
        position += code + 2 if code < 128 else 1 + (code > 128)
    return n_bytes > limit


# By TIFF's compression numbers. imagecodecs decodes LZW, and never beyond the expected size.
_EXCEEDS = {
    5: lambda data, limit: False,
    8: _deflate_exceeds,
    32946: _deflate_exceeds,
    32773: _packbits_exceeds,
    34925: _lzma_exceeds,
}


# --- grey values ----------------------------------------------------------------------------------


def _to_grey(pixels, transparent, dtype):
    flat = pixels.reshape(-1, 1 if pixels.ndim == 2 else pixels.shape[2])
    has_alpha = flat.shape[1] in (2, 4)
    grey = np.empty(len(flat), dtype)
    gap = np.empty(len(flat) if has_alpha else 0, dtype)  # share of the background
    for start in range(0, len(flat), BLOCK):
        rows = slice(start, start + BLOCK)
        block = _to_float(flat[rows])
        colour = block[:, :-1] if has_alpha else block
        values = rgb2gray(colour) if colour.shape[1] == 3 else colour[:, 0]
        if has_alpha:
            values = values * block[:, -1]
            gap[rows] = 1 - block[:, -1]
        grey[rows] = values
    if has_alpha:
        if transparent is None:
            covered = len(gap) - gap.sum(dtype=np.float64)
            transparent = float(grey.sum(dtype=np.float64) < covered / 2)
        grey += gap * grey.dtype.type(transparent)
    return grey.reshape(pixels.shape[:2])


def _to_float(pixels):
    if pixels.dtype.kind == "f":
        return pixels.astype(np.float64)
    largest = 1 if pixels.dtype.kind == "b" else np.iinfo(pixels.dtype).max
    return pixels / largest
