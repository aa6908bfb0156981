"""Find out which drawing of a catalogue is in each photograph, and where.

Made for watermarks: faint figures of lines among the lines, stains and writing of the paper. The
drawings may be dark on white or bright on black, of any sizes. A pixel of a drawing is as much
paper as a pixel of the photographs, unless you give --drawings-dpi.
"""

import math
from functools import partial
from pathlib import Path

import numpy as np

from sklearn_nrcdt._commands import answers as shared
from sklearn_nrcdt._commands.console import Problem, count, listed
from sklearn_nrcdt._commands.pictures import (
    NOTHING,
    Folder,
    class_of_file,
    found_pictures,
    photo_picture,
    small_picture,
)
from sklearn_nrcdt.search import DrawingSearch

HELP = "find out which drawing is in each photograph of paper"
EXAMPLE = "nrcdt find drawings photos --turned quarter --report found.html"
# Scores below this are chance. ``python -m benchmarks.accuracy marks`` counts right marks.
CHANCE = 10.0
# The best drawing is clear if its score is so many times that of the next class.
CLEAR = 1.5
MARKS = {
    "clear": "one drawing fits much better than those of all other classes",
    "doubtful": "a drawing of another class fits almost as well: compare them yourself",
    "not found": "no drawing fits better than drawings that are not there often do",
}
WORDS = shared.Words("photograph", "photograph", "photographs", "drawing", "score", 1)
TURNS = {
    "no": [0],
    "quarter": [90 * quarter + turn for quarter in range(4) for turn in (-3, 3)],
    "any": range(0, 360, 6),
}
# Looked at, to tell the best class from the next: as many as DrawingSearch compares finely.
N_COMPARED = 40
DPI = (25, 4800)
MAX_SIZE_OFF = 50
# Sizes that the search steps over.
STEP = 0.06
# Paper has to be so large, in millimetres, and so small, in millions of pixels at 100 dpi.
MIN_PAPER, MAX_PAPER = 10, 60
MM = 25.4


def add_arguments(parser):
    """Declare the arguments."""
    parser.add_argument(
        "drawings",
        metavar="DRAWINGS",
        help="folder of known drawings; with subfolders, each of them is a class",
    )
    parser.add_argument("photos", metavar="PHOTOS", help="folder of photographs or scans of paper")
    parser.add_argument(
        "--dpi",
        type=float,
        default=100,
        metavar="N",
        help="dots per inch of the photographs (default 100). Strokes are taken to be a "
        "millimetre wide, as in watermarks",
    )
    parser.add_argument(
        "--drawings-dpi",
        type=float,
        metavar="N",
        help="dots per inch of the drawings (default: as the photographs)",
    )
    parser.add_argument(
        "--size-off",
        type=float,
        default=5,
        metavar="PERCENT",
        help="by how much drawings may be larger or smaller than that says (default 5)",
    )
    parser.add_argument(
        "--turned",
        choices=TURNS,
        default="no",
        help="how photographs may lie: no = upright, within 3 degrees; quarter = on any side, "
        "within 5 degrees; any = in any way (default no; takes longer the more is allowed)",
    )
    parser.add_argument("--mirrored", action="store_true", help="paper may be seen from behind")
    parser.add_argument(
        "--strokes",
        choices=("auto", "dark", "bright"),
        default="auto",
        help="whether strokes in the photographs are darker or brighter than the paper "
        "(default: look for both, which takes twice as long)",
    )
    shared.add_arguments(parser, "drawings")


