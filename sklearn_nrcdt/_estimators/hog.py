"""Histograms of oriented gradients in the shape's own frame as a transformer."""

from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.utils import check_random_state

from sklearn_nrcdt._estimators.base import ImageTransformer
from sklearn_nrcdt._kernels.circle import (
    N_ORDERS,
    circle_labels,
    cross_spectrum,
    cross_spectrum_labels,
    max_filters,
    random_filters,
    to_circle,
)
from sklearn_nrcdt._kernels.shapes import shape_harmonics
from sklearn_nrcdt._kernels.tangents import SPACING, WINDOWS
from sklearn_nrcdt._support.compat import Interval, StrOptions


def _spectrum(coefficients, n_harmonics, mirror):
    """Return what no rotation changes: order 0 itself, and products of the higher orders."""
    zero = coefficients[:, 0]
    real, imaginary = cross_spectrum(coefficients[:, 1:n_harmonics])
    parts = [zero.real + zero.imag, np.sqrt(2) * real, np.sqrt(2) * imaginary]
    if not mirror:
        parts = [zero.real, np.sqrt(2) * real]
    return np.concatenate([part.reshape(len(zero), -1) for part in parts], axis=1)


def _upright(coefficients, mirror):
    """Return the harmonics themselves, or their part that a left-right flip keeps."""
    if not mirror:
        # The flip conjugates the harmonics and turns them by half a circle.
        turned = (-1.0) ** np.arange(N_ORDERS)[:, None]
        coefficients = (coefficients + turned * coefficients.conj()) / 2
    return to_circle(coefficients)


def _features(images, image_shape, invariance, n_cells, width, readout, dtype):
    coefficients, blank = shape_harmonics(images, image_shape, invariance, n_cells, width)
    features = readout(coefficients).astype(dtype)
    features[blank] = 0
    return features, blank


