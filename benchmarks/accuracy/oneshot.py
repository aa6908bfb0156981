"""One sample of each class: Omniglot's one-shot tasks, and silhouettes of leaves.

Omniglot: 20 ways, one drawing of each character by one person to learn from, one by another to
recognize, in the runs of Lake, Salakhutdinov and Tenenbaum (Science 350, 2015). Upright as drawn,
and in any pose. Leaves: silhouettes of plant species, 1 and 5 samples of each, and the share of an
image's class among twice as many nearest neighbours as the class has images (bull's eye).
"""

import numpy as np
from sklearn.pipeline import make_pipeline

from benchmarks.accuracy.methods import recommended
from benchmarks.command import store
from benchmarks.data import MissingData, splits
from sklearn_nrcdt import InvariantHOG, NearestTemplateClassifier, ShapeClassifier
from sklearn_nrcdt.datasets import random_affine

POSES = {"upright": ("scale", "slant"), "any pose": ("affine", "similarity")}


def by_features(invariance):
    """The nearest template by features of the same contours."""
    if invariance in ("scale", "slant"):
        return make_pipeline(InvariantHOG(invariance), NearestTemplateClassifier())
    circle = InvariantHOG(invariance, keep="circle")
    return make_pipeline(circle, NearestTemplateClassifier("aligned"))


def omniglot(path, quick):
    data = np.load(path)
    n_runs = 2 if quick else len(data["train"])
    labels = np.arange(data["train"].shape[1])
    # Which of the training drawings shows the same character.
    target = data["test_label"] if "test_label" in data else np.tile(labels, (n_runs, 1))
    for pose, invariances in POSES.items():
        scores = {}
        for run in range(n_runs):
            train, test = (_on_canvas(data[part][run]) for part in ("train", "test"))
            if pose == "any pose":
                test = random_affine(
                    test, scale=(0.5, 1), shear=(-25, 25), cut="redraw", random_state=run
                )
            for invariance in invariances:
                for name, model in (
                    (f"ShapeClassifier, {invariance}", ShapeClassifier(invariance)),
                    (f"InvariantHOG, {invariance}", by_features(invariance)),
                ):
                    score = model.fit(train, labels).score(test, target[run])
                    scores.setdefault(name, []).append(score)
        for name, found in scores.items():
            yield _row(f"Omniglot, {pose}", name, found)


def _on_canvas(images):
    """Return drawings as floats, with room for all poses."""
    images = images / images.max()
    border = images.shape[1] // 2
    return np.pad(images, ((0, 0), (border, border), (border, border))).astype(np.float32)


def leaves(path, quick):
    data = np.load(path)
    images, target = data["images"] / np.float32(255), data["labels"]
    if quick:
        few = np.isin(target, np.unique(target)[:4])
        images, target = images[few], target[few]
    for n_train in (1, 5):
        scores = {}
        for train, test in splits(target, n_train, 1 if quick else 10):
            models = {
                "ShapeClassifier, similarity": ShapeClassifier("similarity"),
                "InvariantHOG, similarity": by_features("similarity"),
            }
            if n_train > 1:
                models["InvariantHOG, similarity, recommended"] = make_pipeline(
                    InvariantHOG("similarity"), recommended()
                )
            for name, model in models.items():
                score = model.fit(images[train], target[train]).score(images[test], target[test])
                scores.setdefault(name, []).append(score)
        for name, found in scores.items():
            yield _row(f"leaves, {n_train} of each", name, found)
    size = np.bincount(np.unique(target, return_inverse=True)[1]).max()
    circle = InvariantHOG("similarity", keep="circle").fit_transform(images)
    for name, model, X in (
        ("ShapeClassifier, similarity", ShapeClassifier("similarity"), images),
        ("InvariantHOG, similarity", NearestTemplateClassifier("aligned"), circle),
    ):
        found = model.fit(X, target).kneighbors(X, 2 * size)[1]
        hits = (target[found] == target[:, None]).sum(axis=1) / size
        yield _row("leaves, bull's eye", name, [hits.mean()])


def _row(task, method, scores):
    return {
        "task": task,
        "method": method,
        "accuracy": round(float(np.mean(scores)), 4),
        "spread": round(float(np.std(scores)), 4),
        "runs": len(scores),
    }


def rows(args):
    for option, task in (("omniglot", omniglot), ("leaves", leaves)):
        if path := getattr(args, option):
            yield from task(path, args.quick)
        else:
            print(f"Left out: no --{option}.")


def run(args):
    if not (args.omniglot or args.leaves):
        raise MissingData("Give --omniglot FILE or --leaves FILE.")
    store(args, "oneshot", rows(args))
