"""What all transformers share that look at the quantile functions of projections."""

import math
from functools import partial
from numbers import Integral

import numpy as np

from sklearn_nrcdt._estimators.base import ImageTransformer
from sklearn_nrcdt._kernels.cdt import quantile_levels, quantiles
from sklearn_nrcdt._kernels.footprints import bin_edges
from sklearn_nrcdt._kernels.radon import n_directions, projector
from sklearn_nrcdt._support.compat import Interval, StrOptions


def _batch_features(batch, projector, n_quantiles, pooling):
    """Features of a batch of images, and which of them are blank."""
    n = batch.shape[0]
    blank = np.ones(n, bool)
    width = pooling(np.zeros((1, projector.n_directions, n_quantiles))).size
    features = np.zeros((n, width), projector.dtype)
    for rows, masses in projector.project_parts(batch):
        blank[rows] = False
        n_trimmed = (projector.n_radii - 1 - masses.shape[2]) // 2
        functions = quantiles(masses, n_quantiles, n_trimmed)
        features[rows] = pooling(functions).reshape(len(rows), -1)
    return features, blank


def decimals(values, spacing):
    """Decimals that tell equispaced values apart, with one digit to spare."""
    digits = max(1, 1 - math.floor(math.log10(spacing)))
    return [f"{value:.{digits}f}" for value in values]


class RadonTransformer(ImageTransformer):
    """Project images, take quantile functions, and of these what `_pooling` says."""

    _parameter_constraints: dict = {
        "n_angles": [Interval(Integral, 1, None, closed="left")],
        "n_radii": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"})],
        "n_quantiles": [Interval(Integral, 1, None, closed="left")],
        **ImageTransformer._parameter_constraints,
    }

    def __init__(
        self,
        n_angles=128,
        n_radii="auto",
        n_quantiles=64,
        *,
        image_shape=None,
        on_blank="warn",
        n_jobs=None,
        verbose=0,
    ):
        self.n_angles = n_angles
        self.n_radii = n_radii
        self.n_quantiles = n_quantiles
        self.image_shape = image_shape
        self.on_blank = on_blank
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _pooling(self):
        """Return the function (quantile functions of the lines) -> features."""
        raise NotImplementedError

    def _labels(self):
        return self._level_labels()

    def _level_labels(self):
        spacing = self.quantile_levels_[0]
        return [f"q{label}" for label in decimals(self.quantile_levels_, spacing)]

    def _angle_level_labels(self):
        degrees = decimals(np.rad2deg(self.angles_), 360 / len(self.angles_))
        return [f"angle{angle}_{level}" for angle in degrees for level in self._level_labels()]

    def _set_up(self, dtype):
        self.angles_ = 2 * np.pi * np.arange(self.n_angles) / self.n_angles
        self.radii_ = bin_edges(self._resolve_n_radii())
        self.quantile_levels_ = quantile_levels(self.n_quantiles)
        self._projector = self._geometry(dtype)

    def _resolve_n_radii(self):
        if self.n_radii != "auto":
            return self.n_radii
        # Four bins on a pixel of the diagonal, within bounds; see the class documentation.
        # An odd number: the origin is the edge of a bin.
        n_radii = 2 * math.ceil(2 * math.sqrt(2) * max(self.image_shape_)) + 1
        return min(max(151, n_radii), 501)

    def _geometry(self, dtype):
        lines = n_directions(len(self.angles_))
        return projector(self.image_shape_, lines, len(self.radii_), dtype.name)

    def _numbers_per_image(self):
        return self._projector.n_directions * max(len(self.radii_), len(self.quantile_levels_))

    def _kernel(self, dtype):
        geometry = self._projector if dtype == self._projector.dtype else self._geometry(dtype)
        return partial(
            _batch_features,
            projector=geometry,
            n_quantiles=len(self.quantile_levels_),
            pooling=self._pooling(),
        )

    def __getstate__(self):
        # A saved transformer carries the geometry and a dtype, not the table of footprints:
        # files are small, and skops need not be told to trust what the table is made of.
        state = dict(super().__getstate__())
        if "_projector" in state:
            state["_projector"] = state["_projector"].dtype.name
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_projector" in state:
            self._projector = self._geometry(np.dtype(state["_projector"]))
