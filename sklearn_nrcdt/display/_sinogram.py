"""One image and the steps to its NR-CDT."""

import numpy as np

from sklearn_nrcdt import NRCDT, RadonCDT
from sklearn_nrcdt._estimators.radon_base import projected_densities
from sklearn_nrcdt._kernels.footprints import pixel_side
from sklearn_nrcdt._support.figures import many_axes, pyplot
from sklearn_nrcdt._support.images import validate_images
from sklearn_nrcdt.display._inputs import (
    check_numbers,
    check_one_image,
    steps_to_quantiles,
    transform_by,
)


class SinogramDisplay:
    """An image, its projections, its R-CDT and its NR-CDT, side by side.

    Build it with `from_estimator` or `from_image`, which also draw.

    Parameters
    ----------
    image : array-like of shape (height, width)
        The image.
    sinogram : array-like of shape (n_angles, n_bins)
        Density of the projection at each angle, in units of the disc's radius.
    rcdt : array-like of shape (n_angles, n_quantiles)
        Quantile functions of the projections, in units of the disc's radius.
    nrcdt : array-like of shape (n_angles, n_quantiles)
        The same with zero mean and unit standard deviation for each angle.

    Attributes
    ----------
    axes_ : ndarray of shape (2, 2) of matplotlib Axes
        Panels: image and projections above, R-CDT and NR-CDT below.
    figure_ : matplotlib Figure
        Figure that holds them.
    images_ : list of 4 matplotlib AxesImage
        What is drawn in the panels.
    colorbars_ : list of 3 matplotlib Colorbar
        Colour bars of all panels but the image.

    See Also
    --------
    QuantileDisplay : The maximum or mean over the angles.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> from sklearn_nrcdt.display import SinogramDisplay
    >>> display = SinogramDisplay.from_image(load_symbols().images[4], n_angles=32)
    >>> [panel.get_title() for panel in display.axes_.flat]
    ['image', 'projections', 'R-CDT', 'NR-CDT']
    >>> display.nrcdt.shape
    (32, 64)
    """

    def __init__(self, image, sinogram, rcdt, nrcdt):
        self.image = image
        self.sinogram = sinogram
        self.rcdt = rcdt
        self.nrcdt = nrcdt

    @classmethod
    def from_estimator(cls, estimator, image, **plot_params):
        """Draw the steps of a fitted transformer for an image.

        Parameters
        ----------
        estimator : fitted transformer or Pipeline
            A transformer of this package with quantile levels, such as `MaxNRCDT`, or a
            pipeline or search that contains one. The image is shown as the transformer gets
            it, after the previous steps.
        image : array-like of shape (height, width)
            The image.
        **plot_params : dict
            Arguments of `plot`: `axes`, `cmap`, `signed_cmap`.

        Returns
        -------
        display : SinogramDisplay
            The display, drawn.

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from sklearn_nrcdt import MaxNRCDT
        >>> from sklearn_nrcdt.display import SinogramDisplay
        >>> images = load_digits().images
        >>> transformer = MaxNRCDT(n_angles=32).fit(images)
        >>> SinogramDisplay.from_estimator(transformer, images[3]).sinogram.shape
        (32, 150)
        """
        pyplot(f"{cls.__name__}.from_estimator")
        *before, transformer = steps_to_quantiles(estimator)
        cleaned = transform_by(before, check_one_image(image)[None])
        image = validate_images(transformer, cleaned, reset=False)[0]
        if not image.any():
            raise ValueError("image is blank: all its pixels are zero. Pass another image.")
        n_angles, n_quantiles = len(transformer.angles_), len(transformer.quantile_levels_)
        grids = n_angles, transformer.n_radii, n_quantiles
        alone = image[None].astype(np.float64)
        functions = [
            np.asarray(step(*grids, quantiles=transformer.quantiles).fit_transform(alone))
            for step in (RadonCDT, NRCDT)
        ]
        rcdt, nrcdt = (values.reshape(n_angles, n_quantiles) for values in functions)
        sinogram = projected_densities(transformer, image)
        return cls(image, sinogram, rcdt, nrcdt).plot(**plot_params)

    @classmethod
    def from_image(cls, image, *, n_angles=128, n_radii="auto", n_quantiles=64, **plot_params):
        """Draw an image and the steps to its NR-CDT.

        Parameters
        ----------
        image : array-like of shape (height, width)
            The image, bright on dark.
        n_angles : int, default=128
            Number of angles, see `RadonCDT`.
        n_radii : int or "auto", default="auto"
            Number of radii, see `RadonCDT`.
        n_quantiles : int, default=64
            Number of quantile levels, see `RadonCDT`.
        **plot_params : dict
            Arguments of `plot`: `axes`, `cmap`, `signed_cmap`.

        Returns
        -------
        display : SinogramDisplay
            The display, drawn.
        """
        pyplot(f"{cls.__name__}.from_image")
        transformer = RadonCDT(n_angles, n_radii, n_quantiles).fit(check_one_image(image)[None])
        return cls.from_estimator(transformer, image, **plot_params)

    def plot(self, axes=None, *, cmap="magma", signed_cmap="PuOr"):
        """Draw the four panels.

        Parameters
        ----------
        axes : array-like of 4 matplotlib Axes, default=None
            Where to draw. None makes a new figure.
        cmap : str or matplotlib Colormap, default="magma"
            Colours of the projections.
        signed_cmap : str or matplotlib Colormap, default="PuOr"
            Colours of R-CDT and NR-CDT, whose middle is zero.

        Returns
        -------
        self : SinogramDisplay
            The display, with the artists as attributes.
        """
        image = check_one_image(self.image)
        sinogram, rcdt, nrcdt = (
            check_numbers(getattr(self, name), name, ndim=2)
            for name in ("sinogram", "rcdt", "nrcdt")
        )
        axes = many_axes("SinogramDisplay.plot", axes, (2, 2), figsize=(8, 6.4))
        height, width = (side * pixel_side(image.shape) / 2 for side in image.shape)
        panel = axes[0, 0]
        self.images_ = [
            panel.imshow(image, cmap="gray", vmin=0, extent=(-width, width, -height, height))
        ]
        panel.set(title="image", xlabel="x (disc radius)", ylabel="y (disc radius)")
        # Centred, the panel would push its label out of the figure.
        panel.set_anchor("W")
        self.colorbars_ = []
        cell = 1 / (2 + rcdt.shape[1])  # two of them are left out
        self._draw(
            axes[0, 1],
            "projections",
            sinogram,
            {"cmap": cmap, "vmin": 0, "vmax": sinogram.max()},
            (-1, 1),
            ("radius (disc radius)", "density (1 / disc radius)"),
        )
        for panel, title, values, unit in (
            (axes[1, 0], "R-CDT", rcdt, "disc radius"),
            (axes[1, 1], "NR-CDT", nrcdt, "standard deviations"),
        ):
            limit = np.abs(values).max()
            self._draw(
                panel,
                title,
                values,
                {"cmap": signed_cmap, "vmin": -limit, "vmax": limit},
                (cell, 1 - cell),
                ("quantile level", f"quantile ({unit})"),
            )
        self.axes_, self.figure_ = axes, axes[0, 0].figure
        return self

    def _draw(self, panel, title, values, colours, ordinates, labels):
        """Draw a function of the angle, with each cell centred on its angle."""
        half = 180 / len(values)
        drawn = panel.imshow(
            values.T,
            **colours,
            origin="lower",
            aspect="auto",
            interpolation="nearest",
            extent=(-half, 360 - half, *ordinates),
        )
        panel.set(title=title, xlabel="angle (degrees)", ylabel=labels[0])
        panel.set_xticks([0, 90, 180, 270])
        self.images_.append(drawn)
        self.colorbars_.append(panel.figure.colorbar(drawn, ax=panel, label=labels[1]))
