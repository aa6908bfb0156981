"""Finding catalogued drawings in photographs, faint figures among lines, stains and writing.

The estimator is thin; what it computes is in `_kernels.paper`, `_kernels.line_elements` and
`_kernels.correlation`. A module here may import `_kernels`, `_support` and `_estimators`.
"""

from sklearn_nrcdt.search._drawing_search import DrawingSearch

__all__ = ["DrawingSearch"]
