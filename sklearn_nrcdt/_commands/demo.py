"""Classify deformed symbols, given one template of each.

Random affine maps (scale, rotation, shear, shift) of twelve symbols are classified by the
nearest template, with raw pixels, plain HOG and the features of this package, and by
`ShapeClassifier`.
"""

import time

import numpy as np
from skimage.feature import hog
from sklearn.preprocessing import FunctionTransformer

from sklearn_nrcdt import (
    InvariantHOG,
    MaxNRCDT,
    MeanNRCDT,
    NearestTemplateClassifier,
    RadonCDT,
    ShapeClassifier,
)
from sklearn_nrcdt._commands.console import Problem
from sklearn_nrcdt.datasets import make_symbols

HELP = "classify deformed symbols, as a demonstration (the default)"
EXAMPLE = "nrcdt demo --samples 5"
MOST = 10_000  # samples, and angles
NORMS = {"Euclidean": "euclidean", "maximum norm": "chebyshev"}


def add_arguments(parser):
    """Declare the options."""
    parser.add_argument("--samples", type=int, default=20, help="samples per class (default 20)")
    parser.add_argument(
        "--angles", type=int, default=128, help="angles on the circle (default 128)"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the deformations (default 0)")


def main(args):
    """Run the experiment."""
    if not (1 <= args.samples <= MOST and 1 <= args.angles <= MOST):
        raise Problem(f"--samples and --angles must be from 1 to {MOST}.")
    if not 0 <= args.seed < 2**32:
        raise Problem(f"--seed must be from 0 to {2**32 - 1}.")
    print(
        f"Deforming 12 symbols of 256 x 256 pixels, {args.samples} random affine maps of each ..."
    )
    symbols = make_symbols(args.samples, random_state=args.seed)
    print(f"Nearest of 12 templates, accuracy on {len(symbols.images)} images:\n")
    run(symbols, args.angles, args.n_jobs)


def run(symbols, n_angles, n_jobs=None, report=print):
    """Return accuracies by feature and norm, and report each when it is done."""
    extractors = {
        "raw pixels": FunctionTransformer(lambda images: images.reshape(len(images), -1)),
        "plain HOG": FunctionTransformer(_plain_hog),
        "R-CDT": RadonCDT(n_angles, n_jobs=n_jobs),
        "max NR-CDT": MaxNRCDT(n_angles, n_jobs=n_jobs),
        "mean NR-CDT": MeanNRCDT(n_angles, n_jobs=n_jobs),
        "InvariantHOG": InvariantHOG(n_jobs=n_jobs),
    }
    report(f"{'feature':15s} {'length':>7s}" + "".join(f"{name:>14s}" for name in NORMS))
    accuracies = {}
    for name, extractor in extractors.items():
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
        report(f"{name:15s} {features.shape[1]:7d}{columns}   ({seconds:.1f} s)")
    start = time.perf_counter()
    model = ShapeClassifier(n_jobs=n_jobs).fit(symbols.templates, symbols.template_target)
    accuracy = model.score(symbols.images, symbols.target)
    seconds = time.perf_counter() - start
    report(f"{'ShapeClassifier':23s}{accuracy:14.3f}{'':14s}   ({seconds:.1f} s)")
    return accuracies | {"ShapeClassifier": accuracy}


def _plain_hog(images):
    cells = {"pixels_per_cell": (32, 32), "cells_per_block": (2, 2)}
    return np.stack([hog(image, **cells) for image in images])
