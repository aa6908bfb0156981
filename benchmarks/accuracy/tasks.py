"""What is to be classified: each task with its images, and templates or training samples.

A task with templates has one image of each class to learn from. The others are learnt from
random samples of each class, several times, and tested on all other images.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.ndimage import map_coordinates
from sklearn.utils import Bunch

from benchmarks.accuracy.limits import clutter, cover, perspective, second_object
from benchmarks.data import linmnist
from sklearn_nrcdt.datasets import load_symbols, make_symbols, random_affine

GENTLE = {"scale": (0.75, 1), "shear": (-5, 5)}
WAVES = (2.5, 7.5)
SALT = {"n_discs": (4, 7), "strength": 9}
# Smooth random displacements on canvases of 128 x 128 pixels; the shapes are half as large.
CANVAS = 128
ELASTIC = {"rms": 5, "width": 10}
POSES = {"scale": (0.5, 1), "shear": (-25, 25), "cut": "redraw"}


@dataclass(frozen=True)
class Task:
    """What is classified: `make` returns a Bunch of images and target, perhaps with templates."""

    name: str
    make: Callable
    train_sizes: tuple = (1,)
    templates: bool = True
    many_classes: bool = False
    upright: bool = False
    bends: bool = False  # whether shapes vary within a class, beyond their pose

    @property
    def rotation(self):
        """Angles of the maps that copies of the training images are made by."""
        return (-15, 15) if self.upright else (0, 360)


def symbols(n_samples, size=256, **options):
    shift = (-20 * size // 256, 20 * size // 256)
    templates = load_symbols(size=size)
    return make_symbols(n_samples, templates=templates, shift=shift, random_state=0, **options)


def disturbed_symbols(n_samples, spoil, amount, size=256):
    data = symbols(n_samples, size, scale=(0.75, 1.0), shear=(-15, 15))
    data.images = spoil(data.images, amount, np.random.RandomState(0))
    wider = data.images.shape[2] - data.templates.shape[2]
    data.templates = np.pad(data.templates, ((0, 0), (0, 0), (0, wider)))
    return data


def displaced(images, *, rms, width, rng):
    """Move the pixels of each image by a smooth random field of its own.

    Not the maps of `random_elastic`: no method is tested on the very maps that made its copies.
    Both components of the displacement are white noise, smoothed by a Gaussian of the given
    width in pixels (periodically), and scaled so that the root mean square length of the
    displacement over the canvas is `rms` pixels.
    """
    height, width_of_canvas = images.shape[1:]
    frequencies = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width_of_canvas))
    smooth = np.exp(-2 * (np.pi * width * frequencies) ** 2)
    smooth[0, 0] = 0  # a shift of the whole image is no deformation
    places = np.indices(images.shape[1:])
    moved = np.empty_like(images)
    for image, result in zip(images, moved, strict=True):
        noise = np.fft.rfft2(rng.standard_normal(places.shape))
        field = np.fft.irfft2(noise * smooth, images.shape[1:])
        field *= rms / np.sqrt(np.mean(np.sum(field**2, axis=0)))
        map_coordinates(image, places + field, output=result, order=1)
    return moved


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
    images = random_affine(images, **POSES, random_state=rng)
    classes = np.arange(len(templates))
    return Bunch(images=images, target=target, templates=templates, template_target=classes)


def symbol_tasks(quick):
    few, many, size = (1, 6, 64) if quick else (50, 100, 256)
    yield Task("affine symbols", partial(symbols, few, size))
    yield Task("symbols with waves", partial(symbols, few, size, amplitude=WAVES, **GENTLE))
    sizes = (5,) if quick else (5, 10)
    for name, amplitude in (("affine, salt", None), ("wave, affine, salt", WAVES)):
        make = partial(symbols, many, size, amplitude=amplitude, **GENTLE, **SALT)
        yield Task(name, make, sizes, templates=False)


def digit_tasks(path, quick):
    n, sizes = (12, (1, 11)) if quick else (500, (1, 5, 11, 25, 50))
    varying = {"templates": False, "bends": True}
    yield Task("LinMNIST", partial(linmnist, path, n), sizes, **varying)
    make = partial(linmnist, path, n, rotation=0)
    yield Task("upright digits", make, (11,), upright=True, **varying)


def shape_tasks(kind, path, quick):
    for n_classes in (200, 1000):
        for how, elastic in (("affine", None), ("elastic + affine", ELASTIC)):
            n, n_samples = (10, 1) if quick else (n_classes, 1000 // n_classes)
            make = partial(shapes, path, n, n_samples, elastic)
            many = n_classes > 200
            name = f"{n_classes:,} {kind}, {how}"
            yield Task(name, make, many_classes=many, bends=elastic is not None)


def limit_tasks(quick):
    n, size = (1, 64) if quick else (20, 256)
    for name, spoil, amount in (
        ("10 % covered", cover, 0.1),
        ("one stroke", clutter, 1),
        ("second object, 10 % as bright", second_object, 0.1),
        ("perspective 1.25", perspective, 1.25),
        ("perspective 1.5", perspective, 1.5),
    ):
        yield Task(name, partial(disturbed_symbols, n, spoil, amount, size))


def all_tasks(args):
    """Yield the tasks whose images can be had, and say which cannot; with --quick, small ones."""
    yield from symbol_tasks(args.quick)
    for option in ("mnist", "characters", "logos"):
        if not (path := getattr(args, option)):
            print(f"Tasks with {option} are left out: no --{option}.", file=sys.stderr)
        elif option == "mnist":
            yield from digit_tasks(path, args.quick)
        else:
            yield from shape_tasks(option, path, args.quick)
    yield from limit_tasks(args.quick)
