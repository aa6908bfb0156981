"""What can be chosen by name: features, and what may differ between equal shapes."""

from functools import partial
from typing import Any

from sklearn_nrcdt import InvariantHOG, MaxNRCDT, MeanNRCDT, SpectralNRCDT

INVARIANCES: dict[Any, str] = {
    "affine": "position, rotation, size, proportions and shear may differ",
    "similarity": "position, rotation and size may differ, proportions may not",
    "slant": "upright shapes: width, height and slant may differ",
    "scale": "upright shapes: position and size may differ",
}
# Names, what makes them, and what they are.
_FEATURES: dict[str, tuple[Any, str]] = {
    "hog": (InvariantHOG, f"contours; {INVARIANCES['affine']}"),
    **{
        f"hog-{invariance}": (partial(InvariantHOG, invariance), f"contours; {text}")
        for invariance, text in INVARIANCES.items()
        if invariance != "affine"
    },
    "spectral": (SpectralNRCDT, f"mass; {INVARIANCES['affine']}"),
    "max": (MaxNRCDT, "mass; as hog, and mirror images count as the same"),
    "mean": (
        partial(MeanNRCDT, weighting="precision"),
        "mass; as hog, and mirror images count as the same",
    ),
}
FEATURES = {name: text for name, (_, text) in _FEATURES.items()}


def make_extractor(name, n_jobs):
    """Return the transformer whose features suit any classifier."""
    return _FEATURES[name][0](n_jobs=n_jobs)