class InvariantHOG(ImageTransformer):
    """Histograms of oriented gradients (HOG) in the shape's own frame.

    Contours tell shapes apart better than mass does. Each image is resampled in a frame that moves
    with its shape (a robust centre and scatter of its mass), where an affine map of the image is
    at most a rotation or a reflection. In this frame, each piece of contour is described by its
    tangent: the distance of the tangent from the centre and the position along it, which no
    rotation changes. Windows over these two numbers are the bins of the histogram. Fourier
    coefficients over the angle of the position keep the layout of the contours, up to a phase.

    Parameters
    ----------
    invariance : {"affine", "similarity", "slant", "scale"}, default="affine"
        The maps of the image that do not change the features. All include shifts.

        - "affine": rotation, scale, shear, different scales along two axes.
        - "similarity": rotation and one scale. Keeps the aspect ratio, which a flat scan never
          changes.
        - "slant": width, height and slant of upright shapes, such as handwriting; no rotation.
        - "scale": one scale of upright shapes; no rotation.
    keep : {"spectrum", "filters", "circle"}, default="spectrum"
        What to keep of the circle of angles.

        - "spectrum": products of Fourier coefficients in which phases cancel: 3,393 features by
          default. For "slant" and "scale", which remove no rotation, the coefficients themselves.
        - "filters": the largest correlations with `n_filters` random functions on the circle
          over all rotations (max filtering): almost as good, and shorter.
        - "circle": the Fourier coefficients themselves, whose phases a rotation changes, for
          `aligned_pairwise_distances` and ``NearestTemplateClassifier("aligned")``: best with
          one template per class. Not for "slant" and "scale": aligned distances would ignore
          rotations again.
    reflection : {"distinguish", "ignore"}, default="distinguish"
        Whether mirror images have different features. Not used for "circle", where
        `aligned_pairwise_distances` has a parameter of the same name. For "slant" and "scale",
        "ignore" ignores left-right flips.
    n_cells : int, default=64
        Number of cells on each side of the resampled image, 16 to 512.
    width : float, default=0.12
        Width of the Gaussian that smooths the gradients, in units of the shape's standard
        deviation.
    n_harmonics : int, default=5
        Number of orders k = 0, 1, ... of the spectrum, at most 8.
    n_filters : int, default=1024
        Number of filters.
    random_state : int, RandomState instance or None, default=0
        Seed of the filters. An integer gives the same features on all machines and in all
        versions; None gives new filters at each `fit`.
    image_shape : tuple (height, width), default=None
        Shape of flattened images. Not needed for stacks of shape
        (n_images, height, width) and for flattened square images.
    on_blank : {"warn", "raise", "ignore"}, default="warn"
        What to do about blank images. Their features are zero.
    on_bright_border : {"warn", "raise", "ignore"}, default="warn"
        What `fit` does if most images have a bright border, like dark drawings on white paper:
        the paper would count as mass.
    n_jobs : int, default=None
        Number of parallel workers; -1 means all processors. They are threads unless
        `joblib.parallel_config` chooses another backend. The result does not depend on them.
    verbose : int, default=0
        Verbosity of joblib: 1 or more prints the progress of `transform`. In `fit_transform`,
        callbacks of scikit-learn 1.9, such as `sklearn.callback.ProgressBar`, see every batch.

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
    Computations are in float32; float64 images give float64 features of float32 accuracy. The grid
    of cells limits the invariance: the tests assert that features of smooth shapes of 256 pixels
    change by less than 1.5 % of the distance to another shape.

    References
    ----------
    N. Dalal, B. Triggs: Histograms of oriented gradients for human
    detection. CVPR (2005).

    J. Cahill, J. W. Iverson, D. G. Mixon, D. Packer: Group-invariant
    max filtering (2022).

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
        "keep": [StrOptions({"spectrum", "filters", "circle"})],
        "reflection": [StrOptions({"distinguish", "ignore"})],
        "n_cells": [Interval(Integral, 16, 512, closed="both")],
        "width": [Interval(Real, 0, None, closed="neither")],
        "n_harmonics": [Interval(Integral, 1, N_ORDERS, closed="both")],
        "n_filters": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        **ImageTransformer._parameter_constraints,
    }

    def __init__(
        self,
        invariance="affine",
        *,
        keep="spectrum",
        reflection="distinguish",
        n_cells=64,
        width=0.12,
        n_harmonics=5,
        n_filters=1024,
        random_state=0,
        image_shape=None,
        on_blank="warn",
        on_bright_border="warn",
        n_jobs=None,
        verbose=0,
    ):
        self.invariance = invariance
        self.keep = keep
        self.reflection = reflection
        self.n_cells = n_cells
        self.width = width
        self.n_harmonics = n_harmonics
        self.n_filters = n_filters
        self.random_state = random_state
        self.image_shape = image_shape
        self.on_blank = on_blank
        self.on_bright_border = on_bright_border
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _set_up(self, dtype):
        if self.keep == "filters":
            if self._upright():
                raise ValueError(
                    f'keep="filters" searches over rotations, but invariance='
                    f'"{self.invariance}" keeps shapes upright. Use keep="spectrum".'
                )
            random_state = check_random_state(self.random_state)
            self._filters = random_filters(self.n_filters, len(WINDOWS), random_state)

    def _upright(self):
        return self.invariance in ("slant", "scale")

    def _readout(self):
        mirror = self.reflection == "distinguish"
        if self.keep == "circle":
            return to_circle
        if self._upright():
            return partial(_upright, mirror=mirror)
        if self.keep == "filters":
            return partial(max_filters, filters=self._filters, mirror=not mirror)
        return partial(_spectrum, n_harmonics=self.n_harmonics, mirror=mirror)

    def _kernel(self, dtype):
        return partial(
            _features,
            image_shape=self.image_shape_,
            invariance=self.invariance,
            n_cells=self.n_cells,
            width=self.width,
            readout=self._readout(),
            dtype=dtype,
        )

    def _numbers_per_image(self):
        return 16 * self.n_cells**2

    def _labels(self):
        # Of windows beside the normal, "+" is the sum of both sides and "-" their difference.
        channels = [
            f"s{SPACING * i:.1f}_t{SPACING * abs(j):.1f}{'+' if j > 0 else '-' if j < 0 else ''}"
            for i, j in WINDOWS.tolist()
        ]
        if self.keep == "circle" or self._upright():
            return circle_labels(channels)
        if self.keep == "filters":
            return [f"filter{i}" for i in range(self.n_filters)]
        real, imaginary = cross_spectrum_labels(range(1, self.n_harmonics), channels)
        imaginary = imaginary if self.reflection == "distinguish" else []
        return [f"re0_{channel}" for channel in channels] + real + imaginary
