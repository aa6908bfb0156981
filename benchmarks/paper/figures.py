"""The paper's figures. Needs matplotlib; Figure 3 also needs POT."""

from functools import partial

import numpy as np
from matplotlib.figure import Figure

from benchmarks.data import MissingData
from benchmarks.paper.data import BENT, MILD, SALT, STRONG, symbols
from benchmarks.paper.summary import group, phase
from benchmarks.tables import stored
from sklearn_nrcdt import MaxNRCDT, MeanNRCDT
from sklearn_nrcdt.datasets import add_salt, load_symbols, random_wave

COLORS = {5: "#0072b2", 12: "#d55e00"}
TITLES = {"max": "max NR-CDT", "mean": "mean NR-CDT"}


def _save(args, figure, name):
    path = args.results / f"{name}.png"
    figure.savefig(path, dpi=100, metadata={"Software": None})
    print(path)


def _rows(args, name):
    (rows,) = stored(args.results, name)
    if not rows:
        raise MissingData(f"{name}.csv is missing: run the table first.")
    return rows


def _curves(args, name, ranges, classes):
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
    _save(args, figure, name)


fig2 = partial(_curves, name="fig2", ranges=STRONG, classes=[5, 12])
fig4 = partial(_curves, name="fig4", ranges={**BENT, **STRONG}, classes=[5, 12])
fig6 = partial(_curves, name="fig6", ranges={**MILD, **SALT}, classes=[5])


# Figure 3: pixels are put together in squares of this side; distances change by less than that.
BLOCK = 2


def transport_maps():
    """Yield the three cases of Figure 3, for symbol 5: title, image, and its transport."""
    template = load_symbols().images[[4]]
    bent = random_wave(template, **BENT, random_state=1)
    salt = {"n_discs": 6, "strength": 9, "random_state": 1}
    for title, image in {
        "non-affine": bent,
        "salt of strength 9": add_salt(template, **salt),
        "non-affine and salt": add_salt(bent, **salt),
    }.items():
        yield title, image[0], *transport(image[0], template[0])


def transport(image, template):
    """Wasserstein-2 distance of two images, and the mean displacement of every place."""
    import ot  # POT

    (places, mass), (goals, wanted) = _points(image), _points(template)
    plan, log = ot.emd(mass, wanted, ot.dist(places, goals), numItermax=10**7, log=True)
    mean_goal = plan @ goals / mass[:, None]
    side = np.sqrt(2) / max(image.shape)
    return side * np.sqrt(log["cost"]), (*places.T, *(mean_goal - places).T)


