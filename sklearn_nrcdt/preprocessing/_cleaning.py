"""Scan -> bright figure on black: specks, dark figures on bright paper, dim background."""

from functools import partial
from numbers import Integral, Real
from typing import Literal

import scipy.sparse as sp

from sklearn_nrcdt._estimators.image_filter import ImageFilter
from sklearn_nrcdt._kernels import cleaning
from sklearn_nrcdt._support.compat import Interval, StrOptions
from sklearn_nrcdt._support.types import Shape


class Despeckle(ImageFilter):
    """Remove specks: small connected components of bright pixels.

    A few stray bright pixels far from the figure change moments and quantiles of the whole image.
    Components of fewer than `min_area` pixels, connected by sides or corners, are set to zero, but
    never the largest of an image and others of its size. A background that is not black connects
    everything: apply `RemoveBackground` first.

    Parameters
    ----------
    min_area : int, default=30
        Smallest number of pixels of a component that stays; less for images below 100 x 100.
    image_shape : tuple (height, width), default=None
        Shape of flattened images, if they are not square.
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

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.preprocessing import Despeckle
    >>> clean = np.zeros((1, 64, 64))
    >>> clean[0, 20:40, 20:30] = 1
    >>> salted = clean.copy()
    >>> salted[0, 5:8, 50:53] = salted[0, 60, 10] = 1
    >>> bool((Despeckle().transform(salted) == clean).all())
    True
    """

    _parameter_constraints: dict = {
        **ImageFilter._parameter_constraints,
        "min_area": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        min_area: int = 30,
        *,
        image_shape: Shape | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.min_area = min_area
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def _batch_function(self):
        return partial(cleaning.remove_specks, min_area=self.min_area)


class Invert(ImageFilter):
    """Turn dark figures on bright paper into bright figures on black.

    Parameters
    ----------
    white : float, default=None
        Grey value from which pixels become black. None takes the largest value of each image.
    image_shape : tuple (height, width), default=None
        Shape of flattened images, if they are not square.
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
    raise an error: their inverse would not be sparse.

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

    def __init__(
        self,
        white: float | None = None,
        *,
        image_shape: Shape | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.white = white
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def _batch_function(self):
        return partial(cleaning.invert, white=self.white)

    def _validate(self, X, *, reset):
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
        "otsu" is the level that divides the grey values of an image into two groups with the
        largest variance between them; "median" is right if an even background covers more than half
        of the image. A number is a share of the largest value.
    subtract : bool, default=False
        Whether to subtract the level from the values above it, for a background that adds to the
        figure, as in microscopy.
    image_shape : tuple (height, width), default=None
        Shape of flattened images, if they are not square.
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

    def __init__(
        self,
        level: float | Literal["otsu", "median"] = "otsu",
        *,
        subtract: bool = False,
        image_shape: Shape | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.level = level
        self.subtract = subtract
        self.image_shape = image_shape
        self.n_jobs = n_jobs

    def _batch_function(self):
        return partial(_without_background, level=self.level, subtract=self.subtract)


def _without_background(images, level, subtract):
    levels = cleaning.background_levels(images, level)
    return cleaning.remove_background(images, levels, subtract)
