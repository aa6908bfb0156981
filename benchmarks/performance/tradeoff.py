"""Accuracy against time, for choosing the discretisation.

One of `n_angles`, `n_radii` and `n_quantiles` is varied around the defaults, for the maximum and
the mean over the angles. Symbols: one template per class, any affine map (scale 0.5 to 1.25,
shears up to 45 degrees), nearest template. LinMNIST: nearest neighbour of 25 samples per class,
mean over 10 random choices; it is left out, and said so, without MNIST. Time is that of
`transform` on one core, the shorter of two.
"""

import sys
import time

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.data import MissingData, linmnist, splits
from benchmarks.tables import print_and_write
from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, NearestTemplateClassifier
from sklearn_nrcdt.datasets import make_symbols

VALUES = {
    "n_angles": (4, 8, 16, 32, 64, 128, 256),
    "n_radii": (26, 51, 101, 151, 301, "auto", 851),
    "n_quantiles": (2, 4, 8, 16, 32, 64, 128),
}
FEATURES = {"max NR-CDT": MaxNRCDT, "mean NR-CDT": MeanNRCDT}
TRAIN, REPETITIONS = 25, 10


def timed(transformer, images):
    """Return features and milliseconds per image, without set-up."""
    transformer.fit(images[:1])
    times = []
    for _ in range(2):
        start = time.perf_counter()
        features = transformer.transform(images)
        times.append(time.perf_counter() - start)
    return features, 1000 * min(times) / len(images)


def symbols(n_samples):
    """Return the function (transformer) -> milliseconds, accuracy, standard error."""
    made = make_symbols(n_samples, random_state=0)

    def evaluate(transformer):
        features, ms = timed(transformer, made.images)
        classifier = NearestTemplateClassifier()
        classifier.fit(transformer.transform(made.templates), made.template_target)
        accuracy = classifier.score(features, made.target)
        return ms, accuracy, np.sqrt(accuracy * (1 - accuracy) / len(made.target))

    return evaluate


def digits(path, n_samples):
    """The same for digits."""
    made = linmnist(path, n_samples)

    def evaluate(transformer):
        features, ms = timed(transformer, made.images)
        scores = []
        for train, test in splits(made.target, min(TRAIN, n_samples // 2), REPETITIONS):
            nearest = KNeighborsClassifier(1).fit(features[train], made.target[train])
            scores.append(nearest.score(features[test], made.target[test]))
        return ms, np.mean(scores), np.std(scores) / np.sqrt(REPETITIONS)

    return evaluate


def tasks(args):
    yield "affine symbols", symbols(2 if args.quick else 20)
    if args.quick and not args.mnist:
        return
    try:
        yield "LinMNIST", digits(args.mnist, 10 if args.quick else 100)
    except MissingData as error:
        print(f"LinMNIST is left out: {error}", file=sys.stderr)


def settings():
    """Yield parameter, value and whether it is the default; the defaults once for each."""
    for name, values in VALUES.items():
        default = MaxNRCDT().get_params()[name]
        for value in values:
            yield name, value, value == default


def measure(args):
    """Yield the rows of the table."""
    for task, evaluate in tasks(args):
        for feature, transformer in FEATURES.items():
            for name, value, is_default in settings():
                fitted = transformer(**{name: value})
                ms, accuracy, error = evaluate(fitted)
                yield {
                    "task": task,
                    "feature": feature,
                    "parameter": name,
                    "value": value,
                    "number": len(fitted.radii_) if value == "auto" else value,
                    "is_default": is_default,
                    "ms": f"{ms:.4g}",
                    "accuracy": f"{accuracy:.4f}",
                    "error": f"{error:.4f}",
                }


def run(args):
    print_and_write(args.results / "tradeoff.csv", measure(args))
