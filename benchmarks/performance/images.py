"""The images that everybody transforms, made here, so that the benchmark needs no file."""

import time
import timeit
import warnings

import numpy as np
from scipy.ndimage import gaussian_filter
from skimage.transform import resize
from sklearn.datasets import load_digits

from benchmarks.data import linmnist
from sklearn_nrcdt.datasets import load_symbols, make_linmnist, random_affine


def digits(n, mnist):
    """Digits of 28 x 28 pixels: MNIST, or scikit-learn's in MNIST's box of 20 x 20 pixels."""
    if mnist:
        made = linmnist(mnist, None, size=28, zoom=1, scale=1, rotation=0, shift=0)
        return np.rint(made.images[:n]).astype(float)  # without the rounding errors of the splines
    small = load_digits().images[:n] / 16
    large = np.stack([resize(image, (20, 20), order=1) for image in small])
    return np.pad(large, ((0, 0), (4, 4), (4, 4)))


def digits_on_a_canvas(n, mnist):
    """Digits as LinMNIST has them: enlarged, turned, shifted, on 128 x 128 pixels."""
    images = digits(n, mnist)
    labels = np.zeros(len(images))
    made = make_linmnist(images, labels, n_samples_per_class=None, random_state=0)
    return made.images.astype(float)


def symbols(n, mnist):
    """Deformed line drawings of 256 x 256 pixels."""
    templates = load_symbols().images
    return random_affine(templates[np.arange(n) % 12], rotation=(0, 360), random_state=0)


def dense_grey(n, mnist):
    """Noise of 256 x 256 pixels, none of them black."""
    return np.random.default_rng(0).random((n, 256, 256)) + 0.01


def scan(n, mnist):
    """Blurred drawings of 1024 x 1024 pixels on grainy paper, no pixel black."""
    drawings = load_symbols(size=1024).images[np.arange(n) % 12]
    grain = np.random.default_rng(0).random((n, 1024, 1024))
    return gaussian_filter(drawings, (0, 2, 2)) + 0.1 * grain + 0.01


# Name -> how they are made, and how many of them are transformed at a time.
CASES = {
    "28 x 28 digits": (digits, 512),
    "128 x 128 digits on a canvas": (digits_on_a_canvas, 256),
    "256 x 256 symbols": (symbols, 64),
    "256 x 256 dense grey": (dense_grey, 64),
    "1024 x 1024 scan": (scan, 8),
}


def processor_seconds(function, repetitions=3):
    """Return the processor time of the fastest of some calls."""
    return min(timeit.repeat(function, timer=time.process_time, repeat=repetitions, number=1))


def make_images(case, mnist=None):
    """Return the images of a case, float64; digits from a file with MNIST if there is one."""
    function, n = CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # digits that the maps cut off a little
        return function(n, mnist)
