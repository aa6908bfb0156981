"""Clean scans and photographs: the transforms need one bright figure on a black background.

The transformers are thin; the mathematics is in `_kernels.cleaning` and `_kernels.paper`. A module
here may import `_kernels`, `_support` and `_estimators`.
"""

from sklearn_nrcdt.preprocessing._cleaning import Despeckle, Invert, RemoveBackground
from sklearn_nrcdt.preprocessing._paper import FlattenIllumination, OrientedRidges, SuppressLines

__all__ = [
    "Despeckle",
    "FlattenIllumination",
    "Invert",
    "OrientedRidges",
    "RemoveBackground",
    "SuppressLines",
]
