"""Pages and stored results: each table is what the results say, each number is in a table."""

import re
from pathlib import Path

import pytest

from benchmarks.accuracy import tables as accuracy
from benchmarks.paper import tables as paper
from benchmarks.performance import tables as performance
from benchmarks.tables import read_csv

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ROOMS = {"paper": paper, "accuracy": accuracy, "performance": performance}
INCLUDE = re.compile(r"^```\{include\} _tables/(\w+)\.md\n```$", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w])")
# Numbers in the text that are no results: settings of the experiments, sizes, years.
CONSTANTS = {
    "paper": """
        7 8 9 12 1,000  figures; classes of Table 5
        2025 225 315 0.666  the authors' program
        0.95  the interval
    """,
    "accuracy": """
        0.75 15 40  ranges of maps
        2 3 5 6 10 12 20 128 500 599 1,000 5,000  tables, samples, pixels, degrees
        32 1,280  sizes of images and features
        350 2015  Science, volume and year
        100 71  seconds of training; minutes in wall.csv
        200  characters, logos
    """,
    "performance": """
        40  drawings that are compared by all of their lines
        64  levels; angles that are as good as 128
        278  core hours of a billion milliseconds
    """,
    "matching": """
        64 160 48  cells, points, angles
        0.5 0.9 0.6 128  limits of marks, price of distances, pixels
        1977 2002 2007  related work
    """,
    "guide": "500 64 0.75 12 15 1.9  digits, numbers of a feature, maps, version of scikit-learn",
    "catalogue": "20 300 64  candidates, drawings, length of vectors",
    "watermarks": """
        1.5 60 2.4 45  photographs and drawings
        12 25 300 40 100  resolution, settings
    """,
}


@pytest.mark.parametrize("room", ROOMS)
def test_included_tables_are_what_the_results_say(room):
    results = ROOT / "benchmarks" / room / "results"
    if not results.is_dir():
        pytest.skip("the results are not part of this installation")
    for name, text in ROOMS[room].tables(results).items():
        assert (DOCS / "_tables" / f"{name}.md").read_text(encoding="utf-8") == text, name


def test_every_table_is_included_and_made():
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
    made = {
        name
        for room, module in ROOMS.items()
        for name in module.tables(ROOT / "benchmarks" / room / "results")
    }
    files = {file.stem for file in (DOCS / "_tables").glob("*.md")}
    assert set(INCLUDE.findall(pages)) == made == files


def numbers(text):
    return {float(found.replace(",", "")) for found in NUMBER.findall(text)}


def unknown(page, tables, constants):
    """Numbers in the text of a page that are neither in its tables nor constants.

    A percentage may be a share of the table.
    """
    formulas = r"\$\$.*?\$\$|\$[^$]*\$"
    text = re.sub(
        rf"```.*?```|`[^`]*`|{formulas}|\]\([^)]*\)|^!\[[^\n]*$", "", page, flags=re.S | re.M
    )
    known = numbers(tables) | numbers(constants)
    shares = {float(n) for n in re.findall(r"([\d.]+) %", text)}
    return {
        number
        for number in numbers(text) - known
        if number not in shares or round(number / 100, 5) not in known
    }


