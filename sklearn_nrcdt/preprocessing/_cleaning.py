"""Scan -> bright figure on black: specks, dark figures on bright paper, dim background."""

from functools import partial
from numbers import Integral, Real

import scipy.sparse as sp

from sklearn_nrcdt._kernels.cleaning import (
    background_levels,
    invert,
    remove_background,
    remove_specks,
)
from sklearn_nrcdt._support.compat import Interval, StrOptions
from sklearn_nrcdt.preprocessing._filter import ImageFilter


class Despeckle(ImageFilter):
    """Remove specks: small connected components of bright pixels.

    A few stray bright pixels far from the figure change moments and quantiles of the whole
    image. Components of fewer than `min_area` pixels are set to zero; all other pixels stay
    as they are. The largest component of an image, and others of the same size, are never
    removed, so that no image becomes blank.

    Parameters
    ----------
    min_area : int, default=30
        Smallest number of pixels of a component that stays. Lower it for images smaller than
        about 100 x 100 pixels.
    threshold : float, default=0.0
        A pixel is bright if it exceeds this share of the largest value of its image. With 0,
        all pixels that are not black are bright. A background that is not black connects
        everything: raise the threshold, or apply `RemoveBackground` first.
    connectivity : {1, 2}, default=2
        Pixels are neighbours if they share a side (1), or a side or corner (2).
    image_shape : tuple (height, width), default=None
        Shape of flattened images. Not needed for stacks of shape
        (n_images, height, width) and for flattened square images.
    n_jobs : int, default=None
        Number of parallel workers; -1 means all processors.

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
    RemoveBackground : For a background that is not black.

    Notes
    -----
    Stateless: `transform` does not need `fit`. Stacks give stacks, rows give rows, sparse
    rows give sparse rows, always of the same dtype. `set_output` affects rows only.
    ``python -m benchmarks.performance preprocessing`` measures the time.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn_nrcdt import MaxNRCDT
    >>> from sklearn_nrcdt.preprocessing import Despeckle
    >>> clean = np.zeros((1, 64, 64))
    >>> clean[0, 20:40, 20:30] = 1
    >>> salted = clean.copy()
    >>> salted[0, 5:8, 50:53] = salted[0, 60, 10] = 1
    >>> bool((Despeckle().transform(salted) == clean).all())
    True
    >>> model = make_pipeline(Despeckle(), MaxNRCDT(n_angles=16))
    >>> model.fit_transform(salted).shape
    (1, 64)
    """

    _parameter_constraints: dict = {
        **ImageFilter._parameter_constraints,
        "min_area": [Interval(Integral, 1, None, closed="left")],
        "threshold": [Interval(Real, 0, 1, closed="left")],
        "connectivity": [Interval(Integral, 1, 2, closed="both")],
    }

    def __init__(
        self, min_area=30, *, threshold=0.0, connectivity=2, image_shape=None, n_jobs=None
    ):
        self.min_area = min_area
        self.threshold = threshold
        self.connectivity = connectivity
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def _function(self):
        return partial(
            remove_specks,
            min_area=self.min_area,
            threshold=self.threshold,
            connectivity=self.connectivity,
        )


class Invert(ImageFilter):
    """Turn dark figures on bright paper into bright figures on black.

    Parameters
    ----------
    white : float, default=None
        Grey value that becomes black, as do all brighter ones. None takes the largest value of
        each image.
    image_shape : tuple (height, width), default=None
        Shape of flattened images. Not needed for stacks of shape
        (n_images, height, width) and for flattened square images.
    n_jobs : int, default=None
        Number of parallel workers; -1 means all processors.

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
    RemoveBackground : Removes the rest of the paper.

    Notes
    -----
    Stateless: `transform` does not need `fit`. Stacks give stacks, rows give rows, of the same
    dtype (float64 if that cannot hold `white`). `set_output` affects rows only. Sparse images
    raise an error: their background is black, and their inverse would not be sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.preprocessing import Invert
    >>> scan = np.array([[[250, 240], [30, 250]]], dtype=np.uint8)
    >>> Invert().transform(scan)
    array([[[  0,  10],
            [220,   0]]], dtype=uint8)
    """

    _parameter_constraints: dict = {
        **ImageFilter._parameter_constraints,
        "white": [None, Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, white=None, *, image_shape=None, n_jobs=None):
        self.white = white
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def _function(self):
        return partial(invert, white=self.white)

    def _validate(self, X, *, reset=False):
        if sp.issparse(X):
            raise TypeError(
                "Invert does not accept sparse images: their background is already black, and the "
                "inverse would not be sparse. Pass X.toarray() to invert them anyway."
            )
        return super()._validate(X, reset=reset)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        if self.white is not None:
            tags.transformer_tags.preserves_dtype = ["float64", "float32", "float16"]
        return tags


class RemoveBackground(ImageFilter):
    """Set a dim background to black.

    Grey values are mass: a uniform haze of 2 % of white weighs as much as a drawing that covers
    2 % of the image. Values up to a level, found for each image separately, are set to zero.

    Parameters
    ----------
    level : {"otsu", "median"} or float, default="otsu"
        "otsu" divides the grey values of an image into two groups with the largest variance
        between them, and treats the darker group as background. "median" takes the median of the
        image, right if an even background covers more than half of it. A number is a share of
        the largest value of the image.
    subtract : bool, default=False
        Whether to subtract the level from the values above it, for a background that
        adds to the figure, as in microscopy. Otherwise they stay as they are.
    image_shape : tuple (height, width), default=None
        Shape of flattened images. Not needed for stacks of shape
        (n_images, height, width) and for flattened square images.
    n_jobs : int, default=None
        Number of parallel workers; -1 means all processors.

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
    Invert : For dark figures on bright paper; comes first.
    Despeckle : For specks that are as bright as the figure; comes next.

    Notes
    -----
    Stateless: `transform` does not need `fit`. Stacks give stacks, rows give rows, sparse
    rows give sparse rows, always of the same dtype (the level of integers is rounded down).
    `set_output` affects rows only. An image of one grey value is all background.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.preprocessing import RemoveBackground
    >>> scan = np.array([[[3, 5, 4], [90, 80, 4], [3, 6, 5]]], dtype=np.uint8)
    >>> RemoveBackground().transform(scan)
    array([[[ 0,  0,  0],
            [90, 80,  0],
            [ 0,  0,  0]]], dtype=uint8)
    """

    _parameter_constraints: dict = {
        **ImageFilter._parameter_constraints,
        "level": [StrOptions({"otsu", "median"}), Interval(Real, 0, 1, closed="left")],
        "subtract": ["boolean"],
    }

    def __init__(self, level="otsu", *, subtract=False, image_shape=None, n_jobs=None):
        self.level = level
        self.subtract = subtract
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def _function(self):
        return partial(_without_background, level=self.level, subtract=self.subtract)


def _without_background(images, level, subtract):
    return remove_background(images, background_levels(images, level), subtract)
