"""Contours of two shapes, and which of their points belong together."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import ndimage

from sklearn_nrcdt import InvariantHOG
from sklearn_nrcdt._estimators.hog import prepared_shapes
from sklearn_nrcdt._kernels.contours import upright, whitened_images
from sklearn_nrcdt._kernels.frames import FRAME_HALF_WIDTH
from sklearn_nrcdt._kernels.matching import best_partners
from sklearn_nrcdt._kernels.points import contour_waves
from sklearn_nrcdt._kernels.tangents import gradients
from sklearn_nrcdt._support.figures import NEUTRAL, RIGHT, WRONG, many_axes, one_image, pyplot
from sklearn_nrcdt._support.types import ArrayLike, Invariance, Reflection

APART = 1.7 * FRAME_HALF_WIDTH  # between the middles of two frames, whose borders are empty


@dataclass(repr=False, eq=False)
class ContourMatchDisplay:
    """What `ShapeClassifier` compares: points of two contours, and lines between partners.

    Both shapes are shown in their own frames, the second one in the pose in which it matches best.

    Build it with `from_images`, which also draws.

    Parameters
    ----------
    frames : array-like of shape (2, n_cells, n_cells)
        The shapes in their frames, in this pose.
    places, other_places : array-like of shape (n_points, 2) and (n_other_points, 2)
        Points of the contours, in the units of the frames: x to the right, y up.
    partners : array-like of shape (n_points,)
        For each point of the first shape, the position of its partner among those of the second.
    cost : float
        Cost of the match.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        Figure that holds it.
    points_ : list of 2 matplotlib PathCollection
        The points of both shapes.
    lines_ : matplotlib LineCollection
        The lines between partners.

    See Also
    --------
    sklearn_nrcdt.ShapeClassifier : The classifier. Its costs add the distance on the circle.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> from sklearn_nrcdt.display import ContourMatchDisplay
    >>> symbol = load_symbols().images[0]
    >>> display = ContourMatchDisplay.from_images(symbol, np.rot90(symbol))
    >>> round(float(display.cost), 3)
    0.0
    """

    frames: ArrayLike
    places: ArrayLike
    other_places: ArrayLike
    partners: ArrayLike
    cost: float

    @classmethod
    def from_images(
        cls,
        template: ArrayLike,
        query: ArrayLike,
        *,
        invariance: Invariance = "affine",
        reflection: Reflection = "distinguish",
        ax: Any = None,
    ) -> Self:
        """Match the contours of two images and draw them.

        Parameters
        ----------
        template, query : array-like of shape (height, width)
            The images, bright on dark.
        invariance, reflection : str
            Those of `ShapeClassifier`.
        ax : matplotlib Axes, default=None
            Where to draw. None makes a new figure.

        Returns
        -------
        display : ContourMatchDisplay
            The display, drawn.
        """
        pyplot(f"{cls.__name__}.from_images")
        images = [one_image(template, "template"), one_image(query, "query")]
        model = InvariantHOG(invariance, reflection=reflection).fit(images)
        shapes = prepared_shapes(images, None, invariance)
        cells = whitened_images(shapes, invariance, model.n_cells)
        cost, turn, flipped, places, other_places, partners = best_partners(
            *contour_waves(*gradients(cells, model.width)),
            upright=upright(invariance),
            mirror=reflection == "ignore",
        )
        turned = ndimage.rotate(cells[1], turn, reshape=False, order=1)
        frames = np.stack([cells[0], turned[:, ::-1] if flipped else turned])
        return cls(frames, places, other_places, partners, cost).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw both shapes, their points, and lines between partners.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None makes a new figure.

        Returns
        -------
        self : ContourMatchDisplay
            The display, with the artists as attributes.
        """
        ax = many_axes("ContourMatchDisplay.plot", ax, (1, 1), figsize=(6, 3.4))[0, 0]
        from matplotlib.collections import LineCollection

        step = np.array([APART, 0])
        both = np.asarray(self.places), np.asarray(self.other_places) + step
        half = FRAME_HALF_WIDTH
        for k, cells in enumerate(np.asarray(self.frames)):
            extent = (k * APART - half, k * APART + half, -half, half)
            # Only the shape itself: the borders of the frames overlap.
            seen = np.ma.masked_less(cells, 0.1 * cells.max())
            ax.imshow(seen, cmap="gray_r", vmax=2.5 * cells.max(), extent=extent)
        lines = np.stack([both[0], both[1][np.asarray(self.partners)]], axis=1)
        self.lines_ = ax.add_collection(LineCollection(list(lines), colors=NEUTRAL, linewidths=0.4))
        self.points_ = [
            ax.scatter(*places.T, s=5, color=color, zorder=2)
            for places, color in zip(both, (RIGHT, WRONG), strict=True)
        ]
        low, high = np.concatenate(both).min(axis=0) - 0.4, np.concatenate(both).max(axis=0) + 0.4
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        ax.set(xticks=[], yticks=[], title=f"cost {self.cost:.2f}")
        self.ax_, self.figure_ = ax, ax.figure
        return self
