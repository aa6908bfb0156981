"""How far the probabilities of our classifiers can be trusted.

scikit-learn's digits in random poses, 1 to 20 training samples of each class, 3 splits: accuracy,
log loss, and the expected calibration error of the likeliest class in ten bins.
"""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss

from benchmarks.command import store
from benchmarks.data import splits
from sklearn_nrcdt import (
    MaxNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    SpectralNRCDT,
)
from sklearn_nrcdt.datasets import make_linmnist


def calibration_error(sure, right):
    """Mean difference between how sure a model is and how often it is right, in ten bins."""
    bins = np.minimum((10 * sure).astype(int), 9)
    return np.abs(np.bincount(bins, weights=sure - right)).sum() / len(right)


def rows(quick):
    maps = {"scale": (0.75, 1.25), "shear": (-20, 20), "shift": (-5, 5), "cut": "redraw"}
    digits, n = load_digits(), 20 if quick else 100
    posed = make_linmnist(digits.images, digits.target, n_samples_per_class=n, zoom=3, size=48,
                          random_state=0, **maps)  # fmt: skip
    target = posed.target.astype(int)
    for transformer in (SpectralNRCDT(), MaxNRCDT()):
        features = transformer.fit_transform(posed.images)
        for n in (1, 5) if quick else (1, 2, 5, 20):
            for model in (NearestTemplateClassifier(), NearestSubspaceClassifier()):
                found = []
                for train, test in splits(target, n, 3):
                    model.fit(features[train], target[train])
                    right, likely = target[test], model.predict_proba(features[test])
                    hits = likely.argmax(axis=1) == right
                    error = calibration_error(likely.max(axis=1), hits)
                    found.append((np.mean(hits), log_loss(right, likely), error))
                numbers = [f"{value:.3f}" for value in np.mean(found, axis=0)]
                yield {
                    "features": type(transformer).__name__,
                    "samples": n,
                    "classifier": type(model).__name__,
                    **dict(zip(("accuracy", "log_loss", "ECE"), numbers, strict=True)),
                }


def run(args):
    store(args, "calibration", rows(args.quick))
