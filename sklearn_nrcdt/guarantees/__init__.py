"""The paper's theorems as numbers: how far may templates be perturbed?

Every function cites the statement of the paper that it implements by its number. The derivations,
and what is proved beyond the paper, are in ``docs/guarantees.md``. A module here may import
`_kernels`, `_support`, `_estimators` and the public names of the package.
"""

from sklearn_nrcdt.guarantees._radius import (
    max_nrcdt_radius,
    mean_nrcdt_radius,
    weighted_mean_nrcdt_radius,
)
from sklearn_nrcdt.guarantees._report import RadiusReport

__all__ = [
    "RadiusReport",
    "max_nrcdt_radius",
    "mean_nrcdt_radius",
    "weighted_mean_nrcdt_radius",
]
