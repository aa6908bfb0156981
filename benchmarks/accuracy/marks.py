"""How far the marks of ``nrcdt find`` can be trusted.

Simulated paper with all nuisances, photographs with signal-to-noise ratios from 0.5 to 2: half
of them show a drawing of the catalogue, half one that is not in it. Counted is how often each
mark is given, and how often the best drawing is the one in the paper.
"""

import numpy as np

from benchmarks.command import keep_text
from sklearn_nrcdt._commands.find import MARKS, N_COMPARED, mark
from sklearn_nrcdt.datasets import make_drawings, make_paper_scans
from sklearn_nrcdt.search import DrawingSearch


def answers(n_drawings, n_photos):
    """Return marks, whether the best drawing is right, and whether the catalogue has it."""
    images = make_drawings(n_drawings + n_photos, random_state=0).images
    shown = np.r_[np.arange(n_photos) % n_drawings, n_drawings : n_drawings + n_photos]
    scans = make_paper_scans(images[shown], snr=(0.5, 2), dtype=np.uint8, random_state=1)
    search = DrawingSearch().fit(images[:n_drawings])
    scores, found = search.kneighbors(scans.images, min(n_drawings, N_COMPARED))
    marks = np.array([mark(*both) for both in zip(scores, found, strict=True)])
    return marks, found[:, 0] == shown, shown < n_drawings


@keep_text
def run(args):
    print("catalogue  drawing is      " + "".join(f"{name:>22s}" for name in MARKS))
    for n_drawings in (20,) if args.quick else (20, 100):
        marks, right, present = answers(n_drawings, 5 if args.quick else 40)
        for where, chosen in {"in the catalogue": present, "not in it": ~present}.items():
            cells = []
            for name in MARKS:
                given = chosen & (marks == name)
                cells.append(f"{given.sum():d}, best right {(given & right).sum():d}")
            line = "".join(f"{cell:>22s}" for cell in cells)
            print(f"{n_drawings:9d}  {where:16s}{line}", flush=True)
