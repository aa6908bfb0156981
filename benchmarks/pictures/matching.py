"""What ShapeClassifier compares: two shapes in their own frames, their points, and partners."""

import numpy as np
from matplotlib.figure import Figure

from benchmarks.tables import save_figure
from sklearn_nrcdt.datasets import affine, load_symbols, random_elastic
from sklearn_nrcdt.display import ContourMatchDisplay


def seen():
    """A symbol, a bent and slanted copy of it, and partners in the copy and in another symbol."""
    symbols = load_symbols().images.astype(np.float32)
    bent = random_elastic(symbols[4:5], displacement=0.06, width=0.2, random_state=1)
    bent = affine(bent, [[1, 0.3], [0, 0.8]])[0]
    figure = Figure(figsize=(11, 2.8), layout="constrained")
    axes = figure.subplots(1, 4, width_ratios=(1, 1, 1.9, 1.9))
    for axis, image, title in zip(axes, (symbols[4], bent), ("template", "query"), strict=False):
        axis.imshow(image[60:196, 60:196], cmap="gray")
        axis.set(title=title, xticks=[], yticks=[])
    others = {"partners in the query": bent, "in another symbol": symbols[9]}
    for axis, (words, image) in zip(axes[2:], others.items(), strict=True):
        # Upright: partners are easier to follow.
        found = ContourMatchDisplay.from_images(symbols[4], image, invariance="slant", ax=axis)
        axis.set_title(f"{words}: cost {found.cost:.2f}")
    return figure


def run(args):
    save_figure(args, seen(), "matching")
