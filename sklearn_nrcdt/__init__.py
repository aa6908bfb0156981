"""Recognise shapes in any pose: affine-invariant classifiers and features for scikit-learn."""

from sklearn_nrcdt._estimators.aligned_distances import aligned_pairwise_distances
from sklearn_nrcdt._estimators.hog import InvariantHOG
from sklearn_nrcdt._estimators.nearest_subspace import NearestSubspaceClassifier
from sklearn_nrcdt._estimators.nearest_template import NearestTemplateClassifier
from sklearn_nrcdt._estimators.nrcdt import NRCDT, MaxNRCDT, MeanNRCDT
from sklearn_nrcdt._estimators.rcdt import RadonCDT
from sklearn_nrcdt._estimators.shape_classifier import ShapeClassifier
from sklearn_nrcdt._estimators.spectral import SpectralNRCDT
from sklearn_nrcdt._estimators.streaming import transform_to_npy
from sklearn_nrcdt._support.messages import BlankImageWarning, BrightBorderWarning
from sklearn_nrcdt._support.version import __version__

__all__ = [
    "BlankImageWarning",
    "BrightBorderWarning",
    "InvariantHOG",
    "NRCDT",
    "MaxNRCDT",
    "MeanNRCDT",
    "NearestSubspaceClassifier",
    "NearestTemplateClassifier",
    "RadonCDT",
    "ShapeClassifier",
    "SpectralNRCDT",
    "__version__",
    "aligned_pairwise_distances",
    "transform_to_npy",
]
