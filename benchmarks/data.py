"""Digits in random poses, and random training samples: what several rooms need."""

import numpy as np

from sklearn_nrcdt.datasets import make_linmnist


class MissingData(RuntimeError):
    """Images that are neither given nor found."""


def linmnist(path, n_samples, random_state=0, **options):
    """LinMNIST from a local .npz file of images and labels, or from OpenML."""
    try:
        digits = np.load(path) if path else {}
        return make_linmnist(
            digits.get("images"),
            digits.get("labels"),
            n_samples_per_class=n_samples,
            random_state=random_state,
            **options,
        )
    except OSError as error:
        raise MissingData(f"{error}\nHere, the file is given by --mnist PATH.") from error


def splits(target, n_train, repetitions):
    """Yield training and test indices with n_train random samples of each class."""
    for seed in range(repetitions):
        rng = np.random.default_rng(seed)
        train = np.concatenate(
            [rng.permutation(np.flatnonzero(target == c))[:n_train] for c in np.unique(target)]
        )
        yield train, np.setdiff1d(np.arange(len(target)), train)
