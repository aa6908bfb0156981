"""Pictures of the user guide, and of the quick start, which the code on that page draws."""

import re
import tempfile
from contextlib import chdir

import numpy as np
from matplotlib import get_data_path
from matplotlib.figure import Figure

from benchmarks.command import ROOT
from benchmarks.tables import save_figure
from sklearn_nrcdt import InvariantHOG, MaxNRCDT, MeanNRCDT, RadonCDT
from sklearn_nrcdt.datasets import affine, load_symbols, make_glyphs, make_symbols
from sklearn_nrcdt.display import SinogramDisplay

COLORS = ("#3b7dd8", "#f2a541")
FEATURES = {
    "R-CDT at one angle": RadonCDT(2),
    "max NR-CDT": MaxNRCDT(),
    "mean NR-CDT": MeanNRCDT(),
    "precision mean": MeanNRCDT(weighting="precision"),
}


INVARIANCES = ("affine", "similarity", "slant", "scale")


def _pairs():
    """Pairs of shapes, each a map of a square or of a glyph, by the name of what differs."""
    square = np.zeros((128, 128))
    square[40:88, 40:88] = 1
    font = get_data_path() + "/fonts/ttf/DejaVuSans-Bold.ttf"
    six, b = make_glyphs("6b", font, canvas=128, size=96).images
    maps = {
        "size": (six, [[0.6, 0], [0, 0.6]]),
        "width": (square, [[1.5, 0], [0, 0.65]]),
        "slant": (square, [[1, 0.7], [0, 1]]),
        "rotation": (six, [[-1, 0], [0, -1]]),
        "mirror": (b, [[-1, 0], [0, 1]]),
    }
    return {name: np.stack([a, affine(a[None], matrix)[0]]) for name, (a, matrix) in maps.items()}


def invariances():
    """Which shapes each invariance merges: the distance of two shapes in its features."""
    figure = Figure(figsize=(5.4, 3.6), layout="constrained")
    axes = figure.subplots(1 + len(INVARIANCES), 5, height_ratios=[1.2, 1, 1, 1, 1])
    for column, (name, pair) in zip(axes.T, _pairs().items(), strict=True):
        column[0].imshow(np.hstack(pair[:, 16:112, 16:112]), cmap="gray")
        column[0].set_title(name)
        for axis, invariance in zip(column[1:], INVARIANCES, strict=True):
            first, second = InvariantHOG(invariance).fit_transform(pair)
            distance = np.linalg.norm(first - second) / np.linalg.norm(first)
            equal = distance < 0.1
            axis.set_facecolor("#e4e4e4" if equal else COLORS[0])
            words, color = ("equal", "black") if equal else ("different", "white")
            middle = {"ha": "center", "va": "center", "transform": axis.transAxes}
            axis.text(0.5, 0.5, f"{words}\n{distance:.2f}", color=color, **middle)
    for axis in axes.flat:
        axis.set(xticks=[], yticks=[])
        axis.spines[:].set_visible(False)
    for axis, label in zip(axes[:, 0], ("two shapes", *INVARIANCES), strict=True):
        axis.set_ylabel(label, rotation=0, ha="right", va="center")
    return figure


def way():
    """A symbol on its way to the NR-CDT, and below it an affine image of the same symbol."""
    image = load_symbols().images[4]
    moved = affine(image[None], [[0.9, 0.7], [-0.5, 0.8]], (15, -10))[0]
    figure = Figure(figsize=(9, 4.6), layout="constrained")
    axes = figure.subplots(2, 4)
    for row, picture in zip(axes, (image, moved), strict=True):
        display = SinogramDisplay.from_image(picture, axes=row)
        # The guide's picture is about the patterns, not about their scales.
        for bar in display.colorbars_:
            bar.remove()
        for panel in row:
            panel.set(xticks=[], yticks=[], xlabel=None, ylabel=None)
    for panel, label in zip(axes[:, 0], ("a symbol", "an affine image of it"), strict=True):
        panel.set_ylabel(label)
    for panel, label in zip(axes[1, 1:], ("radius", "level", "level"), strict=True):
        panel.set(xlabel="angle", ylabel=label)
    for panel in axes[1]:
        panel.set_title(None)
    return figure


def _curves(axis, feature, symbols, images):
    """Curves of two classes, minus the mean of their templates, which would hide the rest."""
    templates = feature.fit_transform(symbols.templates)
    rows = feature.transform(images)
    n_levels = len(feature.quantile_levels_)
    origin = templates.mean(axis=0)[:n_levels]
    levels = feature.quantile_levels_
    for label, template, color in zip(symbols.template_target, templates, COLORS, strict=True):
        own = rows[symbols.target == label, :n_levels] - origin
        axis.plot(levels, own.T, color=color, alpha=0.4, linewidth=0.8)
        axis.plot(levels, template[:n_levels] - origin, color="black", linewidth=1.3)
    axis.set_xlabel("level")


def features():
    """Two classes in four features: what an affine map changes."""
    symbols = make_symbols(20, classes=[5, 12], random_state=0)
    figure = Figure(figsize=(9.5, 2.8), layout="constrained")
    for axis, (name, feature) in zip(figure.subplots(1, 4), FEATURES.items(), strict=True):
        _curves(axis, feature, symbols, symbols.images)
        axis.set_title(name)
    return figure


def quickstart():
    """What the page's own code draws."""
    page = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
    namespace = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for block in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
            exec(block, namespace)
            if "display" in namespace:
                return namespace["display"].figure_
    raise RuntimeError("docs/quickstart.md draws nothing.")


PICTURES = {
    "guide_invariances": invariances,
    "guide_way": way,
    "guide_features": features,
    "quickstart": quickstart,
}


def run(args):
    for name, draw in PICTURES.items():
        save_figure(args, draw(), name)
