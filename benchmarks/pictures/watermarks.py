"""The page on watermarks: a drawing found in simulated paper, and the steps that lead to it."""

import numpy as np

from benchmarks.pictures.datasets import save, tile
from benchmarks.tables import save_figure
from sklearn_nrcdt.search import (
    DrawingSearch,
    FlattenIllumination,
    OrientedRidges,
    SearchDisplay,
    make_drawings,
    make_paper_scans,
)


def steps(photos):
    """Return photographs before and after each step, scaled to [0, 1] to be seen."""
    shown = [photos]
    for step in (FlattenIllumination(), OrientedRidges()):
        shown.append(step.transform(shown[-1]))
    return [(s - s.min()) / np.quantile(s - s.min(), 0.998) for s in shown]


def run(args):
    # Imported here: a run of another part needs no matplotlib.
    import matplotlib

    matplotlib.use("Agg")
    drawings = make_drawings(60, random_state=0).images
    faint, clear = (
        make_paper_scans(drawings[[6]], shape=(320, 256), snr=snr, random_state=3).images
        for snr in (1.5, 3)
    )
    search = DrawingSearch(polarity="dark").fit(drawings)
    display = SearchDisplay.from_estimator(search, faint[0], n_neighbors=1)
    save_figure(args, display.figure_, "watermarks", 130)
    sheet = tile(np.concatenate(steps(clear)), 3, step=1)
    save(sheet, args.docs / "images" / "watermarks_steps.png")
