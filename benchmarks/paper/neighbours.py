"""Tables 4 and 6 and the confusion maps: nearest neighbours among few training samples."""

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.metrics import confusion_matrix, pairwise_distances
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.paper.data import TABLE4, linmnist, symbols
from benchmarks.paper.features import curves, pool

N_ANGLES = 128
N_REPEATS = 20


def table4(seed, *, quick=False):
    """Nearest neighbour on four data sets of symbols, with the confusions of the mean."""
    n_samples, n_repeats = (15, 3) if quick else (100, N_REPEATS)
    rows, confusions = [], []
    for number, (name, ranges) in enumerate(TABLE4.items()):
        data = symbols(n_samples, ranges, random_state=1000 * seed + number)
        features = features_of(data.images, n_radii=850)
        for row, confusion in repeated(features, data.target, (5, 10), (1,), n_repeats, seed):
            del row["k"]
            rows.append({"dataset": name, **row})
            if row["feature"] == "mean" and "salt" in name:
                confusions += [
                    {"dataset": name, "train_per_class": row["train_per_class"], **cell}
                    for cell in confusion
                ]
    return {"table4": rows, "confusion_symbols": confusions}


def table6(seed, *, quick=False, mnist=None):
    """k nearest neighbours on LinMNIST, with the confusions of max and mean."""
    n_samples, sizes, n_repeats = (40, (11, 25), 3) if quick else (500, (11, 25, 50), N_REPEATS)
    data = linmnist(n_samples, mnist, random_state=seed)
    features = features_of(data.images, n_radii=300)
    rows, confusions = [], []
    for row, confusion in repeated(features, data.target, sizes, (1, 5, 11), n_repeats, seed):
        rows.append(row)
        if row["feature"] in ("max", "mean"):
            setting = {key: row[key] for key in ("train_per_class", "k", "feature")}
            confusions += [{**setting, **cell} for cell in confusion]
    return {"table6": rows, "confusion_linmnist": confusions}


def features_of(images, n_radii):
    """All features of a data set by name."""
    # Grey values as they are; most of them are zero.
    pixels = csr_matrix(images.reshape(len(images), -1))
    return {"euclidean-image": pixels, **pool(*curves(images, N_ANGLES, n_radii), N_ANGLES)}


def repeated(features, target, train_sizes, ks, n_repeats, seed, weights="uniform"):
    """Yield a row and a confusion matrix for each feature, training size and k.

    All features see the same splits. Distances are computed once and serve all splits.
    """
    n_classes = len(np.unique(target))
    for feature, samples in features.items():
        distances = pairwise_distances(samples)
        for size in train_sizes:
            splitter = StratifiedShuffleSplit(
                n_repeats,
                train_size=size * n_classes,
                test_size=len(target) - size * n_classes,
                random_state=seed,
            )
            scores = {k: [] for k in ks}
            confusions = {k: np.zeros((n_classes, n_classes), int) for k in ks}
            for train, test in splitter.split(target, target):
                rows = distances[train]
                for k in ks:
                    model = KNeighborsClassifier(k, metric="precomputed", weights=weights)
                    model.fit(rows[:, train], target[train])
                    predicted = model.predict(rows[:, test].T)
                    scores[k].append(np.mean(predicted == target[test]))
                    confusions[k] += confusion_matrix(target[test], predicted)
            for k in ks:
                yield (
                    {
                        "train_per_class": size,
                        "k": k,
                        "feature": feature,
                        "variant": "ours",
                        "value": np.mean(scores[k]),
                        "std_repeats": np.std(scores[k], ddof=1),
                        "n_images": len(target),
                        "n_predictions": n_repeats * len(test),
                    },
                    _cells(confusions[k], np.unique(target)),
                )


def _cells(confusion, labels):
    return [
        {"true": labels[i], "predicted": labels[j], "value": confusion[i, j]}
        for i in range(len(labels))
        for j in range(len(labels))
    ]
