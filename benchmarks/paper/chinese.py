"""Table 5: many classes, one template of each."""

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.paper.data import character_templates, characters
from benchmarks.paper.features import curves, pool, spoil
from benchmarks.paper.nearest_template import N_RADII
from benchmarks.paper.neighbours import repeated
from sklearn_nrcdt import NearestTemplateClassifier

ANGLES = (2, 4, 8, 16, 32, 64, 128)
N_SAMPLES = 50
# Memory: the samples of so many classes are made and transformed at once.
CLASSES_AT_ONCE = 20
# With more classes, the matrix of all distances is too large.
MANY = 100
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
        ("fault", spoil(None, nrcdt)),
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
    n_classes = setting["classes"]
    if n_classes > MANY:
        found = _without_matrix(samples, target, n_classes, 5, seed)
    else:
        if setting["feature"] == "euclidean-image":
            samples = csr_matrix(samples)
        results = repeated({"": samples}, target, (5, 10), (1,), 3 if quick else 20, seed)
        found = (row for row, _ in results)
    for row in found:
        measured = {key: row[key] for key in ("train_per_class", *MEASURED)}
        yield {**setting, "classifier": "NN", "angles": 128, **measured}


def _without_matrix(samples, target, n_classes, n_repeats, seed):
    """The same for so many samples that the matrix of their distances is too large."""
    for size in (5, 10):
        splitter = StratifiedShuffleSplit(
            n_repeats,
            train_size=size * n_classes,
            test_size=len(target) - size * n_classes,
            random_state=seed,
        )
        scores = []
        for train, test in splitter.split(target, target):
            model = KNeighborsClassifier(1, algorithm="brute").fit(samples[train], target[train])
            scores.append(model.score(samples[test], target[test]))
        yield {
            "train_per_class": size,
            "value": np.mean(scores),
            "std_repeats": np.std(scores, ddof=1),
            "n_images": len(target),
            "n_predictions": n_repeats * len(test),
        }
