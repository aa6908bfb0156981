"""Helpers for figures; matplotlib is imported only when something is drawn."""

from typing import Any

import numpy as np

from sklearn_nrcdt._support.types import ArrayLike, NDArray

# Okabe and Ito's blue and vermilion, distinct for all kinds of color vision; and grey.
RIGHT, WRONG, NEUTRAL = "#0072b2", "#d55e00", "#808080"


def pyplot(caller):
    """Return ``matplotlib.pyplot``, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{caller} needs matplotlib: pip install 'sklearn-nrcdt[plot]'"
        ) from error
    return plt


def one_image(image: ArrayLike, name: str) -> NDArray[Any]:
    """Return a grey image that is not blank as an array."""
    image = np.asarray(image)
    if image.ndim != 2 or not image.any():
        raise ValueError(
            f"{name} must be one grey image of shape (height, width) that is not blank, got shape "
            f"{image.shape}. Pass one image of a stack, such as X[0]."
        )
    return image


def show(panel, image, label="", number="", **options):
    """Draw an image in a frame, its label above on the left and a number on the right."""
    drawn = panel.imshow(image, cmap="gray", **options)
    panel.set(xticks=[], yticks=[])
    # A dollar sign is part of the label, not the beginning of a formula.
    panel.set_title(str(label), loc="left", fontsize="small", parse_math=False)
    panel.set_title(number, loc="right", fontsize="small")
    for spine in panel.spines.values():
        spine.set(color=NEUTRAL, linewidth=1)
    return drawn


def many_axes(caller, axes, shape, figsize):
    """Return the given axes, checked for their number, or those of a new figure."""
    plt = pyplot(caller)
    if axes is None:
        _, axes = plt.subplots(*shape, figsize=figsize, layout="constrained", squeeze=False)
    axes = np.asarray(axes, dtype=object)
    if axes.size != shape[0] * shape[1]:
        raise ValueError(
            f"{caller} draws {shape[0] * shape[1]} panels ({shape[0]} x {shape[1]}), but got "
            f"{axes.size} axes."
        )
    return axes.reshape(shape)
