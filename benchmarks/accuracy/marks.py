"""How far the marks of ``nrcdt find`` can be trusted.

Simulated paper with all nuisances, photographs with signal-to-noise ratios from 0.5 to 2: half
of them show a drawing of the catalogue, half one that is not in it. Counted is how often each
mark is given, and how often the best drawing of what was found is the one in the paper.
"""

import numpy as np

from benchmarks.command import store
from sklearn_nrcdt._commands.find import MARKS, N_COMPARED, mark
from sklearn_nrcdt.search import DrawingSearch, make_drawings, make_paper_scans


def answers(n_drawings, n_photos):
    """Return marks, whether the best drawing is right and is in the catalogue, and the ratios."""
    images = make_drawings(n_drawings + n_photos, random_state=0).images
    shown = np.r_[np.arange(n_photos) % n_drawings, n_drawings : n_drawings + n_photos]
    scans = make_paper_scans(images[shown], snr=(0.5, 2), dtype=np.uint8, random_state=1)
    search = DrawingSearch().fit(images[:n_drawings])
    found = search.locate(scans.images, min(n_drawings, N_COMPARED))
    scored = zip(found.scores, found.indices, found.chance, strict=True)
    marks = np.array([mark(*each) for each in scored])
    return marks, found.indices[:, 0] == shown, shown < n_drawings, scans.snr


def rows(quick):
    for n_drawings in (20,) if quick else (20, 100):
        marks, right, present, snr = answers(n_drawings, 5 if quick else 80)
        groups = {
            "in the catalogue, ratio from 1": present & (snr >= 1),
            "in the catalogue, fainter": present & (snr < 1),
            "not in the catalogue": ~present,
        }
        for where, chosen in groups.items():
            counts = {name: chosen & (marks == name) for name in MARKS}
            row = {"drawings": n_drawings, "the mark in the paper": where}
            row |= {"photographs": chosen.sum(), **{k: n.sum() for k, n in counts.items()}}
            row["clear or doubtful, and right"] = ((marks != "not found") & chosen & right).sum()
            yield row


def run(args):
    store(args, "marks", rows(args.quick))
