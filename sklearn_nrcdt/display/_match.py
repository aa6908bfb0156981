"""Samples beside their nearest templates."""

import numpy as np

from sklearn_nrcdt._estimators.neighbors import check_n_neighbors, smallest
from sklearn_nrcdt._support.figures import NEUTRAL, RIGHT, WRONG, many_axes, pyplot
from sklearn_nrcdt.display._inputs import (
    check_labels,
    check_numbers,
    check_stack,
    fitted_steps,
    transform_by,
)


class TemplateMatchDisplay:
    """Samples, their nearest templates and the distances.

    One row for each sample, the nearest template first. Above each template are its class on the
    left and its distance on the right. If the sample's class is known, a tick in a solid frame
    marks the templates of that class, and a cross in a dashed frame marks a nearest template of
    another class.

    Build it with `from_estimator` or `from_distances`, which also draw.

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

    See Also
    --------
    sklearn_nrcdt.NearestTemplateClassifier : The classifier.

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

    def __init__(self, images, templates, indices, distances, *, y=None, template_labels=None):
        self.images = images
        self.templates = templates
        self.indices = indices
        self.distances = distances
        self.y = y
        self.template_labels = template_labels

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        *,
        templates,
        y=None,
        template_labels=None,
        n_neighbors=3,
        **plot_params,
    ):
        """Draw the templates that a fitted classifier finds nearest.

        Parameters
        ----------
        estimator : fitted classifier or Pipeline
            `NearestTemplateClassifier`, or anything with a method ``kneighbors`` such as
            `sklearn.neighbors.KNeighborsClassifier`; alone, at the end of a pipeline, or
            in a search over parameters.
        X : array-like of shape (n_samples, height, width) or (n_samples, height * width)
            Images to classify, a handful of them.
        templates : array-like of the form of X
            Images that `estimator` was fitted on, in the same order.
        y : array-like of shape (n_samples,), default=None
            Classes of the samples.
        template_labels : array-like of shape (n_templates,), default=None
            Classes of the templates. A `NearestTemplateClassifier` knows them.
        n_neighbors : int, default=3
            How many templates to show for each sample.
        **plot_params : dict
            Arguments of `plot`: `axes`, `cmap`.

        Returns
        -------
        display : TemplateMatchDisplay
            The display, drawn.
        """
        pyplot(f"{cls.__name__}.from_estimator")
        *steps, classifier = fitted_steps(estimator)
        shape = next((s.image_shape_ for s in steps if hasattr(s, "image_shape_")), None)
        images = check_stack(X, "X", shape)
        templates = check_stack(templates, "templates", shape)
        n_neighbors = check_n_neighbors(n_neighbors, len(templates))
        features = transform_by(steps, X)
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
        distances, indices = classifier.kneighbors(features, n_neighbors)
        display = cls(images, templates, indices, distances, y=y, template_labels=template_labels)
        return display.plot(**plot_params)

    @classmethod
    def from_distances(
        cls,
        distances,
        images,
        *,
        templates,
        y=None,
        template_labels=None,
        n_neighbors=3,
        **plot_params,
    ):
        """Draw the nearest templates, given a matrix of distances.

        Parameters
        ----------
        distances : array-like of shape (n_samples, n_templates)
            Distances of all samples to all templates, for example from
            `sklearn_nrcdt.aligned_pairwise_distances`.
        images : array-like of shape (n_samples, height, width)
            The samples.
        templates : array-like of shape (n_templates, height, width)
            The templates.
        y : array-like of shape (n_samples,), default=None
            Classes of the samples.
        template_labels : array-like of shape (n_templates,), default=None
            Classes of the templates, needed together with `y`.
        n_neighbors : int, default=3
            How many templates to show for each sample.
        **plot_params : dict
            Arguments of `plot`: `axes`, `cmap`.

        Returns
        -------
        display : TemplateMatchDisplay
            The display, drawn.

        Examples
        --------
        >>> from sklearn_nrcdt import SpectralNRCDT, aligned_pairwise_distances
        >>> from sklearn_nrcdt.datasets import make_symbols
        >>> from sklearn_nrcdt.display import TemplateMatchDisplay
        >>> symbols = make_symbols(1, classes=[1, 5, 12], random_state=0)
        >>> shapes = SpectralNRCDT(n_angles=32, keep="circle").fit(symbols.templates)
        >>> distances = aligned_pairwise_distances(
        ...     shapes.transform(symbols.images), shapes.transform(symbols.templates)
        ... )
        >>> display = TemplateMatchDisplay.from_distances(
        ...     distances, symbols.images, templates=symbols.templates, n_neighbors=1
        ... )
        >>> display.indices.ravel()
        array([0, 1, 2])
        """
        pyplot(f"{cls.__name__}.from_distances")
        distances = check_numbers(distances, "distances", ndim=2)
        images, templates = check_stack(images, "images"), check_stack(templates, "templates")
        if distances.shape != (len(images), len(templates)):
            raise ValueError(
                f"distances have shape {distances.shape}, but there are {len(images)} images "
                f"and {len(templates)} templates."
            )
        nearest, indices = smallest(distances, check_n_neighbors(n_neighbors, len(templates)))
        display = cls(images, templates, indices, nearest, y=y, template_labels=template_labels)
        return display.plot(**plot_params)

    def plot(self, axes=None, *, cmap="gray"):
        """Draw the samples and their nearest templates.

        Parameters
        ----------
        axes : array-like of n_samples * (1 + n_neighbors) matplotlib Axes, default=None
            Where to draw, row by row. None makes a new figure.
        cmap : str or matplotlib Colormap, default="gray"
            Colours of the images.

        Returns
        -------
        self : TemplateMatchDisplay
            The display, with the artists as attributes.
        """
        images = check_stack(self.images, "images")
        templates = check_stack(self.templates, "templates")
        labels = check_labels(self.y, len(images), "y", "samples")
        names = check_labels(self.template_labels, len(templates), "template_labels", "templates")
        if labels is not None and names is None:
            raise ValueError("y was given without template_labels: pass both or neither.")
        indices = np.asarray(self.indices)
        distances = check_numbers(self.distances, "distances", ndim=2)
        if indices.shape != distances.shape or len(indices) != len(images):
            raise ValueError(
                f"indices and distances must both be of shape ({len(images)}, n_neighbors), got "
                f"{indices.shape} and {distances.shape}."
            )
        n_rows, n_columns = len(images), 1 + indices.shape[1]
        axes = many_axes(
            "TemplateMatchDisplay.plot",
            axes,
            (n_rows, n_columns),
            figsize=(1.4 * n_columns, 1.6 * n_rows + 0.2),
        )
        self.images_, self.marks_ = [], []
        for i, row in enumerate(axes):
            known = "" if labels is None else labels[i]
            drawn, marks = [_show(row[0], images[i], cmap, known)], []
            for rank, (panel, k) in enumerate(zip(row[1:], indices[i], strict=True)):
                name = "" if names is None else names[k]
                drawn.append(_show(panel, templates[k], cmap, name, f"{distances[i, rank]:.3g}"))
                right = labels is not None and names[k] == labels[i]
                # After the nearest one, templates of other classes are no mistakes.
                if right or (labels is not None and rank == 0):
                    marks.append(_mark(panel, right))
            self.images_.append(drawn)
            self.marks_.append(marks)
        ending = {2: "nd", 3: "rd"}
        ranks = [f"{k}{ending.get(k, 'th')}" for k in range(2, n_columns)]
        for panel, head in zip(axes[0], ["sample", "nearest", *ranks], strict=True):
            # Above the line that has the class on the left and the distance on the right.
            panel.set_title(f"{head}\n", fontsize="medium")
        self.axes_, self.figure_ = axes, axes[0, 0].figure
        return self


def _show(panel, image, cmap, label, distance=""):
    drawn = panel.imshow(image, cmap=cmap, vmin=0)
    panel.set(xticks=[], yticks=[])
    # A dollar sign is part of the label, not the beginning of a formula.
    panel.set_title(str(label), loc="left", fontsize="small", parse_math=False)
    panel.set_title(distance, loc="right", fontsize="small")
    for spine in panel.spines.values():
        spine.set(color=NEUTRAL, linewidth=1)
    return drawn


def _mark(panel, right):
    """Tell right from wrong by colour, by the frame's dashes and by a sign."""
    colour = RIGHT if right else WRONG
    for spine in panel.spines.values():
        spine.set(color=colour, linewidth=2, linestyle="-" if right else (0, (3, 2)))
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
        bbox={"boxstyle": "circle,pad=0.15", "facecolor": colour, "edgecolor": "none"},
    )
