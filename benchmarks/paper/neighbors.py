"""Nearest neighbours among few training samples: Tables 4, 5 and 6 and the confusion maps."""

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.metrics import confusion_matrix, pairwise_distances
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from benchmarks.data import linmnist
from benchmarks.paper.data import TABLE4, character_templates, characters, symbols
from benchmarks.paper.templates import curves, pool
from sklearn_nrcdt import NearestTemplateClassifier

N_ANGLES = 128
N_REPEATS = 20
CHARACTER_ANGLES = (2, 4, 8, 16, 32, 64, 128)
# Memory: the samples of so many classes are made and transformed at once.
CLASSES_AT_ONCE = 20
# So many neighbours of each sample are kept; a tenth of all samples or more are for training.
N_NEAR = 100


def table4(seed, quick):
    """Nearest neighbour on four data sets of symbols, with the confusions of the mean."""
    n_samples, n_repeats = (15, 3) if quick else (100, N_REPEATS)
    for number, (name, ranges) in enumerate(TABLE4.items()):
        data = symbols(n_samples, ranges, random_state=1000 * seed + number)
        features = features_of(data.images, 850)
        for row, confusion in repeated(features, data.target, (5, 10), (1,), n_repeats, seed):
            del row["k"]
            yield {"dataset": name, **row}
            if row["feature"] == "mean" and "salt" in name:
                for cell in confusion:
                    yield {"dataset": name, "train_per_class": row["train_per_class"], **cell}


def table6(seed, quick, mnist):
    """k nearest neighbours on LinMNIST, with the confusions of max and mean."""
    n_samples, sizes, n_repeats = (40, (11, 25), 3) if quick else (500, (11, 25, 50), N_REPEATS)
    data = linmnist(mnist, n_samples, seed, cut="ignore")
    features = features_of(data.images, 300)
    for row, confusion in repeated(features, data.target, sizes, (1, 5, 11), n_repeats, seed):
        yield row
        if row["feature"] in ("max", "mean"):
            setting = {key: row[key] for key in ("train_per_class", "k", "feature")}
            for cell in confusion:
                yield {**setting, **cell}


