"""What the discretisation does: levels under salt, `n_radii`, and the way back to images."""

from functools import partial

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.command import store
from benchmarks.data import splits
from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, RadonCDT, SpectralNRCDT
from sklearn_nrcdt.datasets import add_salt, load_symbols, make_symbols, random_affine

FEATURES = {
    "max NR-CDT": MaxNRCDT,
    "mean NR-CDT": MeanNRCDT,
    "precision mean": partial(MeanNRCDT, weighting="precision"),
    "spectrum": SpectralNRCDT,
}


def salt_rows(quick):
    """Nearest neighbour on Table 4's row 3, 10 training samples per class, 5 splits."""
    clean = make_symbols(15 if quick else 50, scale=(0.75, 1), shear=(-5, 5), random_state=0)
    salted = add_salt(clean.images, n_discs=(4, 7), strength=9, random_state=0)
    nearest = KNeighborsClassifier(1)
    for name, make in FEATURES.items():
        for n_quantiles in (8, 16, 32, 64, 128):
            features = make(n_quantiles=n_quantiles).fit_transform(salted)
            scores = [
                nearest.fit(features[train], clean.target[train])
                .score(features[test], clean.target[test])
                for train, test in splits(clean.target, 10, 5)
            ]  # fmt: skip
            accuracy = f"{np.mean(scores):.3f}"
            yield {"feature": name, "n_quantiles": n_quantiles, "accuracy": accuracy}


def sets(quick):
    """Yield images by name; turned at random, so that no line meets an edge of a bin by design."""
    for size in (32,) if quick else (256, 128, 64, 32):
        images = load_symbols(size=size).images
        shift = (-size // 50, size // 50)
        posed = random_affine(images, scale=(0.8, 1), shear=0, shift=shift, random_state=0)
        yield f"symbols, {size} x {size}", posed
    yield "digits, 8 x 8", load_digits().images[:12]


def radii_rows(quick):
    """Errors against 16,385 radii: of quantiles, and of features relative to the smallest
    distance between two images, the scale on which a nearest template is decided."""
    for name, images in sets(quick):

        def features(n_radii, images=images):
            makers = RadonCDT, MaxNRCDT, MeanNRCDT
            return [make(n_radii=n_radii).fit_transform(images) for make in makers]

        exact = features(2**14 + 1)
        for n_radii in (101, 151, 201, 301, 401, 501, 851, 1201, "auto"):
            off = [found - one for found, one in zip(features(n_radii), exact, strict=True)]
            row = {"images": name, "n_radii": n_radii}
            row["R-CDT rms"] = f"{np.sqrt(np.mean(off[0] ** 2)):.1e}"
            for key, error, one in zip(("max", "mean"), off[1:], exact[1:], strict=True):
                size = np.sqrt(np.mean(np.sum(error**2, axis=1)))
                row[key] = f"{size / pdist(one).min():.1%}"
            yield row


def pictures():
    """Yield a smooth image, a disc with a sharp edge and a symbol of thin lines."""
    x, y = np.meshgrid(np.linspace(-1, 1, 128), np.linspace(-1, 1, 128))
    yield (
        "smooth blobs, 128 x 128",
        np.exp(-20 * (x**2 + y**2)) + np.exp(-30 * (x - 0.5) ** 2 - 50 * y**2),
    )
    yield "disc, 128 x 128", (np.hypot(x, y) < 0.5).astype(float)
    yield "symbol, 256 x 256", load_symbols().images[4]


def roundtrip_rows(quick):
    """Relative errors of `RadonCDT.inverse_transform` in the Euclidean norm."""
    for name, image in list(pictures())[: 1 if quick else None]:
        image = image[None] / image.sum()
        for n_angles, n_quantiles in ((128, 64), (256, 64), (256, 128), (256, 512)):
            transformer = RadonCDT(n_angles, n_quantiles=n_quantiles).fit(image)
            back = transformer.inverse_transform(transformer.transform(image))
            error = f"{np.linalg.norm(back - image) / np.linalg.norm(image):.1%}"
            yield {"image": name, "n_angles": n_angles, "n_quantiles": n_quantiles, "error": error}


def salt(args):
    store(args, "salt", salt_rows(args.quick))


def radii(args):
    store(args, "radii", radii_rows(args.quick))


def roundtrip(args):
    store(args, "roundtrip", roundtrip_rows(args.quick))
