"""The pictures of the page on performance; see `benchmarks.performance_page`."""

import numpy as np

from benchmarks.scaling import model
from benchmarks.scaling.points import SWEEPS

COLORS = {"sparse": "tab:blue", "dense": "tab:orange"}
SHOWN = {
    ("MaxNRCDT", "float32"): "MaxNRCDT (ours)",
    ("torchcdt, corners cut", "float32"): "torchcdt, corners cut",
    ("torchcdt", "float32"): "torchcdt",
    ("PyTransKit", "float64"): "PyTransKit",
    ("skimage.radon", "float64"): "skimage.radon *",
    ("imops.radon", "float32"): "imops.radon *",
    ("ASTRA CPU, strips", "float32"): "ASTRA, strips *",
    ("ASTRA CPU, lines", "float32"): "ASTRA, lines *",
}


def speed(plt, rows, path):
    """Milliseconds per image of each library, a panel for each case, 128 angles."""
    rows = [r for r in rows if r["measure"] == "transform" and r["angles"] == "128"]
    cases = list(dict.fromkeys(row["case"] for row in rows))
    figure, axes = plt.subplots(1, len(cases), figsize=(15, 3.2), sharey=True, squeeze=False)
    for ax, case in zip(axes[0], cases, strict=True):
        found = {(r["library"], r["dtype"]): r["ms"] for r in rows if r["case"] == case}
        names = list(SHOWN.values())[::-1]  # bars go upwards
        times = [float(found.get(key) or "nan") for key in SHOWN][::-1]
        ax.barh(names, times, color=["tab:red" if "ours" in n else "0.65" for n in names])
        for i, ms in enumerate(times):
            text = f" {ms:.3g}" if np.isfinite(ms) else " missing"
            ax.text(ms if np.isfinite(ms) else np.nanmin(times), i, text, va="center", fontsize=8)
        ax.set(xscale="log", title=case, xlabel="ms per image")
        ax.set_xlim(np.nanmin(times) / 2, np.nanmax(times) * 6)
        ax.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def scaling(plt, rows, path):
    """Measured times and the fitted model, a panel for each quantity."""
    figure, axes = plt.subplots(2, 4, figsize=(13, 5.6))
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


def tradeoff(plt, rows, path):
    """Accuracy over time, a panel for each task and parameter."""
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    parameters = list(dict.fromkeys(row["parameter"] for row in rows))
    figure, axes = plt.subplots(
        len(tasks), len(parameters), figsize=(13, 3.3 * len(tasks)), sharey="row", squeeze=False
    )
    for row_of_axes, task in zip(axes, tasks, strict=True):
        for ax, parameter in zip(row_of_axes, parameters, strict=True):
            here = [r for r in rows if (r["task"], r["parameter"]) == (task, parameter)]
            for i, feature in enumerate(dict.fromkeys(r["feature"] for r in here)):
                chosen = [r for r in here if r["feature"] == feature]
                x = [float(r["ms"]) for r in chosen]
                y = [float(r["accuracy"]) for r in chosen]
                error = [float(r["error"]) for r in chosen]
                ax.errorbar(x, y, error, marker="o", ms=4, lw=1, color=f"C{i}", label=feature)
                for r, a, b in zip(chosen, x, y, strict=True):
                    style = {"weight": "bold"} if r["is_default"] == "True" else {}
                    place = (4, 5) if i == 0 else (4, -11)
                    ax.annotate(
                        r["value"], (a, b), place, textcoords="offset points", fontsize=8, **style
                    )
            ax.set(xscale="log", xlabel="ms per image", title=f"{task}: {parameter}")
        row_of_axes[0].set_ylabel("accuracy")
    axes[0, 0].legend(loc="lower right", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
