"""The features that can be chosen by name."""

from collections.abc import Callable
from functools import partial

from sklearn_nrcdt import InvariantHOG, MaxNRCDT, MeanNRCDT, SpectralNRCDT

FEATURES = {
    "hog": "contours; position, rotation, size, proportions and shear may differ",
    "hog-similarity": "contours; position, rotation and size may differ, proportions may not",
    "hog-slant": "contours of upright shapes; width, height and slant may differ",
    "hog-scale": "contours of upright shapes; only position and size may differ",
    "spectral": "mass; position, rotation, size, proportions and shear may differ",
    "max": "mass; as hog, and mirror images count as the same",
    "mean": "mass; as hog, and mirror images count as the same",
}
DEFAULT = "hog"

_MAKERS: dict[str, Callable] = {
    "hog": partial(InvariantHOG, "affine"),
    "hog-similarity": partial(InvariantHOG, "similarity"),
    "hog-slant": partial(InvariantHOG, "slant"),
    "hog-scale": partial(InvariantHOG, "scale"),
    "spectral": SpectralNRCDT,
    "max": MaxNRCDT,
    "mean": partial(MeanNRCDT, weighting="precision"),
}
# Features that can be compared at the best rotation, which is better with few templates.
_TURNING = ("hog", "hog-similarity", "spectral")


def for_rows(name, n_jobs):
    """Return the transformer whose features suit any classifier."""
    return _MAKERS[name](on_blank="ignore", n_jobs=n_jobs)


def for_templates(name, n_jobs):
    """Return the transformer for comparison with templates, and the metric."""
    if name in _TURNING:
        return _MAKERS[name](keep="circle", on_blank="ignore", n_jobs=n_jobs), "aligned"
    return for_rows(name, n_jobs), "euclidean"


def in_words(name):
    """Return a feature's name and what it means."""
    return f"{name} ({FEATURES[name]})"
