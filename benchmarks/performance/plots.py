"""The pictures of the page on performance."""

import numpy as np
from matplotlib.figure import Figure

SHOWN = {
    "MaxNRCDT": "MaxNRCDT (ours)",
    "InvariantHOG": "InvariantHOG (ours)",
    "skimage.feature.hog": "skimage HOG",
    "torchcdt": "torchcdt",
    "PyTransKit": "PyTransKit",
    "skimage.radon": "skimage.radon *",
}
PICTURED = ("28 x 28 digits", "256 x 256 symbols", "1024 x 1024 scan")


def speed(rows):
    """Draw milliseconds per image of each library, a panel below the other for each case."""
    rows = [r for r in rows if r["ms"]]
    cases = [case for case in PICTURED if any(r["case"] == case for r in rows)]
    measured = {r["library"] for r in rows}
    shown = [(key, name) for key, name in SHOWN.items() if key in measured][::-1]  # upwards
    figure = Figure(figsize=(6, 0.9 * (1 + len(cases)) + 0.3 * len(shown) * len(cases)))
    axes = figure.subplots(len(cases), 1, squeeze=False)[:, 0]
    for ax, case in zip(axes, cases, strict=True):
        found = {r["library"]: float(r["ms"]) for r in rows if r["case"] == case}
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
    return figure
