"""A photograph and the drawings that were found in it."""

import numpy as np

from sklearn_nrcdt._support.figures import NEUTRAL, WRONG, many_axes
from sklearn_nrcdt.display._inputs import check_labels, check_one_image, fitted_steps
from sklearn_nrcdt.preprocessing import FlattenIllumination, OrientedRidges
from sklearn_nrcdt.search import DrawingSearch


class SearchDisplay:
    """A photograph, its ridges, and the best drawings where they were found.

    The first panel shows the photograph, the second the ridges that the search looks at. Each
    of the others shows the photograph with a drawing over it, the best one first, with its label
    at the top left and its score at the top right.

    Build it with `from_estimator`, which also draws.

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
    sklearn_nrcdt.search.DrawingSearch : The search that goes with it.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import make_drawings, make_paper_scans
    >>> from sklearn_nrcdt.display import SearchDisplay
    >>> from sklearn_nrcdt.search import DrawingSearch
    >>> drawings = make_drawings(5, random_state=0).images
    >>> scan = make_paper_scans(drawings[3:4], snr=2, random_state=0).images[0]
    >>> search = DrawingSearch().fit(drawings, list("abcde"))
    >>> display = SearchDisplay.from_estimator(search, scan, n_neighbors=2)
    >>> print(display.labels[0])
    d
    """

    def __init__(self, photo, ridges, strokes, scores, *, labels=None):
        self.photo = photo
        self.ridges = ridges
        self.strokes = strokes
        self.scores = scores
        self.labels = labels

    @classmethod
    def from_estimator(cls, estimator, photo, *, n_neighbors=3, axes=None, cmap="gray"):
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
        cmap : str or matplotlib Colormap, default="gray"
            Colours for the grey values.

        Returns
        -------
        display : SearchDisplay
            The display, drawn.
        """
        search = fitted_steps(estimator)[-1]
        if not isinstance(search, DrawingSearch):
            raise TypeError(f"estimator must be a DrawingSearch, got {type(search).__name__}.")
        photo = check_one_image(photo, "photo")
        found = search.locate(photo[None], n_neighbors)
        flat = FlattenIllumination(3 * search.stroke_width, polarity=found.polarities[0, 0])
        ridges = OrientedRidges(search.stroke_width).transform(flat.transform(photo[None]))[0]
        labels = found.indices[0]
        if hasattr(search, "classes_"):
            labels = search.classes_[search.drawing_labels_[labels]]
        display = cls(photo, ridges, found.strokes[0], found.scores[0], labels=labels)
        return display.plot(axes=axes, cmap=cmap)

    def plot(self, *, axes=None, cmap="gray"):
        """Draw the panels.

        Parameters
        ----------
        axes : array of matplotlib Axes, default=None
            Panels to draw in, two more than there are drawings; None creates a figure.
        cmap : str or matplotlib Colormap, default="gray"
            Colours for the grey values.

        Returns
        -------
        display : SearchDisplay
            The display itself.
        """
        photo = check_one_image(self.photo, "photo")
        ridges = check_one_image(self.ridges, "ridges")
        scores = np.asarray(self.scores)
        labels = check_labels(self.labels, len(scores), "labels", "drawings")
        n_panels = 2 + len(scores)
        aspect = photo.shape[0] / photo.shape[1]
        size = 2.2 * n_panels, min(max(2.2 * aspect, 1.0), 6.0) + 0.5
        axes = many_axes("SearchDisplay.plot", axes, (1, n_panels), figsize=size)
        for k, panel in enumerate(axes[0]):
            panel.imshow(ridges if k == 1 else photo, cmap=cmap)
            panel.set(xticks=[], yticks=[])
            for spine in panel.spines.values():
                spine.set(color=NEUTRAL, linewidth=1)
        heads = ["photograph", "ridges", "best", *(f"{k}." for k in range(2, n_panels - 1))]
        self.lines_ = []
        for k, (panel, head) in enumerate(zip(axes[0], heads, strict=False)):
            panel.set_title(f"{head}\n", fontsize="medium")
            if k < 2:
                continue
            rows, columns = np.asarray(self.strokes[k - 2]).T
            # Strokes may stick out of the photograph; the panel does not.
            panel.set(xlim=(-0.5, photo.shape[1] - 0.5), ylim=(photo.shape[0] - 0.5, -0.5))
            [line] = panel.plot(columns, rows, ".", color=WRONG, markersize=1.2, alpha=0.8)
            self.lines_.append(line)
            # A dollar sign is a label like others, not the beginning of a formula.
            label = "" if labels is None else str(labels[k - 2])
            panel.set_title(label, loc="left", fontsize="small", parse_math=False)
            panel.set_title(f"{scores[k - 2]:.3g}", loc="right", fontsize="small")
        self.axes_, self.figure_ = axes, axes[0, 0].figure
        return self
