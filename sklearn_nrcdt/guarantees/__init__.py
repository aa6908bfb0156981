"""How far templates may be perturbed while the features provably tell them apart.

The theorems and their proofs are in ``docs/guarantees.md``. A module here may import `_kernels`,
`_support`, `_estimators` and the public names of the package.
"""

from sklearn_nrcdt.guarantees._radius import certified_radius
from sklearn_nrcdt.guarantees._report import RadiusReport

__all__ = ["RadiusReport", "certified_radius"]