@pytest.mark.parametrize("page", CONSTANTS)
def test_numbers_in_the_text_are_in_a_table(page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    files = [DOCS / "_tables" / f"{name}.md" for name in INCLUDE.findall(text)]
    tables = "".join(file.read_text(encoding="utf-8") for file in files)
    assert unknown(text, tables, CONSTANTS[page]) == set()


def test_the_example_on_handwriting_shows_the_numbers_of_the_table():
    example = (DOCS / "examples" / "plot_one_shot.py").read_text(encoding="utf-8")
    [shown] = re.findall(r"^OMNIGLOT = \{(.*)\}$", example, re.MULTILINE)
    table = (DOCS / "_tables" / "accuracy_oneshot.md").read_text(encoding="utf-8")
    rows = {row[0]: row[1] for row in re.findall(r"^\| ([^|]*) \| ([^|]*) \|", table, re.MULTILINE)}
    names = ("siamese network", "InvariantHOG, slant", "ShapeClassifier, scale")
    assert re.findall(r"[\d.]+", shown) == [rows[name] for name in names]


def test_a_wrong_number_is_found():
    table = "| a | 0.897 | 1,320 |"
    assert unknown("It reaches 89.7 % in 1,320 ms, `0.5` of 256.", table, "256") == set()
    assert unknown("It reaches 89.8 % in 1,321 ms.", table, "") == {89.8, 1321.0}
    page = "![A](1.png)\n\n*Of 12.*\n\n```{include} a.md\n```\n\nSee [13](14.md) `15` and 16."
    assert unknown(page, table, "") == {12.0, 13.0, 16.0}


def test_the_table_of_the_readme_is_what_the_results_say():
    rows = read_csv(ROOT / "benchmarks" / "accuracy" / "results" / "comparison.csv")
    stored = (ROOT / "README.md").read_text(encoding="utf-8")
    assert accuracy.readme(rows, stored) == stored
    other = [row | {"accuracy": "0.123"} if row["method"] == "HOG" else row for row in rows]
    line = "| HOG, with copies | nothing | copies in many poses | 0.123 | 0.123 |"
    assert line in accuracy.readme(other, stored)


def test_a_table_has_the_best_classifier_of_each_method():
    accuracies = {"A": {"1-NN": 0.5, "SVC": 0.7}, "B": {"1-NN": 0.6}, "C": {"own": 0.7}}
    rows = [
        {"task": "LinMNIST", "method": m, "classifier": c, "train": "11", "accuracy": str(a),
         "ms_per_image": "0.5"}
        for m, found in accuracies.items()
        for c, a in found.items()
    ]  # fmt: skip
    columns = {"digits": ("LinMNIST", "11"), "none": ("LinMNIST", "50")}
    table = accuracy.accuracy_table(rows, columns, list("ABCD"), {"ms": "ms_per_image"})
    assert table.splitlines()[0] == "| method | digits | ms |"
    lines = ["| A | **0.700** | 0.5 |", "| B | 0.600 | 0.5 |", "| C | **0.700** | 0.5 |"]
    assert table.splitlines()[2:] == lines


def test_the_table_of_marks_says_how_often_clear_answers_are_right():
    counts = {"right": (6, 2, 0, 0), "absent": (1, 0, 0, 3), "wrong": (2, 0, 1, 0)}
    rows = [
        {"data": "digits", "answers": kind, **dict(zip(accuracy.MARKS, each, strict=True))}
        for kind, each in counts.items()
    ]
    rows += [
        {"data": name, "answers": kind, "number": number, "clear": ""}
        for name, kind, number in (
            ("digits", "near-twins", "0.02"),
            ("digits", "calibration error", "0.1"),
            ("all", "calibration error", "0.2"),
        )
    ]
    marks = "75 / 25 / 0 / 0 | 25 / 0 / 0 / 75 | 67 / 0 / 33 / 0 | 75 | 67"
    lines = [f"| digits | {marks} | 0.1 | 0.02 |", f"| all | {marks} | 0.2 |  |"]
    assert accuracy.marks_table(rows).splitlines()[2:] == lines


def test_the_known_differences_are_those_of_the_tables():
    results = ROOT / "benchmarks" / "paper" / "results"
    differing = [
        (name[-1], row["paper"], row["value"])
        for name in paper.COMPARED
        for row in read_csv(results / f"{name}.csv")
        if row["agrees"] == "no"
    ]
    known = [(row["table"], row["paper"], row["value"]) for row in paper.differences()]
    assert sorted(known) == sorted(differing)


def test_numbers_keep_three_digits():
    values = [performance.number(x) for x in (0.01234, 1.234, 99.96, 12345.6, 0)]
    assert values == ["0.0123", "1.23", "100", "12,300", "0"]


def test_exponents():
    x = [1, 2, 4, 8, 16, 32]
    found = performance.exponent(x, [3 * value**1.5 for value in x])
    assert found == pytest.approx(1.5)
