"""Contact sheets of the data sets: symbols, deformations, noises, glyphs, digits and paper."""

from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits

from sklearn_nrcdt.datasets import (
    add_salt,
    load_symbols,
    make_glyphs,
    make_linmnist,
    make_symbols,
    random_affine,
    random_elastic,
    random_wave,
)
from sklearn_nrcdt.search import make_drawings, make_paper_scans

GAP = 4
GREY = 0.35


def tile(images, n_columns, *, step=2):
    """Arrange images in rows, every `step`-th pixel of them averaged, with grey gaps."""
    images = np.clip(images, 0, 1)
    n_images, height, width = images.shape
    h, w = height // step, width // step
    small = images[:, : h * step, : w * step].reshape(n_images, h, step, w, step).mean((2, 4))
    n_rows = -(-n_images // n_columns)
    sheet = np.full((n_rows * (h + GAP) + GAP, n_columns * (w + GAP) + GAP), GREY)
    for position, image in enumerate(small):
        top, left = GAP + position // n_columns * (h + GAP), GAP + position % n_columns * (w + GAP)
        sheet[top : top + h, left : left + w] = image
    return sheet


def save(sheet, file):
    """Write a sheet as a picture with 256 grey values."""
    Image.fromarray(np.rint(255 * sheet).astype(np.uint8)).save(file, optimize=True)
    print(f"{file}  {file.stat().st_size / 1000:.0f} kB")


def with_templates(deform, **options):
    """One class per row: the template and five deformations of it."""
    templates = load_symbols().images[[0, 4, 11]]
    rows = [
        np.concatenate([image[None], deform(np.stack([image] * 5), random_state=0, **options)])
        for image in templates
    ]
    return tile(np.concatenate(rows), 6)


def all_steps():
    """Wave, affine map and salt, as in the last data set of the paper's Table 4."""
    steps = {"amplitude": (2.5, 7.5), "scale": (0.75, 1.0), "shear": (-5, 5), "n_discs": (4, 7)}
    return tile(make_symbols(6, classes=[1, 5, 12], random_state=0, **steps).images, 6)


def salt_scale():
    """Salt of strength 1 to 20 on 256 x 256 pixels; a corner of the canvas."""
    blank = np.zeros((1, 256, 256))
    scale = [
        add_salt(blank, n_discs=40, strength=strength, random_state=strength)[0, :96, :96]
        for strength in range(1, 21)
    ]
    return tile(np.array(scale), 10, step=1)


def noises():
    """Discs and sticks on symbol 5."""
    image = load_symbols().images[[4, 4]]
    made = [
        add_salt(image, n_discs=8, strength=12, shape=shape, random_state=1)
        for shape in ("disc", "stick")
    ]
    return tile(np.concatenate(made), 4)


def glyphs():
    """Templates of a font, and deformations of them."""
    # Imported here: only this sheet needs it, and only for the font that comes with it.
    import matplotlib

    font = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")
    templates = make_glyphs("AQ8&åжש∞", font)
    made = make_symbols(2, templates=templates, scale=(0.5, 1.0), shear=(-25, 25), random_state=0)
    return tile(np.concatenate([templates.images, made.images[::2], made.images[1::2]]), 8, step=1)


def digits():
    """LinMNIST made of scikit-learn's own digits, which need no download."""
    source = load_digits()
    made = make_linmnist(
        source.images / 16, source.target, n_samples_per_class=2, zoom=7, random_state=0
    )
    order = np.argsort(made.target, kind="stable")
    return tile(made.images[np.concatenate([order[::2], order[1::2]])], 10, step=1)


def paper():
    """Nuisances added one by one; all of them, with the drawing ever fainter."""
    drawing = make_drawings(7, random_state=0).images[6:]
    params = {"shape": (320, 256), "random_state": 3}
    names = ["grain", "light", "laid", "chains", "folds", "stains", "writing"]
    rows = [
        make_paper_scans(drawing, snr=3, nuisances=names[: k + 1], **params).images
        for k in range(len(names))
    ]
    rows += [
        make_paper_scans(drawing, snr=snr, **params).images for snr in (4, 3, 2, 1.5, 1, 0.5, 0)
    ]
    return tile(np.concatenate(rows), 7, step=1)


AFFINE = {"scale": (0.5, 1.25), "shear": (-45, 45), "shift": (-20, 20), "cut": "redraw"}
SHEETS = {
    "symbols": lambda: tile(load_symbols().images[:, 56:200, 56:200], 6, step=1),
    "affine": lambda: with_templates(random_affine, **AFFINE),
    "waves": lambda: with_templates(random_wave),
    "elastic": lambda: with_templates(random_elastic),
    "all_steps": all_steps,
    "salt_scale": salt_scale,
    "noises": noises,
    "glyphs": glyphs,
    "digits": digits,
    "drawings": lambda: tile(make_drawings(32, random_state=0).images, 8),
    "paper": paper,
}


def run(args):
    for name, draw in SHEETS.items():
        save(draw(), args.docs / "images" / f"datasets_{name}.png")
