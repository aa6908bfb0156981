"""Is the right drawing found in a photograph of paper: ours beside OpenCV's.

Simulated paper: 100 made-up drawings, each in a photograph of its own, with the grain alone,
with each nuisance added to it, and with all together; top-1 over the signal-to-noise ratio.
OpenCV's searches are slower and get fewer of the photographs. At a ratio of 0 there is no
drawing in the paper: what is found then is chance.

Real paper, given by --watermarks: the drawing of the same sheet, upright and turned, and the
best drawing of another sheet with the same motif.
"""

import time
from functools import partial

import numpy as np
from scipy import ndimage

from benchmarks.command import keep_text
from benchmarks.tables import print_and_write
from sklearn_nrcdt.datasets import make_drawings, make_paper_scans

NUISANCES = ("light", "laid", "chains", "folds", "stains", "writing")
TASKS = {
    "grain alone": ("grain",),
    **{f"with {name}": ("grain", name) for name in NUISANCES},
    "all": "all",
}
FEW = ("grain alone", "all")
RATIOS = (0.5, 0.7, 1.0, 1.4, 2.0)
QUARTERS = [90 * quarter + turn for quarter in range(4) for turn in (-3, -1, 1, 3)]
CIRCLE = list(range(0, 360, 4))


def ours(**params):
    # Imported here, so that its absence is a missing result and no missing module.
    from sklearn_nrcdt.search import DrawingSearch

    return DrawingSearch(**params)


def peers():
    """Return name -> search, photographs per task and ratio, tasks: as time allows."""
    from benchmarks.accuracy import search_peers as opencv

    return {
        "OpenCV template matching": (opencv.TemplateMatching, 30, tuple(TASKS)),
        "OpenCV template matching, our score": (opencv.PeakHeight, 30, tuple(TASKS)),
        "OpenCV SIFT": (opencv.SIFT, 10, FEW),
        "OpenCV generalised Hough": (opencv.Hough, 10, FEW),
    }


def searches():
    """Return name -> search, photographs and tasks of all that is installed."""
    found = {}
    for name, make in {"ours": lambda: {"ours": (ours, 100, tuple(TASKS))}, "peers": peers}.items():
        try:
            chosen = make()
            for factory, *_ in chosen.values():
                factory()
            found |= chosen
        except ImportError as error:
            print(f"{name}: missing. {error}")
    return found


def top(positions, target):
    """Share of right drawings at the first place and among the first five."""
    right = np.asarray(positions) == np.asarray(target)[:, None]
    return {"top1": right[:, 0].mean(), "top5": right[:, :5].any(axis=1).mean()}


def row(task, name, snr, shares, tested, pace):
    shares = {key: f"{share:.3f}" for key, share in shares.items()}
    times = {"tested": tested, "seconds": f"{pace:.2f}"}
    return {"task": task, "search": name, "snr": snr, **shares, **times}


def simulated(quick):
    """Yield rows of all searches on all tasks."""
    drawings = make_drawings(10 if quick else 100, random_state=0).images
    fitted = {
        name: (make().fit(drawings), 5 if quick else n, tasks)
        for name, (make, n, tasks) in searches().items()
    }
    for task, nuisances in TASKS.items():
        if quick and task not in FEW:
            continue
        ratios = (1.0, 2.0) if quick else (0.0, *RATIOS) if task == "all" else RATIOS
        for snr in ratios:
            scans = make_paper_scans(
                drawings,
                snr=snr,
                nuisances=nuisances,
                dtype=np.uint8,
                random_state=1,
                n_jobs=2,
            )
            for name, (search, n, tasks) in fitted.items():
                if task not in tasks:
                    continue
                images, target = scans.images[:n], scans.target[:n]
                start = time.perf_counter()
                _, positions = search.kneighbors(images, 5)
                pace = (time.perf_counter() - start) / len(images)
                yield row(task, name, snr, top(positions, target), len(images), pace)


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


def real(path, quick):
    """Yield rows on real photographs, ours and template matching."""
    photos, drawings, sheets, motifs = load_watermarks(path)
    own = np.array([sheets[1].index(sheet) for sheet in sheets[0]])
    rng = np.random.default_rng(0)
    quarters = 90 * rng.integers(0, 4, len(photos)) + rng.uniform(-3, 3, len(photos))
    any_turn = rng.uniform(0, 360, len(photos))
    n = 3 if quick else len(photos)
    installed = searches()
    plans = [("upright", np.zeros(len(photos)), name, installed[name][0]) for name in installed]
    if "ours" in installed:
        plans.append(("quarters", quarters, "ours", partial(ours, rotations=QUARTERS)))
        plans.append(("any rotation", any_turn, "ours", partial(ours, rotations=CIRCLE)))
    for task, turns, name, make in plans:
        turned = [turn(photo, angle) for photo, angle in zip(photos[:n], turns, strict=False)]
        start = time.perf_counter()
        _, positions = make().fit(drawings).kneighbors(turned, len(drawings))
        pace = (time.perf_counter() - start) / n
        yield row(f"real, {task}, own", name, "", top(positions, own[:n]), n, pace)
        found = same_motif(np.asarray(positions), own, motifs)
        if task == "upright" and found:
            shares = top(found, [True] * len(found))
            yield row("real, another sheet", name, "", shares, len(found), pace)


def same_motif(positions, own, motifs):
    """Whether each drawing shows the motif, best first, without the photograph's own drawing."""
    found = []
    for ranked, mine, motif in zip(positions, own, motifs[0], strict=False):
        right = motifs[1][ranked[ranked != mine]] == motif
        if right.any():
            found.append(right)
    return found


def curves(rows):
    """Print top-1 of the simulated tasks, one line per task and search."""
    ratios = sorted({r["snr"] for r in rows if r["snr"] != ""})
    print(f"\n{'top-1':16s}{'SNR':36s}" + "".join(f"{ratio:6g}" for ratio in ratios))
    names = dict.fromkeys((r["task"], r["search"]) for r in rows if r["snr"] != "")
    for task, name in names:
        shares = {
            r["snr"]: float(r["top1"]) for r in rows if (r["task"], r["search"]) == (task, name)
        }
        cells = [f"{shares[ratio]:6.2f}" if ratio in shares else "     -" for ratio in ratios]
        print(f"{task:16s}{name:36s}" + "".join(cells))


@keep_text
def run(args):
    def rows():
        yield from simulated(args.quick)
        if args.watermarks:
            yield from real(args.watermarks, args.quick)
        else:
            print("real photographs: left out, --watermarks FILE is not given")

    curves(print_and_write(args.results / "search.csv", rows()))
