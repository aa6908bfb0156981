"""What `match` and `find` answer: on the screen, as a table for a spreadsheet, and on the page."""

import csv
from dataclasses import dataclass, field

from sklearn_nrcdt._commands.console import Problem, check_output, count, print_table, whole_file
from sklearn_nrcdt._commands.report import write_report

MAX_PRINTED = 40


@dataclass(frozen=True)
class Words:
    """How a command calls its pictures, and what it compares them by."""

    picture: str
    query: str
    queries: str
    known: str
    score: str
    digits: int


@dataclass
class Answer:
    """What was found for one picture."""

    name: str
    mark: str
    label: str
    truth: str | None  # the class that its subfolder names, if there is such a class
    nearest: list[tuple[int, float]]  # position of a known picture and its score, the best first
    details: dict = field(default_factory=dict)  # more columns of the table
    found: tuple | None = None  # more pictures of the page


def add_arguments(parser, known):
    """Declare the options that both commands have."""
    parser.add_argument(
        "--top", type=int, default=5, metavar="N", help=f"{known} to list for each (default 5)"
    )
    parser.add_argument("--csv", metavar="FILE", help="write a table for a spreadsheet")
    parser.add_argument("--report", metavar="FILE", help="write a page for the browser (.html)")


def check_arguments(args):
    """Return where the table and the page go, None if nobody wants them."""
    if args.top < 1:
        raise Problem("--top must be at least 1.")
    table = args.csv and check_output("--csv", args.csv, [".csv"])
    page = args.report and check_output("--report", args.report, [".html", ".htm"])
    return table, page


def truth_of(own_classes, place, classes):
    """Return the class that a picture's subfolder names, if one of the known pictures has it."""
    return own_classes[place] if own_classes and own_classes[place] in classes else None


def print_answers(answers, names, words, meanings):
    """Print the answers, or those that need a look if there are many, and how many there are."""
    shown = answers
    if len(answers) > MAX_PRINTED:
        shown = [answer for answer in answers if answer.mark != "clear"][:MAX_PRINTED]
    heads = [words.picture, "answer", words.score, "next", words.score, "mark"]
    cells = []
    for answer in shown:
        best, following = [
            [names[known], f"{score:.{words.digits}f}"] for known, score in answer.nearest[:2]
        ] + [["", ""]] * (2 - len(answer.nearest[:2]))
        cells.append([answer.name, *best, *following, answer.mark])
    if cells:
        print_table(heads, cells, right=(2, 4))
    if len(shown) < len(answers):
        n_hidden = len(answers) - len(shown)
        print(f"{count(n_hidden, 'answer')} not listed here; --csv and --report have all of them.")
    counts = [
        f"{sum(answer.mark == mark for answer in answers)} {mark}" + (meaning and f" ({meaning})")
        for mark, meaning in meanings.items()
    ]
    print(f"\n{count(len(answers), words.query, words.queries)}: {', '.join(counts)}.")
    tested = [answer for answer in answers if answer.truth is not None]
    if tested:
        n_right = sum(answer.label == answer.truth for answer in tested)
        print(
            f"{n_right} of {len(tested)} answers ({n_right / len(tested):.1%}) are the class that "
            f"the {words.query}'s subfolder names."
        )


def write_csv(path, answers, names, classes, words):
    """Write a line for each answer."""
    heads = [words.picture, "mark", "class"]
    for place in range(1, len(answers[0].nearest) + 1):
        heads += [f"{words.known}_{place}", f"class_{place}", f"{words.score}_{place}"]
    # With a byte order mark, without which spreadsheets misread names that are not English.
    with whole_file(path) as part, open(part, "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow([*heads, *answers[0].details])
        for answer in answers:
            cells = [answer.name, answer.mark, answer.label]
            for known, score in answer.nearest:
                cells += [names[known], classes[known], f"{score:.6g}"]
            writer.writerow([*cells, *answer.details.values()])
    print(f"Wrote {path}")


def write_page(path, answers, known, query_pictures, words, **texts):
    """Write the page; `known` are names, classes and small pictures of the known ones."""
    names, classes, pictures = known
    queries = [
        (answer.name, answer.truth, picture)
        for answer, picture in zip(answers, query_pictures, strict=True)
    ]
    with whole_file(path) as part:
        write_report(
            part,
            pictures=[*zip(names, classes, pictures, strict=True), *queries],
            rows=[
                (
                    *(len(names) + place, answer.mark, answer.label, answer.nearest[0][1]),
                    *(answer.nearest, answer.truth, answer.found),
                )
                for place, answer in enumerate(answers)
            ],
            score=words.score.capitalize(),
            **texts,
        )
    print(f"Wrote {path}")
