"""Ours against the paper's and the peers' features.

One table: every feature with the same classifiers on the same images. Tasks with one
template per class are classified by the nearest template, the others by the nearest
neighbour, a support vector machine and the nearest subspace, trained on random samples
of each class, repeatedly. The peers' own classifiers are slow and are tested on fewer
images; a peer that cannot be used is reported. Tasks whose images are not given are left out.
"""

import sys
import time
from dataclasses import dataclass

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from benchmarks.accuracy.peers import peers
from benchmarks.data import linmnist, splits
from benchmarks.tables import write_csv
from sklearn_nrcdt import (
    MaxNRCDT,
    MeanNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    RadonCDT,
    SpectralNRCDT,
)
from sklearn_nrcdt.datasets import make_symbols
from sklearn_nrcdt.preprocessing import Despeckle

COLUMNS = ["task", "feature", "classifier", "train", "accuracy", "std", "repetitions", "tested"]


@dataclass
class Task:
    """Images to classify, from one template per class or from samples of each class."""

    name: str
    images: np.ndarray
    target: np.ndarray
    templates: np.ndarray | None = None
    template_target: np.ndarray | None = None
    train_sizes: tuple = ()
    salted: bool = False


def rows(images):
    return images.reshape(len(images), -1)


FEATURES = {
    "raw pixels": FunctionTransformer(rows),
    "R-CDT": RadonCDT(),
    "paper: max NR-CDT": MaxNRCDT(),
    "paper: mean NR-CDT": MeanNRCDT(),
    "ours: precision mean": MeanNRCDT(weighting="precision"),
    "ours: spectrum": SpectralNRCDT(),
    "ours: spectrum, mirrors ignored": SpectralNRCDT(reflection="ignore"),
    "ours: aligned": SpectralNRCDT(n_quantiles=32, keep="circle"),
}


# Features of thousands of numbers, for which fewer repetitions and classifiers must do.
LARGE = ("raw pixels", "R-CDT", "ours: aligned", "Despeckle + ours: aligned")


def nearest(feature, classifier_class, **params):
    """The given nearest-something classifier, with the metric that belongs to the feature."""
    if feature.endswith("aligned"):
        return NearestTemplateClassifier("aligned")
    return classifier_class(**params)


def classifiers(feature):
    """Return the classifiers for training samples."""
    found = {"1-NN": nearest(feature, KNeighborsClassifier, n_neighbors=1)}
    if feature not in LARGE:
        found["SVM"] = make_pipeline(StandardScaler(), SVC(C=10))
        found["subspace"] = NearestSubspaceClassifier()
    return found


def evaluate(task, feature, extractor, repetitions):
    """Yield the rows of one feature on one task."""
    if task.templates is not None:
        templates = extractor.fit_transform(task.templates)
        classifier = nearest(feature, NearestTemplateClassifier)
        score = classifier.fit(templates, task.template_target).score(
            extractor.transform(task.images), task.target
        )
        yield [task.name, feature, "nearest template", 1, score, 0, 1, len(task.target)]
        return
    features = extractor.fit_transform(task.images)
    for n_train in task.train_sizes:
        for name, classifier in classifiers(feature).items():
            times = min(repetitions, 3) if feature in LARGE else repetitions
            scores, tested = [], 0
            for train, test in splits(task.target, n_train, times):
                classifier.fit(features[train], task.target[train])
                scores.append(classifier.score(features[test], task.target[test]))
                tested = len(test)
            std = np.std(scores)
            yield [task.name, feature, name, n_train, np.mean(scores), std, times, tested]


def symbol_tasks(quick):
    symbols = make_symbols(5 if quick else 50, random_state=0)
    yield Task(
        "affine symbols",
        symbols.images,
        symbols.target,
        symbols.templates,
        symbols.template_target,
    )
    gentle = {"scale": (0.75, 1), "shear": (-5, 5), "n_discs": (4, 7), "strength": 9}
    for name, amplitude in (("affine, salt", None), ("wave, affine, salt", (2.5, 7.5))):
        n_samples = 15 if quick else 100
        salted = make_symbols(n_samples, amplitude=amplitude, random_state=0, **gentle)
        yield Task(name, salted.images, salted.target, train_sizes=(5, 10), salted=True)


def digit_task(path, quick):
    n_samples = 60 if quick else 500
    digits = linmnist(path, n_samples)
    sizes = (11, 25) if quick else (11, 25, 50)
    return Task("LinMNIST", digits.images, digits.target, train_sizes=sizes)


def template_task(name, path, canvas, n_samples, quick):
    """Deform one template per class, on a canvas that holds it in every pose."""
    templates = np.load(path)["images"].astype(np.float32) / 255
    if quick:
        templates = templates[:100]
    border = (canvas - templates.shape[1]) // 2
    templates = np.pad(templates, ((0, 0), (border, border), (border, border)))
    data = make_symbols(
        n_samples,
        templates=templates,
        scale=(0.5, 1),
        shear=(-25, 25),
        cut="redraw",
        random_state=0,
    )
    return Task(name, data.images, data.target, data.templates, data.template_target)


def tasks(args):
    yield from symbol_tasks(args.quick)
    if args.mnist or not args.quick:
        yield digit_task(args.mnist, args.quick)
    for name, path, canvas, n_samples in (
        ("1,000 characters", args.characters, 128, 5),
        ("1,000 logos", args.logos, 192, 3),
    ):
        if path:
            yield template_task(name, path, canvas, n_samples, args.quick)
        else:
            print(f"{name}: left out, no file given", file=sys.stderr)


def measure(args):
    """Return all rows, reporting each as it is done."""
    found = []
    for task in tasks(args):
        print(f"\n{task.name}: {len(task.images)} images of {task.images.shape[1:]}", flush=True)
        variants = dict(FEATURES)
        if task.salted:
            for name in list(FEATURES)[2:]:
                variants[f"Despeckle + {name}"] = make_pipeline(Despeckle(), FEATURES[name])
        for feature, extractor in variants.items():
            start = time.perf_counter()
            for row in evaluate(task, feature, extractor, 3 if args.quick else 20):
                report(row, time.perf_counter() - start)
                found.append(row)
        for row in peers(task, args.quick):
            report(row, 0)
            found.append(row)
    return found


def report(row, seconds):
    _, feature, classifier, train, accuracy, std, *_ = row
    accuracy = accuracy if isinstance(accuracy, str) else f"{accuracy:.3f} +- {std:.3f}"
    print(
        f"  {feature:42s} {classifier:17s} {train!s:>3s} {accuracy}  ({seconds:.0f} s)", flush=True
    )


def run(args):
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in measure(args)]
    write_csv(args.results / "comparison.csv", rows)
