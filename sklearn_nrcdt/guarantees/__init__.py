"""The paper's theorems as numbers: how far may templates be perturbed?

Every function names the statement of the paper that it implements by its LaTeX label; the
derivations, and what is proved beyond the paper, are in ``docs/guarantees.md``.
"""

from sklearn_nrcdt.guarantees._features import (
    discretisation_error,
    feature_distances,
    theorem_features,
)
from sklearn_nrcdt.guarantees._geometry import mahalanobis_reach, smallest_std, support_diameter
from sklearn_nrcdt.guarantees._perturbation import (
    max_nrcdt_bound,
    mean_nrcdt_bound,
    weighted_mean_nrcdt_bound,
)
from sklearn_nrcdt.guarantees._radius import (
    max_nrcdt_radius,
    mean_nrcdt_radius,
    weighted_mean_nrcdt_radius,
)
from sklearn_nrcdt.guarantees._report import RadiusReport

__all__ = [
    "RadiusReport",
    "discretisation_error",
    "feature_distances",
    "mahalanobis_reach",
    "max_nrcdt_bound",
    "max_nrcdt_radius",
    "mean_nrcdt_bound",
    "mean_nrcdt_radius",
    "smallest_std",
    "support_diameter",
    "theorem_features",
    "weighted_mean_nrcdt_bound",
    "weighted_mean_nrcdt_radius",
]
