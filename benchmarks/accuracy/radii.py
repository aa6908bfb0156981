"""How the features depend on `n_radii`.

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

from benchmarks.command import keep_text
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


def sets(quick):
    """Yield names and images."""
    for size in (32,) if quick else (256, 128, 64, 32):
        yield f"symbols, {size} x {size}", symbols(size)
    yield "digits, 8 x 8", load_digits().images[:12]


def features(images, n_radii):
    return [t(n_radii=n_radii).fit_transform(images) for t in (RadonCDT, MaxNRCDT, MeanNRCDT)]


def share(features, reference):
    """Error of an image, relative to the smallest distance between images."""
    error = np.sqrt(np.mean(np.sum((features - reference) ** 2, axis=1)))
    return error / pdist(reference).min()


@keep_text
def run(args):
    print(f"{'images':20s} {'n_radii':>8s} {'R-CDT rms':>10s} {'max':>7s} {'mean':>7s}")
    for name, images in sets(args.quick):
        reference = features(images, 2**14 + 1)
        for n_radii in (101, 151, 201, 301, 401, 501, 851, 1201, "auto"):
            quantiles, maximum, mean = features(images, n_radii)
            error = np.sqrt(np.mean((quantiles - reference[0]) ** 2))
            shares = share(maximum, reference[1]), share(mean, reference[2])
            print(f"{name:20s} {n_radii!s:>8s} {error:10.1e} {shares[0]:7.1%} {shares[1]:7.1%}")
