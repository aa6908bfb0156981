"""Samples beside their nearest templates."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from sklearn_nrcdt._estimators.exact_neighbors import check_n_neighbors
from sklearn_nrcdt._support.figures import RIGHT, WRONG, many_axes, pyplot, show
from sklearn_nrcdt._support.types import ArrayLike, Images


@dataclass(repr=False, eq=False)
class TemplateMatchDisplay:
    """Samples, their nearest templates and the distances.

    One row for each sample, the nearest template first, with its class on the left and its distance
    on the right. If the sample's class is known, a tick in a solid frame marks templates of that
    class, and a cross in a dashed frame a nearest template of another. Build it with
    `from_estimator`, which also draws.

    Parameters
    ----------
    images : array-like of shape (n_samples, height, width)
        The samples.
    templates : array-like of shape (n_templates, height, width)
        All templates.
    indices : array-like of shape (n_samples, n_neighbors)
        Which templates are nearest to each sample, in order.
    distances : array-like of shape (n_samples, n_neighbors)
        Their distances.
    y : array-like of shape (n_samples,), default=None
        Classes of the samples.
    template_labels : array-like of shape (n_templates,), default=None
        Classes of the templates, needed together with `y`.

    Attributes
    ----------
    axes_ : ndarray of shape (n_samples, 1 + n_neighbors) of matplotlib Axes
        Panels: the sample, then its nearest templates.
    figure_ : matplotlib Figure
        Figure that holds them.
    images_ : list of lists of matplotlib AxesImage
        What is drawn in the panels.
    marks_ : list of lists of matplotlib Text
        Ticks and crosses of each row, none if no classes are known.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn_nrcdt import MaxNRCDT, NearestTemplateClassifier
    >>> from sklearn_nrcdt.datasets import make_symbols
    >>> from sklearn_nrcdt.display import TemplateMatchDisplay
    >>> symbols = make_symbols(1, classes=[1, 5, 12], random_state=0)
    >>> model = make_pipeline(MaxNRCDT(n_angles=32), NearestTemplateClassifier())
    >>> model = model.fit(symbols.templates, symbols.template_target)
    >>> display = TemplateMatchDisplay.from_estimator(
    ...     model, symbols.images, templates=symbols.templates, y=symbols.target, n_neighbors=2
    ... )
    >>> display.indices
    array([[0, 1],
           [1, 0],
           [2, 1]])
    """

    images: ArrayLike
    templates: ArrayLike
    indices: ArrayLike
    distances: ArrayLike
    _: KW_ONLY
    y: ArrayLike | None = None
    template_labels: ArrayLike | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Images,
        *,
        templates: Images,
        y: ArrayLike | None = None,
        template_labels: ArrayLike | None = None,
        n_neighbors: int = 3,
        axes: Any = None,
    ) -> Self:
        """Draw the templates that a fitted classifier finds nearest.

        Parameters
        ----------
        estimator : fitted classifier or Pipeline
            Anything with a method ``kneighbors``, such as `NearestTemplateClassifier`; alone, at
            the end of a pipeline, or in a search over parameters.
        X : array-like of shape (n_samples, height, width)
            Images to classify, a handful of them.
        templates : array-like of the form of X
            Images that `estimator` was fitted on, in the same order.
        y : array-like of shape (n_samples,), default=None
            Classes of the samples.
        template_labels : array-like of shape (n_templates,), default=None
            Classes of the templates. A `NearestTemplateClassifier` knows them.
        n_neighbors : int, default=3
            How many templates to show for each sample.
        axes : array-like of n_samples * (1 + n_neighbors) matplotlib Axes, default=None
            Where to draw, row by row. None makes a new figure.

        Returns
        -------
        display : TemplateMatchDisplay
            The display, drawn.
        """
        pyplot(f"{cls.__name__}.from_estimator")
        check_is_fitted(estimator)
        estimator = getattr(estimator, "best_estimator_", estimator)
        in_pipeline = isinstance(estimator, Pipeline)
        classifier = estimator[-1] if in_pipeline else estimator
        images, templates = _as_stack(X, "X"), _as_stack(templates, "templates")
        n_neighbors = check_n_neighbors(n_neighbors, len(templates))
        if not hasattr(classifier, "kneighbors"):
            raise ValueError(
                "estimator must be, or end in, a NearestTemplateClassifier or an estimator "
                f"with a method kneighbors, got {estimator!r}."
            )
        n_known = classifier.n_samples_fit_
        if n_known != len(templates):
            raise ValueError(
                f"templates holds {len(templates)} images, but {type(classifier).__name__} was "
                f"fitted on {n_known}. Pass the images given to fit."
            )
        if template_labels is None and hasattr(classifier, "template_labels_"):
            template_labels = np.full(n_known, None)
            template_labels[classifier.template_indices_] = classifier.template_labels_
        if in_pipeline and len(estimator) > 1:
            X = estimator[:-1].transform(X)
        distances, indices = classifier.kneighbors(X, n_neighbors)
        display = cls(images, templates, indices, distances, y=y, template_labels=template_labels)
        return display.plot(axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw the samples and their nearest templates.

        Parameters
        ----------
        axes : array-like of n_samples * (1 + n_neighbors) matplotlib Axes, default=None
            Where to draw, row by row. None makes a new figure.

        Returns
        -------
        self : TemplateMatchDisplay
            The display, with the artists as attributes.
        """
        images, templates = np.asarray(self.images), np.asarray(self.templates)
        indices, distances = np.asarray(self.indices), np.asarray(self.distances)
        n_rows, n_columns = len(images), 1 + indices.shape[1]
        labels = _check_labels(self.y, n_rows, "y")
        names = _check_labels(self.template_labels, len(templates), "template_labels")
        if labels is not None and names is None:
            raise ValueError("y was given without template_labels: pass both or neither.")
        size = 1.4 * n_columns, 1.6 * n_rows + 0.2
        axes = many_axes("TemplateMatchDisplay.plot", axes, (n_rows, n_columns), figsize=size)
        self.images_, self.marks_ = [], []
        for i, row in enumerate(axes):
            known = "" if labels is None else labels[i]
            drawn, marks = [show(row[0], images[i], known, vmin=0)], []
            for rank, (panel, k) in enumerate(zip(row[1:], indices[i], strict=True)):
                name = "" if names is None else names[k]
                distance = f"{distances[i, rank]:.3g}"
                drawn.append(show(panel, templates[k], name, distance, vmin=0))
                right = labels is not None and names[k] == labels[i]
                # After the nearest one, templates of other classes are no mistakes.
                if right or (labels is not None and rank == 0):
                    marks.append(_mark(panel, right))
            self.images_.append(drawn)
            self.marks_.append(marks)
        ending = {1: "st", 2: "nd", 3: "rd"}
        last = {k: 0 if 10 < k % 100 < 20 else k % 10 for k in range(2, n_columns)}
        ranks = [f"{k}{ending.get(digit, 'th')}" for k, digit in last.items()]
        for panel, head in zip(axes[0], ["sample", "nearest", *ranks], strict=True):
            # Above the line that has the class on the left and the distance on the right.
            panel.set_title(f"{head}\n", fontsize="medium")
        self.axes_, self.figure_ = axes, axes[0, 0].figure
        return self


def _as_stack(images, name):
    images = np.asarray(images)
    if images.ndim != 3:
        raise ValueError(
            f"{name} must be images of shape (n_images, height, width), got an array of "
            f"shape {images.shape}. Pass a single image as {name}[None]."
        )
    return images


def _check_labels(labels, n, name):
    labels = None if labels is None else np.asarray(labels)
    if labels is not None and labels.shape != (n,):
        raise ValueError(f"{name} must hold {n} labels, got shape {labels.shape}.")
    return labels


def _mark(panel, right):
    """Tell right from wrong by color, by the frame's dashes and by a sign."""
    color = RIGHT if right else WRONG
    for spine in panel.spines.values():
        spine.set(color=color, linewidth=2, linestyle="-" if right else (0, (3, 2)))
    return panel.text(
        0.96,
        0.95,
        "\N{CHECK MARK}" if right else "\N{MULTIPLICATION X}",
        transform=panel.transAxes,
        ha="right",
        va="top",
        color="white",
        fontsize="small",
        fontfamily="DejaVu Sans",  # comes with matplotlib, has these signs
        bbox={"boxstyle": "circle,pad=0.15", "facecolor": color, "edgecolor": "none"},
    )
