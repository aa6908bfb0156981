"""How each library is called: ours and the peers.

A variant's ``prepare(images, n_lines)`` does what is done once, imports included, and returns the
call to be timed, which transforms all the images. What a peer needs of its input (padding,
positive densities, tensors) is prepared, too.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Variant:
    """One way to call a library."""

    name: str
    computes: str
    package: str
    entry: str  # what is imported, as pkgutil.resolve_name wants it
    dtype: str
    prepare: Callable


def degrees(n_lines):
    """Equispaced angles on the half circle, the lines that we project on, too."""
    return np.arange(n_lines) * 180 / n_lines


def ours(name):
    """One of our transformers; those of the Radon way have angles."""

    def prepare(images, n_lines):
        import sklearn_nrcdt

        params = {} if name == "InvariantHOG" else {"n_angles": 2 * n_lines}
        fitted = getattr(sklearn_nrcdt, name)(**params).fit(images[:1])
        return lambda: fitted.transform(images)

    return prepare


def pytranskit(images, n_lines):
    from pytranskit.optrans.continuous import RadonCDT

    peer = RadonCDT(theta=degrees(n_lines))
    reference = np.ones(images.shape[1:]) / images[0].size
    densities = images + 1e-8  # it accepts only positive densities
    densities /= densities.sum(axis=(1, 2), keepdims=True)
    return lambda: [peer.forward([0, 1], reference, [0, 1], image) for image in densities]


def torchcdt(circle):
    def prepare(images, n_lines):
        import torch
        from torchcdt.functional import rcdt

        torch.set_num_threads(1)
        tensor = torch.as_tensor(images[:, None])
        theta = torch.as_tensor(degrees(n_lines), dtype=tensor.dtype)
        return lambda: rcdt(tensor, normalization="max", theta=theta, circle=circle)

    return prepare


def skimage_radon(images, n_lines):
    from skimage.transform import radon

    theta = degrees(n_lines)
    return lambda: [radon(image, theta, circle=False) for image in images]


def skimage_hog(images, n_lines):
    from skimage.feature import hog

    return lambda: [hog(image) for image in images]


COMPUTES = {
    "MaxNRCDT": "max NR-CDT",
    "MeanNRCDT": "mean NR-CDT",
    "NRCDT": "NR-CDT",
    "RadonCDT": "R-CDT",
    "SpectralNRCDT": "spectrum of NR-CDT",
    "InvariantHOG": "invariant HOG",
}
OURS = [
    Variant(name, computes, "sklearn-nrcdt", "sklearn_nrcdt", "float32", ours(name))
    for name, computes in COMPUTES.items()
]
CDT = "torchcdt.functional:rcdt"
# Name, what it computes, package, what to import, precision, how to prepare.
PEERS = [
    Variant(*peer)
    for peer in (
        ("PyTransKit", "R-CDT", "pytranskit", "pytranskit.optrans.continuous:RadonCDT", "float64",
         pytranskit),
        # Its default, circle=True, cuts off the corners of the image.
        ("torchcdt", "max NR-CDT", "torchcdt", CDT, "float32", torchcdt(False)),
        ("torchcdt, corners cut", "max NR-CDT", "torchcdt", CDT, "float32", torchcdt(True)),
        ("skimage.radon", "projections", "scikit-image", "skimage.transform:radon", "float64",
         skimage_radon),
        # What InvariantHOG is compared with: gradients in cells, without a frame.
        ("skimage.feature.hog", "HOG", "scikit-image", "skimage.feature:hog", "float32",
         skimage_hog),
    )
]  # fmt: skip
VARIANTS = {variant.name: variant for variant in (*OURS, *PEERS)}
