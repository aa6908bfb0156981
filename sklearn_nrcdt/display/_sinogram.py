"""One image and the steps to its NR-CDT."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from sklearn_nrcdt import NRCDT, RadonCDT
from sklearn_nrcdt._estimators.radon_base import projected_densities
from sklearn_nrcdt._kernels.footprints import pixel_side
from sklearn_nrcdt._support.figures import many_axes, one_image, pyplot
from sklearn_nrcdt._support.types import ArrayLike


@dataclass(repr=False, eq=False)
class SinogramDisplay:
    """An image, its projections, its R-CDT and its NR-CDT, side by side.

    Build it with `from_image`, which also draws.

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
        Color bars of all panels but the image.

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

    image: ArrayLike
    sinogram: ArrayLike
    rcdt: ArrayLike
    nrcdt: ArrayLike

    @classmethod
    def from_image(cls, image: ArrayLike, *, n_angles: int = 128, axes: Any = None) -> Self:
        """Draw an image and the steps to its NR-CDT.

        Parameters
        ----------
        image : array-like of shape (height, width)
            The image, bright on dark.
        n_angles : int, default=128
            Number of angles, see `RadonCDT`.
        axes : array-like of 4 matplotlib Axes, default=None
            Where to draw. None makes a new figure.

        Returns
        -------
        display : SinogramDisplay
            The display, drawn.
        """
        pyplot(f"{cls.__name__}.from_image")
        image = one_image(image, "image")
        alone = image[None].astype(np.float64)
        radon = RadonCDT(n_angles).fit(alone)
        normalized = NRCDT(n_angles).fit(alone)
        rcdt, nrcdt = (step.transform(alone).reshape(n_angles, -1) for step in (radon, normalized))
        sinogram = projected_densities(radon, alone[0])
        return cls(image, sinogram, rcdt, nrcdt).plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw the four panels.

        Parameters
        ----------
        axes : array-like of 4 matplotlib Axes, default=None
            Where to draw. None makes a new figure.

        Returns
        -------
        self : SinogramDisplay
            The display, with the artists as attributes.
        """
        image = np.asarray(self.image)
        sinogram, rcdt, nrcdt = map(np.asarray, (self.sinogram, self.rcdt, self.nrcdt))
        axes = many_axes("SinogramDisplay.plot", axes, (2, 2), figsize=(8, 6.4))
        height, width = (side * pixel_side(image.shape) / 2 for side in image.shape)
        panel = axes[0, 0]
        self.images_ = [
            panel.imshow(image, cmap="gray", vmin=0, extent=(-width, width, -height, height))
        ]
        panel.set(title="image", xlabel="x (disc radius)", ylabel="y (disc radius)")
        # If it were centered, the panel would push its label out of the figure.
        panel.set_anchor("W")
        self.colorbars_ = []
        cell = 1 / (2 + rcdt.shape[1])  # two of them are left out
        levels = (cell, 1 - cell), "quantile level"
        steps = [
            ("projections", sinogram, (-1, 1), "radius (disc radius)", "density (1 / disc radius)"),
            ("R-CDT", rcdt, *levels, "quantile (disc radius)"),
            ("NR-CDT", nrcdt, *levels, "quantile (standard deviations)"),
        ]
        for panel, step in zip(axes.flat[1:], steps, strict=True):
            title, values, ordinates, label, bar = step
            half = 180 / len(values)  # each cell is centered on its angle
            limit, signed = np.abs(values).max(), values.min() < 0
            drawn = panel.imshow(
                values.T,
                cmap="PuOr" if signed else "magma",
                vmin=-limit if signed else 0,
                vmax=limit,
                origin="lower",
                aspect="auto",
                interpolation="nearest",
                extent=(-half, 360 - half, *ordinates),
            )
            panel.set(title=title, xlabel="angle (degrees)", ylabel=label)
            panel.set_xticks([0, 90, 180, 270])
            self.images_.append(drawn)
            self.colorbars_.append(panel.figure.colorbar(drawn, ax=panel, label=bar))
        self.axes_, self.figure_ = axes, axes[0, 0].figure
        return self
