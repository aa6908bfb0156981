"""Pictures: digits by the number of training samples, drawings found by the noise."""

from matplotlib.figure import Figure

from benchmarks.accuracy.search import MAIN, OURS
from benchmarks.accuracy.tables import GROUPS, NAMES, best

METHODS = {
    "ShapeClassifier": ("black", "-"),
    "InvariantHOG, copies": ("C6", "-"),
    "InvariantHOG": ("C3", "-"),
    "small CNN": ("C0", "--"),
    "SpectralNRCDT": ("C1", "-"),
    "RootSIFT": ("C2", "--"),
    "whitened Zernike moments": ("C4", "--"),
    "HOG": ("C5", "--"),
    "EfficientNet-lite0": ("C7", "--"),
    "MaxNRCDT": ("C8", "-"),
}


def digits(rows):
    """Draw accuracies; the legend, below for narrow screens, is in the order of the lines at their
    right ends."""
    figure = Figure(figsize=(6, 6), layout="constrained")
    axes = figure.subplots()
    lines = {}
    for method, (color, style) in METHODS.items():
        found = [row for cell in GROUPS["digits"].values() if (row := best(rows, *cell, method))]
        if found:
            points = [(int(row["train"]), float(row["accuracy"])) for row in found]
            (lines[method],) = axes.plot(*zip(*points, strict=True), style, color=color, marker="o")
    order = sorted(lines, key=lambda method: -lines[method].get_ydata()[-1])
    axes.set(xscale="log", ylim=(0, 1))
    axes.set_xlabel("training samples of each digit", fontsize=14)
    axes.set_ylabel("accuracy, digits in any affine pose", fontsize=14)
    axes.tick_params(labelsize=13)
    if order:
        sizes = lines[order[0]].get_xdata()
        axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
        axes.minorticks_off()
        figure.legend(
            [lines[method] for method in order],
            [NAMES.get(method, method) for method in order],
            loc="outside lower center",
            ncols=2,
            fontsize=12,
            frameon=False,
        )
    axes.grid(alpha=0.3)
    return figure


def searches(rows):
    """Draw the curves: all searches on the hardest paper, and ours for each nuisance."""
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    simulated = [r for r in rows if r["snr"] not in ("", "0.0")]
    for axes, key, title in (
        (left, "search", "all nuisances"),
        (right, "task", f"{OURS}, by nuisance"),
    ):
        chosen = [
            r for r in simulated if (r["task"] == "all" if axes is left else r["search"] == OURS)
        ]
        for k, name in enumerate(dict.fromkeys(r[key] for r in chosen)):
            points = [(float(r["snr"]), float(r["top1"])) for r in chosen if r[key] == name]
            main = name in (OURS, *MAIN)
            style = {"linewidth": 2 if main else 1.2, "markersize": 4}
            axes.plot(*zip(*points, strict=True), "o-" if main else "o--", color=f"C{k}", **style,
                      label=name.removeprefix("OpenCV "))  # fmt: skip
        ticks = sorted({float(r["snr"]) for r in chosen})
        axes.set(xscale="log", ylim=(-0.02, 1.02), title=title, xlabel="signal-to-noise ratio")
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False,
                    fontsize="small")  # fmt: skip
    left.set_ylabel("right drawing first")
    return figure
