"""The pictures of the page on performance; see `page`."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks.performance import model
from benchmarks.performance.points import SWEEPS

COLORS = {"sparse": "tab:blue", "dense": "tab:orange"}
SHOWN = {
    ("MaxNRCDT", "float32"): "MaxNRCDT (ours)",
    ("InvariantHOG", "float32"): "InvariantHOG (ours)",
    ("skimage.feature.hog", "float32"): "skimage HOG",
    ("torchcdt", "float32"): "torchcdt",
    ("PyTransKit", "float64"): "PyTransKit",
    ("skimage.radon", "float64"): "skimage.radon *",
    ("imops.radon", "float32"): "imops.radon *",
    ("ASTRA CPU, lines", "float32"): "ASTRA, lines *",
}
PICTURED = ("28 x 28 digits", "256 x 256 symbols", "1024 x 1024 scan")


def plain(axis):
    """Label a logarithmic axis by 1, 2, 5, 10, ... instead of powers of ten."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def speed(rows, path):
    """Milliseconds per image of each library, a panel below the other for each case."""
    rows = [r for r in rows if r["measure"] == "transform" and r["angles"] == "128" and r["ms"]]
    cases = [case for case in PICTURED if any(r["case"] == case for r in rows)]
    measured = {(r["library"], r["dtype"]) for r in rows}
    shown = [(key, name) for key, name in SHOWN.items() if key in measured][::-1]  # upwards
    figure = Figure(figsize=(6, 0.9 * (1 + len(cases)) + 0.3 * len(shown) * len(cases)))
    axes = figure.subplots(len(cases), 1, squeeze=False)[:, 0]
    for ax, case in zip(axes, cases, strict=True):
        found = {(r["library"], r["dtype"]): float(r["ms"]) for r in rows if r["case"] == case}
        times = [found.get(key, np.nan) for key, _ in shown]
        colors = ["#d1495b" if "ours" in name else "0.65" for _, name in shown]
        ax.barh([name for _, name in shown], times, color=colors)
        for i, ms in enumerate(times):
            if np.isfinite(ms):
                text = f" {float(f'{ms:.3g}'):,.0f}" if ms > 99 else f" {ms:.2g}"
                ax.text(ms, i, text, va="center", fontsize=12)
        ax.set(xscale="log", xticks=[])
        ax.set_title(f"{case}, ms per image", fontsize=14, loc="left")
        ax.minorticks_off()
        ax.tick_params(axis="y", labelsize=12, length=0)
        ax.set_xlim(np.nanmin(times) / 2, np.nanmax(times) * 4)
        ax.spines[["top", "right", "bottom"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=140)


def scaling(rows, path):
    """Measured times and the fitted model, a panel for each quantity."""
    figure = Figure(figsize=(13, 5.6))
    axes = figure.subplots(2, 4)
    cost = {kind: model.fit([r for r in rows if r["kind"] == kind]) for kind in COLORS}
    for ax, (sweep, (name, _)) in zip(axes.flat, SWEEPS.items(), strict=False):
        if not any(r["sweep"] == sweep for r in rows):
            continue  # a partial run
        for kind, color in COLORS.items():
            here = [r for r in rows if r["sweep"] == sweep and r["kind"] == kind]
            x = [float(r[name]) * (int(r["side"]) ** 2 if name == "filled" else 1) for r in here]
            ax.plot(x, [float(r["ms"]) for r in here], "o", color=color, label=kind)
            ax.plot(x, [model.predict(cost[kind], r) for r in here], color=color, lw=1)
        ax.set(xscale="log", yscale="log", title=sweep, ylabel="ms per image")
        if name != "filled":
            plain(ax.xaxis)
            ax.tick_params(axis="x", labelsize=8)
        plain(ax.yaxis)
    ax = axes.flat[len(SWEEPS)]
    for kind, color in COLORS.items():
        here = [r for r in rows if r["kind"] == kind]
        measured = [float(r["ms"]) for r in here]
        ax.plot(
            measured, [model.predict(cost[kind], r) for r in here], ".", color=color, label=kind
        )
    low, high = ax.get_xlim()
    ax.axline((low, low), (high, high), color="0.5", lw=1)
    ax.set(xscale="log", yscale="log", xlabel="measured", ylabel="model", title="all, ms per image")
    axes.flat[0].legend(title="dots measured,\nlines model", fontsize=8, title_fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def tradeoff(rows, path):
    """Accuracy and time over the value of each parameter; the default has a larger dot."""
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    parameters = list(dict.fromkeys(row["parameter"] for row in rows))
    figure = Figure(figsize=(12, 4.4 * len(tasks)))
    axes = figure.subplots(2 * len(tasks), len(parameters), sharex="col", sharey="row")
    panels = [(task, column) for task in tasks for column in ("accuracy", "ms")]
    for row_of_axes, (task, column) in zip(axes, panels, strict=True):
        for ax, parameter in zip(row_of_axes, parameters, strict=True):
            here = [r for r in rows if (r["task"], r["parameter"]) == (task, parameter)]
            for i, feature in enumerate(dict.fromkeys(r["feature"] for r in here)):
                chosen = [r for r in here if r["feature"] == feature]
                x, y = ([float(r[name]) for r in chosen] for name in ("number", column))
                error = [float(r["error"]) for r in chosen] if column == "accuracy" else None
                ax.errorbar(x, y, error, marker="o", ms=3, lw=1, color=f"C{i}", label=feature)
                defaults = [r["is_default"] == "True" for r in chosen]
                ax.plot(np.array(x)[defaults], np.array(y)[defaults], "o", ms=9, color=f"C{i}")
            ax.set_xscale("log")
            plain(ax.xaxis)
            if ax in axes[-1]:
                ax.set_xlabel(parameter)
        unit = "ms per image" if column == "ms" else column
        row_of_axes[0].set_ylabel(f"{task}\n{unit}")
        if column == "ms":
            row_of_axes[0].set_ylim(bottom=0)  # shared by the row
    axes[0, 0].legend(loc="lower right", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