def features_of(images, n_radii):
    """All features of a data set by name."""
    rcdt, nrcdt = curves(images, N_ANGLES, n_radii)
    # Grey values as they are; most of them are zero.
    features = {"euclidean-image": csr_matrix(images.reshape(len(images), -1))}
    # The other half of the circle is a mirror image: it multiplies distances by sqrt(2).
    half = rcdt[:, : N_ANGLES // 2].reshape(len(images), -1)
    return features | pool(rcdt, nrcdt, N_ANGLES) | {"R-CDT": half}


def splits(target, size, n_repeats, seed):
    """Yield training and test samples, the same for all features."""
    n_train = size * len(np.unique(target))
    splitter = StratifiedShuffleSplit(
        n_repeats, train_size=n_train, test_size=len(target) - n_train, random_state=seed
    )
    return splitter.split(target, target)


def measured(size, scores, target, n_test):
    return {
        "train_per_class": size,
        "value": np.mean(scores),
        "std_repeats": np.std(scores, ddof=1),
        "n_images": len(target),
        "n_predictions": len(scores) * n_test,
    }


def repeated(features, target, train_sizes, ks, n_repeats, seed):
    """Yield a row and the cells of a confusion matrix for each feature, training size and k.

    Distances are computed once and serve all splits, the nearest neighbours of a split serve
    all k.
    """
    labels = np.unique(target)
    for feature, samples in features.items():
        distances = pairwise_distances(samples)
        for size in train_sizes:
            scores = {k: [] for k in ks}
            confusions = {k: np.zeros((len(labels), len(labels)), int) for k in ks}
            for train, test in splits(target, size, n_repeats, seed):
                rows = distances[train]
                model = KNeighborsClassifier(max(ks), metric="precomputed")
                model.fit(rows[:, train], target[train])
                nearest = target[train][model.kneighbors(rows[:, test].T, return_distance=False)]
                for k in ks:
                    predicted = vote(nearest[:, :k], labels)
                    scores[k].append(np.mean(predicted == target[test]))
                    confusions[k] += confusion_matrix(target[test], predicted)
            for k in ks:
                row = {"k": k, "feature": feature, **measured(size, scores[k], target, len(test))}
                cells = [
                    {"true": true, "predicted": other, "value": count}
                    for true, line in zip(labels, confusions[k], strict=True)
                    for other, count in zip(labels, line, strict=True)
                ]
                yield row, cells


def vote(nearest, labels):
    """The most frequent label of each row; of several the smallest, as in scikit-learn."""
    return labels[np.stack([(nearest == label).sum(axis=1) for label in labels]).argmax(axis=0)]


# -- Table 5: many classes, one template of each ---------------------------------------


def table5(seed, quick, path):
    """Nearest template and nearest neighbour for few and for many classes.

    The few classes are the first of the many. Only they are classified by pixels and R-CDT.
    """
    few, many, n_samples = (10, 20, 12) if quick else (100, 1000, 50)
    n_repeats = 3 if quick else N_REPEATS
    fitted, samples = _features(character_templates(many, path), few, n_samples, seed)
    for n_classes in (few, many):
        target = np.repeat(np.arange(n_classes), n_samples)
        for (feature, angles), sample in samples.items():
            if n_classes == many and feature not in ("max", "mean"):
                continue
            sample = sample[: len(target)]
            setting = {"classes": n_classes, "feature": feature}
            model = NearestTemplateClassifier()
            model.fit(fitted[feature, angles][:n_classes], np.arange(n_classes))
            yield {
                **setting,
                "classifier": "NT",
                "angles": angles,
                "train_per_class": "",
                "value": model.score(sample, target),
                "n_images": len(sample),
                "n_predictions": len(sample),
            }
            if angles in ("", 128):
                for row in nearest_neighbour(sample, target, n_repeats, seed):
                    yield {**setting, "classifier": "NN", "angles": 128, **row}


def _features(templates, n_few, n_samples, seed):
    """Features of templates and of samples by (feature, number of angles)."""
    collected = {}, {}
    for start in range(0, len(templates), CLASSES_AT_ONCE):
        some = templates[start : start + CLASSES_AT_ONCE]
        data = characters(some, n_samples, random_state=1000 * seed + start)
        for images, parts in zip((some, data.images), collected, strict=True):
            full = curves(images, max(CHARACTER_ANGLES))
            found = {("euclidean-image", ""): images.reshape(len(images), -1)}
            for n in CHARACTER_ANGLES:
                found |= {(name, n): feature for name, feature in pool(*full, n).items()}
            for key, feature in found.items():
                if start < n_few or key[0] in ("max", "mean"):
                    parts.setdefault(key, []).append(feature)
    return [{key: np.concatenate(found) for key, found in parts.items()} for parts in collected]


def nearest_neighbour(samples, target, n_repeats, seed):
    """Yield rows for so many samples that the matrix of their distances may be too large.

    The neighbours of every sample are found once. Its nearest training sample is the first of
    them that belongs to the training samples of a split.
    """
    near = NearestNeighbors(n_neighbors=min(N_NEAR, len(target) - 1), algorithm="brute")
    near = near.fit(samples).kneighbors(return_distance=False)
    for size in (5, 10):
        scores = []
        for train, test in splits(target, size, n_repeats, seed):
            predicted = _predict(samples, target, near, train, test)
            scores.append(np.mean(predicted == target[test]))
        yield measured(size, scores, target, len(test))


def _predict(samples, target, near, train, test):
    """Labels of the nearest training samples."""
    usable = np.isin(near[test], train)
    predicted = target[near[test, usable.argmax(axis=1)]]
    far = ~usable.any(axis=1)
    if far.any():  # all neighbours that were found are test samples
        model = KNeighborsClassifier(1, algorithm="brute").fit(samples[train], target[train])
        predicted[far] = model.predict(samples[test[far]])
    return predicted
