"""A photograph and the drawings that were found in it."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from sklearn_nrcdt._support.figures import WRONG, many_axes, one_image, show
from sklearn_nrcdt._support.types import ArrayLike
from sklearn_nrcdt.search._drawing_search import DrawingSearch
from sklearn_nrcdt.search._filters import FlattenIllumination, OrientedRidges


@dataclass(repr=False, eq=False)
class SearchDisplay:
    """A photograph, its ridges, and the best drawings where they were found.

    The others show the photograph with a drawing over it, its label at the top left and its score
    at the top right. Build it with `from_estimator`, which also draws.

    Parameters
    ----------
    photo : array-like of shape (height, width)
        The photograph.
    ridges : array-like of shape (height, width)
        Its ridges.
    strokes : list of ndarray of shape (n_points, 2)
        Rows and columns of the strokes of each drawing in the photograph.
    scores : array-like of shape (n_neighbors,)
        Their scores.
    labels : array-like of shape (n_neighbors,), default=None
        Their labels.

    Attributes
    ----------
    axes_ : ndarray of shape (1, 2 + n_neighbors) of matplotlib Axes
        Panels: photograph, ridges, drawings.
    figure_ : matplotlib Figure
        Figure that holds them.
    lines_ : list of matplotlib Line2D
        Strokes drawn over the photograph.

    See Also
    --------
    DrawingSearch : The search that goes with it.

    Examples
    --------
    >>> from sklearn_nrcdt.search import DrawingSearch, SearchDisplay
    >>> from sklearn_nrcdt.search import make_drawings, make_paper_scans
    >>> drawings = make_drawings(5, random_state=0).images
    >>> scan = make_paper_scans(drawings[3:4], snr=2, random_state=0).images[0]
    >>> search = DrawingSearch().fit(drawings, list("abcde"))
    >>> display = SearchDisplay.from_estimator(search, scan, n_neighbors=2)
    >>> print(display.labels[0])
    d
    """

    photo: ArrayLike
    ridges: ArrayLike
    strokes: Sequence[ArrayLike]
    scores: ArrayLike
    _: KW_ONLY
    labels: ArrayLike | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, photo: ArrayLike, *, n_neighbors: int = 3, axes: Any = None
    ) -> Self:
        """Search a photograph for drawings and show the best ones.

        Parameters
        ----------
        estimator : fitted DrawingSearch
            Alone, or in a search over its parameters.
        photo : array-like of shape (height, width)
            The photograph.
        n_neighbors : int, default=3
            Number of drawings.
        axes : array of matplotlib Axes, default=None
            Panels to draw in, 2 + `n_neighbors` of them; None creates a figure.

        Returns
        -------
        display : SearchDisplay
            The display, drawn.
        """
        search = getattr(estimator, "best_estimator_", estimator)
        if not isinstance(search, DrawingSearch):
            raise TypeError(f"estimator must be a DrawingSearch, got {type(search).__name__}.")
        photo = one_image(photo, "photo")
        found = search.locate(photo[None], n_neighbors)
        flat = FlattenIllumination(3 * search.stroke_width, polarity=found.polarities[0, 0])
        ridges = OrientedRidges(search.stroke_width).transform(flat.transform(photo[None]))[0]
        labels = found.indices[0]
        if hasattr(search, "classes_"):
            labels = search.classes_[search.drawing_labels_[labels]]
        display = cls(photo, ridges, found.strokes[0], found.scores[0], labels=labels)
        return display.plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw the panels.

        Parameters
        ----------
        axes : array of matplotlib Axes, default=None
            Panels to draw in, two more than there are drawings; None creates a figure.

        Returns
        -------
        display : SearchDisplay
            The display itself.
        """
        photo, ridges, scores = map(np.asarray, (self.photo, self.ridges, self.scores))
        labels = np.asarray([""] * len(scores) if self.labels is None else self.labels)
        n_panels = 2 + len(scores)
        aspect = photo.shape[0] / photo.shape[1]
        size = 2.2 * n_panels, min(max(2.2 * aspect, 1.0), 6.0) + 0.5
        axes = many_axes("SearchDisplay.plot", axes, (1, n_panels), figsize=size)
        heads = ["photograph", "ridges", "best", *(f"{k}." for k in range(2, n_panels - 1))]
        self.lines_ = []
        for panel, head in zip(axes[0], heads, strict=False):
            panel.set_title(f"{head}\n", fontsize="medium")
        show(axes[0, 0], photo)
        show(axes[0, 1], ridges)
        found = zip(axes[0, 2:], labels, scores, self.strokes, strict=True)
        for panel, label, score, strokes in found:
            show(panel, photo, label, f"{score:.3g}")
            rows, columns = np.asarray(strokes).T
            # Strokes may stick out of the photograph; the panel does not.
            panel.set(xlim=(-0.5, photo.shape[1] - 0.5), ylim=(photo.shape[0] - 0.5, -0.5))
            [line] = panel.plot(columns, rows, ".", color=WRONG, markersize=1.2, alpha=0.8)
            self.lines_.append(line)
        self.axes_, self.figure_ = axes, axes[0, 0].figure
        return self
