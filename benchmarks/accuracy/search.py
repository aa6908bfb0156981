"""Is the right drawing found in a photograph of paper: ours beside OpenCV's.

Simulated paper: 100 made-up drawings, each in a photograph of its own, with grain alone, with one
nuisance added to it, and with all of them; top-1 over the signal-to-noise ratio. OpenCV's searches
are slower and get fewer photographs. All of them know that the marks are dark. At a ratio of 0
there is no drawing in the paper, and what is found is chance.

Real paper, given by --watermarks: the drawing of the same sheet, upright and turned, and the
best drawing of another sheet with the same motif.

Tasks are shared among --n-jobs processes of one thread each; times are processor time.
"""

import time
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from scipy import ndimage

from benchmarks.command import store
from sklearn_nrcdt.search import DrawingSearch, make_drawings, make_paper_scans, paper_lines

NUISANCES = ("light", "laid", "chains", "folds", "stains", "writing")
TASKS = {
    "grain alone": ("grain",),
    **{f"with {name}": ("grain", name) for name in NUISANCES},
    "all": "all",
}
# The two tasks that get all photographs and ratios; the others get half of the photographs.
MAIN = ("grain alone", "all")
RATIOS = {task: (0.5, 0.7, 1.0, 2.0) if task in MAIN else (0.5, 0.7, 1.0) for task in TASKS}
RATIOS["all"] = (0.0, *RATIOS["all"])
QUARTERS = [90 * quarter + turn for quarter in range(4) for turn in (-3, -1, 1, 3)]
CIRCLE = list(range(0, 360, 6))
OURS = "DrawingSearch"


def searches():
    """Return name -> search, photographs, tasks: as time allows, of all that is installed."""
    found = {OURS: (partial(DrawingSearch, polarity="dark"), 100, tuple(TASKS))}
    try:
        from benchmarks.accuracy.search_peers import TemplateMatching
    except ImportError:
        return found
    return found | {
        "OpenCV template matching": (TemplateMatching, 30, tuple(TASKS)),
        "OpenCV template matching, our score": (partial(TemplateMatching, True), 30, MAIN),
    }


def top(positions, target):
    """Share of right drawings at the first place and among the first five."""
    right = np.asarray(positions) == np.asarray(target)[:, None]
    return {"top1": right[:, 0].mean(), "top5": right[:, :5].any(axis=1).mean()}


def score_levels(scores, positions, target):
    """Median best score, the best score of a wrong drawing, and how far the two are apart.

    `wrong95` is the score that the best wrong drawing stays below in 95 % of the photographs, and
    `sure` the share of photographs in which the right drawing is the best and above that.
    """
    right = np.asarray(positions) == np.asarray(target)[:, None]
    wrong = np.where(right, -np.inf, scores).max(axis=1)
    limit = np.quantile(wrong, 0.95)
    return {
        "score": np.median(scores[:, 0]),
        "wrong95": limit,
        "sure": np.mean(right[:, 0] & (scores[:, 0] > limit)),
    }


def row(task, name, snr, numbers, tested, pace):
    numbers = {key: f"{number:.3f}" for key, number in numbers.items()}
    times = {"tested": tested, "seconds": f"{pace:.3f}"}
    return {"task": task, "search": name, "snr": snr, **numbers, **times}


def timed(search, photos, n_neighbors):
    """Return scores, positions and seconds of processor time per photograph."""
    start = time.process_time()
    scores, positions = search.kneighbors(photos, n_neighbors)
    return scores, positions, (time.process_time() - start) / len(photos)


