"""The paper's figures. Needs matplotlib; Figure 3 also needs POT."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from benchmarks.data import MissingData
from benchmarks.paper.data import BENT, MILD, SALT, STRONG, symbols
from benchmarks.paper.transport import transport_maps
from benchmarks.tables import read_csv
from sklearn_nrcdt import MaxNRCDT, MeanNRCDT
from sklearn_nrcdt.datasets import add_salt

COLORS = {5: "#0072b2", 12: "#d55e00"}
TITLES = {"max": "max NR-CDT", "mean": "mean NR-CDT"}


def _save(figure, folder, name, dpi=100):
    path = Path(folder) / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=dpi, metadata={"Software": None})
    return path


def _rows(folder, name):
    path = Path(folder) / f"{name}.csv"
    if not path.is_file():
        raise MissingData(f"{path} is missing: run the experiment first.")
    return read_csv(path)


def _curves(folder, name, ranges, classes):
    """Features as functions of the level: thin lines for samples, a thick one for templates."""
    data = symbols(10, ranges, random_state=0, classes=classes)
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots(1, 2)
    estimators = (way(128, 850, quantiles="points") for way in (MaxNRCDT, MeanNRCDT))
    for axis, estimator, title in zip(axes, estimators, TITLES.values(), strict=True):
        templates = estimator.fit_transform(data.templates)
        samples = estimator.transform(data.images)
        levels = estimator.quantile_levels_
        for label, template in zip(data.template_target, templates, strict=True):
            color = COLORS[label]
            axis.plot(levels, template, color=color, lw=5, alpha=0.4, label=f"template {label}")
            lines = axis.plot(levels, samples[data.target == label].T, color=color, lw=0.8)
            lines[0].set_label(f"10 samples of class {label}")
        axis.set(title=title, xlabel="quantile level t", xlim=(0, 1))
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("normalised quantile")
    axes[0].legend(loc="upper left", fontsize=9)
    return [_save(figure, folder, name)]


def fig2(folder):
    return _curves(folder, "fig2", STRONG, [5, 12])


def fig4(folder):
    return _curves(folder, "fig4", {**BENT, **STRONG}, [5, 12])


def fig6(folder):
    return _curves(folder, "fig6", {**MILD, **SALT}, [5])


def fig3(folder):
    """Transport of a corrupted symbol to its template, as a vector field."""
    figure = Figure(figsize=(10.5, 4.1), layout="constrained")
    for axis, case in zip(figure.subplots(1, 3), transport_maps(), strict=True):
        half = case.image.shape[0] / 2
        # The corrupted image in pixels; arrows end where the template takes the mass.
        axis.imshow(1 - case.image, cmap="gray", extent=(0, 2 * half, 2 * half, 0), vmin=0)
        x, y, dx, dy = case.field
        moved = np.hypot(dx, dy) > 0.25
        axis.quiver(
            x[moved],
            y[moved],
            dx[moved],
            dy[moved],
            np.hypot(dx, dy)[moved],
            angles="xy",
            scale_units="xy",
            scale=1,
            width=0.004,
            cmap="autumn_r",
        )
        axis.set(xlim=(half - 110, half + 110), ylim=(half + 110, half - 110))
        axis.set_title(
            f"{case.title}\n$W_2$ = {case.distance:.4f},  $W_2^2$ = {case.distance**2:.5f}",
            fontsize=10,
        )
        axis.set(xticks=[], yticks=[])
    return [_save(figure, folder, "fig3")]


def fig5(folder):
    """One disc of each strength."""
    blank = np.zeros((1, 256, 256))
    figure = Figure(figsize=(10, 1.3), layout="constrained")
    for strength, axis in enumerate(figure.subplots(1, 20), 1):
        salted = add_salt(blank, n_discs=1, strength=strength, random_state=3)[0]
        row, column = (int(where.mean()) for where in np.nonzero(salted))
        axis.imshow(salted[row - 5 : row + 6, column - 5 : column + 6], cmap="gray", vmin=0, vmax=1)
        axis.set(xticks=[], yticks=[])
        axis.set_title(strength, fontsize=9)
    figure.suptitle("salt of strength 1 to 20: 11 x 11 of 256 x 256 pixels", fontsize=10)
    return [_save(figure, folder, "fig5")]


def _phase(folder, name, label):
    rows = [row for row in _rows(folder, name) if row["variant"] == "ours"]
    angles = sorted({int(row["angles"]) for row in rows})
    figure = Figure(figsize=(2.6 * 2 * len(angles) * 0.72 + 1, 3.1), layout="constrained")
    axes = figure.subplots(1, 2 * len(angles), sharey=True)
    for axis, (n_angles, feature) in zip(
        axes, ((n, f) for n in angles for f in TITLES), strict=True
    ):
        mine = [r for r in rows if int(r["angles"]) == n_angles and r["feature"] == feature]
        x, y = ([int(r[key]) for r in mine] for key in ("x", "n_discs"))
        columns, lines = sorted(set(x)), sorted(set(y))
        grid = np.full((len(lines), len(columns)), np.nan)
        for column, line, row in zip(x, y, mine, strict=True):
            grid[lines.index(line), columns.index(column)] = float(row["value"])
        picture = axis.pcolormesh(columns, lines, grid, vmin=0, vmax=1, cmap="inferno")
        axis.set(title=f"{feature}, {n_angles} angles", xlabel=label)
        axis.set_xticks([1, 5, 10, 15, 20])
        axis.set_yticks([0, 5, 10, 15, 19])
    axes[0].set_ylabel("number of discs")
    figure.colorbar(picture, ax=axes, label="accuracy", pad=0.01)
    return [_save(figure, folder, name)]


def fig7(folder):
    return _phase(folder, "fig7", "strength of the salt")


def fig8(folder):
    return _phase(folder, "fig8", "largest amplitude")


def _maps(folder, name, panels):
    """Confusion maps: true classes downwards, predicted ones to the right."""
    n_columns = min(len(panels), 4 if len(panels) % 4 == 0 else 3)
    n_rows = -(-len(panels) // n_columns)
    figure = Figure(figsize=(3.1 * n_columns + 0.6, 3.7 * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()[: len(panels)]
    for axis, (title, rows) in zip(axes, panels.items(), strict=True):
        labels = sorted({int(row["true"]) for row in rows})
        shares = np.zeros((len(labels), len(labels)))
        for row in rows:
            i, j = (labels.index(int(row[key])) for key in ("true", "predicted"))
            shares[i, j] = float(row["value"])
        picture = axis.imshow(shares, vmin=0, vmax=1, cmap="inferno")
        axis.set_xticks(range(len(labels)), labels, fontsize=8)
        axis.set_yticks(range(len(labels)), labels, fontsize=8)
        axis.set_title(title, fontsize=10)
        axis.set(xlabel="predicted class", ylabel="true class")
    figure.colorbar(picture, ax=list(axes), label="share of the true class", pad=0.01)
    return _save(figure, folder, name)


def confusion(folder):
    panels = {}
    for row in _rows(folder, "confusion_symbols"):
        title = f"{row['dataset']}\nmean, {row['train_per_class']} training samples"
        panels.setdefault(title, []).append(row)
    drawn = [_maps(folder, "confusion_symbols", panels)]
    panels = {}
    for row in _rows(folder, "confusion_linmnist"):
        # The paper's choice of k: the best one for each feature and number of samples.
        best = {("max", "11"): "5", ("max", "25"): "5"}
        if row["k"] == best.get((row["feature"], row["train_per_class"]), "11"):
            title = f"{row['feature']}, {row['train_per_class']} training samples\n{row['k']}-NN"
            panels.setdefault(title, []).append(row)
    return [*drawn, _maps(folder, "confusion_linmnist", panels)]


DRAW = {
    "fig2": fig2,
    "fig3": fig3,
    "fig4": fig4,
    "fig5": fig5,
    "fig6": fig6,
    "fig7": fig7,
    "fig8": fig8,
    "confusion": confusion,
}
