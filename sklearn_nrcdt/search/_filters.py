"""What the search makes of a photograph, as transformers: even light, ridges of strokes."""

from functools import partial
from numbers import Real

import numpy as np
import scipy.sparse as sp

from sklearn_nrcdt._estimators.image_filter import ImageFilter
from sklearn_nrcdt._support.compat import Interval, StrOptions
from sklearn_nrcdt._support.images import working_dtype
from sklearn_nrcdt._support.types import Polarity, Shape
from sklearn_nrcdt.search._kernels import ridges


def refuse_sparse(estimator, X):
    """Raise a TypeError for sparse rows: every pixel of paper counts."""
    if sp.issparse(X):
        raise TypeError(
            f"{type(estimator).__name__} does not take sparse images: photographs of paper have "
            "no empty background. Pass X.toarray()."
        )


class PaperFilter(ImageFilter):
    """A filter of photographs: all pixels change, and they become floating-point numbers."""

    def _validate(self, X, *, reset):
        refuse_sparse(self, X)
        return super()._validate(X, reset=reset)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class FlattenIllumination(PaperFilter):
    """Even out the light and contrast of photographs, and make strokes bright.

    Subtracts a local mean and divides by the standard deviation in a wider window. Paper becomes
    1/4, strokes are brighter, up to 1, and everything of the opposite polarity is darker.

    Parameters
    ----------
    window : float, default=12.0
        Deviation of the Gaussian window of the mean, in pixels: three times the width of a stroke
        is a good choice. Contrast is measured in a window 2.5 times as wide. At most 1000.
    polarity : {"dark", "bright"}, default="dark"
        Whether strokes are darker or brighter than the paper in the photographs.
    image_shape : tuple (height, width), default=None
        Shape of flattened images, if they are not square.
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
    OrientedRidges : For faint strokes; comes next.

    Notes
    -----
    Stateless: `transform` does not need `fit`. Stacks give stacks, rows give rows; float32
    stays, other dtypes become float64. `set_output` affects rows only. An image of one
    color becomes 1/4 everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.search import FlattenIllumination
    >>> light = np.linspace(50, 250, 200) * np.ones((100, 1))
    >>> photo = light + np.random.default_rng(0).normal(0, 2, light.shape)
    >>> photo[40:44] *= 0.9
    >>> flat = FlattenIllumination().transform(photo[None])[0]
    >>> [round(float(part.mean()), 1) for part in (flat[40:44], flat[:30], flat[60:])]
    [1.0, 0.3, 0.3]
    """

    _parameter_constraints: dict = {
        **ImageFilter._parameter_constraints,
        "window": [Interval(Real, 0, 1000, closed="right")],
        "polarity": [StrOptions({"dark", "bright"})],
    }

    def __init__(
        self,
        window: float = 12.0,
        *,
        polarity: Polarity = "dark",
        image_shape: Shape | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.window = window
        self.polarity = polarity
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def _batch_function(self):
        return partial(ridges.flatten_illumination, window=self.window, polarity=self.polarity)


class OrientedRidges(PaperFilter):
    """Filter for bright strokes of a given width, in whichever direction they run.

    The filters are second derivatives across a stroke, smoothed along it, in six directions, of
    which the largest response counts. Grain gives weak responses everywhere.

    Parameters
    ----------
    stroke_width : float, default=4.0
        Width of the strokes in pixels, at most 250.
    image_shape : tuple (height, width), default=None
        Shape of flattened images, if they are not square.
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
    DrawingSearch : Looks for drawings in such ridges.

    Notes
    -----
    Stateless: `transform` does not need `fit`. Stacks give stacks, rows give rows; float32
    stays, other dtypes become float64. `set_output` affects rows only.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.search import OrientedRidges
    >>> image = np.zeros((1, 64, 64))
    >>> image[0, 30:34, 10:54] = 1
    >>> ridges = OrientedRidges().transform(image)
    >>> ridges[0, [20, 32], 32].round(2)
    array([0.  , 0.46])
    """

    _parameter_constraints: dict = {
        **ImageFilter._parameter_constraints,
        "stroke_width": [Interval(Real, 0, 250, closed="right")],
    }

    def __init__(
        self,
        stroke_width: float = 4.0,
        *,
        image_shape: Shape | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.stroke_width = stroke_width
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def _batch_function(self):
        return partial(_strongest_ridges, stroke=self.stroke_width)


def _strongest_ridges(images, stroke):
    found = np.empty(images.shape, working_dtype(images))
    for image, out in zip(images, found, strict=True):
        planes = ridges.oriented_ridges(image.astype(found.dtype), ridges.N_ORIENTATIONS, stroke)
        planes.max(axis=0, out=out)
    return found
