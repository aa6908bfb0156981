"""Photographs of paper: uneven light, the lines of the mould, faint strokes."""

import math
from functools import partial
from numbers import Integral, Real

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from sklearn_nrcdt._kernels.paper import (
    flatten_illumination,
    line_direction,
    oriented_ridges,
    suppress_lines,
    turn_upright,
)
from sklearn_nrcdt._support.compat import Interval, StrOptions, check_feature_names_in
from sklearn_nrcdt._support.images import working_dtype
from sklearn_nrcdt.preprocessing._filter import ImageFilter

# The highest peak in the spectrum of noise is some 15 times its mean.
LEAST_STRENGTH = 25


class PaperFilter(ImageFilter):
    """A filter of photographs: all pixels change, and they become floating-point numbers."""

    def _validate(self, X, *, reset=False):
        if sp.issparse(X):
            raise TypeError(
                f"{type(self).__name__} does not take sparse images: no pixel of the result "
                "would be zero. Pass X.toarray()."
            )
        return super()._validate(X, reset=reset)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class FlattenIllumination(PaperFilter):
    """Even out the light and contrast of photographs, and make strokes bright.

    Subtracts a local mean and divides by the standard deviation in a wider window. Paper becomes
    1/4, strokes are brighter, up to 1, and everything of the opposite polarity is between 0 and
    1/4.

    Parameters
    ----------
    window : float, default=12.0
        Standard deviation of the Gaussian window of the mean, in pixels: three times the width
        of a stroke is a good choice. Contrast is measured in a window 2.5 times as wide.
    polarity : {"dark", "bright"}, default="dark"
        Whether strokes are darker or brighter than the paper in the photographs.
    image_shape : tuple (height, width), default=None
        Shape of flattened images. Not needed for stacks of shape
        (n_images, height, width) and for flattened square images.
    n_jobs : int, default=None
        Number of workers that share the batches of images; -1 means all processors.

    Attributes
    ----------
    image_shape_ : tuple (height, width)
        Shape of the images.
    n_features_in_ : int
        Number of pixels.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the pixels, if `fit` was given a data frame with string column names.

    See Also
    --------
    SuppressLines : For regular lines; comes next.
    OrientedRidges : For faint strokes; comes last.

    Notes
    -----
    Stateless: `transform` does not need `fit`. Stacks give stacks, rows give rows; float32
    stays, other dtypes become float64. `set_output` has an effect on rows only. An image of one
    colour becomes 1/4 everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.preprocessing import FlattenIllumination
    >>> light = np.linspace(50, 250, 200) * np.ones((100, 1))
    >>> photo = light + np.random.default_rng(0).normal(0, 2, light.shape)
    >>> photo[40:44] *= 0.9
    >>> flat = FlattenIllumination().transform(photo[None])[0]
    >>> [round(float(part.mean()), 1) for part in (flat[40:44], flat[:30], flat[60:])]
    [1.0, 0.3, 0.3]
    """

    _parameter_constraints: dict = {
        **ImageFilter._parameter_constraints,
        "window": [Interval(Real, 0, None, closed="neither")],
        "polarity": [StrOptions({"dark", "bright"})],
    }

    def __init__(self, window=12.0, *, polarity="dark", image_shape=None, n_jobs=None):
        self.window = window
        self.polarity = polarity
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def _function(self):
        return partial(flatten_illumination, window=self.window, polarity=self.polarity)


