"""Histograms of oriented gradients in the shape's own frame as a transformer."""

from numbers import Integral, Real

import numpy as np
import scipy.sparse as sp

from sklearn_nrcdt._estimators.base import ImageTransformer
from sklearn_nrcdt._kernels import circle
from sklearn_nrcdt._kernels.contours import contour_harmonics, prepared, prepared_pixels, upright
from sklearn_nrcdt._kernels.tangents import SPACING, WINDOWS
from sklearn_nrcdt._support.compat import Interval, StrOptions
from sklearn_nrcdt._support.images import filled_pixels, native_dtypes
from sklearn_nrcdt._support.types import Invariance, Keep, Reflection, Shape


def _spectrum(coefficients, n_harmonics, mirror):
    """Return what no rotation changes: order 0 itself, and products of the higher orders."""
    zero = coefficients[:, 0]
    real, imaginary = circle.cross_spectrum(coefficients[:, 1:n_harmonics])
    parts = [zero.real + zero.imag, np.sqrt(2) * real, np.sqrt(2) * imaginary]
    if not mirror:
        parts = [zero.real, np.sqrt(2) * real]
    return np.concatenate([part.reshape(len(zero), -1) for part in parts], axis=1)


def _upright_features(coefficients, mirror):
    """Return the harmonics themselves, or their part that a left-right flip keeps."""
    if not mirror:
        coefficients = (coefficients + circle.flipped(coefficients)) / 2
    zero, rows = coefficients[:, 0], circle.to_circle(coefficients)
    # In each channel, order 0 is real or imaginary.
    return np.concatenate([zero.real + zero.imag, rows[:, 2 * zero.shape[1] :]], axis=1)


def prepared_shapes(images, image_shape, invariance):
    """Return what `contours.prepared` makes of images in canonical form."""
    if sp.issparse(images):
        pixels = filled_pixels(images, image_shape)
        return [prepared_pixels(y, x, greys, invariance) for y, x, greys in pixels]
    return [prepared(image, invariance) for image in images]


