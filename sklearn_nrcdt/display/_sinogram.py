"""One image on its way to the NR-CDT."""

import numpy as np

from sklearn_nrcdt._estimators.base import ImageTransformer
from sklearn_nrcdt._estimators.rcdt import RadonCDT
from sklearn_nrcdt._kernels.cdt import quantiles
from sklearn_nrcdt._kernels.footprints import pixel_side
from sklearn_nrcdt._kernels.normalize import normalize, unfold
from sklearn_nrcdt._kernels.radon import n_directions, projector
from sklearn_nrcdt._support.figures import many_axes, pyplot
from sklearn_nrcdt.display._inputs import (
    check_numbers,
    check_one_image,
    check_stack,
    fitted_steps,
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
    QuantileDisplay : What remains after the maximum or mean over the angles.

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
    def from_estimator(cls, estimator, image, *, axes=None, cmap="magma", signed_cmap="PuOr"):
        """Draw what a fitted transformer makes of an image.

        Parameters
        ----------
        estimator : fitted transformer or Pipeline
            One of our transformers, whose angles, radii and levels are taken, or a
            pipeline or search that contains one; the image is shown as the transformer
            gets it, after the steps before.
        image : array-like of shape (height, width)
            The image.
        axes : array-like of 4 matplotlib Axes, default=None
            Where to draw. None makes a new figure.
        cmap : str or matplotlib Colormap, default="magma"
            Colours of the projections.
        signed_cmap : str or matplotlib Colormap, default="PuOr"
            Colours of R-CDT and NR-CDT, whose middle is zero.

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
        steps = fitted_steps(estimator)
        places = [k for k, step in enumerate(steps) if isinstance(step, ImageTransformer)]
        if not places:
            raise ValueError(
                "estimator must be, or contain, one of the transformers of sklearn_nrcdt such as "
                f"RadonCDT, got {estimator!r}."
            )
        transformer = steps[places[-1]]
        cleaned = transform_by(steps[: places[-1]], check_one_image(image)[None])
        image = check_stack(cleaned, "image", transformer.image_shape_)[0]
        if image.shape != transformer.image_shape_:
            raise ValueError(
                f"image has shape {image.shape}, but {type(transformer).__name__} was fitted on "
                f"images of shape {transformer.image_shape_}."
            )
        if not np.isfinite(image).all() or image.min() < 0 or not image.any():
            raise ValueError("image must be non-negative and finite, with some mass in it.")
        return cls(*_way(image, transformer)).plot(axes=axes, cmap=cmap, signed_cmap=signed_cmap)

    @classmethod
    def from_image(
        cls,
        image,
        *,
        n_angles=128,
        n_radii="auto",
        n_quantiles=64,
        axes=None,
        cmap="magma",
        signed_cmap="PuOr",
    ):
        """Draw the way of an image to its NR-CDT.

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
        axes : array-like of 4 matplotlib Axes, default=None
            Where to draw. None makes a new figure.
        cmap : str or matplotlib Colormap, default="magma"
            Colours of the projections.
        signed_cmap : str or matplotlib Colormap, default="PuOr"
            Colours of R-CDT and NR-CDT, whose middle is zero.

        Returns
        -------
        display : SinogramDisplay
            The display, drawn.
        """
        pyplot(f"{cls.__name__}.from_image")
        transformer = RadonCDT(n_angles, n_radii, n_quantiles).fit(check_one_image(image)[None])
        return cls.from_estimator(transformer, image, axes=axes, cmap=cmap, signed_cmap=signed_cmap)

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
        pyplot("SinogramDisplay.plot")
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
        self.colorbars_ = []
        level = 0.5 / (1 + rcdt.shape[1])
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
                (level, 1 - level),
                ("quantile level", f"quantile ({unit})"),
            )
        self.axes_, self.figure_ = axes, axes[0, 0].figure
        return self

    def _draw(self, panel, title, values, colours, ordinates, labels):
        """Draw a function of the angle, with the middle of each cell where it belongs."""
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


def _way(image, transformer):
    """Return the image, its projections as densities, its R-CDT and its NR-CDT."""
    n_angles, n_bins = len(transformer.angles_), len(transformer.radii_) - 1
    lines = n_directions(n_angles)
    masses = projector(image.shape, lines, n_bins + 1, "float64").project(image[None])
    half = quantiles(masses, len(transformer.quantile_levels_), kind=transformer.quantiles)
    # `unfold` turns functions around and changes their sign; masses have none.
    full = np.abs(unfold(masses, n_angles))[0]
    density = full / full.sum(axis=1, keepdims=True) * (n_bins / 2)
    return image, density, unfold(half, n_angles)[0], unfold(normalize(half), n_angles)[0]
