"""The angular spectrum of the NR-CDT as a transformer."""

from numbers import Integral

import numpy as np

from sklearn_nrcdt._estimators.radon_base import RadonTransformer
from sklearn_nrcdt._kernels import circle
from sklearn_nrcdt._support.compat import Interval, StrOptions
from sklearn_nrcdt._support.types import Keep, NumberOfRadii, Quantiles, Reflection, Shape


def _spectrum(half, n_harmonics, mirror):
    real, imaginary = circle.cross_spectrum(circle.nrcdt_harmonics(half, n_harmonics))
    # At the scale of the NR-CDT at a level; higher orders are smaller but as informative.
    n_levels = (half.shape[2] + 1) // 2
    scale = np.sqrt(n_levels * (1 + np.arange(n_harmonics)))[:, None]
    parts = [real * scale]
    if mirror:
        parts.append((imaginary * scale)[:, 1:])  # F_0 is real
    return np.concatenate([part.reshape(len(half), -1) for part in parts], axis=1)


def _circle(half):
    n_quantiles = half.shape[2]
    weights = np.full((n_quantiles + 1) // 2, 2 / n_quantiles)
    if n_quantiles % 2:
        weights[-1] /= 2  # the middle level counts once, the others twice
    return circle.to_circle(circle.nrcdt_harmonics(half, circle.N_ORDERS) * np.sqrt(weights))


class SpectralNRCDT(RadonTransformer):
    """Angular spectrum of the NR-CDT: affine-invariant features that keep more of the shape.

    The maximum and the mean over the angles discard most of the circle. The spectrum keeps its
    Fourier coefficients ``F_k(t)``, with angles of the whitened image, weighted by the inverse
    variance of their projections. An affine map multiplies ``F_k`` by a phase, the same for all
    levels t, and the products ``F_k(t) conj(F_k(s))`` are invariant. They are divided by the norm
    of ``F_k`` and multiplied by ``sqrt(1 + k)``, which puts the orders on one scale.

    Parameters
    ----------
    n_angles : int, default=128
        Number of equispaced angles on the full circle. Even numbers cost half as much.
    n_radii : int or "auto", default="auto"
        Number of edges of the bins in which projected mass is counted. "auto" takes four bins per
        pixel of the image's diagonal, from 151 to 501; images below 64 pixels may need more.
    n_quantiles : int, default=16
        Number of values kept of each quantile function.
    n_harmonics : int, default=8
        Number of orders k = 0, 1, ... of the Fourier coefficients.
    keep : {"spectrum", "circle"}, default="spectrum"
        "spectrum" gives the products. "circle" gives the Fourier coefficients of orders 0 to 7
        themselves, which an affine map rotates or reflects, for `aligned_pairwise_distances` and
        ``NearestTemplateClassifier("aligned")``. It uses neither `n_harmonics` nor `reflection`.
    reflection : {"distinguish", "ignore"}, default="distinguish"
        "distinguish" gives the real and imaginary parts of the products, which tell mirror images
        apart; "ignore" gives the real parts only, which reflections do not change.
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
    MeanNRCDT : With ``weighting="precision"``, the order k = 0 alone.
    NearestTemplateClassifier : One template for each class.

    Notes
    -----
    With L = ceil(n_quantiles / 2) levels up to 1/2, which determine the others, there are
    ``n_harmonics * L * (L + 1) / 2`` real parts and, with ``reflection="distinguish"``,
    ``(n_harmonics - 1) * L * (L - 1) / 2`` imaginary parts: 288 and 196 features by default.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_nrcdt import SpectralNRCDT
    >>> SpectralNRCDT(n_angles=32).fit_transform(load_digits().images[:10]).shape
    (10, 484)
    """

    _parameter_constraints: dict = {
        **RadonTransformer._parameter_constraints,
        "n_harmonics": [Interval(Integral, 1, None, closed="left")],
        "keep": [StrOptions({"spectrum", "circle"})],
        "reflection": [StrOptions({"distinguish", "ignore"})],
    }

    def __init__(
        self,
        n_angles: int = 128,
        n_radii: NumberOfRadii = "auto",
        n_quantiles: int = 16,
        *,
        n_harmonics: int = 8,
        keep: Keep = "spectrum",
        reflection: Reflection = "distinguish",
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
        self.n_harmonics = n_harmonics
        self.keep = keep
        self.reflection = reflection

    def _pool(self, half):
        if self.keep == "circle":
            return _circle(half)
        return _spectrum(half, self.n_harmonics, self.reflection == "distinguish")

    def _labels(self):
        lower = (len(self.quantile_levels_) + 1) // 2
        levels = super()._labels()[:lower]
        if self.keep == "circle":
            return circle.circle_labels(levels)
        real, imaginary = circle.cross_spectrum_labels(range(self.n_harmonics), levels)
        n_first = len(imaginary) // self.n_harmonics
        return real + imaginary[n_first:] if self.reflection == "distinguish" else real