def main(args):
    """Run the command."""
    table, page = shared.check_arguments(args)
    scales = _scales(args)
    # Reading twice costs little, and what is wrong is said before hours of searching.
    drawing_folder = Folder(args.drawings, args)
    folder, first_look = (Folder(args.photos, args, photos=True) for _ in range(2))
    if Path(args.drawings).resolve() == Path(args.photos).resolve():
        raise Problem(
            f"'{args.photos}' is given twice: first the folder of drawings, then that of "
            "photographs."
        )
    fault = partial(_photo_fault, dpi=args.dpi)
    shapes: dict[str, tuple] = {}
    for names, _, photos in first_look.images(fault):
        shapes |= {name: photo.shape for name, photo in zip(names, photos, strict=True)}

    names, classes, drawings, pictures = _read_drawings(drawing_folder, bool(page))
    n_classes = len(set(classes))
    facts = {"Drawings": f"{drawing_folder.cleaning()}; {count(n_classes, 'class', 'classes')}."}
    facts["Photographs"] = f"{_sizes(shapes, args.dpi)}{first_look.left_out()}."
    facts |= _larger(dict(zip(names, drawings, strict=True)), shapes, scales[0])
    for fact, text in facts.items():
        print(f"{fact}: {text}")
    search = DrawingSearch(
        _stroke_width(args.dpi),
        polarity=args.strokes,
        rotations=TURNS[args.turned],
        scales=scales,
        mirror=args.mirrored,
        n_jobs=args.n_jobs,
    ).fit(drawings)

    answers: list[shared.Answer] = []
    photo_pictures: list[str] = []
    for photo_names, own_classes, photos in folder.images(fault):
        found = search.locate(photos, min(len(classes), max(args.top, N_COMPARED)))
        for k, name in enumerate(photo_names):
            truth = shared.truth_of(own_classes, k, classes)
            answers.append(_answer(name, found, k, classes, truth, args.top))
            if page:
                pose = _pose(found, k, scales[0])
                answers[-1].found = *found_pictures(photos[k], found.strokes[k][0]), pose
                photo_pictures.append(photo_picture(photos[k]))
    print()
    meanings = {
        "clear": "",
        "doubtful": "another class fits almost as well",
        "not found": f"no score of {CHANCE:.0f} or more",
    }
    shared.print_answers(answers, names, WORDS, meanings)
    if table:
        shared.write_csv(table, answers, names, classes, WORDS)
    if page:
        facts["Looked for"] = _in_words(args)
        known = names, classes, pictures
        texts = dict(title="Drawings found in photographs", facts=facts, marks=MARKS)
        shared.write_page(page, answers, known, photo_pictures, WORDS, **texts)


def mark(scores, classes):
    """Return the mark of a photograph.

    Parameters
    ----------
    scores : sequence of float
        Of the drawings that fit best, the best first.
    classes : sequence
        Their classes.
    """
    if scores[0] < CHANCE:
        return "not found"
    others = [s for s, label in zip(scores, classes, strict=True) if label != classes[0]]
    return "clear" if scores[0] >= CLEAR * max(others, default=CHANCE) else "doubtful"


def _stroke_width(dpi):
    """Return a millimetre in pixels, and at 100 dpi a number of them that needs no resizing."""
    return dpi / 25


def _scales(args):
    """Return how many pixels of a photograph a pixel of a drawing may be."""
    for option, dpi in {"--dpi": args.dpi, "--drawings-dpi": args.drawings_dpi}.items():
        if dpi is not None and not DPI[0] <= dpi <= DPI[1]:
            raise Problem(f"{option} must be from {DPI[0]} to {DPI[1]}: dots per inch of paper.")
    if not 0 <= args.size_off <= MAX_SIZE_OFF:
        raise Problem(f"--size-off must be from 0 to {MAX_SIZE_OFF} percent.")
    middle = args.dpi / (args.drawings_dpi or args.dpi)
    if args.size_off <= 5:  # makes little difference
        return [middle]
    reach = math.log1p(args.size_off / 100)
    n = math.ceil(reach / STEP)
    return [middle, *(middle * math.exp(k * reach / n) for k in range(-n, n + 1) if k)]


def _photo_fault(photo, dpi):
    """Return why a photograph cannot be searched, None if it can."""
    if photo.min() == photo.max():
        return "of one colour"
    size = _paper(photo.shape, dpi)
    if min(photo.shape) / dpi * MM < MIN_PAPER:
        return f"at {dpi:g} dpi only {size} of paper: give the right --dpi"
    if photo.size * (100 / dpi) ** 2 > MAX_PAPER * 1e6:
        return f"at {dpi:g} dpi {size} of paper: give the right --dpi"
    return None


