"""Digits as they are, and random training samples: what several rooms need."""

import numpy as np

from sklearn_nrcdt.datasets import make_linmnist

UNCHANGED = {"scale": 1, "rotation": 0, "shift": 0, "order": 0}


class MissingData(RuntimeError):
    """Images that are neither given nor found."""


def linmnist(path, n_samples, random_state=0, **options):
    """LinMNIST from a local file or OpenML."""
    try:
        return make_linmnist(
            path=path, n_samples_per_class=n_samples, random_state=random_state, **options
        )
    except OSError as error:
        raise MissingData(f"{error}\nHere, the file is given by --mnist PATH.") from error


def plain_digits(path, n_samples):
    """The first digits of each class of MNIST, 28 x 28 pixels, without any map."""
    return linmnist(path, n_samples, size=28, zoom=1, **UNCHANGED)


def development_digits(path, draws):
    """Images and labels of several draws of poses of digits 500 to 599 of each class.

    LinMNIST, which we test on, has the first 500: what is tried is tried on these.
    """
    plain = plain_digits(path, 600)
    kept = np.concatenate([np.flatnonzero(plain.target == c)[500:] for c in range(10)])
    for seed in range(draws):
        digits = make_linmnist(
            plain.images[kept], plain.target[kept], n_samples_per_class=100, random_state=seed
        )
        yield digits.images, digits.target


def splits(target, n_train, repetitions):
    """Yield training and test indices with n_train random samples of each class."""
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        train = np.concatenate(
            [rng.permutation(np.flatnonzero(target == c))[:n_train] for c in np.unique(target)]
        )
        yield train, np.setdiff1d(np.arange(len(target)), train)
