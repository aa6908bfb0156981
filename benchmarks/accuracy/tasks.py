"""What is to be classified: each task with its images, and templates or training samples.

A task with templates has one image of each class to learn from. The others are learnt from
random samples of each class, several times, and tested on all other images.
"""

import sys
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.utils import Bunch

from benchmarks.accuracy.elastic import displaced
from benchmarks.accuracy.limits import clutter, cover, perspective, second_object
from benchmarks.data import linmnist
from sklearn_nrcdt.datasets import load_symbols, make_symbols, random_affine
from sklearn_nrcdt.preprocessing import Despeckle

GENTLE = {"scale": (0.75, 1), "shear": (-5, 5)}
WAVES = (2.5, 7.5)
SALT = {"n_discs": (4, 7), "strength": 9}
# Smooth random displacements on canvases of 128 x 128 pixels; the shapes are half as large.
CANVAS = 128
ELASTIC = {"rms": 5, "width": 10}


@dataclass(frozen=True)
class Task:
    """How to make the images of a task; `group` is where the page shows it."""

    name: str
    group: str
    make: partial
    train_sizes: tuple = (1,)
    templates: bool = True
    many_classes: bool = False
    upright: bool = False
    despeckled: bool = False
    bends: bool = False  # whether shapes vary within a class, beyond their pose

    @property
    def rotation(self):
        """Angles of the maps that copies of the training images are made by."""
        return (-15, 15) if self.upright else (0, 360)

    def load(self):
        """Return a Bunch of images and target; with templates, also these and their target."""
        return self.make()


def symbols(n_samples, size=256, **options):
    shift = (-20 * size // 256, 20 * size // 256)
    templates = load_symbols(size=size, dtype=np.float32)
    return make_symbols(n_samples, templates=templates, shift=shift, random_state=0, **options)


def despeckled(make):
    data = make()
    data.images = Despeckle().fit_transform(data.images)
    return data


def disturbed_symbols(n_samples, spoil, amount, size=256):
    data = symbols(n_samples, size, scale=(0.75, 1.0), shear=(-15, 15))
    images = spoil(data.images, amount, np.random.RandomState(0))
    wider = images.shape[2] - data.templates.shape[2]
    templates = np.pad(data.templates, ((0, 0), (0, 0), (0, wider)))
    return Bunch(
        images=images,
        target=data.target,
        templates=templates,
        template_target=data.template_target,
    )


def shapes(path, n_classes, n_samples, elastic=None):
    """Deform one template per class, on a canvas that holds it in every pose.

    `elastic` are options of `displaced`, which comes before the affine map.
    """
    templates = np.load(path)["images"][:n_classes].astype(np.float32) / 255
    block = templates.shape[1] // (CANVAS // 2)
    templates = templates.reshape(len(templates), CANVAS // 2, block, CANVAS // 2, block)
    border = CANVAS // 4
    templates = np.pad(templates.mean(axis=(2, 4)), ((0, 0), (border, border), (border, border)))
    rng = np.random.RandomState(0)
    target = np.repeat(np.arange(len(templates)), n_samples)
    images = templates[target]
    if elastic:
        images = displaced(images, **elastic, rng=rng)
    images = random_affine(images, scale=(0.5, 1), shear=(-25, 25), cut="redraw", random_state=rng)
    return Bunch(
        images=images,
        target=target,
        templates=templates,
        template_target=np.arange(len(templates)),
    )


def symbol_tasks():
    yield Task("affine symbols", "symbols", partial(symbols, 50))
    make = partial(symbols, 50, amplitude=WAVES, **GENTLE)
    yield Task("symbols with waves", "symbols", make)
    for name, amplitude in (("affine, salt", None), ("wave, affine, salt", WAVES)):
        make = partial(symbols, 100, amplitude=amplitude, **GENTLE, **SALT)
        yield Task(name, "salt", make, (5, 10), templates=False)
        clean = partial(despeckled, make)
        yield Task(f"{name}, despeckled", "salt", clean, (5, 10), templates=False, despeckled=True)


def digit_tasks(path):
    make = partial(linmnist, path, 500)
    varying = {"templates": False, "bends": True}
    yield Task("LinMNIST", "digits", make, (1, 5, 11, 25, 50), **varying)
    make = partial(linmnist, path, 500, rotation=0)
    yield Task("upright digits", "digits", make, (11,), upright=True, **varying)


def shape_tasks(kind, path):
    for n_classes in (200, 1000):
        for elastic in (False, True):
            yield Task(
                f"{n_classes:,} {kind}, {'elastic + affine' if elastic else 'affine'}",
                "templates",
                partial(shapes, path, n_classes, 1000 // n_classes, ELASTIC if elastic else None),
                many_classes=n_classes > 200,
                bends=elastic,
            )


def limit_tasks():
    for name, spoil, amount in (
        ("10 % covered", cover, 0.1),
        ("one stroke", clutter, 1),
        ("second object, 10 % as bright", second_object, 0.1),
        ("perspective 1.25", perspective, 1.25),
        ("perspective 1.5", perspective, 1.5),
    ):
        yield Task(name, "limits", partial(disturbed_symbols, 20, spoil, amount))


def quick_tasks(args):
    """Yield a small task of each kind."""
    yield Task("affine symbols", "symbols", partial(symbols, 1, size=64))
    make = partial(symbols, 6, size=64, **GENTLE, n_discs=2)
    yield Task("affine, salt", "salt", make, (5,), templates=False)
    if args.mnist:
        make = partial(linmnist, args.mnist, 12)
        varying = {"templates": False, "bends": True}
        yield Task("LinMNIST", "digits", make, (1, 11), **varying)
        make = partial(linmnist, args.mnist, 6, rotation=0)
        yield Task("upright digits", "digits", make, (5,), upright=True, **varying)
    for kind in ("characters", "logos"):
        if path := getattr(args, kind):
            make = partial(shapes, path, 10, 1, ELASTIC)
            yield Task(f"200 {kind}, elastic + affine", "templates", make, bends=True)
    yield Task("one stroke", "limits", partial(disturbed_symbols, 1, clutter, 1, size=64))


def all_tasks(args):
    """Yield the tasks whose images can be had, and say which cannot."""
    if args.quick:
        yield from quick_tasks(args)
    else:
        yield from symbol_tasks()
        yield from digit_tasks(args.mnist) if args.mnist else ()
        for kind in ("characters", "logos"):
            yield from shape_tasks(kind, getattr(args, kind)) if getattr(args, kind) else ()
        yield from limit_tasks()
    for option in ("mnist", "characters", "logos"):
        if not getattr(args, option):
            print(f"Tasks with {option} are left out: no --{option}.", file=sys.stderr)
