"""Classify deformed symbols, given one template of each.

Random affine maps (scale, rotation, shear, shift) of twelve symbols are classified by the
nearest template, with raw pixels, plain HOG and the features of this package.
"""

import time

import numpy as np
from skimage.feature import hog
from sklearn.preprocessing import FunctionTransformer

from sklearn_nrcdt import InvariantHOG, MaxNRCDT, MeanNRCDT, NearestTemplateClassifier, RadonCDT
from sklearn_nrcdt._commands.console import Problem, check_output, whole_file
from sklearn_nrcdt.datasets import make_symbols

HELP = "classify deformed symbols, as a demonstration (the default)"
EXAMPLE = "nrcdt demo --samples 5 --picture result.png"
NORMS = {"Euclidean": "euclidean", "maximum norm": "chebyshev"}
PICTURES = (".png", ".pdf", ".svg", ".jpg")


def add_arguments(parser):
    """Declare the options."""
    parser.add_argument("--samples", type=int, default=20, help="samples per class (default 20)")
    parser.add_argument(
        "--angles", type=int, default=128, help="angles on the circle (default 128)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the deformations (default 0)")
    parser.add_argument("--picture", metavar="FILE", help="save a picture (needs matplotlib)")


def main(args):
    """Run the experiment."""
    if args.samples < 1 or args.angles < 1:
        raise Problem("--samples and --angles must be at least 1.")
    if args.picture:
        picture = check_output("--picture", args.picture, PICTURES)
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            raise Problem(
                "--picture needs matplotlib: pip install 'sklearn-nrcdt[plot]'."
            ) from None
    print(
        f"Deforming 12 symbols of 256 x 256 pixels, {args.samples} random affine maps of each ..."
    )
    symbols = make_symbols(args.samples, random_state=args.seed, n_jobs=args.n_jobs)
    print(f"Nearest of 12 templates, accuracy on {len(symbols.images)} images:\n")
    accuracies = run(symbols, args.angles, args.n_jobs)
    if args.picture:
        with whole_file(picture) as part:
            draw(symbols, accuracies, part)
        print(f"\nSaved {picture}")


def extractors(n_angles, n_jobs):
    """Return the features to compare."""
    return {
        "raw pixels": FunctionTransformer(_rows),
        "plain HOG": FunctionTransformer(_plain_hog),
        "R-CDT": RadonCDT(n_angles, n_jobs=n_jobs),
        "max NR-CDT": MaxNRCDT(n_angles, n_jobs=n_jobs),
        "mean NR-CDT": MeanNRCDT(n_angles, n_jobs=n_jobs),
        "InvariantHOG": InvariantHOG(n_jobs=n_jobs),
    }


def run(symbols, n_angles, n_jobs=None, report=print):
    """Return accuracies by feature and norm, and report each feature when it is done."""
    report(f"{'feature':13s} {'length':>7s}" + "".join(f"{name:>14s}" for name in NORMS))
    accuracies = {}
    for name, extractor in extractors(n_angles, n_jobs).items():
        start = time.perf_counter()
        # Features once, then one classifier for each norm.
        templates = extractor.fit_transform(symbols.templates)
        features = extractor.transform(symbols.images)
        accuracies[name] = {
            norm: NearestTemplateClassifier(metric)
            .fit(templates, symbols.template_target)
            .score(features, symbols.target)
            for norm, metric in NORMS.items()
        }
        columns = "".join(f"{accuracies[name][norm]:14.3f}" for norm in NORMS)
        seconds = time.perf_counter() - start
        report(f"{name:13s} {features.shape[1]:7d}{columns}   ({seconds:.1f} s)")
    return accuracies


def draw(symbols, accuracies, path):
    """Save a picture: templates above samples, and the accuracies."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 5.6), layout="constrained")
    pictures, bars = figure.subfigures(1, 2, width_ratios=[1.7, 1], squeeze=False)[0]
    # Eight fit in a size that is easy to see.
    shown = np.linspace(0, len(symbols.templates) - 1, 8).astype(int)
    first_of_class = np.searchsorted(symbols.target, symbols.template_target)
    axes = pictures.subplots(4, 4).reshape(2, 2, 4)
    for place, k in enumerate(shown):
        template, sample = axes[place // 4, :, place % 4]
        template.imshow(_closer(symbols.templates[k]), cmap="gray", vmax=0.7)
        sample.imshow(_closer(symbols.images[first_of_class[k]]), cmap="gray", vmax=0.7)
        for axis, colour in ((template, "#3b7dd8"), (sample, "#f2a541")):
            axis.set(xticks=[], yticks=[])
            axis.spines[:].set(color=colour, linewidth=2.5)
    for row in axes:
        row[0, 0].set_ylabel("template", color="#3b7dd8", fontsize=13)
        row[1, 0].set_ylabel("sample", color="#c77700", fontsize=13)
    axis = bars.subplots()
    names = list(accuracies)[::-1]
    values = [accuracies[name]["Euclidean"] for name in names]
    # The first three are there for comparison.
    colours = ["#4c72b0"] * (len(names) - 3) + ["#b0b0b0"] * 3
    axis.barh(names, values, color=colours)
    for position, value in enumerate(values):
        inside = value > 0.5
        axis.text(
            value + (-0.02 if inside else 0.02),
            position,
            f"{value:.2f}",
            va="center",
            ha="right" if inside else "left",
            color="white" if inside else "black",
            fontsize=13,
        )
    axis.tick_params(labelsize=13)
    axis.set_title("accuracy with\none template per class", fontsize=13)
    axis.set(xlim=(0, 1), xticks=[0, 0.5, 1])
    axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=100)


def _closer(image):
    """Crop an image to a square around its figure."""
    rows, columns = np.nonzero(image > 0.1 * image.max())
    middles = [(places.min() + places.max()) // 2 for places in (rows, columns)]
    half = max(np.ptp(rows), np.ptp(columns)) // 2 + 10
    padded = np.pad(image, half)
    return padded[tuple(slice(middle, middle + 2 * half) for middle in middles)]


def _rows(images):
    return images.reshape(len(images), -1)


def _plain_hog(images):
    return np.stack(
        [hog(image, pixels_per_cell=(32, 32), cells_per_block=(2, 2)) for image in images]
    )