def simulated_point(drawings, task, snr, quick):
    """Return the rows of all searches at one signal-to-noise ratio of a task."""
    share = 20 if quick else 1 if task in MAIN else 2
    chosen = {
        name: found
        for name, found in searches().items()
        if task in found[2] and (snr > 0 or name == OURS)
    }
    most = max(n for _, n, _ in chosen.values()) // share
    scans = make_paper_scans(
        drawings[:most], snr=snr, nuisances=TASKS[task], dtype=np.uint8, random_state=1
    )
    rows = []
    for name, (make, n, _) in chosen.items():
        n = max(n // share, 1)
        images, target = scans.images[:n], scans.target[:n]
        scores, positions, pace = timed(make().fit(drawings), images, 5)
        numbers = top(positions, target)
        if name == OURS:
            numbers |= score_levels(scores, positions, target)
        rows.append(row(task, name, snr, numbers, n, pace))
    return rows


def simulated(quick, n_jobs):
    """Yield rows of all searches on all tasks."""
    drawings = make_drawings(10 if quick else 100, random_state=0).images
    points = [
        delayed(simulated_point)(drawings, task, snr, quick)
        for task in (MAIN if quick else TASKS)
        for snr in ((0.0, 1.0) if quick else RATIOS[task])
    ]
    for rows in Parallel(n_jobs=n_jobs, return_as="generator")(points):
        yield from rows


# -- real photographs ------------------------------------------------------------------


def load_watermarks(path):
    """Return photographs, drawings, and the sheets and motifs of both."""
    with np.load(path) as file:
        photos = [file[f"photo_{key}"] for key in file["photos"]]
        drawings = [
            np.unpackbits(file[f"drawing_{key}"], axis=1)[:, : file[f"drawing_shape_{key}"][1]]
            for key in file["drawings"]
        ]
        sheets = file["photos"].tolist(), file["drawings"].tolist()
        motifs = file["photo_labels"], file["drawing_labels"]
    return photos, drawings, sheets, motifs


def turn(photo, degrees):
    """Turn a photograph by whole quarters exactly, and by the rest with its edges repeated."""
    quarters = round(degrees / 90)
    photo = np.rot90(photo, quarters)
    rest = degrees - 90 * quarters
    return ndimage.rotate(photo, rest, reshape=True, order=1, mode="nearest") if rest else photo


def real(path, quick, n_jobs):
    """Yield rows on real photographs: ours and template matching upright, ours rotated."""
    data = load_watermarks(path)
    n_photos = len(data[0])
    rng = np.random.default_rng(0)
    quarters = 90 * rng.integers(0, 4, n_photos) + rng.uniform(-3, 3, n_photos)
    any_turn = rng.uniform(0, 360, n_photos)
    makers = {name: make for name, (make, *_) in searches().items()}
    makers[OURS] = DrawingSearch  # dark or bright: it finds out
    plans = [("upright", np.zeros(n_photos), name, make) for name, make in makers.items()]
    for task, turns, rotations in (
        ("quarters", quarters, QUARTERS),
        ("any rotation", any_turn, CIRCLE),
    ):
        plans.append((task, turns, OURS, partial(DrawingSearch, rotations=rotations)))
    # The longest first, so that no process waits for them at the end.
    run = Parallel(n_jobs=n_jobs)
    points = run(delayed(real_point)(data, *plan, quick) for plan in reversed(plans))
    for rows in reversed(points):
        yield from rows


def real_point(data, task, turns, name, make, quick):
    """Return the rows of one search on real photographs that are rotated by some degrees."""
    photos, drawings, sheets, motifs = data
    own = np.array([sheets[1].index(sheet) for sheet in sheets[0]])
    n = 3 if quick else len(photos)
    turned = [turn(photo, angle) for photo, angle in zip(photos[:n], turns, strict=False)]
    _, positions, pace = timed(make().fit(drawings), turned, len(drawings))
    rows = [row(f"real, {task}, own", name, "", top(positions, own[:n]), n, pace)]
    found = same_motif(np.asarray(positions), own, motifs)
    if task == "upright" and found:
        shares = top(found, [True] * len(found))
        rows.append(row("real, another sheet", name, "", shares, len(found), pace))
    return rows


def same_motif(positions, own, motifs):
    """Whether each drawing shows the motif, best first, without the photograph's own drawing."""
    found = []
    for ranked, mine, motif in zip(positions, own, motifs[0], strict=False):
        right = motifs[1][ranked[ranked != mine]] == motif
        if right.any():
            found.append(right)
    return found


def rows(args):
    if len(searches()) == 1:
        print("OpenCV is missing: pip install opencv-python-headless")
    yield from simulated(args.quick, args.n_jobs)
    if args.watermarks:
        yield from real(args.watermarks, args.quick, args.n_jobs)
    else:
        print("real photographs: left out, --watermarks FILE is not given")


def run(args):
    store(args, "search", rows(args))


# Photographs at each signal-to-noise ratio: 1,000 in all, most where a loss would matter most.
LOSSES = {0.7: 200, 1.0: 600, 2.0: 200}


def losses(args):
    """Count what the search by segments misses: beside all drawings by all of their lines."""
    n_drawings = 10 if args.quick else 200
    drawings = make_drawings(n_drawings, random_state=3).images
    rows = []
    for snr, n_photos in LOSSES.items():
        n_photos = 4 if args.quick else n_photos
        scans = make_paper_scans(
            drawings[:n_photos],
            max(1, n_photos // n_drawings),
            snr=snr,
            dtype=np.uint8,
            random_state=4,
        )
        row = {"snr": snr, "drawings": n_drawings, "photographs": n_photos}
        for name, n in {"by segments first": 40, "all by all lines": n_drawings}.items():
            search = DrawingSearch(polarity="dark", n_candidates=n, n_jobs=args.n_jobs)
            found = search.fit(drawings).kneighbors(scans.images, 1)[1][:, 0]
            row[name] = f"{np.mean(found == scans.target):.3f}"
        rows.append(row)
    store(args, "losses", rows)


# -- fragments -------------------------------------------------------------------------

SHARES = {"half": 1 / 2, "a third": 1 / 3}


def cut_off(photo, strokes, share, side):
    """Cut a photograph so that only a share of the strokes, from one side, is inside.

    `strokes` are rows and columns in the photograph; `side` is 0 to 3 for what is left of them:
    top, bottom, left, right.
    """
    axis, from_end = divmod(side, 2)
    inside = np.sort(strokes[:, axis])
    place = round(np.quantile(inside, 1 - share if from_end else share))
    place = np.clip(place, 24, photo.shape[axis] - 24)
    kept = slice(place, None) if from_end else slice(0, place)
    return photo[kept] if axis == 0 else photo[:, kept]


def fragments(args):
    """Find marks of which a part is on the paper: simulated, and real ones of --watermarks."""
    n = 5 if args.quick else 100
    drawings = make_drawings(n, random_state=0).images
    sets = {}
    for snr in (1.0, 2.0):
        scans = make_paper_scans(drawings, snr=snr, dtype=np.uint8, random_state=1)
        strokes = [
            np.argwhere(drawing > 0) - (np.array(drawing.shape) - 1) / 2 + position
            for drawing, position in zip(drawings, scans.poses.position, strict=True)
        ]
        sets[f"simulated, ratio {snr:g}"] = drawings, scans.images, strokes, scans.target
    if args.watermarks:
        photos, known, sheets, _ = load_watermarks(args.watermarks)
        target = np.array([sheets[1].index(sheet) for sheet in sheets[0]])
        # Where the mark is in a photograph, the search tells: it is right in all of them.
        strokes = [
            DrawingSearch().fit([known[k]]).locate([photo]).strokes[0][0]
            for photo, k in zip(photos, target, strict=True)
        ]
        sets["photographs of paper"] = known, photos, strokes, target
    rows = []
    for name, (known, photos, strokes, target) in sets.items():
        for words, share in SHARES.items():
            cut = [
                cut_off(photo, own, share, k % 4)
                for k, (photo, own) in enumerate(zip(photos, strokes, strict=True))
            ]
            row = {"photographs": name, "visible": words, "number": len(cut)}
            for asked in (True, False):
                search = DrawingSearch(polarity="dark", fragments=asked, n_jobs=args.n_jobs)
                found = search.fit(known).kneighbors(cut, 5)[1]
                top1, top5 = top(found, target).values()
                kind = "fragments" if asked else "whole"
                row |= {f"{kind}, top1": f"{top1:.3f}", f"{kind}, top5": f"{top5:.3f}"}
            rows.append(row)
    store(args, "fragments", rows)


def lines(args):
    """Measure the lines of the mould, and compare them with those that were simulated."""
    drawings = make_drawings(5 if args.quick else 60, random_state=0).images
    scans = make_paper_scans(drawings, snr=1, rotation=(-40, 40), random_state=2)
    found = paper_lines(scans.images)
    rows = []
    for kind in ("laid", "chain"):
        distance = found[f"{kind}_distance"] / 25.4 * 100 / scans.lines[f"{kind}_distance"] - 1
        turn = found[f"{kind}_direction"] - scans.lines[f"{kind}_direction"]
        for what, errors in ("percent", 100 * distance), ("degrees", (turn + 90) % 180 - 90):
            errors = np.abs(errors[np.isfinite(errors)])
            row = {"lines": kind, "error in": what, "found": len(errors), "of": len(drawings)}
            rows.append(
                row | {"median": f"{np.median(errors):.2f}", "worst": f"{errors.max():.2f}"}
            )
    store(args, "lines", rows)
