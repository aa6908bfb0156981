"""Table 5: many classes, one template of each."""

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from benchmarks.paper.data import character_templates, characters
from benchmarks.paper.fault import lose_270
from benchmarks.paper.features import curves, pool
from benchmarks.paper.nearest_template import N_RADII
from benchmarks.paper.neighbours import N_REPEATS, repeated
from sklearn_nrcdt import NearestTemplateClassifier

ANGLES = (2, 4, 8, 16, 32, 64, 128)
N_SAMPLES = 50
TRAIN_SIZES = (5, 10)
# Memory: the samples of so many classes are made and transformed at once.
CLASSES_AT_ONCE = 20
# With more classes, the matrix of all distances is too large.
MANY = 100
# So many neighbours of each sample are kept; a tenth of all samples or more are for training.
N_NEAR = 100
MEASURED = ("value", "std_repeats", "n_images", "n_predictions")


def table5(seed, *, quick=False, characters_path=None):
    """Nearest template and nearest neighbour for few and for many classes.

    The few classes are the first of the many. Only they are classified by pixels and R-CDT.
    """
    few, many, n_samples = (10, 20, 12) if quick else (100, 1000, N_SAMPLES)
    templates = character_templates(many, characters_path)
    fitted, samples = _features(templates, few, n_samples, seed)
    rows = []
    for n_classes, names in ((few, None), (many, ("max", "mean"))):
        for key, sample in samples.items():
            variant, feature, angles = key
            if names is not None and feature not in names:
                continue
            sample = sample[: n_classes * n_samples]
            target = np.repeat(np.arange(n_classes), n_samples)
            setting = {"classes": n_classes, "feature": feature, "variant": variant}
            rows.append(_nearest_template(setting, angles, fitted[key][:n_classes], sample, target))
            if variant == "ours" and angles in ("", 128):
                rows += _nearest_neighbour(setting, sample, target, quick, seed)
    return {"table5": rows}


def _features(templates, n_few, n_samples, seed):
    """Features of templates and samples by (variant, feature, number of angles)."""
    parts, fitted = {}, {}
    for start in range(0, len(templates), CLASSES_AT_ONCE):
        some = templates[start : start + CLASSES_AT_ONCE]
        data = characters(some, n_samples, random_state=1000 * seed + start)
        for images, collected in ((some, fitted), (data.images, parts)):
            for key, feature in _all_features(images, all_kinds=start < n_few):
                collected.setdefault(key, []).append(feature)
    return [
        {key: np.concatenate(found) for key, found in collected.items()}
        for collected in (fitted, parts)
    ]


def _all_features(images, all_kinds):
    rcdt, nrcdt = curves(images, max(ANGLES), N_RADII)
    if all_kinds:
        yield ("ours", "euclidean-image", ""), images.reshape(len(images), -1)
    for variant, full in (
        ("ours", (rcdt if all_kinds else None, nrcdt)),
        ("fault", (None, lose_270(nrcdt))),
    ):
        for n_angles in ANGLES:
            for name, feature in pool(*full, n_angles).items():
                yield (variant, name, n_angles), feature


def _nearest_template(setting, angles, templates, samples, target):
    model = NearestTemplateClassifier().fit(templates, np.arange(len(templates)))
    return {
        **setting,
        "classifier": "NT",
        "angles": angles,
        "train_per_class": "",
        "value": model.score(samples, target),
        "n_images": len(samples),
        "n_predictions": len(samples),
    }


def _nearest_neighbour(setting, samples, target, quick, seed):
    n_classes, n_repeats = setting["classes"], 3 if quick else N_REPEATS
    if n_classes > MANY:
        found = _without_matrix(samples, target, n_classes, n_repeats, seed)
    else:
        if setting["feature"] == "euclidean-image":
            samples = csr_matrix(samples)
        results = repeated({("", ""): samples}, target, TRAIN_SIZES, (1,), n_repeats, seed)
        found = (row for row, _ in results)
    for row in found:
        measured = {key: row[key] for key in ("train_per_class", *MEASURED)}
        yield {**setting, "classifier": "NN", "angles": 128, **measured}


def _without_matrix(samples, target, n_classes, n_repeats, seed):
    """The same for so many samples that the matrix of their distances is too large.

    The neighbours of every sample are found once. Its nearest training sample is the first of
    them that belongs to the training samples of a split.
    """
    near = NearestNeighbors(n_neighbors=N_NEAR, algorithm="brute").fit(samples)
    near = near.kneighbors(return_distance=False)
    for size in TRAIN_SIZES:
        splitter = StratifiedShuffleSplit(
            n_repeats,
            train_size=size * n_classes,
            test_size=len(target) - size * n_classes,
            random_state=seed,
        )
        scores = []
        for train, test in splitter.split(target, target):
            scores.append(np.mean(_predict(samples, target, near, train, test) == target[test]))
        yield {
            "train_per_class": size,
            "value": np.mean(scores),
            "std_repeats": np.std(scores, ddof=1),
            "n_images": len(target),
            "n_predictions": n_repeats * len(test),
        }


def _predict(samples, target, near, train, test):
    """Labels of the nearest training samples."""
    is_train = np.zeros(len(target), dtype=bool)
    is_train[train] = True
    usable = is_train[near[test]]
    predicted = target[near[test, usable.argmax(axis=1)]]
    far = ~usable.any(axis=1)
    if far.any():  # all neighbours that were found are test samples
        model = KNeighborsClassifier(1, algorithm="brute").fit(samples[train], target[train])
        predicted[far] = model.predict(samples[test[far]])
    return predicted
