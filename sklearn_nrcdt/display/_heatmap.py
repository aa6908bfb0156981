"""Heat maps of values over two parameters."""

from numbers import Real

import numpy as np

from sklearn_nrcdt._support.figures import NEUTRAL, one_axes, pyplot
from sklearn_nrcdt.display._inputs import check_numbers

# Beyond these, ticks are thinned out and cells are not annotated.
MAX_TICKS = 10
MAX_ANNOTATED = 12


class HeatmapDisplay:
    """Heat map of values over two parameters, such as a grid search or a phase diagram.

    All cells have the same size, whatever the spacing of the parameters. The first row is at the
    bottom. Cells without a value are grey.

    Build it with `from_values` or `from_search`, which also draw.

    Parameters
    ----------
    values : array-like of shape (n_y, n_x)
        Values, NaN where unknown.
    x : array-like of shape (n_x,)
        Values of the parameter on the x-axis.
    y : array-like of shape (n_y,)
        Values of the parameter on the y-axis.
    xlabel : str, default=None
        Name of the parameter on the x-axis.
    ylabel : str, default=None
        Name of the parameter on the y-axis.
    value_name : str, default=None
        Name of the values, next to the colour bar.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the heat map.
    figure_ : matplotlib Figure
        Figure that holds them.
    im_ : matplotlib AxesImage
        The heat map.
    text_ : ndarray of shape (n_y, n_x) of matplotlib Text or None
        Values written into the cells, if any.
    colorbar_ : matplotlib Colorbar or None
        The colour bar, if there is one.

    Examples
    --------
    >>> from sklearn_nrcdt.display import HeatmapDisplay
    >>> display = HeatmapDisplay.from_values(
    ...     [[1.0, 0.9, 0.7], [0.8, 0.6, 0.4]],
    ...     x=[1, 5, 10],
    ...     y=[0, 10],
    ...     xlabel="strength of the salt",
    ...     ylabel="number of discs",
    ...     value_name="accuracy",
    ... )
    >>> display.text_[0, 0].get_text()
    '1.00'
    """

    def __init__(self, values, x, y, *, xlabel=None, ylabel=None, value_name=None):
        self.values = values
        self.x = x
        self.y = y
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.value_name = value_name

    @classmethod
    def from_values(
        cls,
        values,
        x,
        y,
        *,
        xlabel=None,
        ylabel=None,
        value_name=None,
        **plot_params,
    ):
        """Draw a matrix of values.

        Parameters
        ----------
        values : array-like of shape (n_y, n_x)
            Values, NaN where unknown.
        x : array-like of shape (n_x,)
            Values of the parameter on the x-axis.
        y : array-like of shape (n_y,)
            Values of the parameter on the y-axis.
        xlabel : str, default=None
            Name of the parameter on the x-axis.
        ylabel : str, default=None
            Name of the parameter on the y-axis.
        value_name : str, default=None
            Name of the values, next to the colour bar.
        **plot_params : dict
            Arguments of `plot`: `ax`, `cmap`, `vmin`, `vmax`, `include_values`,
            `values_format`, `colorbar`.

        Returns
        -------
        display : HeatmapDisplay
            The display, drawn.
        """
        pyplot(f"{cls.__name__}.from_values")
        display = cls(values, x, y, xlabel=xlabel, ylabel=ylabel, value_name=value_name)
        return display.plot(**plot_params)

    @classmethod
    def from_search(
        cls,
        search,
        x,
        y,
        *,
        score="mean_test_score",
        **plot_params,
    ):
        """Draw the scores of a search over two parameters.

        If the search was over more parameters, each cell shows its best (greatest) score
        over the others.

        Parameters
        ----------
        search : fitted GridSearchCV or other search
            Anything with `cv_results_`.
        x : str
            Name of the parameter on the x-axis, for example "maxnrcdt__n_angles".
        y : str
            Name of the parameter on the y-axis.
        score : str, default="mean_test_score"
            Which of the results to show, a key of `cv_results_`.
        **plot_params : dict
            Arguments of `plot`: `ax`, `cmap`, `vmin`, `vmax`, `include_values`,
            `values_format`, `colorbar`.

        Returns
        -------
        display : HeatmapDisplay
            The display, drawn.

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from sklearn.model_selection import GridSearchCV
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn_nrcdt import MaxNRCDT, NearestTemplateClassifier
        >>> from sklearn_nrcdt.display import HeatmapDisplay
        >>> digits = load_digits(n_class=3)
        >>> grid = {"maxnrcdt__n_angles": [4, 16], "maxnrcdt__n_quantiles": [4, 8, 16]}
        >>> model = make_pipeline(MaxNRCDT(), NearestTemplateClassifier())
        >>> search = GridSearchCV(model, grid, cv=2).fit(digits.images[:60], digits.target[:60])
        >>> display = HeatmapDisplay.from_search(
        ...     search, "maxnrcdt__n_angles", "maxnrcdt__n_quantiles"
        ... )
        >>> display.values.shape
        (3, 2)
        """
        pyplot(f"{cls.__name__}.from_search")
        results = getattr(search, "cv_results_", None)
        if results is None:
            raise ValueError(
                f"search must be a fitted search with cv_results_, such as GridSearchCV, got "
                f"{search!r}."
            )
        if x == y:
            raise ValueError(f"x and y must be two parameters, got {x!r} for both.")
        for name, parameter in (("x", x), ("y", y)):
            if f"param_{parameter}" not in results:
                known = [key.removeprefix("param_") for key in results if key.startswith("param_")]
                raise ValueError(
                    f"{name}={parameter!r} is not a parameter of the search. Choose one of "
                    f"{', '.join(known)}."
                )
        if score not in results:
            known = [key for key in results if "score" in key]
            raise ValueError(f"score={score!r} is not in cv_results_. Choose one of {known}.")
        # A search over several grids has candidates that lack one of the two parameters.
        candidates = [
            (params[x], params[y], value)
            for params, value in zip(results["params"], results[score], strict=True)
            if x in params and y in params
        ]
        columns, rows = (_distinct(candidate[k] for candidate in candidates) for k in (0, 1))
        values = np.full((len(rows), len(columns)), np.nan)
        for right, up, value in candidates:
            cell = rows.index(up), columns.index(right)
            values[cell] = np.fmax(values[cell], value)
        return cls.from_values(
            values,
            columns,
            rows,
            xlabel=x,
            ylabel=y,
            value_name=score.replace("_", " "),
            **plot_params,
        )

    def plot(
        self,
        ax=None,
        *,
        cmap="inferno",
        vmin=None,
        vmax=None,
        include_values="auto",
        values_format=".2f",
        colorbar=True,
    ):
        """Draw the heat map.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw. None makes a new figure.
        cmap : str or matplotlib Colormap, default="inferno"
            Colours.
        vmin : float, default=None
            Value of the first colour. None takes the smallest value.
        vmax : float, default=None
            Value of the last colour. None takes the greatest value.
        include_values : bool or "auto", default="auto"
            Whether to write values into the cells. "auto" does so for at most 12 cells in each
            direction.
        values_format : str, default=".2f"
            Format of the values in the cells.
        colorbar : bool, default=True
            Whether to draw a colour bar.

        Returns
        -------
        self : HeatmapDisplay
            The display, with the artists as attributes.
        """
        plt = pyplot("HeatmapDisplay.plot")
        values = check_numbers(self.values, "values", ndim=2)
        x, y = list(self.x), list(self.y)
        if values.shape != (len(y), len(x)):
            raise ValueError(
                f"values must be of shape (len(y), len(x)) = ({len(y)}, {len(x)}), got "
                f"{values.shape}."
            )
        if np.isinf(values).any() or np.isnan(values).all():
            raise ValueError("values must be finite, or NaN where unknown, and not all NaN.")
        ax = one_axes("HeatmapDisplay.plot", ax)
        colours = plt.get_cmap(cmap).with_extremes(bad=NEUTRAL)
        self.im_ = ax.imshow(
            values,
            cmap=colours,
            vmin=np.nanmin(values) if vmin is None else vmin,
            vmax=np.nanmax(values) if vmax is None else vmax,
            origin="lower",
            aspect="auto",
            interpolation="nearest",
        )
        for axis, entries in ((ax.xaxis, x), (ax.yaxis, y)):
            shown = range(0, len(entries), -(-len(entries) // MAX_TICKS))
            axis.set_ticks(list(shown), [_name(entries[k]) for k in shown])
        ax.set(xlabel=self.xlabel, ylabel=self.ylabel)
        if include_values == "auto":
            include_values = max(values.shape) <= MAX_ANNOTATED
        self.text_ = self._annotate(ax, values, values_format) if include_values else None
        self.colorbar_ = None
        if colorbar:
            self.colorbar_ = ax.figure.colorbar(self.im_, ax=ax, label=self.value_name or "")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _annotate(self, ax, values, values_format):
        """Write the values into the cells, dark on bright and bright on dark."""
        text = np.full(values.shape, None, dtype=object)
        for (i, j), value in np.ndenumerate(values):
            if np.isnan(value):
                continue
            red, green, blue, _ = self.im_.cmap(self.im_.norm(value))
            bright = 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5
            text[i, j] = ax.text(
                j,
                i,
                format(value, values_format),
                ha="center",
                va="center",
                color="black" if bright else "white",
            )
        return text


def _distinct(values):
    """Return the different values, sorted if they are numbers, else as they come."""
    found = []
    for value in values:
        if value not in found:
            found.append(value)
    if all(isinstance(value, Real) for value in found):
        found.sort()
    return found


def _name(value):
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)
