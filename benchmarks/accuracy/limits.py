"""What the features cannot do.

Twelve symbols, one template of each, affine maps as in the headline experiment; then the image
is disturbed in ways that no affine map is: a part is covered, strokes or another symbol are added,
or it is seen in perspective. Counted is how often the nearest template is right.
"""

import numpy as np
from skimage.transform import ProjectiveTransform, warp
from sklearn.pipeline import make_pipeline

from benchmarks.command import store
from benchmarks.tables import save_figure
from sklearn_nrcdt import InvariantHOG, MaxNRCDT, NearestTemplateClassifier, SpectralNRCDT
from sklearn_nrcdt.datasets import add_salt, make_symbols

FEATURES = (MaxNRCDT(), SpectralNRCDT(), InvariantHOG())


def cover(images, share, rng):
    """Black out a half plane with the given share of the mass, in a random direction."""
    covered = images.copy()
    rows, columns = np.indices(images.shape[1:])
    for image, angle in zip(covered, rng.uniform(0, 2 * np.pi, len(images)), strict=True):
        depth = rows * np.sin(angle) + columns * np.cos(angle)
        order = np.argsort(depth, axis=None)
        mass = np.cumsum(image.ravel()[order])
        image.ravel()[order[mass <= share * mass[-1]]] = 0
    return covered


def clutter(images, n_strokes, rng):
    """Add straight strokes at random places."""
    return add_salt(images, n_discs=n_strokes, strength=9, shape="stick", random_state=rng)


def second_object(images, brightness, rng):
    """Put another symbol beside each one, on a canvas of twice the width."""
    other = images[rng.permutation(len(images))]
    return np.concatenate([images, np.float32(brightness) * other], axis=2)


def perspective(images, ratio, rng):
    """Tilt the sheet: one end of the drawing's half of the canvas is `ratio` times the other."""
    size = images.shape[1]
    middle = (size - 1) / 2
    # The drawings fill about half of the canvas: x from -size / 4 to size / 4.
    slope = (ratio - 1) / (ratio + 1) / (size / 4)
    to_middle = np.array([[1, 0, -middle], [0, 1, -middle], [0, 0, 1]])
    tilted = np.empty_like(images)
    for index, angle in enumerate(rng.uniform(0, 2 * np.pi, len(images))):
        tilt = np.array([[1, 0, 0], [0, 1, 0], [slope * np.cos(angle), slope * np.sin(angle), 1]])
        # From the place in the result to the place in the image.
        matrix = np.linalg.inv(to_middle) @ tilt @ to_middle
        tilted[index] = warp(images[index], ProjectiveTransform(matrix), order=3)
    return np.maximum(tilted, 0)


KINDS = {
    "covered share of the mass": (cover, [0.01, 0.05, 0.1, 0.2], "{:.0%}"),
    "added strokes": (clutter, [1, 2, 4], "{}"),
    "brightness of a second object": (second_object, [0.1, 0.5, 1.0], "{:.0%}"),
    "perspective, near : far": (perspective, [1.05, 1.1, 1.25, 1.5], "{:g}"),
}


def scores(images, symbols):
    """Return the accuracy of each feature; templates get the canvas of the images."""
    wider = images.shape[2] - symbols.templates.shape[2]
    templates = np.pad(symbols.templates, ((0, 0), (0, 0), (0, wider)))
    found = {}
    for feature in FEATURES:
        model = make_pipeline(feature, NearestTemplateClassifier())
        model.fit(templates, symbols.template_target)
        found[type(feature).__name__] = f"{model.score(images, symbols.target):.3f}"
    return found


def draw(examples):
    """Draw one disturbed image of each kind and amount."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.6, 8.6), layout="constrained")
    axes = figure.subplots(len(KINDS), 4)
    for row, (kind, images) in zip(axes, examples.items(), strict=True):
        for axis in row[len(images) :]:
            axis.set_axis_off()
        for axis, (title, image) in zip(row, images, strict=False):
            axis.imshow(image, cmap="gray", vmin=0, vmax=1)
            axis.set(xticks=[], yticks=[])
            axis.set_title(title)
        row[0].set_ylabel(kind)
    return figure


def rows(n_samples, examples):
    """Yield the rows of the table; keep an image of each kind and amount for the picture."""
    symbols = make_symbols(n_samples, scale=(0.75, 1.0), shear=(-15, 15), random_state=0)
    yield {"disturbed by": "nothing", "how much": "", **scores(symbols.images, symbols)}
    for kind, (spoil, amounts, form) in KINDS.items():
        for amount in amounts:
            images = spoil(symbols.images, amount, np.random.RandomState(0))
            shown = form.format(amount)
            examples.setdefault(kind, []).append((shown, images[4 * n_samples]))
            yield {"disturbed by": kind, "how much": shown, **scores(images, symbols)}


def run(args):
    examples = {}
    store(args, "limits", rows(2 if args.quick else 20, examples))
    save_figure(args, draw(examples), "limits", 100)
