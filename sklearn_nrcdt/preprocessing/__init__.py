"""Clean scans and photographs: the transforms need one bright figure on a black background.

The transformers are thin; the mathematics is in `_kernels.cleaning`. A module here may import
`_kernels`, `_support` and `_estimators`.
"""

from sklearn_nrcdt.preprocessing._cleaning import Despeckle, Invert, RemoveBackground

__all__ = ["Despeckle", "Invert", "RemoveBackground"]
