"""Find out which drawing of a catalogue is in each photograph, and where.

Made for watermarks: faint figures of lines among the lines, stains and writing of the paper. The
drawings may be dark on white or bright on black, of any sizes, alone or on pages with a ruler and a
caption. How much paper a pixel is, the files say, or you do.
"""

import copy
import math
from pathlib import Path

import numpy as np

from sklearn_nrcdt._commands import answers as shared
from sklearn_nrcdt._commands.console import Problem, count, listed, readable
from sklearn_nrcdt._commands.folder import Folder
from sklearn_nrcdt._commands.pictures import cut, found_pictures, photo_picture
from sklearn_nrcdt._commands.report import write_report
from sklearn_nrcdt.search import DrawingSearch, paper_lines

HELP = "find out which drawing is in each photograph of paper"
EXAMPLE = "nrcdt find drawings photos --turned quarter --report found.html"
# The best drawing is found if its score is so many times that of its own mirror images, which say
# what such lines reach by chance, and so many times the median of all drawings of other classes,
# or more if the drawing is too symmetric to tell. Chosen on simulated paper of several catalogues
# and on photographs of one archive: ``python -m benchmarks.accuracy marks published`` counts marks.
ABOVE_CHANCE, ABOVE_OTHERS, FAR_ABOVE = 2.0, 1.5, 2.2
# Chance seldom reaches so much in any case; and so much where other sides and the mirror image were
# tried unasked, because more poses find more.
LEAST, LEAST_AGAIN = 8.5, 15.0
# So many other drawings make a median. With fewer, a score has to be this high.
MIN_OTHERS, CHANCE = 8, 10.0
# The best drawing is clear if its score is so many times that of the next class.
CLEAR = 1.5
MARKS = {
    "clear": "one drawing fits much better than those of all other figures",
    "doubtful": "a drawing of another figure fits almost as well: compare them yourself",
    "not found": "no drawing stands out: the figure is not among them, or too faint",
}
VOCABULARY = shared.Vocabulary(
    picture="photograph",
    query="photograph",
    queries="photographs",
    known="drawing",
    score="score",
    digits=1,
)
TURNS = {
    "no": [0],
    "quarter": [90 * quarter + turn for quarter in range(4) for turn in (-3, 3)],
    "any": range(0, 360, 6),
}
# Looked at, to tell the best class from the next: as many as DrawingSearch compares finely.
N_COMPARED = 40
# Of photographs whose files do not say it, and of drawings if photographs do not say it either.
USUAL_DPI = 100
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
        help="folder of known drawings; with subfolders, each of them is a class; or a catalogue",
    )
    parser.add_argument(
        "photos", metavar="PHOTOS", nargs="+", help="folder of photographs or scans, or files"
    )
    add_search_arguments(parser)
    shared.add_arguments(parser, "drawings")


