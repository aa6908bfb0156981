"""The R-CDT and its inverse as a transformer."""

from functools import partial

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sklearn_nrcdt._estimators.radon_base import RadonTransformer
from sklearn_nrcdt._kernels.backprojection import reconstruct
from sklearn_nrcdt._kernels.normalize import fold, unfold
from sklearn_nrcdt._support.compat import StrOptions, check_array


def _scaled(half, n_angles, scale):
    return unfold(half, n_angles) * scale


class RadonCDT(RadonTransformer):
    r"""Radon cumulative distribution transform (R-CDT).

    The image is projected on a line at each angle. The features are the quantile functions of
    the projections, ``Q(t) = inf {s : F(s) > t}``, as `n_quantiles` values each. Pixels are
    squares of constant density, and the mass counted in each bin is exact.

    The image is centred in the unit disc, x to the right and y up: a shift of the image
    by ``(a, b)`` adds ``a * cos(angle) + b * sin(angle)`` to the quantile function, and
    a rotation by a multiple of the angle step permutes the angles. The R-CDT is not
    invariant; see `MaxNRCDT` and `MeanNRCDT` for features that are.

    Parameters
    ----------
    n_angles : int, default=128
        Number of equispaced angles on the full circle. Even numbers cost half as much, since
        opposite angles mirror each other.
    n_radii : int or "auto", default="auto"
        Number of equispaced radii in [-1, 1], the edges of the bins in which projected
        mass is counted. "auto" takes four bins per pixel of the image's diagonal, but at
        least 151 and at most 501 radii. From 64 pixels on, the discretisation error is a few
        per cent of the smallest distance between the paper's symbols. Smaller images may need
        more radii, see ``python -m benchmarks.accuracy radii``.
    n_quantiles : int, default=64
        Number of values kept of each quantile function.
    scaling : {None, "wasserstein"}, default=None
        None gives the quantile functions as they are, in units of the disc's radius.
        "wasserstein" divides them by ``sqrt(n_angles * n_quantiles)``, so that the
        Euclidean distance of two feature vectors is the discretised sliced
        Wasserstein-2 distance of the images: the root of the mean over angles and
        levels of the squared difference of quantiles.
    quantiles : {"means", "points"}, default="means"
        Which values to keep. "means" are the means of the quantile function over cells: [0, 1]
        is divided into ``n_quantiles + 2`` equal cells, and the first and the last, which hold
        the outliers, are dropped. "points" are its values at the levels
        ``j / (n_quantiles + 1)``, as in the paper. Means depend continuously on the image;
        points jump when a gap in a projection passes a level.
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
    image_shape_ : tuple (height, width)
        Shape of the images.
    angles_ : ndarray of shape (n_angles,)
        Angles in radians, counter-clockwise from the x-axis.
    radii_ : ndarray of shape (n_radii,)
        Edges of the bins, in units of half the diagonal of the square that holds the image.
    quantile_levels_ : ndarray of shape (n_quantiles,)
        Quantile levels in (0, 1) of the values; for "means", the midpoints of the cells.
    n_features_in_ : int
        Number of pixels.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the pixels, if `fit` was given a data frame with string column names.

    See Also
    --------
    NRCDT : The same, normalized at each angle.
    MaxNRCDT : Affine-invariant features of length `n_quantiles`.

    Notes
    -----
    `inverse_transform` is filtered back projection of the densities that belong to the
    quantile functions. It is not exact: the density is taken as constant between two levels,
    and the filter smooths. ``python -m benchmarks.accuracy roundtrip`` measures the round
    trip: with 256 angles the relative error in the Euclidean norm is 18 %
    for smooth blobs at 64 levels and 3 % at 512, 19 % and 10 % for a disc with a sharp
    edge, 38 % and 31 % for thin lines.

    References
    ----------
    S. Kolouri, S. R. Park, G. K. Rohde: The Radon cumulative distribution transform and
    its application to image classification. IEEE Trans. Image Process. 25 (2016).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt import RadonCDT
    >>> X = np.zeros((1, 32, 32))
    >>> X[0, 8:16, 16:24] = 1
    >>> features = RadonCDT(n_angles=4, n_quantiles=3).fit_transform(X)
    >>> features.reshape(4, 3).round(3)
    array([[ 0.106,  0.177,  0.247],
           [ 0.106,  0.177,  0.247],
           [-0.247, -0.177, -0.106],
           [-0.247, -0.177, -0.106]])
    """

    _one_canvas = True
    _parameter_constraints: dict = {
        **RadonTransformer._parameter_constraints,
        "scaling": [None, StrOptions({"wasserstein"})],
    }

    def __init__(
        self,
        n_angles=128,
        n_radii="auto",
        n_quantiles=64,
        *,
        scaling=None,
        quantiles="means",
        image_shape=None,
        on_blank="warn",
        on_bright_border="warn",
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            n_angles,
            n_radii,
            n_quantiles,
            quantiles=quantiles,
            image_shape=image_shape,
            on_blank=on_blank,
            on_bright_border=on_bright_border,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.scaling = scaling

    def inverse_transform(self, X):
        """Reconstruct images from their transform.

        Parameters
        ----------
        X : array-like of shape (n_images, n_angles * n_quantiles)
            Features as `transform` returns them, or means of such features. A row of
            zeros, the features of a blank image, gives a blank image.

        Returns
        -------
        images : ndarray of shape (n_images, height, width) or (n_images, height * width)
            Non-negative images of total mass 1, stacked or flattened as in `fit`.

        Examples
        --------
        Halfway along the transport from one place to another:

        >>> import numpy as np
        >>> from sklearn_nrcdt import RadonCDT
        >>> X = np.zeros((2, 32, 32))
        >>> X[0, 12:20, 4:12] = X[1, 12:20, 20:28] = 1
        >>> transformer = RadonCDT(n_quantiles=128).fit(X)
        >>> middle = transformer.inverse_transform(transformer.transform(X).mean(axis=0)[None])
        >>> middle.shape, round(float(middle[0, 12:20, 12:20].sum()), 1)
        ((1, 32, 32), 0.9)
        """
        check_is_fitted(self)
        X = check_array(X, dtype=[np.float64, np.float32], input_name="X")
        n_features = len(self.angles_) * len(self.quantile_levels_)
        if X.shape[1] != n_features:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} gives "
                f"n_angles * n_quantiles = {n_features}. Pass what `transform` returns."
            )
        images = np.zeros((len(X), *self.image_shape_), X.dtype)
        for i in np.flatnonzero(X.any(axis=1)):
            lines = fold(X[i].reshape(len(self.angles_), -1)) / self._scale()
            images[i] = reconstruct(lines, self.image_shape_, self._kind)
        return images if self._stacked else images.reshape(len(X), -1)

    def translation_vectors(self):
        """Return the directions in which a shift of the image moves its transform.

        Pass them to `NearestSubspaceClassifier` as `enrichment`, and it ignores where in the
        image a figure is. Its size needs no such vectors: scaling the image about its centre
        scales its transform, and linear subspaces contain all multiples of their elements.

        Returns
        -------
        vectors : ndarray of shape (2, n_angles * n_quantiles)
            The cosine and the sine of the angle of each feature, times the scaling: a
            shift of the image by ``(a, b)``, to the right and up in units of half the
            diagonal of the square that holds the image, adds ``(a, b) @ vectors``.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_nrcdt import RadonCDT
        >>> X = np.zeros((1, 32, 32))
        >>> X[0, 12:20, 8:16] = 1
        >>> transformer = RadonCDT(n_angles=16).fit(X)
        >>> moved = transformer.transform(np.roll(X, 8, axis=2)) - transformer.transform(X)
        >>> shift = np.array([8 * np.sqrt(2) / 32, 0])  # a pixel's side is sqrt(2) / 32
        >>> bool(np.allclose(moved, shift @ transformer.translation_vectors(), atol=0.01))
        True
        """
        check_is_fitted(self)
        directions = np.stack([np.cos(self.angles_), np.sin(self.angles_)])
        return np.repeat(directions, len(self.quantile_levels_), axis=1) * self._scale()

    def _scale(self):
        return (
            1.0
            if self.scaling is None
            else (len(self.angles_) * len(self.quantile_levels_)) ** -0.5
        )

    def _pooling(self):
        return partial(_scaled, n_angles=len(self.angles_), scale=self._scale())

    def _labels(self):
        return self._angle_level_labels()
