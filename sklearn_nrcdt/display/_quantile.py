"""Feature curves of classes over the quantile levels."""

import numpy as np

from sklearn_nrcdt._kernels.cdt import quantile_levels
from sklearn_nrcdt._support.figures import NEUTRAL, class_style, one_axes, pyplot
from sklearn_nrcdt.display._inputs import (
    check_labels,
    check_numbers,
    steps_to_quantiles,
    transform_by,
)


class QuantileDisplay:
    """Features as curves over the quantile levels, with templates highlighted.

    Samples are thin lines and templates are broad bands, in one colour for each class. If the
    feature is invariant, samples lie inside the band of their template.

    Build it with `from_estimator` or `from_features`, which also draw.

    Parameters
    ----------
    levels : array-like of shape (n_quantiles,)
        Quantile levels, on the x-axis.
    features : array-like of shape (n_samples, n_quantiles)
        One curve for each sample.
    y : array-like of shape (n_samples,), default=None
        Classes of the samples. None means one class without a name.
    templates : array-like of shape (n_templates, n_quantiles), default=None
        Curves of the templates.
    template_labels : array-like of shape (n_templates,), default=None
        Classes of the templates, needed together with `y`.
    feature_name : str, default="feature"
        Label of the y-axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the curves.
    figure_ : matplotlib Figure
        Figure that holds them.
    lines_ : list of matplotlib Line2D
        Curves of the samples, in their order.
    template_lines_ : list of matplotlib Line2D
        Curves of the templates, in their order.
    legend_ : matplotlib Legend or None
        Legend, if requested and not empty.

    See Also
    --------
    SinogramDisplay : How one image becomes its features.

    Examples
    --------
    >>> from sklearn_nrcdt import MaxNRCDT
    >>> from sklearn_nrcdt.datasets import make_symbols
    >>> from sklearn_nrcdt.display import QuantileDisplay
    >>> symbols = make_symbols(3, classes=[5, 12], random_state=0)
    >>> display = QuantileDisplay.from_estimator(
    ...     MaxNRCDT(n_angles=32).fit(symbols.templates),
    ...     symbols.images,
    ...     symbols.target,
    ...     templates=symbols.templates,
    ...     template_labels=symbols.template_target,
    ... )
    >>> len(display.lines_), len(display.template_lines_)
    (6, 2)
    """

    def __init__(
        self,
        levels,
        features,
        *,
        y=None,
        templates=None,
        template_labels=None,
        feature_name="feature",
    ):
        self.levels = levels
        self.features = features
        self.y = y
        self.templates = templates
        self.template_labels = template_labels
        self.feature_name = feature_name

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y=None,
        *,
        templates=None,
        template_labels=None,
        **plot_params,
    ):
        """Draw the features that a fitted transformer gives for images.

        Parameters
        ----------
        estimator : fitted transformer or Pipeline
            A transformer with one feature for each quantile level, such as `MaxNRCDT` or
            `MeanNRCDT`, or a pipeline or search that contains one. Later steps of the
            pipeline are not applied.
        X : array-like of shape (n_samples, height, width) or (n_samples, height * width)
            Images, or whatever the pipeline takes.
        y : array-like of shape (n_samples,), default=None
            Classes of the samples.
        templates : array-like of the form of X, default=None
            Images of the templates.
        template_labels : array-like of shape (n_templates,), default=None
            Classes of the templates, needed together with `y`.
        **plot_params : dict
            Arguments of `plot`: `ax`, `subtract_mean`, `legend`, `line_kwargs`,
            `template_kwargs`.

        Returns
        -------
        display : QuantileDisplay
            The display, drawn.
        """
        pyplot(f"{cls.__name__}.from_estimator")
        steps = steps_to_quantiles(estimator)
        name, levels = type(steps[-1]).__name__, steps[-1].quantile_levels_
        features = np.asarray(transform_by(steps, X))
        if features.shape[1] != len(levels):
            raise ValueError(
                f"{name} gives {features.shape[1]} features for {len(levels)} quantile levels, "
                "not one curve for each sample. Use MaxNRCDT or MeanNRCDT, or pass the "
                "features of one angle to QuantileDisplay.from_features."
            )
        return cls(
            levels,
            features,
            y=y,
            templates=None if templates is None else np.asarray(transform_by(steps, templates)),
            template_labels=template_labels,
            feature_name=f"{name} (standard deviations)",
        ).plot(**plot_params)

    @classmethod
    def from_features(
        cls,
        features,
        y=None,
        *,
        levels=None,
        templates=None,
        template_labels=None,
        feature_name="feature",
        **plot_params,
    ):
        """Draw features that have been computed already.

        Parameters
        ----------
        features : array-like of shape (n_samples, n_quantiles)
            One curve for each sample.
        y : array-like of shape (n_samples,), default=None
            Classes of the samples.
        levels : array-like of shape (n_quantiles,), default=None
            Quantile levels. None stands for those of ``quantiles="means"``, the default of the
            transformers.
        templates : array-like of shape (n_templates, n_quantiles), default=None
            Curves of the templates.
        template_labels : array-like of shape (n_templates,), default=None
            Classes of the templates, needed together with `y`.
        feature_name : str, default="feature"
            Label of the y-axis.
        **plot_params : dict
            Arguments of `plot`: `ax`, `subtract_mean`, `legend`, `line_kwargs`,
            `template_kwargs`.

        Returns
        -------
        display : QuantileDisplay
            The display, drawn.

        Examples
        --------
        The NR-CDT of one image at four angles:

        >>> from sklearn.datasets import load_digits
        >>> from sklearn_nrcdt import NRCDT
        >>> from sklearn_nrcdt.display import QuantileDisplay
        >>> features = NRCDT(n_angles=16).fit_transform(load_digits().images[:1])
        >>> display = QuantileDisplay.from_features(
        ...     features.reshape(16, 64)[:4], y=["0", "22.5", "45", "67.5"]
        ... )
        >>> [text.get_text() for text in display.legend_.get_texts()]
        ['class 0', 'class 22.5', 'class 45', 'class 67.5']
        """
        pyplot(f"{cls.__name__}.from_features")
        features = check_numbers(features, "features", ndim=2)
        return cls(
            quantile_levels(features.shape[1]) if levels is None else levels,
            features,
            y=y,
            templates=templates,
            template_labels=template_labels,
            feature_name=feature_name,
        ).plot(**plot_params)

    def plot(
        self, ax=None, *, subtract_mean=False, legend=True, line_kwargs=None, template_kwargs=None
    ):
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None makes a new figure.
        subtract_mean : bool, default=False
            Whether to subtract the mean of the templates (of the samples, if there are no
            templates) from all curves, which brings out the differences between classes.
        legend : bool, default=True
            Whether to draw a legend.
        line_kwargs : dict, default=None
            Arguments of `matplotlib.axes.Axes.plot` for the curves of the samples.
        template_kwargs : dict, default=None
            The same for the templates.

        Returns
        -------
        self : QuantileDisplay
            The display, with the artists as attributes.
        """
        levels, curves, labels, bands, band_labels = self._check()
        ax = one_axes("QuantileDisplay.plot", ax)
        ylabel = self.feature_name
        if subtract_mean:
            mean = (bands if len(bands) else curves).mean(axis=0)
            curves, bands = curves - mean, bands - mean
            ylabel += "\nminus the mean"
        classes = np.unique(np.concatenate([labels, band_labels]))
        styles = {label: class_style(k) for k, label in enumerate(classes.tolist())}
        thin = {"linewidth": 0.8, "alpha": 0.8, "zorder": 2.2, **(line_kwargs or {})}
        broad = {"linewidth": 6, "alpha": 0.35, "zorder": 2.1, **(template_kwargs or {})}
        # Bands have no dashes, which would be as long as the bands are broad.
        self.template_lines_ = [
            ax.plot(levels, band, **{"color": styles[label]["color"], **broad})[0]
            for band, label in zip(bands, band_labels.tolist(), strict=True)
        ]
        self.lines_ = [
            ax.plot(levels, curve, **{**styles[label], **thin})[0]
            for curve, label in zip(curves, labels.tolist(), strict=True)
        ]
        # Rising curves leave the upper left free; without the mean, curves may be anywhere.
        self.legend_ = (
            self._legend(ax, styles, thin, broad, outside=subtract_mean) if legend else None
        )
        ax.set(xlabel="quantile level", ylabel=ylabel, xlim=(0, 1))
        ax.grid(color=NEUTRAL, alpha=0.25)
        ax.set_axisbelow(True)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _check(self):
        """Return levels, curves and labels of the samples and of the templates."""
        levels = check_numbers(self.levels, "levels", ndim=1)
        curves = check_numbers(self.features, "features", ndim=2)
        bands = np.empty((0, len(levels)))
        if self.templates is not None:
            bands = check_numbers(self.templates, "templates", ndim=2)
        for name, rows in (("features", curves), ("templates", bands)):
            if rows.shape[1] != len(levels):
                raise ValueError(
                    f"{name} have {rows.shape[1]} columns, but there are {len(levels)} levels."
                )
        labels = check_labels(self.y, len(curves), "y", "samples")
        band_labels = check_labels(self.template_labels, len(bands), "template_labels", "templates")
        if len(bands) and (labels is None) != (band_labels is None):
            given, missing = (
                ("y", "template_labels") if band_labels is None else ("template_labels", "y")
            )
            raise ValueError(f"{given} was given without {missing}: pass both or neither.")
        if labels is None:
            labels, band_labels = np.zeros(len(curves), int), np.zeros(len(bands), int)
        elif band_labels is None:
            band_labels = labels[:0]
        return levels, curves, labels, bands, band_labels

    def _legend(self, ax, styles, thin, broad, outside):
        """One entry for each class, and what thin and broad lines mean."""
        from matplotlib.lines import Line2D

        handles = []
        if self.y is not None:
            handles = [
                Line2D([], [], label=f"class {label}", linewidth=2, **style)
                for label, style in styles.items()
            ]
        if self.template_lines_:
            for label, kwargs in (("sample", thin), ("template", broad)):
                look = {key: kwargs[key] for key in ("linewidth", "alpha")}
                handles.append(Line2D([], [], label=label, color=NEUTRAL, **look))
        if not handles:
            return None
        if outside:
            place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "frameon": False, "ncols": 3}
        else:
            place = {"loc": "upper left", "ncols": 1 + (len(handles) - 1) // 8}
        return ax.legend(handles=handles, fontsize="small", **place)
