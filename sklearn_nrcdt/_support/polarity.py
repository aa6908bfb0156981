"""Dark drawings on white paper, which the transforms would take for figures of paper."""

import warnings

import numpy as np
import scipy.sparse as sp

from sklearn_nrcdt._kernels.cleaning import border_brightness
from sklearn_nrcdt._support.caller import stacklevel_of_caller

# A look at so many images, spread over all of them, costs little and settles it.
MAX_LOOKED_AT = 100
# Random pixels are bright on half of the border, give or take: that much is no accident ...
BRIGHT_SHARE = 0.7
# ... unless the border has few pixels. Handwritten digits of scikit-learn are of this size.
MIN_SIDE = 8

ADVICE = "invert them first, for example with sklearn_nrcdt.preprocessing.Invert"


def spread(n, n_wanted=MAX_LOOKED_AT):
    """Return up to `n_wanted` of n positions, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, n_wanted)).astype(int))


def report_bright_borders(images, action="warn", advice=ADVICE):
    """Warn, once, if most images have a bright border, as drawings on white paper have.

    Parameters
    ----------
    images : ndarray of shape (n, height, width), sequence of 2-D arrays, or sparse rows
        Validated images. Sparse ones have a black background and are never reported.
    action : {"warn", "raise", "ignore"}, default="warn"
        The value of the parameter `on_bright_border`.
    advice : str, default=ADVICE
        What to do if they are drawings on paper.
    """
    if action == "ignore" or sp.issparse(images) or len(images) == 0:
        return
    looked_at = [np.asarray(images[position]) for position in spread(len(images))]
    bright = sum(
        min(image.shape) >= MIN_SIDE and border_brightness(image[None])[0] > BRIGHT_SHARE
        for image in looked_at
    )
    if bright <= len(looked_at) / 2:
        return
    message = (
        f"{bright} of {len(looked_at)} images have a bright border, as dark drawings on white "
        "paper have. Bright pixels count as mass, so these would be figures of paper. If they are "
        f"such drawings, {advice}; if not, pass on_bright_border='ignore'."
    )
    if action == "raise":
        raise ValueError(message)
    warnings.warn(message, UserWarning, stacklevel=stacklevel_of_caller())
