"""What classifies images: features with standard classifiers, and models with their own.

Every method yields rows of the table for a task. Families are "paper", "ours", "classic"
(described by hand) and "learned".
"""

import importlib
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.data import splits
from sklearn_nrcdt import NearestTemplateClassifier
from sklearn_nrcdt.datasets import random_affine, random_elastic

SPLITS = 20
# Of a class, bent copies included: enough for linear discriminant analysis.
MOST_IMAGES = 100


def recommended():
    """The classifier that the guide recommends for more than one sample per class."""
    return make_pipeline(PCA(0.99), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3))


CLASSIFIERS = {
    "1-NN": lambda: KNeighborsClassifier(1),
    "scaled 1-NN": lambda: make_pipeline(StandardScaler(), KNeighborsClassifier(1)),
    "aligned 1-NN": lambda: NearestTemplateClassifier("aligned"),
    "SVC": lambda: make_pipeline(StandardScaler(), SVC(C=10)),
    "PCA + LDA": recommended,
}
# These are slow with thousands of features or pairs.
FEWER_SPLITS = {"aligned 1-NN": 5, "SVC": 5}


def too_slow(task):
    """Tasks that take slow methods too long, or tell nothing new of them."""
    return task.many_classes or task.despeckled


@dataclass(frozen=True)
class Draw:
    """Training images, and for each training size which of them to take and what to test."""

    images: np.ndarray
    target: np.ndarray
    chosen: dict  # rows of `images` by training size
    tests: dict  # indices of test images by training size
    train: np.ndarray | None = None  # indices of `images`, unless they are templates


def draws(task, data, n_splits, most_tested):
    """Yield random choices of training and test images, or the one with the templates.

    Smaller training sets are parts of the larger ones. If not all images are tested, the tested
    ones are the same for all sizes.
    """
    rng = np.random.default_rng(0)
    if task.templates:
        tests = rng.permutation(len(data.images))[:most_tested]
        every = np.arange(len(data.templates))
        yield Draw(data.templates, data.template_target, {1: every}, {1: tests})
        return
    sizes = task.train_sizes
    for parts in zip(*(splits(data.target, size, n_splits) for size in sizes), strict=True):
        train, outside = max(parts, key=lambda part: len(part[0]))
        tests = {size: rest for size, (_, rest) in zip(sizes, parts, strict=True)}
        if most_tested:
            tests = dict.fromkeys(sizes, rng.permutation(outside)[:most_tested])
        chosen = {
            size: np.flatnonzero(np.isin(train, smaller))
            for size, (smaller, _) in zip(sizes, parts, strict=True)
        }
        yield Draw(data.images[train], data.target[train], chosen, tests, train)


@dataclass(frozen=True)
class Method:
    """A way to classify images.

    `copies` random copies of each training image join it: in other poses, or, for features that
    poses do not change, only bent and up to `MOST_IMAGES` of a class. `never_bent` is for
    methods that bent copies make worse.
    """

    name: str
    family: str
    splits: int = SPLITS
    most_tested: int | None = None  # None: all images that are not for training
    skip: Callable = field(default=lambda task: False)
    needs: tuple = ()  # modules, or functions that import something
    copies: int = 0
    only_bent: bool = False
    never_bent: bool = False

    def check(self):
        """Raise an ImportError if the method needs a package that cannot be had."""
        for needed in self.needs:
            importlib.import_module(needed) if isinstance(needed, str) else needed()

    def jobs(self, task):
        """Return the training sizes that are done together."""
        return [task.train_sizes]

    def cells(self, task, sizes):
        """Return the keys of all rows: classifier and number of training samples."""
        return [(name, n) for n in sizes for name in self.classifiers(task, n)]

    def amount(self, quick):
        """Return the number of splits and of images to test."""
        return (1, 10) if quick else (self.splits, self.most_tested)

    def classifiers(self, task, n_train):
        raise NotImplementedError

    def rows(self, task, data, sizes, quick):
        raise NotImplementedError

    def row(self, task, classifier, n_train, scores, n_tested, train_seconds, seconds):
        """A single split has the standard error of its share instead of a spread."""
        mean = np.mean(scores)
        spread = np.std(scores) if len(scores) > 1 else np.sqrt(mean * (1 - mean) / n_tested)
        return {
            "task": task.name,
            "method": self.name,
            "family": self.family,
            "classifier": classifier,
            "train": n_train,
            "accuracy": round(float(mean), 4),
            "spread": round(float(spread), 4),
            "splits": len(scores),
            "tested": n_tested,
            "train_seconds": round(float(np.mean(train_seconds)), 4),
            "ms_per_image": round(1000 * float(np.mean(seconds)), 4),
        }


