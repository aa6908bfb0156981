"""Base class of the transformers by quantile functions of projections."""

import math
from numbers import Integral
from typing import Any

import numpy as np

from sklearn_nrcdt._estimators.base import ImageTransformer
from sklearn_nrcdt._kernels.normalize import unfold
from sklearn_nrcdt._kernels.quantiles import quantile_levels, quantiles
from sklearn_nrcdt._kernels.radon import n_directions, projector
from sklearn_nrcdt._support.canvases import on_canvases
from sklearn_nrcdt._support.compat import Interval, StrOptions
from sklearn_nrcdt._support.images import n_images
from sklearn_nrcdt._support.types import NumberOfRadii, Quantiles, Shape

# Images with a longer side are cropped to their mass, unless features depend on the canvas: a grid
# of radii over the whole canvas would be too coarse for a small figure.
LARGEST_SIDE = 1024


def _n_radii(n_radii, image_shape):
    if n_radii != "auto":
        return n_radii
    # Four bins on a pixel of the diagonal, within bounds; see the class documentation. An odd
    # number: the origin is the edge of a bin.
    return min(max(151, 2 * math.ceil(2 * math.sqrt(2) * max(image_shape)) + 1), 501)


def projected_densities(transformer, image):
    """Densities of an image's projections at the angles of a fitted transformer."""
    n_angles = len(transformer.angles_)
    n_radii = _n_radii(transformer.n_radii, image.shape)
    geometry = projector(image.shape, n_directions(n_angles), n_radii, "float64")
    # `unfold` turns functions around and changes their sign; masses have none.
    masses = np.abs(unfold(geometry.project(image[None]), n_angles))[0]
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
        n_angles: int = 128,
        n_radii: NumberOfRadii = "auto",
        n_quantiles: int = 64,
        *,
        quantiles: Quantiles = "means",
        image_shape: Shape | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_angles = n_angles
        self.n_radii = n_radii
        self.n_quantiles = n_quantiles
        self.quantiles = quantiles
        self.image_shape = image_shape
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _labels(self):
        spacing = self.quantile_levels_[0]
        return [f"q{label}" for label in decimals(self.quantile_levels_, spacing)]

    def _at_angles(self, levels):
        degrees = decimals(np.rad2deg(self.angles_), 360 / len(self.angles_))
        return [f"angle{angle}_{level}" for angle in degrees for level in levels]

    def _set_up(self):
        self.angles_ = 2 * np.pi * np.arange(self.n_angles) / self.n_angles
        self._kind = self.quantiles
        self.quantile_levels_ = quantile_levels(self.n_quantiles, self._kind)
        self.radii_: Any = None
        if self.image_shape_ is not None:
            self.radii_ = np.linspace(-1, 1, _n_radii(self.n_radii, self.image_shape_))

    def _numbers_per_image(self):
        n_radii = 501 if self.radii_ is None else len(self.radii_)
        return n_directions(len(self.angles_)) * max(n_radii, len(self.quantile_levels_))

    def _pool(self, half):
        """Return features from the quantile functions of lines, (n, n_lines, n_quantiles)."""
        raise NotImplementedError

    def _batch_function(self, dtype):
        projector.used_by(self)
        return super()._batch_function(dtype)

    def _features(self, images, dtype):
        shape, n_quantiles = self.image_shape_, len(self.quantile_levels_)
        n_lines = n_directions(len(self.angles_))
        blank = np.ones(n_images(images), bool)
        width = self._pool(np.zeros((1, n_lines, n_quantiles))).size
        features = np.zeros((len(blank), width), dtype)
        small = shape is not None and max(shape) <= LARGEST_SIDE
        one_canvas = small or self._depends_on_canvas
        for positions, canvas, content in on_canvases(images, shape, one_canvas):
            positions = np.arange(len(blank))[positions]
            geometry = projector(canvas, n_lines, _n_radii(self.n_radii, canvas), dtype.name)
            if isinstance(content, np.ndarray):
                parts = geometry.project_parts(content)
            else:
                parts = [([0], geometry.project_pixels(*content))]
            for rows, masses in parts:
                n_trimmed = (geometry.n_radii - 1 - masses.shape[2]) // 2
                functions = quantiles(masses, n_quantiles, n_trimmed, self._kind)
                features[positions[rows]] = self._pool(functions).reshape(len(rows), -1)
                blank[positions[rows]] = False
        return features, blank
