"""Time of the search for drawings in photographs of paper, beside OpenCV's matchTemplate.

Processor time, one thread: a photograph of 512 x 400 pixels, and a growing catalogue in 16 poses.
OpenCV looks for the same drawings in the same poses, softened, in the flattened photograph, at full
resolution and at the first one of ours; the time of a drawing and pose is that of its best of two.
The last table tells what the coarse levels lose.
"""

import time

import numpy as np
from scipy import ndimage

from benchmarks.command import keep_text
from sklearn_nrcdt.datasets import make_drawings, make_paper_scans
from sklearn_nrcdt.preprocessing import FlattenIllumination
from sklearn_nrcdt.search import DrawingSearch

ROTATIONS = [90 * quarter + turn for quarter in range(4) for turn in (-4.5, -1.5, 1.5, 4.5)]
LEVELS = [(8, 4, 2), (4, 2), (2,)]


def seconds(function):
    """Return the processor time and the time on the clock of a call."""
    start = time.process_time(), time.perf_counter()
    function()
    return time.process_time() - start[0], time.perf_counter() - start[1]


def ours(drawings, photo, levels, n_jobs=None):
    """Return seconds to fit, for the first photograph, and for each one more."""
    search = DrawingSearch(
        polarity="dark", rotations=ROTATIONS, levels=levels, n_candidates=40, n_jobs=n_jobs
    )
    fit = seconds(lambda: search.fit(drawings))
    return fit, *(seconds(lambda: search.kneighbors([photo])) for _ in range(2))


def opencv(drawings, photo, factor):
    """Return the seconds of OpenCV's correlation per drawing and pose."""
    import cv2

    cv2.setNumThreads(1)
    flat = FlattenIllumination().transform(photo[None].astype(np.float32))[0]
    shrink = {"fx": 1 / factor, "fy": 1 / factor, "interpolation": cv2.INTER_AREA}
    picture = cv2.resize(flat, None, **shrink)
    best = []
    for drawing in drawings:
        soft = ndimage.gaussian_filter(drawing.astype(np.float32), 1.5)
        template = cv2.resize(soft, None, **shrink)
        times = [
            seconds(lambda t=template: cv2.matchTemplate(picture, t, cv2.TM_CCOEFF_NORMED))[0]
            for _ in range(2)
        ]
        best.append(min(times))
    return np.mean(best)


def losses(quick):
    """Yield levels and the share of photographs whose drawing is found, by signal-to-noise."""
    n = 10 if quick else 100
    drawings = make_drawings(n, random_state=0).images
    scans = {
        snr: make_paper_scans(drawings, snr=snr, dtype=np.uint8, random_state=1)
        for snr in (0.7, 1.0, 2.0)
    }
    for levels in LEVELS:
        search = DrawingSearch(polarity="dark", levels=levels).fit(drawings)
        found = {s: search.kneighbors(x.images, 1)[1][:, 0] for s, x in scans.items()}
        yield levels, [np.mean(found[snr] == scans[snr].target) for snr in scans]


@keep_text
def run(args):
    drawings = make_drawings(100 if args.quick else 1000, random_state=0).images
    photo = make_paper_scans(drawings[:1], dtype=np.uint8, random_state=0).images[0]
    pairs = len(drawings) * len(ROTATIONS)
    print(f"{len(drawings)} drawings in {len(ROTATIONS)} poses; seconds of processor time")
    print(
        f"{'levels':12s}{'fit':>8s}{'first photo':>13s}{'further':>9s}"
        f"{'ms per drawing and pose':>25s}"
    )
    times = {}
    for levels in LEVELS:
        part = drawings[:100] if levels == (2,) else drawings  # in proportion
        fit, first, more = ours(part, photo, levels)
        scale = len(drawings) / len(part)
        times[levels] = more[0] * scale / pairs
        cells = fit[0] * scale, first[0] * scale, more[0] * scale
        print(
            f"{levels!s:12s}{cells[0]:8.2f}{cells[1]:13.2f}{cells[2]:9.2f}"
            f"{1e3 * times[levels]:25.3f}"
        )
    _, first, more = ours(drawings, photo, (4, 2), n_jobs=2)
    print(f"(4, 2), two workers, on the clock: first {first[1]:.2f} s, further {more[1]:.2f} s")
    try:
        for factor in (1, 4):
            pace = opencv(drawings[:20], photo, factor)
            print(
                f"matchTemplate at 1/{factor} of the resolution: {1e3 * pace:.3f} ms, "
                f"{pace / times[4, 2]:.1f} times ours with (4, 2)"
            )
    except ImportError as error:
        print(f"OpenCV: missing. {error}")
    print("\ntop-1 of simulated paper, all nuisances, upright, by signal-to-noise ratio")
    print(f"{'levels':12s}{'0.7':>6s}{'1':>6s}{'2':>6s}")
    for levels, shares in losses(args.quick):
        print(f"{levels!s:12s}" + "".join(f"{share:6.2f}" for share in shares), flush=True)
