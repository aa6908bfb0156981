"""Tables as text: paper and ours side by side, for the terminal and the page."""

import re
from pathlib import Path

from benchmarks.paper.trends import comparisons, outcome
from benchmarks.tables import read_csv

FEATURES = ("euclidean-image", "R-CDT", "max", "mean")
NAMES = {
    "euclidean-image": "pixels",
    "R-CDT": "RadonCDT",
    "max": "MaxNRCDT",
    "mean": "MeanNRCDT",
}
FEW = 4
# Data sets as the tables on disk call them, in words.
WORDS = {
    r"scale\[(.+),(.+)\] shear(.+)": r"scales \1 to \2, shears up to \3°",
    r"freq\[(.+),(.+)\] amp\[(.+),(.+)\]": r"frequency \1 to \2, amplitude \3 to \4",
    r"none": "no waves",
}
NORMS = {"chebyshev": "inf-norm", "euclidean": "2-norm"}


def in_words(data_set):
    """The name of a data set for readers."""
    for pattern, words in WORDS.items():
        if found := re.fullmatch(pattern, data_set):
            return found.expand(words)
    return data_set


def blocks(name, rows):
    """Yield (title, header, lines) of the small tables that make up a table of the paper.

    A line is a label and the rows of its cells, None where the paper has none.
    """
    if name in ("table2", "table3"):
        columns = [(f, n) for f in FEATURES[1:] for n in (NORMS if name == "table2" else [None])]
        for data_set in dict.fromkeys(row["dataset"] for row in rows):
            mine = [row for row in rows if row["dataset"] == data_set]
            lines = []
            for angles in dict.fromkeys(row["angles"] for row in mine):
                cells = {
                    (row["feature"], row.get("norm")): row
                    for row in mine
                    if row["angles"] == angles
                }
                if angles == "":  # pixels stand in the first columns, as in the paper
                    cells = {("R-CDT", norm): row for (_, norm), row in cells.items()}
                lines.append((angles or "pixels", [cells.get(column) for column in columns]))
            header = [f"{NAMES[f]}, {NORMS[n]}" if n else NAMES[f] for f, n in columns]
            yield data_set, ["angles", *header], lines
    elif name in ("table4", "table6"):
        keys = ("dataset", "train_per_class") if name == "table4" else ("train_per_class", "k")
        lines = []
        for label in dict.fromkeys(tuple(row[key] for key in keys) for row in rows):
            cells = {
                row["feature"]: row for row in rows if tuple(row[key] for key in keys) == label
            }
            lines.append(("; ".join(label), [cells.get(feature) for feature in FEATURES]))
        first = "data set; samples" if name == "table4" else "samples of each digit; neighbours"
        yield "", [first, *NAMES.values()], lines
    else:
        for classes in dict.fromkeys(row["classes"] for row in rows):
            lines = []
            mine = [row for row in rows if row["classes"] == classes]
            labels = [(row["classifier"], row["angles"], row["train_per_class"]) for row in mine]
            for label in sorted(set(labels), key=_order):
                cells = {
                    row["feature"]: row
                    for row, mark in zip(mine, labels, strict=True)
                    if mark == label
                }
                lines.append((_chinese_label(*label), [cells.get(f) for f in FEATURES]))
            yield f"{classes} classes", ["classifier", *NAMES.values()], lines


def _order(label):
    return label[0] == "NN", int(label[1] or 0), int(label[2] or 0)


def _chinese_label(classifier, angles, size):
    if classifier == "NN":
        return f"NN, {size} samples"
    return f"NT, {angles} angles" if angles else "NT, pixels"


def cell_text(row):
    """Paper / ours ± spread over data sets, with a mark where they do not agree."""
    if row is None:
        return ""
    spread = f" ± {float(row['std']):.3f}" if row["std"] else ""
    mark = " ✗" if row["agrees"] == "no" else row.get("mark", "")
    return f"{row['paper'] or '-'} / {float(row['value']):.3f}{spread}{mark}"


def count(rows):
    """Number of cells that agree, and number of cells that the paper has."""
    return tuple(sum(row["agrees"] in words for row in rows) for words in (["yes"], ["yes", "no"]))


def print_table(folder, name):
    """Print paper / ours for all cells of a table."""
    path = Path(folder) / f"{name}.csv"
    if not path.is_file():
        return
    rows = read_csv(path)
    n_seeds = int(rows[0]["n_seeds"])
    print(f"\n{name}: paper / ours, ± is the spread over {n_seeds} data sets,")
    if name == "table5":
        print("by other characters than the paper's, so that only trends can be compared\n")
        rows = [{**row, "agrees": ""} for row in rows]
    else:
        wide = ", which is wide for so few" if n_seeds < FEW else ""
        print(f"✗ is outside of the 95 % interval for one data set{wide}\n")
    for title, header, lines in blocks(name, rows):
        if title:
            print(title)
        # Columns that the paper leaves empty in the whole block need no room.
        text = [[label, *(cell_text(cell) for cell in cells)] for label, cells in lines]
        widths = [max(len(line[i]) for line in [header, *text]) for i in range(len(header))]
        for line in [header, *text]:
            print("  " + "  ".join(part.ljust(w) for part, w in zip(line, widths, strict=True)))
        print()
    agree, total = count(rows)
    if total:
        print(f"{name}: {agree} of {total} values agree.")
    if name == "table5":
        same = [len(set(outcome(*pair))) == 1 for _, *pair in comparisons(rows)]
        if same:
            print(f"{name}: {sum(same)} of {len(same)} comparisons of two values come out alike.")
