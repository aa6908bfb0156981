"""Base class of the transformers by quantile functions of projections."""

import math
from functools import partial
from numbers import Integral

import numpy as np
import scipy.sparse as sp
from sklearn.utils import gen_batches

from sklearn_nrcdt._estimators.base import ImageTransformer
from sklearn_nrcdt._kernels.cdt import quantile_levels, quantiles
from sklearn_nrcdt._kernels.footprints import bin_edges
from sklearn_nrcdt._kernels.normalize import unfold
from sklearn_nrcdt._kernels.radon import n_directions, projector
from sklearn_nrcdt._kernels.windows import (
    canvas_side,
    dense_stack,
    filled_windows,
    sparse_rows,
    sparse_windows,
)
from sklearn_nrcdt._support.compat import Interval, StrOptions

# Images with a longer side are cropped to their mass, unless features depend on the canvas: a grid
# of radii over the whole canvas would be too coarse for a small figure.
LARGEST_SIDE = 1024
# Pixels of canvases at a time.
CANVAS_ELEMENTS = 2**22


def _features(images, projector_of, image_shape, n_quantiles, kind, pooling, one_canvas):
    """Features of a batch of images, and which of them are blank."""
    args = n_quantiles, kind, pooling
    alike = sp.issparse(images) or getattr(images, "shape", (0, None))[1:] == image_shape
    if alike and (one_canvas or max(image_shape) <= LARGEST_SIDE):
        return _stack_features(images, projector_of(image_shape), *args)
    # Images of other shapes than in `fit`, or large ones: each on a canvas of the size of its mass.
    if sp.issparse(images):
        windows, on_canvases = list(sparse_windows(images, image_shape)), sparse_rows
    else:
        windows, on_canvases = list(filled_windows(images)), dense_stack
    sides = np.array([0 if window is None else canvas_side(window.shape) for window in windows])
    blank, _ = _stack_features(np.zeros((1, 4, 4)), projector_of((4, 4)), *args)
    features = blank.repeat(len(windows), axis=0)
    for side in np.unique(sides[sides > 0]).tolist():
        geometry, group = projector_of((side, side)), np.flatnonzero(sides == side)
        for some in gen_batches(len(group), max(1, CANVAS_ELEMENTS // side**2)):
            stack = on_canvases([windows[i] for i in group[some]], side)
            features[group[some]], _ = _stack_features(stack, geometry, *args)
    return features, sides == 0


def _stack_features(images, projector, n_quantiles, kind, pooling):
    """Features of images of one shape, and which of them are blank."""
    n = images.shape[0]
    blank = np.ones(n, bool)
    width = pooling(np.zeros((1, projector.n_directions, n_quantiles))).size
    features = np.zeros((n, width), projector.dtype)
    for rows, masses in projector.project_parts(images):
        blank[rows] = False
        n_trimmed = (projector.n_radii - 1 - masses.shape[2]) // 2
        functions = quantiles(masses, n_quantiles, n_trimmed, kind)
        features[rows] = pooling(functions).reshape(len(rows), -1)
    return features, blank


def _projector(image_shape, n_angles, n_radii, dtype):
    """The projector of a geometry; `n_radii` may be "auto"."""
    if n_radii == "auto":
        # Four bins on a pixel of the diagonal, within bounds; see the class documentation.
        # An odd number: the origin is the edge of a bin.
        n_radii = 2 * math.ceil(2 * math.sqrt(2) * max(image_shape)) + 1
        n_radii = min(max(151, n_radii), 501)
    return projector(image_shape, n_directions(n_angles), n_radii, dtype)


def projected_densities(transformer, image):
    """Densities of an image's projections at the angles of a fitted transformer."""
    masses = transformer._projector_of(np.dtype(np.float64))(image.shape).project(image[None])
    # `unfold` turns functions around and changes their sign; masses have none.
    masses = np.abs(unfold(masses, len(transformer.angles_)))[0]
    return masses / masses.sum(axis=1, keepdims=True) * (masses.shape[1] / 2)


def decimals(values, spacing):
    """Format equispaced values with enough decimals to tell them apart, and one more."""
    digits = max(1, 1 - math.floor(math.log10(spacing)))
    return [f"{value:.{digits}f}" for value in values]


class RadonTransformer(ImageTransformer):
    """Project images, compute quantile functions, and pool them over the angles."""

    _parameter_constraints: dict = {
        "n_angles": [Interval(Integral, 1, None, closed="left")],
        "n_radii": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"})],
        "n_quantiles": [Interval(Integral, 1, None, closed="left")],
        "quantiles": [StrOptions({"means", "points"})],
        **ImageTransformer._parameter_constraints,
    }

    def __init__(
        self,
        n_angles=128,
        n_radii="auto",
        n_quantiles=64,
        *,
        quantiles="means",
        image_shape=None,
        on_blank="warn",
        on_bright_border="warn",
        n_jobs=None,
        verbose=0,
    ):
        self.n_angles = n_angles
        self.n_radii = n_radii
        self.n_quantiles = n_quantiles
        self.quantiles = quantiles
        self.image_shape = image_shape
        self.on_blank = on_blank
        self.on_bright_border = on_bright_border
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
        self._kind = self.quantiles
        self.quantile_levels_ = quantile_levels(self.n_quantiles, self._kind)
        self.radii_ = self._projector = None
        if self.image_shape_ is not None:
            self._projector = self._projector_of(dtype)(self.image_shape_)
            self.radii_ = bin_edges(self._projector.n_radii)

    def _projector_of(self, dtype):
        """Return the function (shape of images) -> projector."""
        return partial(
            _projector, n_angles=len(self.angles_), n_radii=self.n_radii, dtype=dtype.name
        )

    def _numbers_per_image(self):
        n_radii = 501 if self.radii_ is None else len(self.radii_)
        return n_directions(len(self.angles_)) * max(n_radii, len(self.quantile_levels_))

    def _kernel(self, dtype):
        return partial(
            _features,
            projector_of=self._projector_of(dtype),
            image_shape=self.image_shape_,
            n_quantiles=len(self.quantile_levels_),
            kind=self._kind,
            pooling=self._pooling(),
            one_canvas=self._one_canvas,
        )

    def __getstate__(self):
        # A saved transformer carries the geometry and a dtype, not the table of footprints: files
        # are small, and skops need not trust the types in the table.
        state = dict(super().__getstate__())
        if state.get("_projector") is not None:
            state["_projector"] = state["_projector"].dtype.name
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if state.get("_projector") is not None:
            dtype = np.dtype(state["_projector"])
            self._projector = self._projector_of(dtype)(self.image_shape_)