class SuppressLines(PaperFilter):
    """Remove regular lines from photographs, such as the laid and chain lines of paper.

    Repeated lines are peaks of the spectrum on two axes: across the finer lines and along them.
    The highest peak gives the direction of the finer lines, for each image separately, and a
    narrow notch along each axis removes the lines. An image without such lines stays as it is.

    Parameters
    ----------
    direction : {"auto"} or float, default="auto"
        Direction of the finer lines in degrees, counterclockwise from horizontal. "auto" finds
        it.
    periods : tuple (float, float), default=(3.0, 8.0)
        Shortest and longest distance between the finer lines in pixels, for "auto".
    widths : tuple (float, float), default=(0.012, 0.008)
        Half widths of the notches for the finer lines and for those across them, in cycles per
        pixel; 0 keeps those lines.
    deskew : bool, default=False
        Whether to rotate the image so that the finer lines become horizontal.
    image_shape : tuple (height, width), default=None
        Shape of flattened images. Not needed for stacks of shape
        (n_images, height, width) and for flattened square images.
    n_jobs : int, default=None
        Number of workers that share the batches of images; -1 means all processors.

    Attributes
    ----------
    image_shape_ : tuple (height, width)
        Shape of the images.
    n_features_in_ : int
        Number of pixels.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the pixels, if `fit` was given a data frame with string column names.

    See Also
    --------
    FlattenIllumination : For uneven light; comes first.

    Notes
    -----
    Stateless: `transform` does not need `fit`. Stacks give stacks, rows give rows; float32
    stays, other dtypes become float64. `set_output` has an effect on rows only. Long strokes in
    the direction of the lines fade as well. `DrawingSearch` does not need this step: it gives
    less weight to everything that repeats in a photograph.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.preprocessing import SuppressLines
    >>> rows, columns = np.mgrid[:200, :200]
    >>> angle = np.deg2rad(2.5)
    >>> up = -rows * np.cos(angle) - columns * np.sin(angle)
    >>> lines = 100 + 20 * np.cos(2 * np.pi * up / 5)
    >>> filter = SuppressLines()
    >>> filter.line_directions(lines[None]).round(1)
    array([2.5])
    >>> round(float(lines.std())), round(float(filter.transform(lines[None]).std()))
    (14, 3)
    """

    _parameter_constraints: dict = {
        **ImageFilter._parameter_constraints,
        "direction": [StrOptions({"auto"}), Interval(Real, None, None, closed="neither")],
        "periods": [tuple, list],
        "widths": [tuple, list],
        "deskew": ["boolean"],
    }

    def __init__(
        self,
        direction="auto",
        *,
        periods=(3.0, 8.0),
        widths=(0.012, 0.008),
        deskew=False,
        image_shape=None,
        n_jobs=None,
    ):
        self.direction = direction
        self.periods = periods
        self.widths = widths
        self.deskew = deskew
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def line_directions(self, X):
        """Find the direction of the finer lines of each image.

        Parameters
        ----------
        X : array-like of shape (n_images, height, width) or (n_images, height * width)
            Grey images.

        Returns
        -------
        directions : ndarray of shape (n_images,)
            In degrees, counterclockwise from horizontal, between -90 and 90; NaN for an image
            that has no such lines.
        """
        self._validate_params()
        self._function()
        fitted = self if hasattr(self, "image_shape_") else type(self)(**self.get_params()).fit(X)
        images = fitted._validate(X)
        return np.array([-math.degrees(_direction(image, self.periods)) for image in images])

    def _function(self):
        periods = _pair(self.periods, "periods", "distances in pixels, the shorter first", 2)
        if periods[0] >= periods[1]:
            raise ValueError(f"periods must be the shorter one first, got {self.periods!r}.")
        return partial(
            _without_lines,
            direction=self.direction,
            periods=periods,
            widths=_pair(self.widths, "widths", "half widths, at least 0", 0),
            deskew=self.deskew,
        )

    def _learn(self, X, y):
        self._function()
        return super()._learn(X, y)


