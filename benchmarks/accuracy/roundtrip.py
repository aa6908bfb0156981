"""How good `RadonCDT.inverse_transform` is.

Relative error |image - inverse(transform(image))| / |image| in the Euclidean norm, for a
smooth image, a disc with a sharp edge and a symbol of thin lines.
"""

import numpy as np

from benchmarks.command import keep_text
from sklearn_nrcdt import RadonCDT
from sklearn_nrcdt.datasets import load_symbols


def pictures():
    x, y = np.meshgrid(np.linspace(-1, 1, 128), np.linspace(-1, 1, 128))
    yield (
        "smooth blobs, 128 x 128",
        np.exp(-20 * (x**2 + y**2)) + np.exp(-30 * (x - 0.5) ** 2 - 50 * y**2),
    )
    yield "disc, 128 x 128", (np.hypot(x, y) < 0.5).astype(float)
    yield "symbol, 256 x 256", load_symbols().images[4]


@keep_text
def run(args):
    print(f"{'image':25s} {'n_angles':>8s} {'n_quantiles':>11s} {'error':>7s}")
    for name, image in list(pictures())[: 1 if args.quick else None]:
        image = image[None] / image.sum()
        for n_angles, n_quantiles in ((128, 64), (256, 64), (256, 128), (256, 512)):
            transformer = RadonCDT(n_angles, n_quantiles=n_quantiles).fit(image)
            back = transformer.inverse_transform(transformer.transform(image))
            error = np.linalg.norm(back - image) / np.linalg.norm(image)
            print(f"{name:25s} {n_angles:8d} {n_quantiles:11d} {error:7.1%}")
