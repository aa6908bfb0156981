"""Pictures from one call, in the manner of scikit-learn's displays. Needs matplotlib."""

from sklearn_nrcdt.display._heatmap import HeatmapDisplay
from sklearn_nrcdt.display._match import TemplateMatchDisplay
from sklearn_nrcdt.display._quantile import QuantileDisplay
from sklearn_nrcdt.display._sinogram import SinogramDisplay

__all__ = [
    "HeatmapDisplay",
    "QuantileDisplay",
    "SinogramDisplay",
    "TemplateMatchDisplay",
]
