"""Arrays that have the shape of images but look like something else, or like white paper."""

import numpy as np
import scipy.sparse as sp

from sklearn_nrcdt._kernels.cleaning import border_brightness
from sklearn_nrcdt._support.messages import BrightBorderWarning, warn
from sklearn_nrcdt._support.samples import evenly_spaced

# Anything smaller is too small to tell.
LEAST_SIDE = 8
# Correlation of the channels of one color image, at least.
CHANNELS_ALIKE = 0.9
# Number of images that are looked at, spread over all of them.
MAX_LOOKED_AT = 100
# If pixels are random, about half of the border is bright: this much is no accident.
BRIGHT_SHARE = 0.7
INVERT = "invert them first, for example with sklearn_nrcdt.preprocessing.Invert"


def warn_of_misreadings(images, stacked):
    """Warn if images, as they were read, are likely to be points, a volume, channels, or signals.

    `stacked` says whether they were given as images, not as rows.
    """
    what = _what_they_look_like(images, stacked)
    if what and isinstance(images, list):
        warn(f"The images of X look like {what}.")
    elif what:
        h, w = images.shape[1:]
        warn(
            f"X is read as {len(images)} images of {h} x {w} pixels, but looks like {what}. If "
            f"they really are images, pass image_shape=({h}, {w}), which silences this warning."
        )


def _what_they_look_like(images, stacked):
    if isinstance(images, list):
        if all(image.shape[1] in (2, 3) and len(image) >= LEAST_SIDE for image in images):
            return _POINTS
        return None
    n, h, w = images.shape
    if not stacked:
        return _SIGNALS if h == w >= LEAST_SIDE and _are_signals(images) else None
    if w in (2, 3) and h >= LEAST_SIDE:
        return _POINTS
    if n == h == w >= LEAST_SIDE and _is_volume(images):
        return _VOLUME
    if n in (3, 4) and min(h, w) >= LEAST_SIDE and _are_channels(images):
        return _CHANNELS
    return None


_POINTS = "lists of points: draw them first, for example with np.histogram2d"
_VOLUME = (
    "one volume: pass slices that are images of their own, or a projection such as "
    "X.sum(axis=0)[None]"
)
_CHANNELS = "the channels of one image: pass skimage.color.rgb2gray(X, channel_axis=0)[None]"
_SIGNALS = (
    "signals, which go on from the end of one row of pixels to the next: there are no shapes in "
    "them to describe"
)


def _is_volume(images):
    """Return whether each image is much more like the next one than like one far away."""
    images, half = _near_one(images), len(images) // 2
    near, far = (np.abs(images[k:] - images[:-k]).mean() for k in (1, half))
    return near < 0.35 * far


def _are_channels(images):
    """Return whether three images are much alike, and a fourth is of one grey value."""
    if len(images) == 4 and images[3].min() != images[3].max():
        return False
    rows = _near_one(images[:3]).reshape(3, -1)
    rows = rows - rows.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(rows, axis=1)
    return norms.all() and (rows @ rows.T >= CHANNELS_ALIKE * np.outer(norms, norms)).all()


def _are_signals(images):
    """Return whether neighbors in a row are alike, across the ends of rows, but not in columns."""
    images = _near_one(images[evenly_spaced(len(images), MAX_LOOKED_AT)])
    in_rows = np.abs(np.diff(images, axis=2)).mean()
    in_columns = np.abs(np.diff(images, axis=1)).mean()
    at_ends = np.abs(images[:, 1:, 0] - images[:, :-1, -1]).mean()
    return in_columns > 1.5 * in_rows and 0.5 * in_rows < at_ends < 1.5 * in_rows


def _near_one(images):
    """Divide by the largest value: squares of huge numbers overflow."""
    return images / (images.max().astype(np.float64) or 1.0)


def report_bright_borders(images, advice=INVERT):
    """Warn once if most images have a bright border, like dark drawings on white paper.

    The background of sparse images is black. The advice says what to do about such drawings.
    """
    if sp.issparse(images) or len(images) == 0:
        return
    looked_at = [np.asarray(images[i]) for i in evenly_spaced(len(images), MAX_LOOKED_AT)]
    bright = sum(
        min(image.shape) >= LEAST_SIDE and border_brightness(image[None])[0] > BRIGHT_SHARE
        for image in looked_at
    )
    if bright > len(looked_at) / 2:
        warn(
            f"{bright} of {len(looked_at)} images have a bright border, like dark drawings on "
            "white paper. Bright pixels count as mass, so the paper would be the figure. If these "
            f"are such drawings, {advice}; otherwise silence this with warnings.filterwarnings("
            "'ignore', category=sklearn_nrcdt.BrightBorderWarning).",
            BrightBorderWarning,
        )
