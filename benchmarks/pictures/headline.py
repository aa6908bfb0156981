"""The picture of README.md: what is recognised, and how often, beside people and other methods."""

import numpy as np
from matplotlib.figure import Figure

from benchmarks.accuracy.tables import NAMES, PUBLISHED, best
from benchmarks.command import ROOT
from benchmarks.tables import save_figure, stored
from sklearn_nrcdt.datasets import load_symbols, random_affine, random_elastic

OURS, OTHERS, PEOPLE = "#4c72b0", "#b0b0b0", "#55a868"
TASKS = {
    "digits, any pose, 11 of each": ("LinMNIST", "11"),
    "symbols, any pose, 1 of each": ("affine symbols", "1"),
}
METHODS = ("ShapeClassifier", "small CNN", "RootSIFT", "EfficientNet-lite0")


def accuracies():
    """Return methods and accuracies for each task, from the stored results."""
    oneshot, rows = stored(ROOT / "benchmarks" / "accuracy" / "results", "oneshot", "comparison")
    ours = max(
        float(row["accuracy"])
        for row in oneshot
        if row["task"] == "Omniglot, upright" and row["method"].startswith("ShapeClassifier")
    )
    named = {"BPL": PUBLISHED["Bayesian program learning"], "people": PUBLISHED["people"]}
    named |= {"ShapeClassifier": ours, "siamese network": PUBLISHED["siamese network"]}
    groups = {"Omniglot, upright, 1 of each": named}
    for title, (task, train) in TASKS.items():
        found = {method: best(rows, task, train, method) for method in METHODS}
        groups[title] = {NAMES.get(m, m): float(row["accuracy"]) for m, row in found.items()}
    return groups


def _square(image):
    rows, columns = np.nonzero(image > 0.1 * image.max())
    middles = [(places.min() + places.max()) // 2 for places in (rows, columns)]
    half = max(np.ptp(rows), np.ptp(columns)) // 2 + 10
    return np.pad(image, half)[tuple(slice(m, m + 2 * half) for m in middles)]


def headline():
    """Templates above bent and mapped samples of them, and bars."""
    templates = load_symbols().images[[0, 2, 4, 5, 6, 7, 9, 11]]
    samples = random_elastic(templates, displacement=0.07, width=0.2, random_state=5)
    samples = random_affine(samples, scale=(0.6, 0.8), shear=(-30, 30), random_state=2)
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    pictures, bars = figure.subfigures(1, 2, width_ratios=[1.25, 1])
    axes = pictures.subplots(4, 4).reshape(2, 2, 4)
    kinds = {"template": (templates, "#3b7dd8"), "sample": (samples, "#c77700")}
    for row, (kind, (images, color)) in enumerate(kinds.items()):
        for axis, image in zip(axes[:, row].ravel(), images, strict=True):
            axis.imshow(_square(image), cmap="gray", vmax=0.7)
            axis.set(xticks=[], yticks=[])
            axis.spines[:].set(color=color, linewidth=2)
        for axis in axes[:, row, 0]:
            axis.set_ylabel(kind, color=color, fontsize=12)
    groups = accuracies()
    panels = bars.subplots(len(groups), 1, height_ratios=[len(group) for group in groups.values()])
    for axis, (title, group) in zip(panels, groups.items(), strict=True):
        colors = {"ShapeClassifier": OURS, "people": PEOPLE}
        names = sorted(group, key=group.get)
        drawn = axis.barh(
            names, [group[n] for n in names], color=[colors.get(n, OTHERS) for n in names]
        )
        axis.bar_label(drawn, fmt="%.3f", padding=3, fontsize=11)
        axis.set_title(title, fontsize=11, loc="left")
        axis.tick_params(labelsize=11)
        axis.set(xlim=(0, 1.2), xticks=[])
        axis.spines[["top", "right", "bottom"]].set_visible(False)
    return figure


def run(args):
    save_figure(args, headline(), "headline", 100)
