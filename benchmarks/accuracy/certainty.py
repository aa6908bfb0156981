"""How far the marks of `ShapeClassifier` can be trusted.

Half of the classes of each data set are left out of the catalogue, so that half of the queries show
none of its classes. Counted is how often each mark is given to right answers, to wrong ones and
to absent shapes, how far the probability of a right answer is from how often it is right, and the
rate of near-twins.
"""

import numpy as np

from benchmarks.accuracy.tasks import ELASTIC, shapes
from benchmarks.command import store
from benchmarks.data import MissingData, linmnist, splits
from sklearn_nrcdt import ShapeClassifier

MARKS = ("clear", "likely", "doubtful", "unknown")


def data_sets(args):
    """Yield name, invariance, templates with labels, queries with labels."""
    n = 20 if args.quick else 400
    for kind in ("characters", "logos"):
        if path := getattr(args, kind):
            for how, elastic in (("affine", None), ("bent", ELASTIC)):
                made = shapes(path, n, 1, elastic)
                templates = made.templates, made.template_target
                yield f"{kind}, {how}", "affine", templates, (made.images, made.target)
    if args.omniglot:
        data = np.load(args.omniglot)
        labels = np.arange(data["train"].shape[1])
        for run in range(2 if args.quick else len(data["train"])):
            target = data["test_label"][run] if "test_label" in data else labels
            yield "Omniglot", "scale", (data["train"][run], labels), (data["test"][run], target)
    kinds = []
    if args.mnist:
        made = linmnist(args.mnist, 12 if args.quick else 100)
        kinds.append(("digits", "affine", made.images, made.target))
    if args.leaves:
        data = np.load(args.leaves)
        kinds.append(("leaves", "similarity", data["images"], data["labels"]))
    for name, invariance, images, target in kinds:
        for n_train in (1, 5):
            for draw in splits(target, n_train, 1 if args.quick else 2):
                parts = ((images[some], target[some]) for some in draw)
                yield f"{name}, {n_train} of each", invariance, *parts


def calibration_error(sure, right):
    """Mean difference between how sure a model is and how often it is right, in ten bins."""
    bins = np.minimum((10 * sure).astype(int), 9)
    return np.abs(np.bincount(bins, weights=sure - right)).sum() / len(right)


def answers(invariance, templates, queries):
    """Return marks, probabilities, whether answers are right and classes known, and the twins."""
    classes = np.unique(templates[1])
    known = [np.isin(labels, classes[::2]) for _, labels in (templates, queries)]
    model = ShapeClassifier(invariance).fit(*(part[known[0]] for part in templates))
    found = model.identify(queries[0], 1)
    twins = np.full(len(queries[0]), model.twin_rate_)
    return found.marks, found.right, found.labels == queries[1], known[1], twins


def rows(args):
    found: dict = {}
    for name, *data in data_sets(args):
        found.setdefault(name, []).append(answers(*data))
    if not found:
        raise MissingData("Give --characters, --logos, --omniglot, --mnist or --leaves FILE.")
    sure, was_right = [], []
    for name, parts in found.items():
        marks, right, correct, known, twins = map(np.concatenate, zip(*parts, strict=True))
        sure.append(right)
        was_right.append(correct)
        kinds = {"right": correct, "wrong": known & ~correct, "absent": ~known}
        for kind, chosen in kinds.items():
            if number := int(chosen.sum()):
                counts = {mark: int((marks[chosen] == mark).sum()) for mark in MARKS}
                yield {"data": name, "answers": kind, "number": number, **counts}
        yield {"data": name, "answers": "near-twins", "number": f"{twins.mean():.3f}"}
        yield _error(name, right, correct)
    yield _error("all", np.concatenate(sure), np.concatenate(was_right))


def _error(name, sure, right):
    error = calibration_error(sure, right)
    return {"data": name, "answers": "calibration error", "number": f"{error:.3f}"}


def run(args):
    store(args, "certainty", rows(args))
