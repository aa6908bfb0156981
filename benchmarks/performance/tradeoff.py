"""Accuracy against time, for choosing the discretisation: ``python -m benchmarks.tradeoff``.

One of `n_angles`, `n_radii` and `n_quantiles` is varied around the defaults, for the maximum and
the mean over the angles. Symbols: one template per class, any affine map (scale 0.5 to 1.25,
shears up to 45 degrees), nearest template. LinMNIST: nearest neighbour of 25 samples per class,
mean over 10 random choices; it needs ``--mnist`` (an .npz, .npy or idx file; without it,
scikit-learn fetches MNIST), and is left out, and said so, if there is none. Time is that of
`transform` on one core, the shorter of two.
"""

import argparse
import csv
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.accuracy.comparison import splits
from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, NearestTemplateClassifier
from sklearn_nrcdt.datasets import make_linmnist, make_symbols

RESULTS = Path(__file__).parent / "results" / "tradeoff.csv"
COLUMNS = [
    "task",
    "feature",
    "parameter",
    "value",
    "number",
    "is_default",
    "ms",
    "accuracy",
    "error",
]
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


def linmnist(path, n_samples):
    made = make_linmnist(path=path, n_samples_per_class=n_samples, random_state=0)

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
    try:
        yield "LinMNIST", linmnist(args.mnist, 10 if args.quick else 100)
    except (OSError, ValueError) as error:
        print(f"LinMNIST is left out: {error}", file=sys.stderr)


def settings():
    """Yield parameter, value and whether it is the default; the defaults once for each."""
    for name, values in VALUES.items():
        default = MaxNRCDT().get_params()[name]
        for value in values:
            yield name, value, value == default


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mnist", type=Path, help="file with MNIST (default: OpenML)")
    parser.add_argument("--quick", action="store_true", help="few images: does it run?")
    parser.add_argument("--csv", type=Path, default=RESULTS, help="file for the table")
    args = parser.parse_args()
    lines = []
    for task, evaluate in tasks(args):
        for feature, transformer in FEATURES.items():
            for name, value, is_default in settings():
                fitted = transformer(**{name: value})
                ms, accuracy, error = evaluate(fitted)
                number = len(fitted.radii_) if value == "auto" else value
                numbers = [f"{ms:.4g}", f"{accuracy:.4f}", f"{error:.4f}"]
                lines.append([task, feature, name, value, number, is_default, *numbers])
                print(*lines[-1], sep="  ", flush=True)
    with open(args.csv, "w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *lines])


if __name__ == "__main__":
    main()
