"""The headline experiment.

Twelve symbols, one template of each. Random affine maps of them (scale, rotation, shear,
shift) are classified by the nearest template, with raw pixels and with each of our
features.
"""

import time

import numpy as np
from sklearn.preprocessing import FunctionTransformer

from sklearn_nrcdt import InvariantHOG, MaxNRCDT, MeanNRCDT, NearestTemplateClassifier, RadonCDT
from sklearn_nrcdt._commands.console import Problem, check_output, whole_file
from sklearn_nrcdt.datasets import make_symbols

HELP = "show on twelve symbols what the features can do (the default)"
EXAMPLE = "nrcdt demo --samples 5 --picture result.png"
NORMS = {"Euclidean": "euclidean", "maximum norm": "chebyshev"}
PICTURES = (".png", ".pdf", ".svg", ".jpg")


def add_arguments(parser):
    """Declare the options."""
    parser.add_argument("--samples", type=int, default=20, help="per class (default 20)")
    parser.add_argument("--angles", type=int, default=128, help="on the full circle (default 128)")
    parser.add_argument("--seed", type=int, default=0, help="of the deformations (default 0)")
    parser.add_argument("--picture", metavar="FILE", help="save a picture, needs matplotlib")


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
            draw(symbols, accuracies, args.angles, part)
        print(f"\nSaved {picture}")


def extractors(n_angles, n_jobs):
    """Return the features to compare."""
    return {
        "raw pixels": FunctionTransformer(_rows),
        "R-CDT": RadonCDT(n_angles, n_jobs=n_jobs),
        "max NR-CDT": MaxNRCDT(n_angles, n_jobs=n_jobs),
        "mean NR-CDT": MeanNRCDT(n_angles, n_jobs=n_jobs),
        "invariant HOG": InvariantHOG(n_jobs=n_jobs),
    }


def run(symbols, n_angles, n_jobs=None, report=print):
    """Return accuracies by feature and norm, reporting each feature as it is done."""
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


def draw(symbols, accuracies, n_angles, path):
    """Save a picture: templates above samples, and the accuracies."""
    from matplotlib.figure import Figure

    n_classes = len(symbols.templates)
    figure = Figure(figsize=(10, 5), layout="constrained")
    pictures, bars = figure.subfigures(1, 2, width_ratios=[2, 1], squeeze=False)[0]
    axes = pictures.subplots(4, n_classes // 2)
    first_of_class = np.searchsorted(symbols.target, symbols.template_target)
    for k in range(n_classes):
        top, column = 2 * (k // (n_classes // 2)), k % (n_classes // 2)
        for row, image in (
            (top, symbols.templates[k]),
            (top + 1, symbols.images[first_of_class[k]]),
        ):
            axes[row, column].imshow(image, cmap="gray" if row % 2 else "bone", vmin=0)
            axes[row, column].set_axis_off()
    pictures.suptitle("one template per class, and a sample to be classified below it")
    axis = bars.subplots()
    names = list(accuracies)
    values = [accuracies[name]["Euclidean"] for name in names]
    # The first two are there for comparison.
    colors = ["#b0b0b0"] * 2 + ["#4c72b0"] * (len(names) - 2)
    axis.barh(names[::-1], values[::-1], color=colors[::-1])
    for position, value in enumerate(values[::-1]):
        inside = value > 0.5
        axis.text(
            value + (-0.02 if inside else 0.02),
            position,
            f"{value:.3f}",
            va="center",
            ha="right" if inside else "left",
            color="white" if inside else "black",
        )
    axis.set(xlim=(0, 1), xlabel=f"accuracy with {n_angles} angles", title="nearest template")
    axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=100)


def _rows(images):
    return images.reshape(len(images), -1)
