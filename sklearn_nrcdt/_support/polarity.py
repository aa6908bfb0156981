"""Detect dark drawings on white paper, where the paper would count as mass."""

import warnings

import numpy as np
import scipy.sparse as sp

from sklearn_nrcdt._kernels.cleaning import border_brightness
from sklearn_nrcdt._support.caller import stacklevel_of_caller
from sklearn_nrcdt._support.samples import spread

# Number of images to check, spread over all of them.
MAX_LOOKED_AT = 100
# Half of the border is bright, give or take, if pixels are random: this much is no accident ...
BRIGHT_SHARE = 0.7
# ... unless the border has few pixels. Handwritten digits of scikit-learn are of this size.
MIN_SIDE = 8

ADVICE = "invert them first, for example with sklearn_nrcdt.preprocessing.Invert"


def report_bright_borders(images, action="warn", advice=ADVICE):
    """Warn once if most images have a bright border, like drawings on white paper.

    Parameters
    ----------
    images : ndarray of shape (n, height, width), sequence of 2-D arrays, or sparse rows
        Validated images. Sparse images have a black background and are never reported.
    action : {"warn", "raise", "ignore"}, default="warn"
        The value of the parameter `on_bright_border`.
    advice : str, default=ADVICE
        What to do if the images are drawings on paper.
    """
    if action == "ignore" or sp.issparse(images) or len(images) == 0:
        return
    looked_at = [np.asarray(images[position]) for position in spread(len(images), MAX_LOOKED_AT)]
    bright = sum(
        min(image.shape) >= MIN_SIDE and border_brightness(image[None])[0] > BRIGHT_SHARE
        for image in looked_at
    )
    if bright <= len(looked_at) / 2:
        return
    message = (
        f"{bright} of {len(looked_at)} images have a bright border, like dark drawings on white "
        "paper. Bright pixels count as mass, so the paper would be the figure. If these are such "
        f"drawings, {advice}; otherwise pass on_bright_border='ignore'."
    )
    if action == "raise":
        raise ValueError(message)
    warnings.warn(message, UserWarning, stacklevel=stacklevel_of_caller())