class OrientedRidges(PaperFilter):
    """Filter for bright strokes of a given width, in each direction or in the best one.

    The filters are second derivatives across a stroke, smoothed along it. There is no threshold:
    grain gives weak responses everywhere, strokes give stronger ones along their length.

    Parameters
    ----------
    stroke_width : float, default=4.0
        Width of the strokes in pixels.
    n_orientations : int, default=6
        Number of directions.
    keep : {"max", "all"}, default="max"
        "max" gives one image, the largest response over all directions. "all" gives one image
        for each direction, the first for horizontal strokes, the others counterclockwise.
    image_shape : tuple (height, width), default=None
        Shape of flattened images. Not needed for stacks of shape
        (n_images, height, width) and for flattened square images.
    n_jobs : int, default=None
        Number of workers that share the batches of images; -1 means all processors.

    Attributes
    ----------
    image_shape_ : tuple (height, width)
        Shape of the images.
    n_features_in_ : int
        Number of pixels.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the pixels, if `fit` was given a data frame with string column names.

    See Also
    --------
    FlattenIllumination : Makes dark strokes bright; comes first.
    sklearn_nrcdt.search.DrawingSearch : Looks for drawings in such ridges.

    Notes
    -----
    Stateless: `transform` does not need `fit`. Stacks give stacks, of shape (n_images,
    n_orientations, height, width) for "all"; rows give rows. float32 stays, other dtypes become
    float64. `set_output` has an effect on rows only.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.preprocessing import OrientedRidges
    >>> image = np.zeros((1, 64, 64))
    >>> image[0, 30:34, 10:54] = 1
    >>> planes = OrientedRidges(keep="all").transform(image)
    >>> planes.shape
    (1, 6, 64, 64)
    >>> planes[0, :, 32, 32].round(2)
    array([0.46, 0.12, 0.01, 0.  , 0.01, 0.12])
    """

    _parameter_constraints: dict = {
        **ImageFilter._parameter_constraints,
        "stroke_width": [Interval(Real, 0, None, closed="neither")],
        "n_orientations": [Interval(Integral, 1, None, closed="left")],
        "keep": [StrOptions({"max", "all"})],
    }

    def __init__(
        self, stroke_width=4.0, *, n_orientations=6, keep="max", image_shape=None, n_jobs=None
    ):
        self.stroke_width = stroke_width
        self.n_orientations = n_orientations
        self.keep = keep
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def get_feature_names_out(self, input_features=None):
        """Name the pixels, and for ``keep="all"`` the directions in degrees before them.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the pixels; None takes those seen in `fit`, or makes some up.

        Returns
        -------
        feature_names_out : ndarray of str
            For example ``x0``, or ``ridge30_x0``.
        """
        check_is_fitted(self, "n_features_in_")
        names = check_feature_names_in(self, input_features)
        if self.keep == "max":
            return names
        angles = [f"{180 * k / self.n_orientations:g}" for k in range(self.n_orientations)]
        return np.array([f"ridge{a}_{name}" for a in angles for name in names], dtype=object)

    def _function(self):
        return partial(
            _ridges, stroke=self.stroke_width, n_orientations=self.n_orientations, keep=self.keep
        )


def _ridges(images, stroke, n_orientations, keep):
    dtype = working_dtype(images)
    shape = (len(images), *([n_orientations] if keep == "all" else []), *images.shape[1:])
    found = np.empty(shape, dtype)
    for image, out in zip(images, found, strict=True):
        ridges = oriented_ridges(image.astype(dtype), n_orientations, stroke)
        # The kernel counts clockwise on the screen.
        out[...] = ridges.max(axis=0) if keep == "max" else ridges[-np.arange(n_orientations)]
    return found


def _direction(image, periods):
    direction, strength = line_direction(image.astype(np.float64), periods)
    return direction if strength >= LEAST_STRENGTH else math.nan


def _without_lines(images, direction, periods, widths, deskew):
    dtype = working_dtype(images)
    cleaned = np.empty(images.shape, dtype)
    for image, out in zip(images, cleaned, strict=True):
        image = image.astype(dtype)
        angle = _direction(image, periods) if direction == "auto" else -math.radians(direction)
        if not math.isnan(angle):
            image = suppress_lines(image, angle, *widths)
            image = turn_upright(image, angle) if deskew else image
        out[...] = image
    return cleaned


def _pair(values, name, what, least):
    try:
        low, high = (float(value) for value in values)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (low >= least and high >= least and math.isfinite(low + high)):
        raise ValueError(f"{name} must be a pair of {what}, got {values!r}.")
    return low, high
