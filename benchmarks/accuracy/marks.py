"""How far the marks of ``nrcdt find`` can be trusted.

Simulated paper with all nuisances, photographs with signal-to-noise ratios from 0.5 to 2: half
of them show a drawing of the catalogue, half one that is not in it. Counted is how often each
mark is given, and how often it is right: "clear" and "doubtful" if the best drawing is the one in
the paper, "not found" if the catalogue does not have it.
"""

import numpy as np

from benchmarks.command import keep_text
from sklearn_nrcdt._commands.find import MARKS, N_COMPARED, TURNS, mark
from sklearn_nrcdt.datasets import make_drawings, make_paper_scans
from sklearn_nrcdt.search import DrawingSearch


def answers(n_drawings, n_photos, turned):
    """Return the marks, and whether the best drawing is right, in the catalogue and not in it."""
    images = make_drawings(n_drawings + n_photos, random_state=0).images
    shown = np.r_[np.arange(n_photos) % n_drawings, n_drawings : n_drawings + n_photos]
    scans = make_paper_scans(
        images[shown],
        snr=(0.5, 2),
        rotation=(-4, 4) if turned == "quarter" else 0,
        dtype=np.uint8,
        random_state=1,
    )
    search = DrawingSearch(rotations=TURNS[turned]).fit(images[:n_drawings])
    scores, found = search.kneighbors(scans.images, min(n_drawings, N_COMPARED))
    marks = np.array([mark(*both) for both in zip(scores, found, strict=True)])
    return marks, found[:, 0] == shown, shown < n_drawings


@keep_text
def run(args):
    n_photos = 5 if args.quick else 40
    plans = [(20, "no"), (100, "no"), (100, "quarter")]
    if args.quick:
        plans = plans[:1]
    print("catalogue  turned    drawing is      " + "".join(f"{name:>22s}" for name in MARKS))
    for n_drawings, turned in plans:
        marks, right, present = answers(n_drawings, n_photos, turned)
        for where, chosen in {"in the catalogue": present, "not in it": ~present}.items():
            cells = []
            for name in MARKS:
                given = chosen & (marks == name)
                cells.append(f"{given.sum():d}, best right {(given & right).sum():d}")
            print(
                f"{n_drawings:9d}  {turned:8s}  {where:16s}"
                + "".join(f"{cell:>22s}" for cell in cells),
                flush=True,
            )
