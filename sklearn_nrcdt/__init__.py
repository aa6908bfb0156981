"""Affine-invariant image features for scikit-learn: the normalized Radon-CDT."""

from sklearn_nrcdt._aligned import aligned_distance, aligned_pairwise_distances
from sklearn_nrcdt._classifiers import NearestTemplateClassifier
from sklearn_nrcdt._rcdt import RadonCDT
from sklearn_nrcdt._spectral import SpectralNRCDT
from sklearn_nrcdt._stream import transform_to_npy
from sklearn_nrcdt._subspace import NearestSubspaceClassifier
from sklearn_nrcdt._transformers import NRCDT, MaxNRCDT, MeanNRCDT

__version__ = "0.1.0"

__all__ = [
    "NRCDT",
    "MaxNRCDT",
    "MeanNRCDT",
    "NearestSubspaceClassifier",
    "NearestTemplateClassifier",
    "RadonCDT",
    "SpectralNRCDT",
    "__version__",
    "aligned_distance",
    "aligned_pairwise_distances",
    "transform_to_npy",
]