def add_search_arguments(parser):
    """Declare how drawings may lie in photographs."""
    parser.add_argument(
        "--dpi",
        type=float,
        metavar="N",
        help="dots per inch of the photographs (default: as their files say, else 100). Strokes "
        "are taken to be a millimetre wide, as in watermarks",
    )
    parser.add_argument(
        "--drawings-dpi",
        type=float,
        metavar="N",
        help="dots per inch of the drawings (default: as their files say, else as the photographs)",
    )
    parser.add_argument(
        "--size",
        default="5",
        metavar="PERCENT",
        help="by how much drawings may be larger or smaller than that says (default 5); any = "
        "photographs of unknown scale, within a factor of three (takes 20 times as long)",
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
    parser.add_argument(
        "--fragments",
        action="store_true",
        help="the photograph may show only a part of the drawing, a quarter or more",
    )
    parser.add_argument(
        "--keep-all",
        action="store_true",
        help="keep what most drawings share, such as rulers and captions, and the pages around "
        "photographs",
    )


def main(args):
    """Run the command."""
    table, page = shared.check_arguments(args)
    search = make_search(args)
    # Reading twice costs little, and what is wrong is said before hours of searching.
    drawing_folder = Folder(args.drawings, args)
    folder, first_look = (Folder(args.photos, args, photos=True, fault=fault) for _ in range(2))
    if Path(args.drawings).resolve() == Path(args.photos[0]).resolve():
        raise Problem(
            f"'{readable(args.drawings)}' is given twice: first the folder of drawings, then that "
            "of photographs."
        )
    shapes = {
        name: photo.shape
        for names, _, photos in first_look.images()
        for name, photo in zip(names, photos, strict=True)
    }
    photo_dpi, photo_source = resolutions(first_look.dpi, args.dpi, "--dpi", USUAL_DPI)
    check_paper(shapes, photo_dpi)

    names, classes, drawings, pictures = drawing_folder.all_figures(
        small=bool(page), make=lambda image: cut(image > image.max() / 2)
    )
    usual = float(np.median([*photo_dpi.values()]))
    dpi, source = resolutions(drawing_folder.dpi, args.drawings_dpi, "--drawings-dpi", usual)
    search.fit(drawings, classes, dpi=[dpi[name] for name in names])
    n_classes = count(len(set(classes)), "class", "classes")
    # Pages around figures may be larger than any photograph.
    alone = zip(names, drawings, search.n_left_out_ == 0, strict=True)
    figures = {name: drawing.shape for name, drawing, is_alone in alone if is_alone}
    facts = {
        "Drawings": f"{drawing_folder.cleaning()}; {n_classes}; {source}."
        + drawing_folder.left_out(),
        **_left_out(search),
        "Photographs": f"{_sizes(shapes, photo_dpi)}; {photo_source}.{first_look.left_out()}",
        **_larger(figures, dpi, shapes, photo_dpi),
    }
    for fact, text in facts.items():
        print(f"{fact}: {text}")

    answers: list[shared.Answer] = []
    folder.skip_broken = True  # a photograph that disappears meanwhile costs no other
    for photo_names, own_classes, photos in folder.images():
        dpi = [photo_dpi[name] for name in photo_names]
        results = find_drawings(search, photo_names, photos, dpi, classes, args.top)
        for k, (answer, found) in enumerate(results):
            answer.truth = shared.truth_of(own_classes, k, classes)
            answer.details |= _paper_lines(photos[k], dpi[k])
            answers.append(answer)
            if page:
                n_shown = min(len(answer.nearest), 2 if answer.mark == "doubtful" else 1)
                answer.found = [overlay(photos[k], found, place) for place in range(n_shown)]
                answer.picture = photo_picture(photos[k])
    print()
    meanings = {
        "clear": "",
        "doubtful": "another figure fits almost as well",
        "not found": "no drawing stands out from the others",
    }
    shared.print_answers(answers, names, VOCABULARY, meanings)
    for text in _advice(args, answers, folder, first_look):
        print(text)
    if table:
        shared.write_csv(table, answers, names, classes, VOCABULARY, args.semicolons)
    if page:
        facts["Looked for"] = describe(args)
        known = [*zip(names, classes, pictures, strict=True)]
        texts = dict(title="Drawings found in photographs", marks=MARKS, score="Score")
        write_report(page, **shared.on_page(answers, known.__getitem__), facts=facts, **texts)


def make_search(args):
    """Return the search that the options ask for."""
    for option, dpi in {"--dpi": args.dpi, "--drawings-dpi": args.drawings_dpi}.items():
        if dpi is not None and not DPI[0] <= dpi <= DPI[1]:
            raise Problem(f"{option} must be from {DPI[0]} to {DPI[1]}: dots per inch of paper.")
    return DrawingSearch(
        polarity=args.strokes,
        rotations=TURNS[args.turned],
        scales=_scales(args),
        mirror=args.mirrored,
        fragments=args.fragments,
        pages=not args.keep_all,
        n_jobs=args.n_jobs,
    )


def find_drawings(search, names, photos, dpi, classes, top):
    """Yield, for each photograph, the answer and what `DrawingSearch.locate` found."""
    n_compared = min(len(classes), max(top, N_COMPARED))
    all_found = search.locate(photos, n_compared, dpi=dpi)
    # What lies on another side or is seen from behind, if that was not asked for. In all sizes
    # it would take minutes for each photograph.
    upright = len(search.rotations) == 1 and not search.mirror and search.scales != "any"
    turned = copy.copy(search).set_params(rotations=[0, 90, 180, 270], mirror=True)
    for k, name in enumerate(names):
        found = {field: values[k] for field, values in all_found.items()}
        answer = _answer(name, found, classes, top)
        if answer.mark == "not found" and upright:
            again = turned.locate([photos[k]], n_compared, dpi=dpi[k])
            again = {field: values[0] for field, values in again.items()}
            answer_again = _answer(name, again, classes, top, again=True)
            if answer_again.mark != "not found":
                found, answer = again, answer_again
        yield answer, found


def overlay(photo, found, place):
    """Return what shows where a drawing was found: detail, strokes, where it is, pose in words."""
    return *found_pictures(photo, found["strokes"][place]), _pose(found, place)


def mark(scores, classes, chance=math.nan, again=False):
    """Return the mark of a photograph, by scores and classes of drawings, the best first."""
    others = [s for s, c in zip(scores, classes, strict=True) if c != classes[0]]
    least = [LEAST_AGAIN if again else LEAST]
    if len(others) < MIN_OTHERS:
        least.append(CHANCE)
    else:
        least.append((FAR_ABOVE if math.isnan(chance) else ABOVE_OTHERS) * np.median(others))
    if scores[0] < max(least) or scores[0] < ABOVE_CHANCE * chance:
        return "not found"
    return "clear" if scores[0] >= CLEAR * max(others, default=CHANCE) else "doubtful"


def _advice(args, answers, folder, first_look):
    """Yield what to try if something was not found."""
    lost = sorted(set(folder.broken) - set(first_look.broken))
    if lost:
        yield f"{count(len(lost), 'photograph')} could no longer be read: {listed(lost, 3)}."
    turned = [a.name for a in answers if a.mark != "not found" and _is_turned(a, args)]
    if turned:
        yield (
            f"{count(len(turned), 'photograph lies', 'photographs lie')} on another side or "
            f"mirrored, which was tried because nothing was found upright: {listed(turned, 3)}."
        )
    tries = {
        "--size any, if the scale is not what the files say": args.size != "any",
        "--turned any": args.turned != "any",
        "--fragments, if only a part of the figure is on the paper": not args.fragments,
    }
    if any(tries.values()) and any(answer.mark == "not found" for answer in answers):
        yield f"For what was not found, you may try {'; '.join(t for t in tries if tries[t])}."


def _is_turned(answer, args):
    turned = args.turned == "no" and abs(answer.details["turned_left"]) > 45
    return turned or (not args.mirrored and answer.details["mirrored"] == "yes")


def _scales(args):
    """Return how much larger drawings may be than the resolutions say, or "any"."""
    if args.size == "any":
        return "any"
    try:
        percent = float(args.size)
    except ValueError:
        percent = math.nan
    if not 0 <= percent <= MAX_SIZE_OFF:
        raise Problem(f"--size must be from 0 to {MAX_SIZE_OFF} percent, or any.")
    if percent <= 5:  # makes little difference
        return [1.0]
    reach = math.log1p(percent / 100)
    n = math.ceil(reach / STEP)
    return [1.0, *(math.exp(k * reach / n) for k in range(-n, n + 1) if k)]


def resolutions(stated, given, option, usual):
    """Return the dots per inch of each file, and in words where they are from."""
    if given is not None:
        return dict.fromkeys(stated, given), f"{given:g} dpi by {option}"
    unknown = sum(map(math.isnan, stated.values()))
    dpi = {name: usual if math.isnan(value) else value for name, value in stated.items()}
    values = sorted({round(value) for value in dpi.values()})
    words = f"{values[0]} dpi" if len(values) == 1 else f"{values[0]} to {values[-1]} dpi"
    if unknown == len(stated):
        return dpi, f"taken to be {words}, which the files do not say"
    but = f", {unknown} taken to be {usual:g} dpi" if unknown else ""
    return dpi, f"{words} as the files say{but}"


def fault(photo):
    """Return why a photograph cannot be searched, None if it can."""
    return "uniform, so there is nothing to find in it" if photo.min() == photo.max() else None


def check_paper(shapes, dpi):
    """Refuse photographs of too little or too much paper."""
    for name, shape in shapes.items():
        small = min(shape) / dpi[name] * MM < MIN_PAPER
        if small or math.prod(shape) * (100 / dpi[name]) ** 2 > MAX_PAPER * 1e6:
            size = f"{'only ' * small}{_paper(shape, dpi[name])} of paper"
            raise Problem(f"{name} (at {dpi[name]:g} dpi {size}: give the right --dpi)")


def _left_out(search):
    n, parts = int(np.count_nonzero(search.n_left_out_)), int(search.n_left_out_.sum())
    text = (
        f"{count(parts, 'part')} of {count(n, 'drawing')} that most drawings share, such as "
        f"captions and straight lines; {search.share_kept_.mean():.0%} of the lines are kept. With "
        "--keep-all everything counts."
    )
    return {"Left out": text} if n else {}


def _answer(name, found, classes, top, again=False):
    """Return what was found in a photograph."""
    ranked = [*zip(found["indices"].tolist(), found["scores"].tolist(), strict=True)]
    labels = [classes[drawing] for drawing, _ in ranked]
    row, column = found["centers"][0]
    details = {
        "row": round(row),
        "column": round(column),
        "turned_left": round(found["rotations"][0]),
        "scale": round(float(found["scales"][0]), 3),
        "mirrored": "yes" if found["mirrored"][0] else "no",
        "strokes": found["polarities"][0],
    }
    marked = mark(found["scores"], labels, found["chance"], again)
    return shared.Answer(name, marked, labels[0], None, ranked[:top], details)


def _paper_lines(photo, dpi):
    """Return the distances of laid and chain lines, and how far laid lines are turned."""
    lines = paper_lines([photo], dpi=dpi)
    columns = {
        "laid_lines_mm": lines.laid_distance,
        "laid_lines_turned_left": lines.laid_direction,
        "chain_lines_mm": lines.chain_distance,
    }
    return {name: "" if np.isnan(v) else round(float(v), 2) for name, [v] in columns.items()}


def _pose(found, place):
    """Return in words how a drawing lies in a photograph."""
    turn, size = round(found["rotations"][place]), float(found["scales"][place])
    side = "left" if turn > 0 else "right"
    turned = f"turned {abs(turn)}\N{DEGREE SIGN} to the {side}" if turn else "upright"
    mirrored = ", mirrored" if found["mirrored"][place] else ""
    sized = f", {size:.3g} pixels for each of the drawing" if abs(size - 1) > 0.005 else ""
    return f"{found['polarities'][place]} strokes, {turned}{mirrored}{sized}"


def describe(args):
    """Say what is looked for in photographs."""
    strokes = "dark and bright strokes" if args.strokes == "auto" else f"{args.strokes} strokes"
    turned = {"no": "upright", "quarter": "on any side", "any": "turned in any way"}[args.turned]
    mirrored = " or mirrored" if args.mirrored else ""
    size = "of any size" if args.size == "any" else f"with sizes up to {args.size} % off"
    part = ", even if only a part is visible" if args.fragments else ""
    return f"{strokes} a millimetre wide, {turned}{mirrored}, {size}{part}."


def _paper(shape, dpi):
    height, width = (side / dpi * MM / 10 for side in shape)
    digits = 0 if min(height, width) >= 10 else 1
    return f"{width:.{digits}f} x {height:.{digits}f} cm"


def _sizes(shapes, dpi):
    """Return in words how many photographs there are, and how large the paper is."""
    typical = sorted(shapes, key=lambda name: math.prod(shapes[name]))[len(shapes) // 2]
    height, width = shapes[typical]
    usual = "" if len(set(shapes.values())) == 1 else "usually "
    return (
        f"{count(len(shapes), 'picture')}, {usual}{width} x {height} pixels: "
        f"{_paper(shapes[typical], dpi[typical])} of paper"
    )


def _larger(figures, dpi, shapes, photo_dpi):
    """Return a note about drawings that are larger than all photographs."""
    # Sorted, as photographs may lie on their sides.
    sides = {name: np.sort(shape) / dpi[name] for name, shape in figures.items()}
    largest = np.max([np.sort(shape) / photo_dpi[name] for name, shape in shapes.items()], axis=0)
    names = [name for name, side in sides.items() if (side > largest).any()]
    text = (
        f"{count(len(names), 'drawing is', 'drawings are')} larger than every photograph: "
        f"{listed(names, 3)}. If the resolutions are wrong, give --dpi or --drawings-dpi."
    )
    return {"Too large": text} if names else {}