@dataclass(frozen=True)
class Features(Method):
    """Features of images, with standard classifiers.

    `make` returns a function from images to rows of features; what it does once is not timed.
    """

    make: Callable = None
    nearest: str = "1-NN"

    def jobs(self, task):
        return [(size,) for size in task.train_sizes] if self.only_bent else super().jobs(task)

    def classifiers(self, task, n_train):
        """The nearest neighbour for one sample; with more or with copies of it, all three."""
        if self.nearest == "aligned 1-NN" or (n_train == 1 and not self.copies):
            return [self.nearest]
        # Support vectors of each pair among hundreds of classes, or of many copies, take too long.
        slow = task.many_classes or self.only_bent
        return [self.nearest, *([] if slow else ["SVC"]), "PCA + LDA"]

    def rows(self, task, data, sizes, quick):
        transform = self.make()
        n_splits, most_tested = self.amount(quick)
        all_features = None if most_tested else timed(transform, data.images)
        found = {cell: ([], [], [], []) for cell in self.cells(task, sizes)}
        for split, draw in enumerate(draws(task, data, n_splits, most_tested)):
            target, origin = draw.target, np.arange(len(draw.target))
            if all_features and draw.train is not None and not self.copies:
                train, per_train = all_features[0][draw.train], all_features[1]
            else:
                start = time.perf_counter()
                images, target, origin = augment(self, draw, sizes, task, split, quick)
                train = np.asarray(transform(images))
                per_train = (time.perf_counter() - start) / len(images)
            if all_features:
                features, per_image = all_features
                tested = {n: features[test] for n, test in draw.tests.items()}
            else:
                (common,) = {id(test): test for test in draw.tests.values()}.values()
                features, per_image = timed(transform, data.images[common])
                tested = dict.fromkeys(draw.tests, features)
            for (classifier, n_train), measured in found.items():
                if split < FEWER_SPLITS.get(classifier, n_splits):
                    rows = np.isin(origin, draw.chosen[n_train])
                    score, fit, predict = self._classify(
                        CLASSIFIERS[classifier](),
                        (train[rows], target[rows]),
                        (tested[n_train], data.target[draw.tests[n_train]]),
                    )
                    n_tested = len(draw.tests[n_train])
                    values = score, n_tested, rows.sum() * per_train + fit, per_image + predict
                    for values_so_far, value in zip(measured, values, strict=True):
                        values_so_far.append(value)
        for (classifier, n_train), (scores, n_tested, fits, predictions) in found.items():
            yield self.row(task, classifier, n_train, scores, n_tested[0], fits, predictions)

    @staticmethod
    def _classify(model, train, test):
        """Return the accuracy, the seconds for training, and those for each test image."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # classifiers at their limits are results
            start = time.perf_counter()
            model.fit(*train)
            trained = time.perf_counter()
            score = model.score(*test)
        return score, trained - start, (time.perf_counter() - trained) / len(test[1])


def timed(transform, images):
    """Return the features and the seconds for each image."""
    start = time.perf_counter()
    features = np.asarray(transform(images))
    return features, (time.perf_counter() - start) / len(images)


def augment(method, draw, sizes, task, seed, quick):
    """Return training images with random copies, their labels and where they are from.

    Copies are bent where shapes vary within a class, and put into other poses.
    """
    chosen = np.unique(np.concatenate([draw.chosen[size] for size in sizes]))
    copies, only_bent = min(method.copies, 1) if quick else method.copies, method.only_bent
    if only_bent:
        copies = min(copies, MOST_IMAGES // max(sizes))
    more = np.repeat(chosen, copies)
    origin = np.concatenate([chosen, more])
    images = draw.images[more]
    if len(more) and (only_bent or (task.bends and not method.never_bent)):
        images = random_elastic(images, cut="ignore", random_state=seed)
    if len(more) and not only_bent:
        images = random_affine(
            images,
            scale=(0.6, 1),
            shear=(-20, 20),
            rotation=task.rotation,
            cut="ignore",
            random_state=seed,
        )
    return np.concatenate([draw.images[chosen], images]), draw.target[origin], origin


@dataclass(frozen=True)
class Model(Method):
    """A model of its own, without features that standard classifiers could take.

    `make(n_classes, upright, quick)` returns an object with `fit(images, codes, seed)` and
    `predict(images)`; codes are 0, 1, ...
    """

    make: Callable = None

    def jobs(self, task):
        return [(size,) for size in task.train_sizes]

    def classifiers(self, task, n_train):
        return ["own"]

    def rows(self, task, data, sizes, quick):
        (n_train,) = sizes
        n_splits, most_tested = self.amount(quick)
        scores, fits, predictions = [], [], []
        for split, draw in enumerate(draws(task, data, n_splits, most_tested)):
            test = draw.tests[n_train]
            start = time.perf_counter()
            images, target, _ = augment(self, draw, sizes, task, split, quick)
            classes, codes = np.unique(target, return_inverse=True)
            model = self.make(len(classes), task.upright, quick)
            model.fit(images, codes, split)
            fits.append(time.perf_counter() - start)
            start = time.perf_counter()
            predicted = classes[model.predict(data.images[test])]
            predictions.append((time.perf_counter() - start) / len(test))
            scores.append(np.mean(predicted == data.target[test]))
        yield self.row(task, "own", n_train, scores, len(test), fits, predictions)
