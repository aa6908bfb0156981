"""The angular spectrum of the NR-CDT as a transformer."""

from functools import partial
from numbers import Integral

from sklearn_nrcdt._estimators.base import ImageTransformer, decimals
from sklearn_nrcdt._kernels.circle import (
    cross_spectrum,
    cross_spectrum_labels,
    harmonics,
    resample_whitened,
)
from sklearn_nrcdt._kernels.normalize import unfold
from sklearn_nrcdt._support.compat import Interval, StrOptions


def _spectrum(half, n_harmonics, mirror):
    return cross_spectrum(harmonics(half, n_harmonics), mirror)


def _circle(half, n_angles):
    return unfold(resample_whitened(half), n_angles)


class SpectralNRCDT(ImageTransformer):
    """Angular spectrum of the NR-CDT: affine-invariant features that keep more of the shape.

    The maximum and the mean over the angles forget most of the circle. Here its Fourier
    coefficients ``F_k(t)`` are taken, with angles as the whitened image sees them and
    weighted by the inverse variance of their projections. An affine map of the image then
    multiplies ``F_k`` by a phase, the same for all levels t, and the products
    ``F_k(t) conj(F_k(s))`` are invariant. They are divided by the norm of ``F_k`` and
    multiplied by ``sqrt(1 + k)``, which puts the orders on one scale.

    Parameters
    ----------
    n_angles : int, default=128
        Number of equispaced angles on the full circle. For an even number only half of
        them is projected, since opposite angles mirror each other.
    n_radii : int or "auto", default="auto"
        Number of equispaced radii in [-1, 1], the edges of the bins in which projected
        mass is counted. "auto" takes four bins on each pixel of the image's diagonal, but
        at least 151 and at most 501 radii. At 64 pixels and more, the discretisation error
        is a few per cent of the smallest distance between the paper's symbols; smaller
        images may want more radii, see ``python -m benchmarks.accuracy radii``.
    n_quantiles : int, default=16
        Number of equispaced quantile levels ``j / (n_quantiles + 1)`` in the open
        interval (0, 1).
    n_harmonics : int, default=8
        Number of orders k = 0, 1, ... of the Fourier coefficients.
    keep : {"spectrum", "circle"}, default="spectrum"
        "spectrum" gives the products, which no affine map changes. "circle" gives the
        functions themselves at angles that are equispaced in the whitened image, of length
        ``n_angles * n_quantiles``: an affine map rotates or reflects them along the circle, see
        `aligned_pairwise_distances`. It uses neither `n_harmonics` nor `reflection`.
    reflection : {"distinguish", "ignore"}, default="distinguish"
        A reflection of the image conjugates the products. "distinguish" gives their real and
        imaginary parts, which tell mirror images apart; "ignore" gives the real parts
        only, which are invariant under reflections too.
    image_shape : tuple (height, width), default=None
        Shape of flattened images. Not needed for stacks of shape
        (n_images, height, width) and for flattened square images.
    on_blank : {"warn", "raise", "ignore"}, default="warn"
        What to do about images without mass. Their features are zero.
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
    image_shape_ : tuple (height, width)
        Shape of the images.
    angles_ : ndarray of shape (n_angles,)
        Angles in radians, counter-clockwise from the x-axis.
    radii_ : ndarray of shape (n_radii,)
        Edges of the bins, in units of half the diagonal of the square that holds the image.
    quantile_levels_ : ndarray of shape (n_quantiles,)
        Levels of the quantile functions.
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
    ``(n_harmonics - 1) * L * (L - 1) / 2`` imaginary parts: 484 features by default, 288
    without the imaginary parts. The defaults were chosen on digits that no benchmark
    tests on, see ``python -m benchmarks.accuracy spectrum``.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_nrcdt import SpectralNRCDT
    >>> SpectralNRCDT(n_angles=32).fit_transform(load_digits().images[:10]).shape
    (10, 484)
    """

    _parameter_constraints: dict = {
        **ImageTransformer._parameter_constraints,
        "n_harmonics": [Interval(Integral, 1, None, closed="left")],
        "keep": [StrOptions({"spectrum", "circle"})],
        "reflection": [StrOptions({"distinguish", "ignore"})],
    }

    def __init__(
        self,
        n_angles=128,
        n_radii="auto",
        n_quantiles=16,
        *,
        n_harmonics=8,
        keep="spectrum",
        reflection="distinguish",
        image_shape=None,
        on_blank="warn",
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            n_angles,
            n_radii,
            n_quantiles,
            image_shape=image_shape,
            on_blank=on_blank,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.n_harmonics = n_harmonics
        self.keep = keep
        self.reflection = reflection

    def _pooling(self):
        if self.keep == "circle":
            return partial(_circle, n_angles=len(self.angles_))
        mirror = self.reflection == "distinguish"
        return partial(_spectrum, n_harmonics=self.n_harmonics, mirror=mirror)

    def _labels(self):
        if self.keep == "circle":
            return self._angle_level_labels()
        lower = (len(self.quantile_levels_) + 1) // 2
        levels = decimals(self.quantile_levels_[:lower], self.quantile_levels_[0])
        return cross_spectrum_labels(self.n_harmonics, levels, self.reflection == "distinguish")
