"""What `match` and `find` answer: on the screen, as a table for a spreadsheet, and on the page."""

import csv
from dataclasses import dataclass, field
from typing import Any

from sklearn_nrcdt._commands import console

MAX_PRINTED = 40
# What stands for the class of a picture that none of the known ones shows.
NOBODY = ""
# Marks of pictures whose best drawing is no answer.
NONE = ("unknown", "not found")


@dataclass(frozen=True)
class Vocabulary:
    """How a command calls its pictures, and what it compares them by."""

    picture: str
    query: str
    queries: str
    known: str
    score: str
    digits: int  # of scores, after the point


@dataclass
class Answer:
    """What was found for one picture."""

    name: str
    mark: str
    label: str
    truth: str | None  # the class that its subfolder names, if there is such a class
    nearest: list[tuple[Any, float]]  # a known picture and its score, the best first
    details: dict = field(default_factory=dict)  # more columns of the table
    found: list | None = None  # where drawings are in a photograph, see `make_report`
    picture: bytes = b""  # for the page


def add_arguments(parser, known):
    """Declare the options that both commands have."""
    parser.add_argument(
        "--top", type=int, default=5, metavar="N", help=f"{known} to list for each (default 5)"
    )
    parser.add_argument("--csv", metavar="FILE", help="write a table for a spreadsheet")
    parser.add_argument(
        "--semicolons",
        action="store_true",
        help="with --csv: semicolons between cells and decimal commas, as Excel wants them in many "
        "countries",
    )
    parser.add_argument("--report", metavar="FILE", help="write a page for the browser (.html)")


def check_arguments(args):
    """Return where the table and the page go, None if nobody wants them."""
    if args.top < 1:
        raise console.Problem("--top must be at least 1.")
    table = console.check_output("--csv", args.csv, [".csv"])
    page = console.check_output("--report", args.report, [".html", ".htm"])
    return table, page


def truth_of(own_classes, place, classes):
    """Return the class that a picture's subfolder names, if one of the known pictures has it."""
    return own_classes[place] if own_classes and own_classes[place] in classes else None


def print_answers(answers, names, vocabulary, meanings):
    """Print the answers, or those that need a look if there are many, and how many there are."""
    shown = answers
    if len(answers) > MAX_PRINTED:
        shown = [answer for answer in answers if answer.mark != "clear"][:MAX_PRINTED]
    heads = [vocabulary.picture, "answer", vocabulary.score, "next", vocabulary.score, "mark"]
    cells = []
    for answer in shown:
        near = [[names[known], f"{score:.{vocabulary.digits}f}"] for known, score in answer.nearest]
        best, following, *_ = [*near, ["", ""]]
        if answer.mark in NONE:
            best[0] = f"none ({best[0]})"
        cells.append([answer.name, *best, *following, answer.mark])
    if cells:
        console.print_table(heads, cells, right=(2, 4), names=[[0], [1, 3]])
    if len(shown) < len(answers):
        hidden = console.count(len(answers) - len(shown), "answer")
        print(f"{hidden} not listed here; --csv and --report have all of them.")
    counts = [
        f"{sum(answer.mark == mark for answer in answers)} {mark}" + (meaning and f" ({meaning})")
        for mark, meaning in meanings.items()
    ]
    asked = console.count(len(answers), vocabulary.query, vocabulary.queries)
    print(f"\n{asked}: {', '.join(counts)}.")
    tested = [answer for answer in answers if answer.truth is not None]
    if tested:
        n_right = sum(answer.label == answer.truth for answer in tested)
        print(
            f"{n_right} of {len(tested)} answers ({n_right / len(tested):.1%}) are the class that "
            f"the {vocabulary.query}'s subfolder names."
        )


def write_csv(path, answers, names, classes, vocabulary, semicolons=False):
    """Write a line for each answer."""
    heads = [vocabulary.picture, "mark", "class"]
    for place in range(1, len(answers[0].nearest) + 1):
        heads += [f"{vocabulary.known}_{place}", f"class_{place}", f"{vocabulary.score}_{place}"]
    # With a byte order mark, without which spreadsheets misread names that are not English.
    with console.whole_file(path) as part, part.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file, delimiter=";" if semicolons else ",")
        writer.writerow([*heads, *answers[0].details])
        for answer in answers:
            cells = [answer.name, answer.mark, answer.label]
            for known, score in answer.nearest:
                cells += [names[known], classes[known], score]
            cells += answer.details.values()
            point = "," if semicolons else "."
            writer.writerow([console.safe_cell(cell, point) for cell in cells])
    print(f"Wrote {console.readable(path)}")


def on_page(answers, known):
    """Return pictures and rows of the page; `known` returns name, class and file of a known one."""
    shown = sorted({known_one for answer in answers for known_one, _ in answer.nearest})
    places = {known_one: place for place, known_one in enumerate(shown)}
    rows = []
    for place, a in enumerate(answers, len(shown)):
        near = [(places[known_one], score) for known_one, score in a.nearest]
        rows.append((place, a.mark, a.label, near[0][1], near, a.truth, a.found))
    pictures = [*map(known, shown), *((a.name, a.truth, a.picture) for a in answers)]
    return {"pictures": pictures, "rows": rows}
