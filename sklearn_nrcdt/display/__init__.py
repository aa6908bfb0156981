"""Pictures from one call, like scikit-learn's displays. Needs matplotlib.

A display holds arrays and draws them with `plot`. Its constructors ``from_...`` compute the arrays
and pass further arguments on to `plot`. A module here may import `_kernels`, `_support`,
`_estimators` and the public names of the package.
"""

from sklearn_nrcdt.display._contours import ContourMatchDisplay
from sklearn_nrcdt.display._match import TemplateMatchDisplay
from sklearn_nrcdt.display._sinogram import SinogramDisplay

__all__ = ["ContourMatchDisplay", "SinogramDisplay", "TemplateMatchDisplay"]
