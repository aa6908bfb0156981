"""How far the marks of `ShapeClassifier` can be trusted.

Half of the classes of each data set are left out of the catalogue, of leaves also all but five.
Half of the queries show none of its classes. Counted is how often each mark is given to right
answers, to wrong ones and to absent shapes, how far the probability of a right answer is from how
often it is right, and the rate of near-twins.
"""

import numpy as np

from benchmarks.accuracy.tasks import CANVAS, ELASTIC, POSES, displaced, shapes
from benchmarks.command import store
from benchmarks.data import MissingData, linmnist, splits
from sklearn_nrcdt import ShapeClassifier
from sklearn_nrcdt._support.samples import evenly_spaced
from sklearn_nrcdt.datasets import random_affine

SPOT = 4.5  # radius in pixels of what tells near-twins apart
MARKS = ("clear", "likely", "doubtful", "unknown")


def data_sets(args):
    """Yield name, invariance, templates with labels, queries with labels, and known classes."""
    n = 20 if args.quick else 400
    for kind in ("characters", "logos"):
        if path := getattr(args, kind):
            for how, elastic in (("affine", None), ("bent", ELASTIC)):
                made = shapes(path, n, 1, elastic)
                parts = (made.templates, made.template_target), (made.images, made.target)
                for first in (0, 1):
                    yield f"{kind}, {how}", "affine", *parts, every(2, made.target, first)
            name = f"{kind}, bent, with near-twins"
            yield name, "affine", *near_twins(path, n // 4)
    if args.omniglot:
        data = np.load(args.omniglot)
        labels = np.arange(data["train"].shape[1])
        for run in range(2 if args.quick else len(data["train"])):
            target = data["test_label"][run] if "test_label" in data else labels
            test = data["test"][run], target
            yield "Omniglot", "scale", (data["train"][run], labels), test, every(2, labels)
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
                parts = [(images[some], target[some]) for some in draw]
                yield f"{name}, {n_train} of each", invariance, *parts, every(2, target)
                if name == "leaves" and not args.quick:
                    for first in range(10):
                        few = every(10, target, first)
                        yield f"{name}, {n_train} of each of five", invariance, *parts, few


def every(n, labels, first=0):
    """Every n-th class, in an order of chance: neighbours in an alphabet resemble each other."""
    return np.random.RandomState(0).permutation(np.unique(labels))[first::n]


def near_twins(path, n):
    """Shapes, and the same with a spot; of a pair both are in the catalogue or none."""
    rng = np.random.RandomState(0)
    plain = shapes(path, n, 1).templates
    spotted = plain.copy()
    row, column = np.indices(plain.shape[1:])
    for image in spotted:
        y, x = rng.randint(5 * CANVAS // 16, 11 * CANVAS // 16, 2)
        image[np.hypot(row - y, column - x) < SPOT] = 1
    images, label = np.concatenate([plain, spotted]), np.arange(len(plain))
    labels = np.concatenate([label, label + len(label)])
    known = every(2, label)
    queries = random_affine(displaced(images, **ELASTIC, rng=rng), **POSES, random_state=rng)
    return (images, labels), (queries, labels), np.concatenate([known, known + len(label)])


def calibration_error(sure, right):
    """Mean difference between how sure a model is and how often it is right, in ten bins."""
    bins = np.minimum((10 * sure).astype(int), 9)
    return np.abs(np.bincount(bins, weights=sure - right)).sum() / len(right)


def answers(invariance, templates, queries, classes):
    """Return marks, probabilities, whether answers are right and classes known, and the twins."""
    in_catalogue, known = (np.isin(labels, classes) for _, labels in (templates, queries))
    present, absent = np.flatnonzero(known), np.flatnonzero(~known)
    asked = np.union1d(present, absent[evenly_spaced(len(absent), len(present))])
    images, labels, known = queries[0][asked], queries[1][asked], known[asked]
    model = ShapeClassifier(invariance).fit(*(part[in_catalogue] for part in templates))
    found = model.identify(images, 1)
    twins = np.full(len(asked), model.twin_rate_)
    return found.marks, found.right, found.labels == labels, known, twins


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
