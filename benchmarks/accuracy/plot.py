"""The picture of docs/accuracy.md: digits by the number of training samples."""

METHODS = {
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


def draw(rows, file, names):
    """Save the picture; the legend, below for narrow screens, is in the order of
    the lines at their right ends."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 6), layout="constrained")
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
            [names.get(method, method) for method in order],
            loc="outside lower center",
            ncols=2,
            fontsize=12,
            frameon=False,
        )
    axes.grid(alpha=0.3)
    figure.savefig(file, dpi=140)
