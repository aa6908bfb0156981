"""Helpers for figures; matplotlib is imported only when something is drawn."""

import numpy as np

# Okabe and Ito's colours for all kinds of colour vision, without black and yellow: these
# stand out from a white and from a black background.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
RIGHT, WRONG, NEUTRAL = "#0072b2", "#d55e00", "#808080"
LINE_STYLES = ("-", "--", ":", "-.")


def pyplot(caller):
    """Return ``matplotlib.pyplot``, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{caller} needs matplotlib: pip install 'sklearn-nrcdt[plot]'"
        ) from error
    return plt


def one_axes(caller, ax, figsize=None):
    """Return the given axes, or those of a new figure."""
    plt = pyplot(caller)
    if ax is None:
        _, ax = plt.subplots(figsize=figsize, layout="constrained")
    return ax


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


def class_style(k):
    """Return colour and line style of the k-th class: colours first, then styles."""
    return {
        "color": PALETTE[k % len(PALETTE)],
        "linestyle": LINE_STYLES[k // len(PALETTE) % len(LINE_STYLES)],
    }
