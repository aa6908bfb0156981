"""Affine-invariant image features for scikit-learn: the normalized Radon-CDT."""

from sklearn_nrcdt._classifiers import NearestTemplateClassifier
from sklearn_nrcdt._transformers import NRCDT, MaxNRCDT, MeanNRCDT, RadonCDT

__version__ = "0.1.0"

__all__ = [
    "NRCDT",
    "MaxNRCDT",
    "MeanNRCDT",
    "NearestTemplateClassifier",
    "RadonCDT",
    "__version__",
]
