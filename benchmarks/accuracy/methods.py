"""What classifies images: features with standard classifiers, and models with their own.

Every method yields rows of the table for a task. Families are "paper", "ours", "classic"
(described by hand) and "learned".
"""

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
from threadpoolctl import threadpool_limits

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
    "aligned 1-NN": lambda: NearestTemplateClassifier("aligned"),
    "SVC": lambda: make_pipeline(StandardScaler(), SVC(C=10)),
    "PCA + LDA": recommended,
}
# These are slow with thousands of features or pairs.
FEWER_SPLITS = {"aligned 1-NN": 5, "SVC": 5}


@dataclass(frozen=True)
class Draw:
    """Training images, those of them that a training size takes, and which images to test."""

    images: np.ndarray
    target: np.ndarray
    chosen: np.ndarray  # rows of `images`
    test: np.ndarray  # indices of the images of the task
    train: np.ndarray | None = None  # the same of `images`, unless they are templates


def draws(task, data, n_train, n_splits, most_tested):
    """Yield random choices of training and test images, or the one with the templates.

    Smaller training sets are parts of the larger ones. If not all images are tested, the tested
    ones are the same for all sizes.
    """
    rng = np.random.default_rng(0)
    if task.templates:
        test = rng.permutation(len(data.images))[:most_tested]
        yield Draw(data.templates, data.template_target, np.arange(len(data.templates)), test)
        return
    sizes = n_train, max(task.train_sizes)
    for (chosen, test), (train, outside) in zip(
        *(splits(data.target, size, n_splits) for size in sizes), strict=True
    ):
        if most_tested:
            test = rng.permutation(outside)[:most_tested]
        chosen = np.flatnonzero(np.isin(train, chosen))
        yield Draw(data.images[train], data.target[train], chosen, test, train)


_loaded: dict = {}  # the task that a process was last at work on


def load(task):
    if task.name not in _loaded:
        _loaded.clear()
        _loaded[task.name] = task.make()
    return _loaded[task.name]


@dataclass(frozen=True)
class Method:
    """A way to classify images.

    `copies` random copies of each training image join it: in other poses, or, for features that
    poses do not change, only bent and up to `MOST_IMAGES` of a class. `never_bent` is for
    methods that bent copies make worse.
    """

    name: str
    family: str
    make: Callable
    splits: int = SPLITS
    most_tested: int | None = None  # None: all images that are not for training
    skip: Callable = field(default=lambda task: False)
    needs: tuple = ()  # modules
    copies: int = 0
    only_bent: bool = False
    never_bent: bool = False

    def rows(self, task, n_train, quick):
        """Return the rows of the table for a number of training samples, on one thread."""
        amount = (1, 10) if quick else (self.splits, self.most_tested)
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of images that leave the canvas, of deprecations
            return list(self.measure(task, load(task), n_train, quick, *amount))

    def measure(self, task, data, n_train, quick, n_splits, most_tested):
        raise NotImplementedError

    def row(self, classifier, measured, n_tested):
        """A single split has the standard error of its share instead of a spread."""
        scores, fits, predictions = zip(*measured, strict=True)
        mean = np.mean(scores)
        spread = np.std(scores) if len(scores) > 1 else np.sqrt(mean * (1 - mean) / n_tested)
        return {
            "family": self.family,
            "classifier": classifier,
            "accuracy": round(float(mean), 4),
            "spread": round(float(spread), 4),
            "splits": len(scores),
            "tested": n_tested,
            "train_seconds": round(float(np.mean(fits)), 4),
            "ms_per_image": round(1000 * float(np.mean(predictions)), 4),
        }


@dataclass(frozen=True)
class Features(Method):
    """Features of images, with standard classifiers.

    `make` returns a function from images to rows of features; what it does once is not timed.
    """

    nearest: str = "1-NN"

    def classifiers(self, task, n_train):
        """The nearest neighbour for one sample; with more or with copies of it, all three."""
        if self.nearest == "aligned 1-NN" or (n_train == 1 and not self.copies):
            return [self.nearest]
        # Support vectors of each pair among hundreds of classes, or of many copies, take too long.
        slow = task.many_classes or self.only_bent
        return [self.nearest, *([] if slow else ["SVC"]), "PCA + LDA"]

    def measure(self, task, data, n_train, quick, n_splits, most_tested):
        transform = self.make()
        every = None if most_tested else timed(transform, data.images)
        found = {name: [] for name in self.classifiers(task, n_train)}
        for split, draw in enumerate(draws(task, data, n_train, n_splits, most_tested)):
            if every and draw.train is not None and not self.copies:
                train, per_train = every[0][draw.train[draw.chosen]], every[1]
                target = draw.target[draw.chosen]
            else:
                # Copies of the largest training set serve the smaller ones.
                chosen = draw.chosen if self.only_bent else np.arange(len(draw.images))
                start = time.perf_counter()
                images, target, origin = augment(self, draw, chosen, n_train, task, split, quick)
                made = (time.perf_counter() - start) / len(images)
                kept = np.isin(origin, draw.chosen)
                train, per_train = timed(transform, images[kept])
                target, per_train = target[kept], per_train + made
            if every:
                tested, per_image = every[0][draw.test], every[1]
            else:
                tested, per_image = timed(transform, data.images[draw.test])
            for name, measured in found.items():
                if split < FEWER_SPLITS.get(name, n_splits):
                    test = tested, data.target[draw.test]
                    score, fit, predict = classify(CLASSIFIERS[name](), (train, target), test)
                    measured.append((score, len(train) * per_train + fit, per_image + predict))
        for name, measured in found.items():
            yield self.row(name, measured, len(draw.test))


def classify(model, train, test):
    """Return the accuracy, the seconds for training, and those for each test image."""
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


def augment(method, draw, chosen, n_train, task, seed, quick):
    """Return training images with random copies, their labels and where they are from.

    Copies are bent where shapes vary within a class, and put into other poses.
    """
    copies, only_bent = min(method.copies, 1) if quick else method.copies, method.only_bent
    if only_bent:
        copies = min(copies, MOST_IMAGES // n_train)
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

    `make(n_classes, upright, quick, seed)` returns an object with `fit(images, codes)` and
    `predict(images)`; codes are 0, 1, ...
    """

    def measure(self, task, data, n_train, quick, n_splits, most_tested):
        measured = []
        for split, draw in enumerate(draws(task, data, n_train, n_splits, most_tested)):
            start = time.perf_counter()
            images, target, _ = augment(self, draw, draw.chosen, n_train, task, split, quick)
            classes, codes = np.unique(target, return_inverse=True)
            model = self.make(len(classes), task.upright, quick, split)
            model.fit(images, codes)
            trained = time.perf_counter()
            predicted = classes[model.predict(data.images[draw.test])]
            seconds = (time.perf_counter() - trained) / len(draw.test)
            score = np.mean(predicted == data.target[draw.test])
            measured.append((score, trained - start, seconds))
        yield self.row("own", measured, len(draw.test))