class InvariantHOG(ImageTransformer):
    """Histograms of oriented gradients (HOG) in the shape's own frame.

    Contours tell shapes apart better than mass does. Each image is resampled in a frame that moves
    with its shape (a robust center and scatter of its mass), where an affine map is at most a
    rotation or a reflection. There, each piece of contour is described by the distance of its
    tangent from the center and the position along it, which no rotation changes. Windows over
    these are the bins. Fourier coefficients over the angle of the position keep the layout.

    Parameters
    ----------
    invariance : {"affine", "similarity", "slant", "scale"}, default="affine"
        The maps of the image that do not change the features. All include shifts.

        - "affine": rotation, scale, shear, different scales along two axes.
        - "similarity": rotation and one scale. Keeps the aspect ratio, which a flat scan never
          changes.
        - "slant": width, height and slant of upright shapes, such as handwriting; no rotation.
        - "scale": one scale of upright shapes; no rotation.
    keep : {"spectrum", "circle"}, default="spectrum"
        What to keep of the circle of angles.

        - "spectrum": products of Fourier coefficients in which phases cancel: 3,393 features by
          default. For "slant" and "scale", which remove no rotation, the coefficients themselves.
        - "circle": the Fourier coefficients themselves, whose phases a rotation changes, for
          `aligned_pairwise_distances` and ``NearestTemplateClassifier("aligned")``: best with
          one template per class. Not for "slant" and "scale", which keep shapes upright.
    reflection : {"distinguish", "ignore"}, default="distinguish"
        Whether mirror images have different features; for "slant" and "scale", left-right flips.
        Not used for "circle": `aligned_pairwise_distances` has a parameter of the same name.
    n_cells : int, default=64
        Number of cells on each side of the resampled image, 16 to 512.
    width : float, default=0.12
        Width of the Gaussian that smooths the gradients, in units of the shape's standard
        deviation, 0.05 to 3.
    n_harmonics : int, default=5
        Number of orders k = 0, 1, ... of the spectrum, at most 8.
    image_shape : tuple (height, width), default=None
        Shape of flattened images, if they are not square.
    n_jobs : int, default=None
        Number of parallel workers, by default threads; -1 means all processors.
    verbose : int, default=0
        1 prints the progress once a second. Callbacks of scikit-learn 1.9 see every batch.

    Attributes
    ----------
    image_shape_ : tuple (height, width) or None
        Shape of the images; None if `fit` saw images of different shapes.
    n_features_in_ : int or None
        Number of pixels; None if `fit` saw images of different shapes.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the pixels, if `fit` was given a data frame with string column names.

    See Also
    --------
    SpectralNRCDT : The whole circle of the NR-CDT: mass instead of contours.
    NearestTemplateClassifier : For one or few samples of each class.
    aligned_pairwise_distances : Distances at the best rotation.

    Notes
    -----
    Computations are in float32, and so are the features, but for images of float64. The grid of
    cells limits the invariance: the tests assert that features of smooth shapes of 256 pixels
    change by less than 1.5 % of the distance to another shape.

    References
    ----------
    N. Dalal, B. Triggs: Histograms of oriented gradients for human detection. CVPR (2005).

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn_nrcdt import InvariantHOG, NearestTemplateClassifier
    >>> from sklearn_nrcdt.datasets import make_symbols
    >>> symbols = make_symbols(2, random_state=0)
    >>> model = make_pipeline(InvariantHOG(), NearestTemplateClassifier())
    >>> model = model.fit(symbols.templates, symbols.template_target)
    >>> model.score(symbols.images, symbols.target)
    1.0
    """

    _parameter_constraints: dict = {
        "invariance": [StrOptions({"affine", "similarity", "slant", "scale"})],
        "keep": [StrOptions({"spectrum", "circle"})],
        "reflection": [StrOptions({"distinguish", "ignore"})],
        "n_cells": [Interval(Integral, 16, 512, closed="both")],
        "width": [Interval(Real, 0.05, 3, closed="both")],
        "n_harmonics": [Interval(Integral, 1, circle.N_ORDERS, closed="both")],
        **ImageTransformer._parameter_constraints,
    }

    def __init__(
        self,
        invariance: Invariance = "affine",
        *,
        keep: Keep = "spectrum",
        reflection: Reflection = "distinguish",
        n_cells: int = 64,
        width: float = 0.12,
        n_harmonics: int = 5,
        image_shape: Shape | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.invariance = invariance
        self.keep = keep
        self.reflection = reflection
        self.n_cells = n_cells
        self.width = width
        self.n_harmonics = n_harmonics
        self.image_shape = image_shape
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self):
        super()._check_parameters()
        if self.keep == "circle" and upright(self.invariance):
            raise ValueError(
                f'keep="circle" is for distances at the best rotation, but invariance='
                f'"{self.invariance}" keeps shapes upright. Use keep="spectrum".'
            )

    def _feature_dtype(self, images):
        return np.dtype(np.float64 if np.dtype(np.float64) in native_dtypes(images) else np.float32)

    def _features(self, images, dtype):
        shapes = prepared_shapes(images, self.image_shape_, self.invariance)
        blank = np.array([shape is None for shape in shapes])
        harmonics = contour_harmonics(shapes, self.invariance, self.n_cells, self.width)
        return self._pool(harmonics).astype(dtype), blank

    def _pool(self, coefficients):
        """Return features from harmonics of contours; those of blank images are zero."""
        mirror = self.reflection == "distinguish"
        if self.keep == "circle":
            return circle.to_circle(coefficients)
        if upright(self.invariance):
            return _upright_features(coefficients, mirror)
        return _spectrum(coefficients, self.n_harmonics, mirror)

    def _numbers_per_image(self):
        return 16 * self.n_cells**2

    def _labels(self):
        # Of windows beside the normal, "+" is the sum of both sides and "-" their difference.
        channels = [
            f"s{SPACING * i:.1f}_t{SPACING * abs(j):.1f}{'+' if j > 0 else '-' if j < 0 else ''}"
            for i, j in WINDOWS.tolist()
        ]
        zero = [f"re0_{channel}" for channel in channels]
        if self.keep == "circle":
            return circle.circle_labels(channels)
        if upright(self.invariance):
            return zero + circle.circle_labels(channels)[2 * len(channels) :]
        real, imaginary = circle.cross_spectrum_labels(range(1, self.n_harmonics), channels)
        imaginary = imaginary if self.reflection == "distinguish" else []
        return zero + real + imaginary