def _points(image):
    """Places (x, y) in pixels, and shares of the mass."""
    height, width = (side // BLOCK for side in image.shape)
    blocks = image.reshape(height, BLOCK, width, BLOCK).sum(axis=(1, 3)).astype(np.float64)
    rows, columns = np.nonzero(blocks)
    mass = blocks[rows, columns]
    return BLOCK * (np.column_stack([columns, rows]) + 0.5), mass / mass.sum()


def fig3(args):
    """Transport of a corrupted symbol to its template, as a vector field."""
    figure = Figure(figsize=(10.5, 4.1), layout="constrained")
    for axis, (title, image, distance, field) in zip(
        figure.subplots(1, 3), transport_maps(), strict=True
    ):
        half = image.shape[0] / 2
        # The corrupted image in pixels; arrows end where the template takes the mass.
        axis.imshow(1 - image, cmap="gray", extent=(0, 2 * half, 2 * half, 0), vmin=0)
        x, y, dx, dy = field
        moved = np.hypot(dx, dy) > 0.25
        arrows = [part[moved] for part in (x, y, dx, dy, np.hypot(dx, dy))]
        units = {"angles": "xy", "scale_units": "xy", "scale": 1}
        axis.quiver(*arrows, width=0.004, cmap="autumn_r", **units)
        axis.set(xlim=(half - 110, half + 110), ylim=(half + 110, half - 110))
        sizes = f"$W_2$ = {distance:.4f},  $W_2^2$ = {distance**2:.5f}"
        axis.set_title(f"{title}\n{sizes}", fontsize=10)
        axis.set(xticks=[], yticks=[])
    _save(args, figure, "fig3")


def fig5(args):
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
    _save(args, figure, "fig5")


def _grid(rows, down, right):
    """The values of two columns, and the matrix of what was measured for each pair of them."""
    lines, columns = (sorted({int(row[key]) for row in rows}) for key in (down, right))
    grid = np.full((len(lines), len(columns)), np.nan)
    for row in rows:
        grid[lines.index(int(row[down])), columns.index(int(row[right]))] = float(row["value"])
    return lines, columns, grid


def _phase(args, name, label):
    phase(args, name)
    rows = _rows(args, name)
    angles = sorted({int(row["angles"]) for row in rows})
    figure = Figure(figsize=(2.6 * 2 * len(angles) * 0.72 + 1, 3.1), layout="constrained")
    axes = figure.subplots(1, 2 * len(angles), sharey=True)
    for axis, (n_angles, feature) in zip(
        axes, ((n, f) for n in angles for f in TITLES), strict=True
    ):
        mine = [r for r in rows if int(r["angles"]) == n_angles and r["feature"] == feature]
        lines, columns, grid = _grid(mine, "n_discs", "x")
        picture = axis.pcolormesh(columns, lines, grid, vmin=0, vmax=1, cmap="inferno")
        axis.set(title=f"{feature}, {n_angles} angles", xlabel=label)
        axis.set_xticks([1, 5, 10, 15, 20])
        axis.set_yticks([0, 5, 10, 15, 19])
    axes[0].set_ylabel("number of discs")
    figure.colorbar(picture, ax=axes, label="accuracy", pad=0.01)
    _save(args, figure, name)


fig7 = partial(_phase, name="fig7", label="strength of the salt")
fig8 = partial(_phase, name="fig8", label="largest amplitude")


def _maps(args, name, panels):
    """Confusion maps: true classes downwards, predicted ones to the right."""
    n_columns = min(len(panels), 4 if len(panels) % 4 == 0 else 3)
    n_rows = -(-len(panels) // n_columns)
    figure = Figure(figsize=(3.1 * n_columns + 0.6, 3.7 * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()[: len(panels)]
    for axis, (title, rows) in zip(axes, panels.items(), strict=True):
        labels, _, shares = _grid(rows, "true", "predicted")
        picture = axis.imshow(shares, vmin=0, vmax=1, cmap="inferno")
        axis.set_xticks(range(len(labels)), labels, fontsize=8)
        axis.set_yticks(range(len(labels)), labels, fontsize=8)
        axis.set_title(title, fontsize=10)
        axis.set(xlabel="predicted class", ylabel="true class")
    figure.colorbar(picture, ax=list(axes), label="share of the true class", pad=0.01)
    _save(args, figure, name)


def confusion(args):
    """Confusion maps of Tables 4 and 6."""
    panels = {
        f"{name}\nmean, {size} training samples": rows
        for (name, size), rows in group(
            _rows(args, "confusion_symbols"), ["dataset", "train_per_class"]
        ).items()
    }
    _maps(args, "confusion_symbols", panels)
    # The paper's choice of k: the best one for each feature and number of samples.
    best = {("max", "11"): "5", ("max", "25"): "5"}
    keys = ["feature", "train_per_class", "k"]
    panels = {
        f"{feature}, {size} training samples\n{k}-NN": rows
        for (feature, size, k), rows in group(_rows(args, "confusion_linmnist"), keys).items()
        if k == best.get((feature, size), "11")
    }
    _maps(args, "confusion_linmnist", panels)


def agreement(results, unknown):
    """Draw the paper's values against ours; `unknown` has those that differ for no known reason."""
    # Colors that those who see no red or green can tell apart; shapes say the same again.
    looks = {
        "other characters (Table 5)": {"color": "0.6", "marker": "s", "facecolors": "none"},
        "agree": {"color": "#0072b2", "marker": "o", "alpha": 0.5},
        "differ, explained": {"color": "#e69f00", "marker": "^"},
        "differ, not explained": {"color": "#a00000", "marker": "x"},
    }
    points = {name: [] for name in looks}
    for table in "23456":
        for row in stored(results, f"table{table}")[0]:
            name = "agree"
            if table == "5":
                name = "other characters (Table 5)"
            elif row["agrees"] == "no":
                is_unknown = (table, row["paper"], row["value"]) in unknown
                name = "differ, not explained" if is_unknown else "differ, explained"
            if row["paper"]:
                points[name].append((float(row["paper"]), float(row["value"])))
    figure = Figure(figsize=(6, 6), layout="constrained")
    ax = figure.subplots()
    ax.axline((0, 0), (1, 1), color="0.4", lw=1, zorder=0)
    for name, found in points.items():
        if found:
            ax.scatter(*zip(*found, strict=True), s=36, lw=1.4, label=f"{len(found)} {name}",
                       **looks[name])  # fmt: skip
    ax.set(aspect="equal", xlim=(-0.02, 1.03), ylim=(-0.02, 1.03))
    ax.set_xlabel("accuracy in the paper", fontsize=15)
    ax.set_ylabel("accuracy in our run", fontsize=15)
    ax.tick_params(labelsize=13)
    ax.grid(alpha=0.3)
    ax.legend(loc="lower right", fontsize=12)
    return figure
