"""How each library is called: ours and the peers.

A variant's ``prepare(images, n_lines)`` does everything that is done once and returns the
call to be timed, which takes no arguments and transforms all the images. What a peer needs
of its input (padding, positive densities, tensors) is prepared, too, and not timed.
Libraries are imported by those who use them, each in a process of its own.
"""

import math
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
    # From nothing to the features, for those who have a better way than prepare and call.
    at_once: Callable | None = None


def degrees(n_lines):
    """Equispaced angles on the half circle, the lines that we project on, too."""
    return np.arange(n_lines) * 180 / n_lines


def our(name, n_lines, **params):
    """One of our transformers; those of the Radon way have angles."""
    import sklearn_nrcdt

    if name != "InvariantHOG":
        params["n_angles"] = 2 * n_lines
    return getattr(sklearn_nrcdt, name)(**params)


def ours(name):
    def prepare(images, n_lines):
        fitted = our(name, n_lines).fit(images[:1])
        return lambda: fitted.transform(images)

    def at_once(images, n_lines):
        transformer = our(name, n_lines)
        return lambda: transformer.fit_transform(images)

    return prepare, at_once


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


def imops_radon(images, n_lines):
    from imops import radon

    # It wants all mass in the inscribed circle.
    side = images.shape[1]
    border = math.ceil((math.sqrt(2) - 1) / 2 * side) + 1
    padded = np.pad(images, ((0, 0), (border, border), (border, border)))
    theta = degrees(n_lines)
    return lambda: radon(padded, axes=(1, 2), theta=theta, num_threads=1)


def astra(kind):
    def prepare(images, n_lines):
        import astra

        side = images.shape[1]
        volume = astra.create_vol_geom(side, side)
        n_bins = math.ceil(math.sqrt(2) * side)
        lines = astra.create_proj_geom("parallel", 1.0, n_bins, np.deg2rad(degrees(n_lines)))
        projector = astra.create_projector(kind, lines, volume)

        def call():
            for image in images:
                sinogram, _ = astra.create_sino(image, projector)
                astra.data2d.delete(sinogram)

        return call

    return prepare


PRECISIONS = ("float32", "float64")
COMPUTES = {
    "MaxNRCDT": "max NR-CDT",
    "MeanNRCDT": "mean NR-CDT",
    "NRCDT": "NR-CDT",
    "RadonCDT": "R-CDT",
    "SpectralNRCDT": "spectrum of NR-CDT",
    "InvariantHOG": "invariant HOG",
}

OURS = [
    Variant(name, computes, "sklearn-nrcdt", "sklearn_nrcdt", dtype, *ours(name))
    for name, computes in COMPUTES.items()
    for dtype in PRECISIONS
]
PYTRANSKIT = Variant(
    "PyTransKit",
    "R-CDT",
    "pytranskit",
    "pytranskit.optrans.continuous:RadonCDT",
    "float64",
    pytranskit,
)
TORCHCDT = [
    # Its default, circle=True, cuts off the corners of the image.
    Variant(
        f"torchcdt{', corners cut' * circle}",
        "max NR-CDT",
        "torchcdt",
        "torchcdt.functional:rcdt",
        dtype,
        torchcdt(circle),
    )
    for circle in (False, True)
    for dtype in PRECISIONS
]
PROJECTIONS = [
    Variant(name, "projections only", package, entry, dtype, prepare)
    for name, package, entry, dtype, prepare in (
        ("skimage.radon", "scikit-image", "skimage.transform:radon", "float64", skimage_radon),
        ("imops.radon", "imops", "imops:radon", "float32", imops_radon),
        ("ASTRA CPU, strips", "astra-toolbox", "astra", "float32", astra("strip")),
        ("ASTRA CPU, lines", "astra-toolbox", "astra", "float32", astra("line")),
    )
]
# What InvariantHOG is compared with: gradients in cells, without a frame.
HOG = Variant(
    "skimage.feature.hog", "HOG", "scikit-image", "skimage.feature:hog", "float32", skimage_hog
)
SAME_FEATURE = [PYTRANSKIT, *TORCHCDT]
TRANSFORMS = [*OURS, *SAME_FEATURE, *PROJECTIONS, HOG]


# -- distances between images ---------------------------------------------------------


def our_distance(images, n_lines):
    from scipy.spatial.distance import pdist

    fitted = our("RadonCDT", n_lines, scaling="wasserstein").fit(images[:1])
    return lambda: pdist(fitted.transform(images))


def pot(images, n_lines):
    import ot

    angles = np.deg2rad(degrees(n_lines))
    lines = np.stack([np.cos(angles), np.sin(angles)])
    clouds = []
    for image in images:
        rows, columns = np.nonzero(image)
        mass = image[rows, columns]
        clouds.append((np.stack([columns, -rows], axis=1).astype(float), mass / mass.sum()))

    def call():
        for j, (b, mass_b) in enumerate(clouds):
            for a, mass_a in clouds[:j]:
                ot.sliced_wasserstein_distance(a, b, mass_a, mass_b, projections=lines)

    return call


DISTANCES = [
    Variant(name, "sliced Wasserstein-2", package, entry, "float64", prepare)
    for name, package, entry, prepare in (
        ("RadonCDT and pdist", "sklearn-nrcdt", "sklearn_nrcdt", our_distance),
        ("POT", "POT", "ot", pot),
    )
]
VARIANTS = {(v.name, v.dtype): v for v in (*TRANSFORMS, *DISTANCES)}
