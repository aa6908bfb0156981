"""Time of the filters for scans."""

from functools import partial

from benchmarks.command import store
from benchmarks.performance.images import processor_seconds
from benchmarks.pictures.preprocessing import scans, steps
from sklearn_nrcdt.preprocessing import Despeckle, Invert, RemoveBackground


def preprocessing(args):
    """Time the filters, each on what the one before it returns, on images of 256 x 256 pixels."""
    rows = []
    filters = Invert(), RemoveBackground(), Despeckle()
    for clean, images in zip(filters, steps(scans(5)), strict=False):
        seconds = processor_seconds(partial(clean.transform, images), 1 if args.quick else 5)
        rows.append({"filter": type(clean).__name__, "ms": f"{1e3 * seconds / len(images):.2f}"})
    store(args, "preprocessing", rows)
