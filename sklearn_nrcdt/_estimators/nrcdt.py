"""NR-CDT, and its maximum and mean over the angles, as transformers."""

from typing import Literal

from sklearn_nrcdt._estimators.radon_base import RadonTransformer
from sklearn_nrcdt._kernels.normalize import (
    max_over_angles,
    mean_over_angles,
    normalize,
    precision_weights,
    unfold,
)
from sklearn_nrcdt._support.compat import StrOptions
from sklearn_nrcdt._support.types import NumberOfRadii, Quantiles, Shape


class NRCDT(RadonTransformer):
    """Normalized Radon cumulative distribution transform (NR-CDT).

    The R-CDT, normalized to zero mean and unit standard deviation over the quantile levels
    at each angle. An affine map of the image only re-parametrises the angles: under the map
    ``A x + y`` the function at direction ``d`` becomes the one at ``A' d / |A' d|``.

    Parameters
    ----------
    n_angles : int, default=128
        Number of equispaced angles on the full circle. Even numbers cost half as much.
    n_radii : int or "auto", default="auto"
        Number of edges of the bins in which projected mass is counted. "auto" takes four bins per
        pixel of the image's diagonal, from 151 to 501; images below 64 pixels may need more.
    n_quantiles : int, default=64
        Number of values kept of each quantile function.
    quantiles : {"means", "points"}, default="means"
        Means over ``n_quantiles + 2`` equal cells of [0, 1] but the first and the last, which hold
        outliers; they depend continuously on the image. Or, as in the paper, values at the levels
        ``j / (n_quantiles + 1)``, which jump when a gap in a projection passes a level.
    image_shape : tuple (height, width), default=None
        Shape of flattened images, if they are not square.
    n_jobs : int, default=None
        Number of parallel workers, by default threads; -1 means all processors.
    verbose : int, default=0
        1 prints the progress once a second. Callbacks of scikit-learn 1.9 see every batch.

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
    MaxNRCDT : Its maximum over the angles.
    MeanNRCDT : Its mean over the angles.

    References
    ----------
    M. Beckmann, R. Beinert, J. Bresch: Normalized Radon cumulative distribution transforms for
    invariance and robustness in optimal transport based image classification (2025).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_nrcdt import NRCDT
    >>> images = load_digits().images[:10]
    >>> NRCDT(n_angles=16, n_quantiles=32).fit_transform(images).shape
    (10, 512)
    """

    def _pool(self, half):
        return unfold(normalize(half), len(self.angles_))

    def _labels(self):
        return self._at_angles(super()._labels())


class MaxNRCDT(RadonTransformer):
    """Max-normalized Radon cumulative distribution transform (max NR-CDT).

    The maximum of the NR-CDT over the angles, for each quantile level: affine-invariant up to the
    discretization of angles and pixels, so that one template per class is often enough. Noise far
    from the shape changes it; `MeanNRCDT` is more robust.

    Parameters
    ----------
    n_angles : int, default=128
        Number of equispaced angles on the full circle. Even numbers cost half as much.
    n_radii : int or "auto", default="auto"
        Number of edges of the bins in which projected mass is counted. "auto" takes four bins per
        pixel of the image's diagonal, from 151 to 501; images below 64 pixels may need more.
    n_quantiles : int, default=64
        Number of values kept of each quantile function.
    quantiles : {"means", "points"}, default="means"
        Means over ``n_quantiles + 2`` equal cells of [0, 1] but the first and the last, which hold
        outliers; they depend continuously on the image. Or, as in the paper, values at the levels
        ``j / (n_quantiles + 1)``, which jump when a gap in a projection passes a level.
    image_shape : tuple (height, width), default=None
        Shape of flattened images, if they are not square.
    n_jobs : int, default=None
        Number of parallel workers, by default threads; -1 means all processors.
    verbose : int, default=0
        1 prints the progress once a second. Callbacks of scikit-learn 1.9 see every batch.

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
    MeanNRCDT : The mean instead of the maximum, more robust to noise.
    NearestTemplateClassifier : The paper's classifier for these features.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt import MaxNRCDT
    >>> shape = np.zeros((1, 64, 64))
    >>> shape[0, 20:40, 20:28] = shape[0, 32:40, 20:40] = 1  # an L
    >>> moved = np.rot90(np.roll(shape, (7, -5), axis=(1, 2)), axes=(1, 2))
    >>> transformer = MaxNRCDT().fit(shape)
    >>> difference = transformer.transform(shape) - transformer.transform(moved)
    >>> bool(np.abs(difference).max() < 0.01)
    True
    """

    def _pool(self, half):
        return max_over_angles(normalize(half), len(self.angles_))


class MeanNRCDT(RadonTransformer):
    """Mean-normalized Radon cumulative distribution transform (mean NR-CDT).

    The mean of the NR-CDT over the angles, for each quantile level: invariant under similarities
    (shift, rotation, scale, reflection) and, with ``weighting="precision"``, all affine maps. It is
    more robust to noise than `MaxNRCDT`. For even `n_angles` it is odd: ``a(t) = -a(1 - t)``.

    Parameters
    ----------
    n_angles : int, default=128
        Number of equispaced angles on the full circle. Even numbers cost half as much.
    n_radii : int or "auto", default="auto"
        Number of edges of the bins in which projected mass is counted. "auto" takes four bins per
        pixel of the image's diagonal, from 151 to 501; images below 64 pixels may need more.
    n_quantiles : int, default=64
        Number of values kept of each quantile function.
    weighting : {"uniform", "precision"}, default="uniform"
        "uniform" is the paper's mean. "precision" weights each angle by the inverse variance of its
        projection, which makes the mean invariant under all affine maps.
    quantiles : {"means", "points"}, default="means"
        Means over ``n_quantiles + 2`` equal cells of [0, 1] but the first and the last, which hold
        outliers; they depend continuously on the image. Or, as in the paper, values at the levels
        ``j / (n_quantiles + 1)``, which jump when a gap in a projection passes a level.
    image_shape : tuple (height, width), default=None
        Shape of flattened images, if they are not square.
    n_jobs : int, default=None
        Number of parallel workers, by default threads; -1 means all processors.
    verbose : int, default=0
        1 prints the progress once a second. Callbacks of scikit-learn 1.9 see every batch.

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
    MaxNRCDT : The maximum instead of the mean, invariant under all affine maps.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_nrcdt import MeanNRCDT
    >>> MeanNRCDT(n_quantiles=32).fit_transform(load_digits().images[:10]).shape
    (10, 32)
    """

    _parameter_constraints: dict = {
        **RadonTransformer._parameter_constraints,
        "weighting": [StrOptions({"uniform", "precision"})],
    }

    def __init__(
        self,
        n_angles: int = 128,
        n_radii: NumberOfRadii = "auto",
        n_quantiles: int = 64,
        *,
        weighting: Literal["uniform", "precision"] = "uniform",
        quantiles: Quantiles = "means",
        image_shape: Shape | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_angles,
            n_radii,
            n_quantiles,
            quantiles=quantiles,
            image_shape=image_shape,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.weighting = weighting

    def _pool(self, half):
        weights = precision_weights(half) if self.weighting == "precision" else None
        return mean_over_angles(normalize(half), len(self.angles_), weights)
