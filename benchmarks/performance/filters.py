"""Time of the filters for scans."""

from functools import partial

import numpy as np
from skimage.morphology import area_opening

from benchmarks.command import store
from benchmarks.performance.images import processor_seconds
from benchmarks.pictures.preprocessing import scans, steps
from sklearn_nrcdt.preprocessing import Despeckle, Invert, RemoveBackground


def preprocessing(args):
    """Time filters, and scikit-image's area opening, on images of 256 x 256 pixels."""
    scan, inverted, drawing, _ = steps(scans(5))
    dense = np.random.default_rng(0).random((60, 256, 256)) + 0.1
    cases = {
        "Invert, uint8": (Invert().transform, scan),
        "RemoveBackground('otsu'), uint8": (RemoveBackground().transform, inverted),
        "RemoveBackground('median'), uint8": (RemoveBackground("median").transform, inverted),
        "Despeckle, drawings, uint8": (Despeckle().transform, drawing),
        "Despeckle, drawings, float64": (Despeckle().transform, drawing / 255),
        "Despeckle, no black pixel, float64": (Despeckle().transform, dense),
        "skimage.morphology.area_opening, drawings, uint8": (
            lambda images: [area_opening(image, 30) for image in images],
            drawing[:6],
        ),
    }
    rows = []
    for name, (clean, images) in cases.items():
        seconds = processor_seconds(partial(clean, images), 1 if args.quick else 5)
        rows.append({"filter": name, "ms": f"{1e3 * seconds / len(images):.2f}"})
    store(args, "preprocessing", rows)
