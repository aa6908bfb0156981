"""Templates from a font."""

from collections import Counter
from collections.abc import Sequence
from numbers import Integral, Real
from typing import BinaryIO

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from sklearn.utils import Bunch

from sklearn_nrcdt._support.compat import Interval, StrOptions, validate_params
from sklearn_nrcdt._support.samples import first_few
from sklearn_nrcdt._support.types import Errors, PathLike
from sklearn_nrcdt.datasets._image_stacks import image_bunch, stack_images

# A font draws the same sign for all characters it lacks. These are never characters.
NO_CHARACTERS = ("\uffff", "\U0010ffff")


@validate_params(
    {
        "canvas": [Interval(Integral, 1, None, closed="left")],
        "size": [Interval(Real, 0, np.inf, closed="neither"), None],
        "errors": [StrOptions({"raise", "skip"})],
    }
)
def make_glyphs(
    characters: Sequence[str],
    font: PathLike | BinaryIO,
    *,
    canvas: int = 128,
    size: float | None = None,
    errors: Errors = "raise",
) -> Bunch:
    """Draw characters of a TrueType or OpenType font, one template image each.

    Parameters
    ----------
    characters : str or sequence of str
        The characters, each of them once. Elements of a sequence may be longer, for
        example a letter and its combining accent.
    font : str, path-like or file object
        Font file (``.ttf``, ``.otf``, ``.ttc``), or the name of an installed one such as
        ``"DejaVuSans.ttf"``.
    canvas : int, default=128
        Side of the square images in pixels. The ink of every glyph is centered on it.
    size : float, default=None
        Size of the font in pixels. None takes half of the canvas.
    errors : {"raise", "skip"}, default="raise"
        What to do about characters that the font lacks.

    Returns
    -------
    glyphs : Bunch
        - images : ndarray of shape (n_glyphs, canvas, canvas), white on black in [0, 1]
        - data : ndarray of shape (n_glyphs, canvas * canvas), the flattened images
        - target : ndarray of shape (n_glyphs,), 0, 1, ...
        - target_names : ndarray of shape (n_glyphs,), the characters
        - skipped : list of str, the characters that the font lacks

    See Also
    --------
    make_symbols : Deforms templates; takes the Bunch as ``templates``.

    Examples
    --------
    The font in this example comes with matplotlib:

    >>> import matplotlib
    >>> from sklearn_nrcdt.datasets import make_glyphs
    >>> font = matplotlib.get_data_path() + "/fonts/ttf/DejaVuSans.ttf"
    >>> glyphs = make_glyphs("AQ8", font)
    >>> glyphs.images.shape, glyphs.target_names
    ((3, 128, 128), array(['A', 'Q', '8'], dtype='<U1'))
    """
    characters = _check_characters(characters)
    size = canvas / 2 if size is None else size
    try:
        typeface = ImageFont.truetype(font, size)
    except (OSError, TypeError, AttributeError) as error:
        raise ValueError(
            f"font={font!r} could not be read ({error}). Pass the path of a .ttf, .otf or .ttc "
            "file, or the file name of an installed font."
        ) from error
    missing = {_draw(sign, typeface).tobytes() for sign in NO_CHARACTERS}
    drawn = {character: _draw(character, typeface) for character in characters}
    lacking = [c for c, image in drawn.items() if image.size == 0 or image.tobytes() in missing]
    if lacking and (errors == "raise" or len(lacking) == len(characters)):
        raise ValueError(
            f"font={font!r} has no glyph, or a blank one, for {len(lacking)} of "
            f"{len(characters)} characters: {first_few([*map(repr, lacking)])}. Choose another "
            "font, or leave them out with errors='skip'."
        )
    for character in lacking:
        del drawn[character]
    for character, image in drawn.items():
        if max(image.shape) > canvas:
            raise ValueError(
                f"size={size:g} makes {character!r} {image.shape} pixels large, more than "
                f"canvas={canvas}. Lower size or enlarge canvas."
            )
    images = stack_images(list(drawn.values()), shape=(canvas, canvas)) / 255
    names = np.array(list(drawn))
    return image_bunch(images, target=np.arange(len(names)), target_names=names, skipped=lacking)


def _check_characters(characters):
    listed = list(characters) if np.iterable(characters) else []
    if not listed or not all(isinstance(character, str) and character for character in listed):
        raise ValueError(
            f"characters must be a non-empty string or sequence of strings, got {characters!r}."
        )
    doubled = [character for character, count in Counter(listed).items() if count > 1]
    if doubled:
        raise ValueError(
            f"characters must differ, but these occur twice: {first_few([*map(repr, doubled)])}."
        )
    return listed


def _draw(text, typeface):
    """Draw a text, cut to its ink; an empty array if there is none."""
    left, top, right, bottom = (int(np.floor(side)) for side in typeface.getbbox(text))
    sheet = Image.new("L", (right - left + 4, bottom - top + 4))
    ImageDraw.Draw(sheet).text((2 - left, 2 - top), text, fill=255, font=typeface)
    ink = sheet.getbbox()
    return np.asarray(sheet.crop(ink)) if ink else np.empty((0, 0), dtype=np.uint8)
