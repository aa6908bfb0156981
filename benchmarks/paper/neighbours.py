"""Tables 4 and 6 and the confusion maps: nearest neighbours among few training samples."""

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.metrics import confusion_matrix, pairwise_distances
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.paper.data import TABLE4, linmnist, symbols
from benchmarks.paper.fault import follow_rows
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
            if (row["feature"], row["variant"]) == ("mean", "ours") and "salt" in name:
                confusions += [
                    {"dataset": name, "train_per_class": row["train_per_class"], **cell}
                    for cell in confusion
                ]
    return {"table4": rows, "confusion_symbols": confusions}


def table6(seed, *, quick=False, mnist=None):
    """k nearest neighbours on LinMNIST, with the confusions of max and mean.

    The authors' notebook sets grey values below 0.666 of white to zero, of which the paper
    does not speak. The variant "dark" does so, too.
    """
    n_samples, sizes, n_repeats = (40, (11, 25), 3) if quick else (500, (11, 25, 50), N_REPEATS)
    rows, confusions = [], []
    for threshold in (None, 0.666):
        data = linmnist(n_samples, mnist, random_state=seed, threshold=threshold)
        features = features_of(data.images, n_radii=300, fault=threshold is None)
        if threshold is not None:
            features = {(name, "dark"): feature for (name, _), feature in features.items()}
        for row, confusion in repeated(features, data.target, sizes, (1, 5, 11), n_repeats, seed):
            rows.append(row)
            if row["feature"] in ("max", "mean") and row["variant"] == "ours":
                setting = {key: row[key] for key in ("train_per_class", "k", "feature")}
                confusions += [{**setting, **cell} for cell in confusion]
    return {"table6": rows, "confusion_linmnist": confusions}


def features_of(images, n_radii, fault=True):
    """All features of a data set by name and variant."""
    rcdt, nrcdt = curves(images, N_ANGLES, n_radii)
    # Grey values as they are; most of them are zero.
    pixels = csr_matrix(images.reshape(len(images), -1))
    # The other half of the circle is a mirror image: it multiplies distances by sqrt(2).
    half = rcdt[:, : N_ANGLES // 2].reshape(len(images), -1)
    features = {
        ("euclidean-image", "ours"): pixels,
        ("R-CDT", "ours"): half,
        **{(name, "ours"): feature for name, feature in pool(None, nrcdt, N_ANGLES).items()},
    }
    if fault:
        _, wrong = follow_rows(images, None, nrcdt, n_radii)
        for name, feature in pool(None, wrong, N_ANGLES).items():
            features[name, "fault"] = feature
    return features


def repeated(features, target, train_sizes, ks, n_repeats, seed):
    """Yield a row and a confusion matrix for each feature, training size and k.

    All features see the same splits. Distances are computed once and serve all splits, the
    nearest neighbours of a split serve all k.
    """
    labels = np.unique(target)
    for (feature, variant), samples in features.items():
        distances = pairwise_distances(samples)
        for size in train_sizes:
            splitter = StratifiedShuffleSplit(
                n_repeats,
                train_size=size * len(labels),
                test_size=len(target) - size * len(labels),
                random_state=seed,
            )
            scores = {k: [] for k in ks}
            confusions = {k: np.zeros((len(labels), len(labels)), int) for k in ks}
            for train, test in splitter.split(target, target):
                rows = distances[train]
                model = KNeighborsClassifier(max(ks), metric="precomputed")
                model.fit(rows[:, train], target[train])
                nearest = target[train][model.kneighbors(rows[:, test].T, return_distance=False)]
                for k in ks:
                    predicted = vote(nearest[:, :k], labels)
                    scores[k].append(np.mean(predicted == target[test]))
                    confusions[k] += confusion_matrix(target[test], predicted)
            for k in ks:
                yield (
                    {
                        "train_per_class": size,
                        "k": k,
                        "feature": feature,
                        "variant": variant,
                        "value": np.mean(scores[k]),
                        "std_repeats": np.std(scores[k], ddof=1),
                        "n_images": len(target),
                        "n_predictions": n_repeats * len(test),
                    },
                    _cells(confusions[k], labels),
                )


def vote(nearest, labels):
    """The most frequent label of each row; of several the smallest, as in scikit-learn."""
    return labels[np.stack([(nearest == label).sum(axis=1) for label in labels]).argmax(axis=0)]


def _cells(confusion, labels):
    return [
        {"true": labels[i], "predicted": labels[j], "value": confusion[i, j]}
        for i in range(len(labels))
        for j in range(len(labels))
    ]
