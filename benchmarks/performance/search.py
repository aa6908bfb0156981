"""Time of the search for drawings in photographs of paper.

First the sums of segments alone, per drawing and pose: in NumPy, compiled by numba, beside what
they stand for (the correlation of all line elements by FFT, with spectra that are computed before)
and OpenCV's correlation of one plane of the same size. Then whole searches, and searches of
drawings of other resolutions and sizes. Processor time of one thread, unless two workers are named,
whose time is that on the clock. Large catalogues repeat a hundred drawings: what is drawn makes no
difference to the time.
"""

import copy
import time
from contextlib import suppress
from functools import partial
from unittest.mock import patch

import numpy as np

import sklearn_nrcdt.search._drawing_search as drawing_search
from benchmarks.command import store
from benchmarks.performance.images import processor_seconds
from sklearn_nrcdt.search import DrawingSearch, make_drawings, make_paper_scans
from sklearn_nrcdt.search._coarse_to_fine import COARSE, ridges_of
from sklearn_nrcdt.search._kernels import segments as kernel
from sklearn_nrcdt.search._kernels.correlation import (
    correlate,
    element_spectrum,
    fft_shape,
    whitened_spectrum,
)
from sklearn_nrcdt.search._kernels.line_elements import draw_elements, pose_matrix
from sklearn_nrcdt.search._kernels.segments import parts_of

SHAPE = (512, 400)
# Drawings, poses, shape of the photograph, whether compiled, workers.
POINTS = [
    (100, 1, SHAPE, False, 1),
    (100, 1, SHAPE, True, 1),
    (1000, 1, SHAPE, False, 1),
    (1000, 1, SHAPE, True, 1),
    (1000, 16, SHAPE, False, 1),
    (1000, 16, SHAPE, True, 1),
    (100, 16, (1024, 800), True, 1),
    (16753, 1, SHAPE, True, 2),
    (16753, 72, SHAPE, True, 2),
]
QUICK = [(20, 1, SHAPE, False, 1), (20, 4, SHAPE, True, 1)]
REPEATED = 100  # drawings that are made; larger catalogues repeat them


def sums(search, photo):
    """Yield rows: microseconds for one drawing and pose."""
    parts, elements = search._segments[0][1], search._elements
    ridges = ridges_of(photo.astype(np.float32), 1.0, "dark", COARSE)
    inside = ridges.shape[1:]
    reach = max(np.abs(e[:, :2]).max() for e in elements) / COARSE
    shape = fft_shape(inside, (reach, reach))
    spectrum = whitened_spectrum(ridges, shape, COARSE)
    planes = kernel.segment_planes(spectrum, shape, inside, COARSE)
    turned = [pose_matrix(turn, 1, False) for turn in range(0, 360, 60)]
    few = elements[:16]
    drawn = np.array([element_spectrum(e, len(ridges), COARSE, shape) for e in few])
    drawn = drawn.astype(np.complex64)

    def by_segments(matrices, compiled):
        for part in parts:
            kernel.best_of_part(planes, part, matrices, COARSE, False, compiled)

    def exact():
        for k in range(0, len(few), 4):
            correlate(spectrum, drawn[k : k + 4], shape, inside)

    # Name, poses, drawings, function.
    cases = [
        (name, poses, len(elements), partial(by_segments, turned[:poses], compiled))
        for poses in (1, len(turned))
        for name, compiled in (("NumPy", False), ("numba", True))
        if not compiled or kernel.compiled_sums()
    ]
    cases.append(("line elements by FFT", 1, len(few), exact))
    with suppress(ImportError):
        import cv2

        cv2.setNumThreads(1)
        side = 2 * int(reach) + 1
        plane = np.pad(planes[0].astype(np.float32), side // 2)
        templates = [
            np.roll(draw_elements(e, 1, COARSE, (side, side))[0], side // 2, (0, 1)) for e in few
        ]
        match = partial(cv2.matchTemplate, plane, method=cv2.TM_CCORR)
        cases.append(("OpenCV, one plane", 1, len(few), lambda: list(map(match, templates))))
    for name, poses, n, function in cases:
        microseconds = 1e6 * processor_seconds(function) / n / poses
        yield {"sums": name, "poses": poses, "us": f"{microseconds:.1f}"}


def enlarged(search, n):
    """Return a search that repeats the drawings of another."""
    k = np.arange(n) % search.n_drawings_
    large = copy.copy(search)
    large.n_drawings_, large._zooms, large._centers = n, search._zooms[k], search._centers[k]
    large._elements = [search._elements[i] for i in k]
    covers = [search._segments[0][0][i] for i in k]
    large._segments = {0: (covers, parts_of(covers, range(n)))}
    return large


def measure(drawings, n, photo, poses, compiled, workers, dpi=None, catalogue="as usual"):
    """Return a row: seconds to fit and for a photograph, and bytes for each drawing."""
    turns = np.arange(poses) * 360 / poses
    search = DrawingSearch(polarity="dark", rotations=turns, n_jobs=workers)
    start = time.process_time()
    search.fit(drawings[:n], dpi=dpi)
    fit = time.process_time() - start
    search = enlarged(search, n)
    clock = time.perf_counter if workers > 1 else time.process_time
    with patch.object(drawing_search, "WORTH_COMPILING", 0 if compiled else np.inf):
        start = clock()
        search.kneighbors([photo])
        seconds = clock() - start
    covers, parts = search._segments[0]
    size = sum(part.nbytes for part in covers) + sum(part.segments.nbytes for part in parts)
    return {
        "drawings": n,
        "poses": poses,
        "photo": f"{photo.shape[0]} x {photo.shape[1]}",
        "catalogue": catalogue,
        "compiled": "yes" if compiled else "no",
        "workers": workers,
        "fit_s": f"{fit:.4f}",
        "photo_s": f"{seconds:.4f}",
        "bytes": size // n,
    }


def points(drawings, photos, plan):
    """Yield a row for each size of the search."""
    for n, poses, shape, compiled, workers in plan:
        yield measure(drawings, n, photos[shape], poses, compiled, workers)


def other_catalogues(drawings, photo):
    """Yield rows: the same drawings at twelve times the resolution, and one that is outsized."""
    few = drawings[:10]
    fine = [np.kron(drawing > 127, np.ones((12, 12), bool)) for drawing in few]
    outsized = np.zeros((2000, 2000), np.uint8)
    outsized[::60] = outsized[:, ::60] = 255
    for words, given, dpi in (
        ("as usual", few, None),
        ("12 times the dpi", fine, 1200),
        ("one outsized", [*few[:-1], outsized], None),
    ):
        yield measure(given, len(given), photo, 16, True, 1, dpi, words)


def run(args):
    drawings = make_drawings(20 if args.quick else REPEATED, random_state=0).images
    drawings = np.uint8(255 * drawings)
    plan = QUICK if args.quick else POINTS
    photos = {
        shape: make_paper_scans(drawings[:1], shape=shape, dtype=np.uint8, random_state=0).images[0]
        for shape in dict.fromkeys(point[2] for point in plan)
    }
    search = DrawingSearch(polarity="dark").fit(drawings)
    store(args, "segments", sums(search, photos[SHAPE]))

    def searches():
        yield from other_catalogues(drawings, photos[SHAPE])
        yield from points(drawings, photos, plan)

    store(args, "search", searches())
