"""Templates from a font."""

import os
from collections import Counter

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from sklearn_nrcdt.datasets._bunch import image_bunch
from sklearn_nrcdt.datasets._checks import check_dtype, check_integer, check_number, check_option
from sklearn_nrcdt.datasets._stack import stack_images

# A font draws the same sign for all characters it lacks. These are never characters.
NO_CHARACTERS = ("\uffff", "\U0010ffff")
MAX_NAMED = 10


def make_glyphs(
    characters,
    font,
    *,
    canvas=128,
    size=None,
    font_index=0,
    errors="raise",
    dtype=np.float64,
    return_X_y=False,
):
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
        Side of the square images in pixels. The ink of every glyph is centred on it.
    size : float, default=None
        Size of the font in pixels. None takes half of the canvas, which leaves room for
        deformations.
    font_index : int, default=0
        Which font of a collection (``.ttc``) to take.
    errors : {"raise", "skip"}, default="raise"
        What to do about characters that the font lacks.
    dtype : {np.float64, np.float32}, default=np.float64
        Data type of the images.
    return_X_y : bool, default=False
        If True, return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    glyphs : Bunch
        With the attributes

        - images : ndarray of shape (n_glyphs, canvas, canvas), white on black in [0, 1]
        - data : ndarray of shape (n_glyphs, canvas * canvas), the flattened images
        - target : ndarray of shape (n_glyphs,), 0, 1, ...
        - target_names : ndarray of shape (n_glyphs,), the characters
        - skipped : list of str, the characters that the font lacks
        - DESCR : str

    See Also
    --------
    make_symbols : Deforms templates; takes the Bunch as ``templates``.

    Examples
    --------
    The font in this example comes with matplotlib:

    >>> import matplotlib
    >>> from sklearn_nrcdt.datasets import make_glyphs, make_symbols
    >>> font = matplotlib.get_data_path() + "/fonts/ttf/DejaVuSans.ttf"
    >>> glyphs = make_glyphs("AQ8", font)
    >>> glyphs.images.shape, glyphs.target_names
    ((3, 128, 128), array(['A', 'Q', '8'], dtype='<U1'))
    >>> letters = make_symbols(50, templates=glyphs, shear=(-25, 25), random_state=0)
    >>> letters.images.shape
    (150, 128, 128)
    """
    characters = _check_characters(characters)
    canvas = check_integer(canvas, "canvas", low=1)
    size = canvas / 2 if size is None else check_number(size, "size", low=0, open_low=True)
    check_integer(font_index, "font_index", low=0)
    check_option(errors, "errors", ("raise", "skip"))
    dtype = check_dtype(dtype)
    typeface = _open_font(font, size, font_index)

    missing = {_draw(sign, typeface).tobytes() for sign in NO_CHARACTERS}
    drawn = {character: _draw(character, typeface) for character in characters}
    lacking = [c for c, image in drawn.items() if image.size == 0 or image.tobytes() in missing]
    if lacking and (errors == "raise" or len(lacking) == len(characters)):
        raise ValueError(
            f"font={font!r} has no glyph, or a blank one, for {len(lacking)} of "
            f"{len(characters)} characters: {_names(lacking)}. Choose another font, or leave "
            "them out with errors='skip'."
        )
    present = [character for character in characters if character not in set(lacking)]
    for character in present:
        if max(drawn[character].shape) > canvas:
            raise ValueError(
                f"size={size:g} makes {character!r} {drawn[character].shape} pixels large, more "
                f"than canvas={canvas}. Lower size or enlarge canvas."
            )
    images = stack_images([drawn[character] for character in present], shape=(canvas, canvas))
    return image_bunch(
        images.astype(dtype) / 255,
        np.arange(len(present)),
        np.array(present),
        f"{len(present)} glyphs of a font, {size:g} pixels in size.",
        return_X_y=return_X_y,
        skipped=lacking,
    )


def _check_characters(characters):
    try:
        listed = list(characters)
    except TypeError:
        listed = []
    if not listed or not all(isinstance(character, str) and character for character in listed):
        raise ValueError(
            f"characters must be a non-empty string or sequence of strings, got {characters!r}."
        )
    doubled = [character for character, count in Counter(listed).items() if count > 1]
    if doubled:
        raise ValueError(f"characters must differ, but these occur twice: {_names(doubled)}.")
    return listed


def _open_font(font, size, index):
    source = os.fspath(font) if isinstance(font, os.PathLike) else font
    if not isinstance(source, str) and not hasattr(source, "read"):
        raise ValueError(f"font must be a path, a name or a file, got {font!r}.")
    try:
        return ImageFont.truetype(source, size, index=index)
    except OSError as error:
        if isinstance(source, str) and os.path.isfile(source):
            raise ValueError(
                f"font={font!r} could not be read as a font ({error}). Pass a TrueType or "
                "OpenType file, and a font_index that it has."
            ) from error
        raise FileNotFoundError(
            f"font={font!r} was not found. Pass the path of a .ttf, .otf or .ttc file, or the "
            "file name of an installed font."
        ) from error


def _draw(text, typeface):
    """Draw a text, cut to its ink; an empty array if there is none."""
    left, top, right, bottom = (int(np.floor(side)) for side in typeface.getbbox(text))
    sheet = Image.new("L", (right - left + 4, bottom - top + 4))
    ImageDraw.Draw(sheet).text((2 - left, 2 - top), text, fill=255, font=typeface)
    ink = sheet.getbbox()
    return np.asarray(sheet.crop(ink)) if ink else np.empty((0, 0), dtype=np.uint8)


def _names(characters):
    named = ", ".join(
        f"{character!r} ({' '.join(f'U+{ord(sign):04X}' for sign in character)})"
        for character in characters[:MAX_NAMED]
    )
    return named + (", ..." if len(characters) > MAX_NAMED else "")
