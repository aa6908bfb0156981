"""How the defaults of `SpectralNRCDT` were chosen.

On digits 500 to 599 of each class of MNIST, which LinMNIST (the first 500) does not use:
accuracies with 11, 25 and 50 training samples per class for numbers of harmonics and
levels, with and without the factors that put the orders on one scale, and for the other
poolings of the circle. Three random draws of poses, three splits each.
"""

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.command import keep_text
from benchmarks.data import development_digits, splits
from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, RadonCDT, SpectralNRCDT
from sklearn_nrcdt._kernels.radon_harmonics import harmonics

TRAIN_SIZES = (11, 25, 50)


def accuracies(features, target):
    """Accuracies of the nearest neighbour and of the SVM for each number of samples."""
    models = KNeighborsClassifier(1), make_pipeline(StandardScaler(), SVC(C=10))
    found = np.zeros((len(TRAIN_SIZES), len(models)))
    for i, n_train in enumerate(TRAIN_SIZES):
        for train, test in splits(target, n_train, 3):
            for j, model in enumerate(models):
                model.fit(features[train], target[train])
                found[i, j] += model.score(features[test], target[test]) / 3
    return found


def bispectrum(coefficients):
    """Products of three harmonics at one level, which see phases between orders."""
    size = np.sqrt(np.mean(np.abs(coefficients) ** 2, axis=2, keepdims=True))
    scaled = coefficients / np.maximum(size, 1e-12) ** (2 / 3)
    orders = range(1, coefficients.shape[1])
    triples = [(j, k) for j in orders for k in orders if j <= k and j + k <= orders[-1]]
    products = [scaled[:, j] * scaled[:, k] * scaled[:, j + k].conj() for j, k in triples]
    return np.concatenate([part(p) for part in (np.real, np.imag) for p in products], axis=1)


def variants():
    """Yield names and functions from images to features."""
    for n_harmonics, n_quantiles in ((6, 16), (8, 12), (8, 16), (8, 24), (12, 16)):
        transformer = SpectralNRCDT(n_quantiles=n_quantiles, n_harmonics=n_harmonics)
        yield f"spectrum, {n_harmonics} harmonics, {n_quantiles} levels", transformer.fit_transform
    ignoring = SpectralNRCDT(reflection="ignore")
    yield "spectrum, reflections ignored", ignoring.fit_transform
    yield "spectrum, products not scaled", not_scaled
    yield "spectrum and bispectrum", with_bispectrum
    for name, transformer in {
        "max NR-CDT": MaxNRCDT(),
        "mean NR-CDT": MeanNRCDT(),
        "precision mean": MeanNRCDT(weighting="precision"),
    }.items():
        yield name, transformer.fit_transform


def coefficients_of(images):
    """Harmonics with the defaults of `SpectralNRCDT`."""
    lines = RadonCDT(n_quantiles=16).fit_transform(images).reshape(len(images), 128, 16)[:, :64]
    return harmonics(lines, 8)


def not_scaled(images):
    coefficients = coefficients_of(images)
    first, second = np.triu_indices(coefficients.shape[2])
    products = coefficients[:, :, first] * coefficients[:, :, second].conj()
    products = products.reshape(len(images), -1)
    return np.concatenate([products.real, products.imag], axis=1)


def with_bispectrum(images):
    spectrum = SpectralNRCDT().fit_transform(images)
    return np.concatenate([spectrum, bispectrum(coefficients_of(images)) / 2], axis=1)


@keep_text
def run(args):
    if args.quick and not args.mnist:
        print("Left out: no --mnist.")
        return
    draws = list(development_digits(args.mnist, 1 if args.quick else 3))
    columns = [f"{model} {n:2d}" for n in TRAIN_SIZES for model in ("1-NN", "SVM")]
    print(f"{'features':40s} {'length':>6s}  " + "  ".join(columns))
    for name, extract in variants():
        found = []
        for images, target in draws:
            features = extract(images)
            found.append(accuracies(features, target))
        values = "  ".join(f"{value:7.3f}" for value in np.mean(found, axis=0).ravel())
        print(f"{name:40s} {features.shape[1]:6d}  {values}", flush=True)
