"""How the features depend on `n_radii`: ``python -m benchmarks.radii``.

For each set of images and each number of radii, the table shows the error of the
quantile functions and of the max- and mean-normalised features against 16,385 radii
(root mean square over the images). The last two columns are relative to the smallest
distance between two images of the set, the scale on which a nearest template is decided.
The symbols are turned, scaled and moved at random, so that no line meets an edge of a bin
by design.
"""

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.datasets import load_digits

from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, RadonCDT
from sklearn_nrcdt.datasets import load_symbols, random_affine


def symbols(size):
    images = load_symbols(size=size).images
    return random_affine(
        images,
        scale=(0.8, 1),
        rotation=(0, 360),
        shear=(0, 0),
        shift=(-size // 50, size // 50),
        random_state=0,
    )


IMAGES = {
    "symbols, 256 x 256": symbols(256),
    "symbols, 128 x 128": symbols(128),
    "symbols, 64 x 64": symbols(64),
    "symbols, 32 x 32": symbols(32),
    "digits, 8 x 8": load_digits().images[:12],
}


def features(images, n_radii):
    return [t(n_radii=n_radii).fit_transform(images) for t in (RadonCDT, MaxNRCDT, MeanNRCDT)]


def share(features, reference):
    """Error of an image, relative to the smallest distance between images."""
    error = np.sqrt(np.mean(np.sum((features - reference) ** 2, axis=1)))
    return error / pdist(reference).min()


def main():
    print(f"{'images':20s} {'n_radii':>8s} {'R-CDT rms':>10s} {'max':>7s} {'mean':>7s}")
    for name, images in IMAGES.items():
        reference = features(images, 2**14 + 1)
        for n_radii in (101, 151, 201, 301, 401, 501, 851, 1201, "auto"):
            quantiles, maximum, mean = features(images, n_radii)
            error = np.sqrt(np.mean((quantiles - reference[0]) ** 2))
            shares = share(maximum, reference[1]), share(mean, reference[2])
            print(f"{name:20s} {n_radii!s:>8s} {error:10.1e} {shares[0]:7.1%} {shares[1]:7.1%}")


if __name__ == "__main__":
    main()
