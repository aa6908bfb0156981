"""Time of the search for drawings in photographs of paper, beside OpenCV's matchTemplate.

Processor time of one thread, unless two workers are named, whose time is that on the clock.
Catalogues of more than 1,000 drawings repeat the first thousand: what is drawn makes no
difference to the time. OpenCV looks for the same drawings in the same flattened photograph, at full
resolution and at that of our coarse search. The last rows tell what the coarse levels lose.
"""

import time

import numpy as np
from scipy import ndimage

from benchmarks.command import keep_text
from benchmarks.tables import print_and_write, processor
from sklearn_nrcdt.datasets import make_drawings, make_paper_scans
from sklearn_nrcdt.preprocessing import FlattenIllumination
from sklearn_nrcdt.search import DrawingSearch

ROTATIONS = [90 * quarter + turn for quarter in range(4) for turn in (-4.5, -1.5, 1.5, 4.5)]
SHAPE = (512, 400)
LEVELS = [(8, 4, 2), (4, 2), (2,)]
# Drawings, poses, shape of the photograph, levels, workers.
POINTS = [
    *((n, poses, SHAPE, (4, 2), 1) for n in (100, 1000, 4000) for poses in (1, 16)),
    (100, 16, (1024, 800), (4, 2), 1),
    (1000, 16, SHAPE, (8, 4, 2), 1),
    (100, 16, SHAPE, (2,), 1),
    (1000, 16, SHAPE, (4, 2), 2),
    (16753, 16, SHAPE, (8, 4, 2), 2),
    (16753, 16, SHAPE, (4, 2), 2),
]
QUICK = [(20, 1, SHAPE, (4, 2), 1), (20, 4, SHAPE, (4, 2), 1), (20, 4, SHAPE, (8, 4, 2), 2)]
REPEATED = 1000  # drawings that are made; larger catalogues repeat them


def measure(drawings, photo, poses, levels, workers):
    """Return seconds to fit, for the first photograph, and for each one more."""
    clock = time.perf_counter if workers > 1 else time.process_time
    search = DrawingSearch(
        polarity="dark", rotations=ROTATIONS[:poses], levels=levels, n_jobs=workers
    )
    marks = [clock()]
    search.fit(drawings)
    marks.append(clock())
    for _ in range(2 if len(drawings) <= REPEATED else 1):
        search.kneighbors([photo])
        marks.append(clock())
    seconds = np.diff(marks)
    return {"fit_s": seconds[0], "first_s": seconds[1], "further_s": seconds[-1]}


def points(drawings, photos, plan):
    """Yield a row for each size of the search."""
    for n, poses, shape, levels, workers in plan:
        catalogue = drawings[np.arange(n) % len(drawings)]
        seconds = measure(catalogue, photos[shape], poses, levels, workers)
        yield {
            "measure": "search",
            "drawings": n,
            "poses": poses,
            "photo": f"{shape[0]} x {shape[1]}",
            "levels": str(levels),
            "workers": workers,
            **{key: f"{value:.4f}" for key, value in seconds.items()},
        }


def opencv(drawings, photo):
    """Yield rows: milliseconds of OpenCV's correlation per drawing and pose."""
    try:
        import cv2
    except ImportError:
        print("OpenCV is missing: pip install opencv-python-headless")
        return
    cv2.setNumThreads(1)
    flat = FlattenIllumination().transform(photo[None].astype(np.float32))[0]
    for factor in (1, 4):
        shrink = {"fx": 1 / factor, "fy": 1 / factor, "interpolation": cv2.INTER_AREA}
        picture = cv2.resize(flat, None, **shrink)
        best = []
        for drawing in drawings:
            soft = ndimage.gaussian_filter(drawing.astype(np.float32), 1.5)
            template = cv2.resize(soft, None, **shrink)
            times = []
            for _ in range(3):
                start = time.process_time()
                cv2.matchTemplate(picture, template, cv2.TM_CCOEFF_NORMED)
                times.append(time.process_time() - start)
            best.append(min(times))
        yield {"measure": "matchTemplate", "factor": factor, "ms": f"{1e3 * np.mean(best):.4f}"}


def losses(drawings):
    """Yield rows: share of photographs whose drawing is found, by levels and ratio."""
    scans = {
        snr: make_paper_scans(drawings, snr=snr, dtype=np.uint8, random_state=1, n_jobs=2)
        for snr in (0.7, 1.0)
    }
    for levels in LEVELS:
        search = DrawingSearch(polarity="dark", levels=levels, n_jobs=2).fit(drawings)
        for snr, scan in scans.items():
            found = search.kneighbors(scan.images, 1)[1][:, 0]
            share = np.mean(found == scan.target)
            yield {"measure": "losses", "levels": str(levels), "snr": snr, "top1": f"{share:.3f}"}


@keep_text
def run(args):
    drawings = make_drawings(20 if args.quick else REPEATED, random_state=0).images
    drawings = np.uint8(255 * drawings)  # thousands of them take a quarter of the memory
    plan = QUICK if args.quick else POINTS
    photos = {
        shape: make_paper_scans(drawings[:1], shape=shape, dtype=np.uint8, random_state=0).images[0]
        for shape in dict.fromkeys(point[2] for point in plan)
    }

    def rows():
        yield {"measure": "machine", "name": processor()}
        yield from points(drawings, photos, plan)
        yield from opencv(drawings[: 5 if args.quick else 20], photos[SHAPE])
        yield from losses(drawings[: 10 if args.quick else 100])

    print_and_write(args.results / "search.csv", rows())
