"""Tables and pictures of docs/paper.md, from what is stored."""

import re
from pathlib import Path

from benchmarks.paper.summary import group
from benchmarks.tables import markdown, read_csv, save_figure, stored, write_tables

TABLES = ("table2", "table3", "table4", "table5", "table6")
COMPARED = ("table2", "table3", "table4", "table6")  # Table 5 has other characters
NAMES = {"euclidean-image": "pixels", "R-CDT": "RadonCDT", "max": "MaxNRCDT", "mean": "MeanNRCDT"}
# Data sets as the CSV files call them, in words.
WORDS = {
    r"scale\[(.+),(.+)\] shear(.+)": r"scales \1 to \2, shears up to \3°",
    r"freq\[(.+),(.+)\] amp\[(.+),(.+)\]": r"frequency \1 to \2, amplitude \3 to \4",
    r"none": "no waves",
}


def differences():
    """What is known about the values that differ, as commit c9caae1 measured it."""
    return read_csv(Path(__file__).parent / "published" / "differences.csv")


def outcome(results):
    """How many values of each table agree, and for how many others the reason is known."""
    lines = []
    for name in COMPARED:
        (rows,) = stored(results, name)
        compared = [row["agrees"] for row in rows if row["agrees"]]
        here = [row for row in differences() if row["table"] == name[-1]]
        unknown = sum(row["cause"] == "not explained" for row in here)
        counts = len(compared), compared.count("yes"), compared.count("no")
        lines.append([f"Table {name[-1]}", *counts, len(here) - unknown, unknown])
    lines.append(["**all**", *(sum(column) for column in list(zip(*lines, strict=True))[1:])])
    return markdown(["", "values", "agree", "differ", "explained", "open"], lines)


def reasons():
    """The reasons of the differences, the most frequent first."""
    counts = {cause: len(rows) for (cause,), rows in group(differences(), ["cause"]).items()}
    lines = sorted(counts.items(), key=lambda pair: (pair[0] == "not explained", -pair[1]))
    return markdown(["reason", "values"], lines)


def cell(row):
    """Paper / ours, with a mark where they do not agree."""
    if row is None:
        return ""
    paper = f"{float(row['paper']):.3f}" if row["paper"] else "-"
    text = f"{paper} / {float(row['value']):.3f}{' ✗' * (row['agrees'] == 'no')}"
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def side_by_side(head, rows, label, features=tuple(NAMES)):
    """A line for each label, which a function gives a row, a column for each feature."""
    lines = {}
    for row in rows:
        lines.setdefault(label(row), {})[row["feature"]] = row
    used = [name for name in features if any(name in line for line in lines.values())]
    body = [[name, *(cell(line.get(f)) for f in used)] for name, line in lines.items()]
    return markdown([head, *(NAMES[name] for name in used)], body) if body else ""


def data_set(row):
    """The name of a data set for readers."""
    for pattern, words in WORDS.items():
        if found := re.fullmatch(pattern, row["dataset"]):
            return found.expand(words)
    return row["dataset"]


def character_label(row):
    if row["classifier"] == "NN":
        return f"NN, {row['train_per_class']} samples"
    return f"NT, {row['angles']} angles" if row["angles"] else "NT, pixels"


def character_order(row):
    return row["classifier"] == "NN", int(row["angles"] or 0), int(row["train_per_class"] or 0)


def tables(results):
    """Return the tables of the page by the names of their files."""
    two, three, four, five, six = stored(results, *TABLES)
    # The page has the values for 128 angles and the Euclidean norm of Tables 2 and 3.
    chosen = {name: [r for r in rows if r["angles"] == "128" and r.get("norm") != "chebyshev"]
              for name, rows in (("paper_2", two), ("paper_3", three))}  # fmt: skip
    five = sorted(({**row, "agrees": ""} for row in five), key=character_order)
    return {
        "paper_outcome": outcome(results),
        "paper_reasons": reasons(),
        **{name: side_by_side("data set", rows, data_set) for name, rows in chosen.items()},
        "paper_4": side_by_side(
            "data set; samples", four, lambda row: f"{row['dataset']}; {row['train_per_class']}"
        ),
        "paper_5": side_by_side(
            "classifier", [row for row in five if row["classes"] == "1000"], character_label
        ),
        "paper_6": side_by_side(
            "samples of each digit; neighbours", six, lambda r: f"{r['train_per_class']}; {r['k']}"
        ),
    }


def run(args):
    from benchmarks.paper.figures import agreement

    write_tables(args.docs, tables(args.results))
    unknown = {(row["table"], row["paper"], row["value"]) for row in differences()
               if row["cause"] == "not explained"}  # fmt: skip
    save_figure(args, agreement(args.results, unknown), "paper_agreement")
