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
    """What no rotation changes: order 0 itself, and products of the higher orders."""
    zero = coefficients[:, 0]
    real, imaginary = cross_spectrum(coefficients[:, 1:n_harmonics])
    parts = [zero.real + zero.imag, np.sqrt(2) * real, np.sqrt(2) * imaginary]
    if not mirror:
        parts = [zero.real, np.sqrt(2) * real]
    return np.concatenate([part.reshape(len(zero), -1) for part in parts], axis=1)


def _upright(coefficients, mirror):
    """The harmonics themselves, or what a left-right flip leaves of them."""
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

    Contours tell shapes apart better than mass does. The image is seen in a frame that moves
    with the shape (a robust centre and scatter of its mass), so that an affine map of the image is
    at most a rotation or a reflection of what is seen. There, each piece of contour is described
    by its tangent: the distance from the centre and the place along it, which no rotation
    changes. Windows over these two numbers are the bins of the histogram, and Fourier
    coefficients of the position's angle keep where on the circle things are, up to a phase.

    Parameters
    ----------
    invariance : {"affine", "similarity", "slant", "scale"}, default="affine"
        The maps of the image that do not change the features. All of them contain shifts.

        - "affine": rotation, scale, shear, different scales along two axes.
        - "similarity": rotation and one scale; keeps the aspect ratio, which a flat scan never
          changes.
        - "slant": width, height and slant of upright shapes, such as handwriting; no rotation.
        - "scale": one scale of upright shapes; no rotation.
    keep : {"spectrum", "filters", "circle"}, default="spectrum"
        What to keep of the circle of angles.

        - "spectrum": products of Fourier coefficients in which phases cancel: 3,393 features by
          default. For "slant" and "scale", which remove no rotation, the coefficients themselves.
        - "filters": the largest correlations with `n_filters` random functions on the circle
          over all rotations (max filtering): almost as good, and shorter.
        - "circle": the Fourier coefficients themselves, which a rotation of the image turns, for
          `aligned_pairwise_distances` and ``NearestTemplateClassifier("aligned")``: the best for
          one template per class.
    reflection : {"distinguish", "ignore"}, default="distinguish"
        Whether mirror images have different features. For "circle" it makes no difference:
        `aligned_pairwise_distances` has a parameter of the same name. For "slant" and "scale",
        "ignore" means the flip of left and right.
    n_cells : int, default=64
        Number of cells on a side of the square in which the shape is seen, 16 to 512.
    width : float, default=0.12
        Width of the Gaussian that smooths the gradients, in units of the shape's standard
        deviation.
    n_harmonics : int, default=5
        Number of orders k = 0, 1, ... of the spectrum, at most 8.
    n_filters : int, default=1024
        Number of filters.
    random_state : int, RandomState instance or None, default=0
        Seed of the filters. With an integer, features agree between machines and versions; with
        None they agree with no others.
    image_shape : tuple (height, width), default=None
        Shape of flattened images. Not needed for stacks of shape
        (n_images, height, width) and for flattened square images.
    on_blank : {"warn", "raise", "ignore"}, default="warn"
        What to do about images without mass. Their features are zero.
    on_bright_border : {"warn", "raise", "ignore"}, default="warn"
        What `fit` does about images whose border is mostly bright, as it is around dark drawings
        on white paper. The paper would count as mass.
    n_jobs : int, default=None
        Number of workers that share the batches of images; -1 means all processors.
        Threads by default, see `joblib.parallel_config` for other backends. The result
        is the same for all of them.
    verbose : int, default=0
        Verbosity of joblib: a value of 1 or more reports progress in `transform`. In
        `fit_transform`, callbacks of scikit-learn 1.9 such as
        `sklearn.callback.ProgressBar` see every batch.

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
    Images are reduced and computed with in float32; float64 images give float64 features of that
    accuracy. The grid of cells limits how exactly features are invariant; the tests assert that for
    smooth shapes of 256 pixels they change by less than 1.5 % of the distance to another shape.

    References
    ----------
    N. Dalal, B. Triggs: Histograms of oriented gradients for human detection. CVPR (2005).

    J. Cahill, J. W. Iverson, D. G. Mixon, D. Packer: Group-invariant max filtering (2022).

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
                    f'keep="filters" looks for the best rotation, but invariance='
                    f'"{self.invariance}" removes none. Use keep="spectrum".'
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