def _read_drawings(folder, small):
    """Return names, classes, drawings as small as can be, and pictures of them for the page."""
    names: list[str] = []
    classes: list[str] = []
    drawings: list[np.ndarray] = []
    pictures: list[str] = []
    for batch_names, batch_classes, images in folder.images(lambda i: None if i.any() else NOTHING):
        names += batch_names
        classes += batch_classes or map(class_of_file, batch_names)
        pictures += map(small_picture, images) if small else []
        drawings += [_cut(image > image.max() / 2) for image in images]
    return names, classes, drawings, pictures


def _cut(drawing):
    rows, columns = (np.flatnonzero(drawing.any(axis=axis)) for axis in (1, 0))
    return drawing[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].copy()


def _answer(name, found, k, classes, truth, top):
    """Return what was found in the photograph at position k."""
    ranked = [*zip(found.indices[k].tolist(), found.scores[k].tolist(), strict=True)]
    labels = [classes[drawing] for drawing, _ in ranked]
    row, column = found.centres[k, 0]
    details = {
        "row": round(row),
        "column": round(column),
        "turned_left": round(found.rotations[k, 0]),
        "scale": f"{found.scales[k, 0]:.3g}",
        "mirrored": "yes" if found.mirrored[k, 0] else "no",
        "strokes": found.polarities[k, 0],
    }
    marked = mark(found.scores[k], labels)
    return shared.Answer(name, marked, labels[0], truth, ranked[:top], details)


def _pose(found, k, usual):
    """Return in words how the best drawing lies in a photograph."""
    turn, size = round(found.rotations[k, 0]), round(100 * found.scales[k, 0] / usual)
    side = "left" if turn > 0 else "right"
    parts = [
        f"{found.polarities[k, 0]} strokes",
        f"turned {abs(turn)}\N{DEGREE SIGN} to the {side}" if turn else "upright",
        *(["mirrored"] if found.mirrored[k, 0] else []),
        *([f"{size} % of the drawing's size"] if size != 100 else []),
    ]
    return ", ".join(parts)


def _in_words(args):
    strokes = "dark and bright strokes" if args.strokes == "auto" else f"{args.strokes} strokes"
    turned = {"no": "upright", "quarter": "on any side", "any": "turned in any way"}[args.turned]
    mirrored = " or mirrored" if args.mirrored else ""
    return (
        f"{strokes} about {_stroke_width(args.dpi):.3g} pixels wide (1 mm at {args.dpi:g} dpi), "
        f"{turned}{mirrored}, with sizes up to {args.size_off:g} % off."
    )


def _paper(shape, dpi):
    height, width = (side / dpi * MM / 10 for side in shape)
    digits = 0 if min(height, width) >= 10 else 1
    return f"{width:.{digits}f} x {height:.{digits}f} cm"


def _sizes(shapes, dpi):
    """Return in words how many photographs there are, and how large the paper is."""
    typical = sorted(shapes.values(), key=math.prod)[len(shapes) // 2]
    usual = "" if len(set(shapes.values())) == 1 else "usually "
    return (
        f"{count(len(shapes), 'picture')}, {usual}{typical[1]} x {typical[0]} pixels: "
        f"{_paper(typical, dpi)} of paper at {dpi:g} dpi"
    )


def _larger(drawings, shapes, scale):
    """Return a note about drawings that are larger than all photographs."""
    # Sorted, as photographs may lie on their sides.
    largest = np.max([sorted(shape) for shape in shapes.values()], axis=0)
    sides = {name: scale * np.sort(drawing.shape) for name, drawing in drawings.items()}
    names = [name for name, side in sides.items() if (side > largest).any()]
    if not names:
        return {}
    return {
        "Too large": f"{count(len(names), 'drawing is', 'drawings are')} larger than every "
        f"photograph: {listed(names, 3)}. If their scale is not that of the photographs, give "
        "--drawings-dpi."
    }
