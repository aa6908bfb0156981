"""The picture of docs/accuracy.md: digits by the number of training samples."""

METHODS = {
    "InvariantHOG": ("C3", "-"),
    "small CNN": ("C0", "--"),
    "SpectralNRCDT": ("C1", "-"),
    "RootSIFT": ("C2", "--"),
    "whitened Zernike moments": ("C4", "--"),
    "HOG": ("C5", "--"),
    "EfficientNet-lite0": ("C7", "--"),
    "MaxNRCDT": ("C8", "-"),
}


def draw(rows, file):
    """Save the picture; the legend is in the order of the lines at their right ends."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    axes = figure.subplots()
    lines = {}
    for method, (color, style) in METHODS.items():
        found = {}
        for row in rows:
            if row["task"] == "LinMNIST" and row["method"] == method:
                size, value = int(row["train"]), float(row["accuracy"])
                found[size] = max(found.get(size, 0), value)
        if found:
            values = [found[size] for size in sorted(found)]
            (lines[method],) = axes.plot(sorted(found), values, style, color=color, marker="o")
    order = sorted(lines, key=lambda method: -lines[method].get_ydata()[-1])
    axes.set(
        xscale="log",
        ylim=(0, 1),
        xlabel="training samples of each digit",
        ylabel="accuracy, digits in any affine pose",
    )
    if order:
        sizes = lines[order[0]].get_xdata()
        axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
        axes.minorticks_off()
        axes.legend([lines[method] for method in order], order, loc="center left",
                    bbox_to_anchor=(1.01, 0.5), frameon=False)  # fmt: skip
    axes.grid(alpha=0.3)
    figure.savefig(file, dpi=110)
