"""The paper's data sets: which templates, which ranges, and where the images come from."""

from pathlib import Path

import numpy as np

from benchmarks.data import MissingData
from sklearn_nrcdt.datasets import make_glyphs, make_symbols, stack_images

TABLE2 = {
    "scale[0.5,1.25] shear45": {"scale": (0.5, 1.25), "shear": (-45, 45)},
    "scale[0.75,1.25] shear35": {"scale": (0.75, 1.25), "shear": (-35, 35)},
    "scale[0.75,1.0] shear15": {"scale": (0.75, 1.0), "shear": (-15, 15)},
    "no scale, no shear": {"scale": 1, "shear": 0},
}

MILD = {"scale": (0.75, 1.0), "shear": (-5, 5)}
STRONG = TABLE2["scale[0.5,1.25] shear45"]
BENT = {"amplitude": (2.5, 7.5), "frequency": (0.5, 2.0)}
SALT = {"n_discs": (4, 7), "strength": 9}
RIGID = {"scale": 1, "shear": 0}

TABLE3 = {
    "none": MILD,
    **{
        f"freq[{f[0]:g},{f[1]:g}] amp[{a[0]:g},{a[1]:g}]": {**MILD, "frequency": f, "amplitude": a}
        for f, a in (
            ((0.5, 2), (2.5, 7.5)),
            ((0.5, 2), (8, 13)),
            ((0.5, 4), (0.5, 2)),
            ((0.5, 4), (0.5, 7.5)),
            ((0.5, 4), (2.5, 7.5)),
        )
    },
}

TABLE4 = {
    "1. affine": STRONG,
    "2. non-affine, affine": {**BENT, **STRONG},
    "3. affine, salt": {**MILD, **SALT},
    "4. non-affine, affine, salt": {**BENT, **MILD, **SALT},
}

CHARACTERS = {"scale": (0.5, 1.0), "shear": (-25, 25)}

# Fonts with Chinese characters, as the usual systems name them.
FONTS = (
    *("NotoSansCJK-Regular.ttc", "NotoSerifCJK-Regular.ttc", "wqy-zenhei.ttc", "wqy-microhei.ttc"),
    *("ukai.ttc", "uming.ttc", "PingFang.ttc", "STHeiti Light.ttc", "msyh.ttc", "simsun.ttc"),
)


def symbols(n_samples, ranges, random_state, **more):
    """Deformed symbols; rotation and shift are those of `make_symbols`, as in the paper."""
    # The paper does not draw again where mass leaves the canvas.
    return make_symbols(n_samples, **ranges, **more, cut="ignore", random_state=random_state)


def character_templates(n_classes, path):
    """Characters on 128 x 128 pixels, from an archive of images, a font, or an installed font."""
    if path is not None and not Path(path).is_file():
        raise MissingData(f"{path} is no file. Pass a font or an .npz archive: --characters PATH.")
    if path is not None and Path(path).suffix == ".npz":
        with np.load(path, allow_pickle=False) as archive:
            images = archive["images"][:n_classes].astype(np.float32) / 255
        return stack_images(images, shape=(128, 128))
    for font in (path,) if path is not None else FONTS:
        try:
            glyphs = make_glyphs(gb2312(n_classes), font, errors="skip")
        except (FileNotFoundError, ValueError):
            continue
        if len(glyphs.images) == n_classes:
            return glyphs.images.astype(np.float32)
    raise MissingData(
        f"No font with the {n_classes} first Chinese characters was found. Pass a font file or "
        "an .npz archive of images with --characters PATH."
    )


def gb2312(n_characters):
    """First characters of the standard GB2312, the most frequent ones in order of sound."""
    codes = ((row, cell) for row in range(0xB0, 0xD8) for cell in range(0xA1, 0xFF))
    signs = (bytes(code).decode("gb2312", errors="ignore") for code in codes)
    return [sign for sign in signs if sign][:n_characters]


def characters(templates, n_samples, random_state):
    """Deformed characters."""
    return make_symbols(
        n_samples, templates=templates, **CHARACTERS, cut="ignore", random_state=random_state
    )
