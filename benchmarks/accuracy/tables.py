"""Tables and pictures of the pages on accuracy and on watermarks, and the table of README.md."""

import numpy as np

from benchmarks.accuracy import guarantees
from benchmarks.accuracy.certainty import MARKS
from benchmarks.accuracy.search import OURS, RATIOS, TASKS
from benchmarks.command import ROOT
from benchmarks.tables import as_stored, markdown, pivot, save_figure, stored, write_tables

METHODS = (
    "ShapeClassifier",
    *("InvariantHOG", "InvariantHOG, copies", "InvariantHOG, aligned", "SpectralNRCDT", "MaxNRCDT"),
    *("small CNN", "RootSIFT", "EfficientNet-lite0", "whitened Zernike moments", "HOG"),
    "PyTransKit invariance encoding",
)
UPRIGHT = (
    *("ShapeClassifier, slant", "ShapeClassifier, scale", "ShapeClassifier"),
    *("InvariantHOG, slant", "InvariantHOG, slant, copies", "InvariantHOG, scale"),
    *("InvariantHOG, similarity", "InvariantHOG", "small CNN", "RootSIFT", "HOG"),
)
# The lines of README's table, whose words are written there.
README = (
    "ShapeClassifier",
    *("InvariantHOG", "InvariantHOG, copies", "MaxNRCDT", "HOG", "Zernike moments"),
    *("whitened Zernike moments", "RootSIFT", "small CNN", "EfficientNet-lite0"),
)
MARKERS = "<!-- accuracy -->", "<!-- /accuracy -->"
# What a method is called on the page and in its picture, if not as in the CSV.
NAMES = {
    "InvariantHOG, copies": "InvariantHOG, with copies",
    "InvariantHOG, slant, copies": "InvariantHOG, slant, with copies",
    "HOG": "HOG, with copies",
    "whitened Zernike moments": "Zernike, whitened",
    "EfficientNet-lite0": "EfficientNet",
    "PyTransKit invariance encoding": "RCDT-NS, turned",
}
ELASTIC = "elastic + affine"
# Accuracy on Omniglot's one-shot runs as Lake, Salakhutdinov and Tenenbaum (2015) published it.
PUBLISHED = {"people": 0.955, "Bayesian program learning": 0.967, "siamese network": 0.92}
# Tables of the page: for each column a heading, the task and the number of training samples.
SHORT = {
    "digits": ("LinMNIST", "11"),
    "characters": ("200 characters, elastic + affine", "1"),
    "logos": ("200 logos, elastic + affine", "1"),
    "symbols": ("affine symbols", "1"),
    "salt": ("wave, affine, salt", "5"),
    "stroke": ("one stroke", "1"),
}
GROUPS = {
    "digits": {n: ("LinMNIST", n) for n in ("1", "5", "11", "25", "50")},
    "upright": {"upright digits, 11 samples": ("upright digits", "11")},
    "disturbed": {
        "covered": ("10 % covered", "1"),
        "stroke": ("one stroke", "1"),
        "second": ("second object, 10 % as bright", "1"),
        "tilt 1.25": ("perspective 1.25", "1"),
        "tilt 1.5": ("perspective 1.5", "1"),
    },
}


def best(rows, task, train, method):
    """Return the row of the best classifier, or None."""
    wanted = task, train, method
    found = [row for row in rows if (row["task"], row["train"], row["method"]) == wanted]
    return max(found, key=lambda row: float(row["accuracy"]), default=None)


def accuracy_table(rows, columns, methods, times=()):
    """The best classifier of each method, a line for each; bold is the best of a column.

    `times` are columns with the time of digits with 11 samples, by the name of the stored one.
    """
    measured = {(row["task"], row["train"]) for row in rows if row["method"] in methods}
    columns = {head: cell for head, cell in columns.items() if cell in measured}
    found = {method: [best(rows, *cell, method) for cell in columns.values()] for method in methods}
    found = {method: cells for method, cells in found.items() if any(cells)}
    highest = [
        max(float(row["accuracy"]) for row in column if row)
        for column in zip(*found.values(), strict=True)
    ]
    lines = []
    for method, cells in found.items():
        line = [NAMES.get(method, method)]
        for row, top in zip(cells, highest, strict=True):
            text = f"{float(row['accuracy']):.3f}" if row else ""
            line.append(f"**{text}**" if row and float(row["accuracy"]) == top else text)
        digits = best(rows, "LinMNIST", "11", method)
        for column in dict(times).values():
            value = float(digits[column]) if digits else 0
            line.append((f"{value:.0f}" if value >= 100 else f"{value:.1f}") if digits else "")
        lines.append(line)
    return markdown(["method", *columns, *dict(times)], lines) if lines else ""


def oneshot_table(rows):
    """Every method on every task, and what others have published."""
    published = [
        {"task": "Omniglot, upright", "method": name, "accuracy": value}
        for name, value in PUBLISHED.items()
    ]
    rows = [row | {"accuracy": f"{float(row['accuracy']):.3f}"} for row in [*rows, *published]]
    return pivot("method", rows, "method", "task", "accuracy")


def marks_table(rows):
    """Percent of answers with each mark, by data set, and how far marks can be trusted.

    Of the clear answers, how many are right: of those about known classes, and of all.
    """
    kinds = ("right", "absent", "wrong")
    sets: dict = {}
    for row in rows:
        found = sets.setdefault(row["data"], {})
        found[row["answers"]] = [int(row[m]) for m in MARKS] if row["clear"] else row["number"]
    counted = [found for found in sets.values() if "right" in found]
    if not counted:
        return ""
    sums = {k: np.sum([found[k] for found in counted if k in found], axis=0) for k in kinds}
    sets["all"] |= sums
    lines = []
    for name, found in sets.items():
        given = [found.get(kind, np.zeros(len(MARKS), int)) for kind in kinds]
        shares = [100 * np.array(each) / max(sum(each), 1) for each in given]
        cells = [" / ".join(f"{n:.0f}" for n in part) if part.any() else "" for part in shares]
        right, absent, wrong = (each[0] for each in given)
        clear = [right + wrong, right + wrong + absent]
        cells += [f"{100 * right / n:.0f}" if n else "" for n in clear]
        lines.append([name, *cells, found["calibration error"], found.get("near-twins", "")])
    heads = ("right if clear, known", "right if clear, all", "error", "near-twins")
    return markdown(["data", *kinds, *heads], lines)


def limits_table(rows):
    names = ("MaxNRCDT", "SpectralNRCDT", "InvariantHOG")
    keys = ("disturbed by", "how much")
    lines = [
        [*(r[key] for key in keys), *(f"{float(r[name]):.2f}" for name in names)] for r in rows
    ]
    return markdown([*keys, *names], lines) if lines else ""


# -- watermarks ------------------------------------------------------------------------

TEMPLATE = "OpenCV template matching"
PEAK = f"{TEMPLATE}, our score"
REAL = {
    "real, upright, own": "same sheet, upright",
    "real, quarters, own": "same sheet, quarter turns and up to 3° more",
    "real, any rotation, own": "same sheet, any rotation",
    "real, another sheet": "another sheet with the same motif, upright",
}


def share(row, key="top1"):
    return f"{float(row[key]):.2f}" if row else "-"


def search_tables(rows):
    """The four tables of docs/watermarks.md; a quick run has fewer lines and columns."""
    found = {}
    for row in rows:
        found.setdefault((row["task"], row["snr"]), {})[row["search"]] = row
    ratios = [str(ratio) for ratio in RATIOS["all"] if ("all", str(ratio)) in found]
    seen = {f"{float(ratio):g}": ratio for ratio in ratios if float(ratio) > 0}
    low = {words: ratio for words, ratio in seen.items() if float(ratio) <= 1}
    lines = {name: [] for name in ("search", "search_nuisances", "search_scores", "search_real")}
    for name, row in found.get(("all", "1.0"), {}).items():
        shares = [share(found["all", ratio].get(name)) for ratio in seen.values()]
        words = f"**{name}**" if name == OURS else name
        lines["search"].append([words, *shares, f"{float(row['seconds']):.2g}"])
    for task in TASKS:
        here = [found.get((task, ratio), {}) for ratio in low.values()]
        if all(here):
            cells = [share(at.get(name)) for name in (OURS, TEMPLATE) for at in here]
            lines["search_nuisances"].append([task, *cells])
    for ratio in ratios:
        row = found["all", ratio][OURS]
        numbers = [f"{float(row[key]):.1f}" for key in ("score", "wrong95")]
        sure = share(row, "sure") if float(ratio) else "-"
        lines["search_scores"].append([f"{float(ratio):g}", *numbers, sure])
    for task, words in REAL.items():
        if at := found.get((task, "")):
            cells = [share(at.get(name)) for name in (OURS, TEMPLATE, PEAK)]
            lines["search_real"].append([words, at[OURS]["tested"], *cells])
    both = [f"{name}, {words}" for name in ("ours", "template") for words in low]
    heads = (
        ["search", *seen, "seconds"],
        ["paper", *both],
        ["ratio", "best score", "limit", "above"],
        ["drawing", "photographs", OURS, TEMPLATE, "the same, our score"],
    )
    return {
        name: markdown(head, body) if body else ""
        for head, (name, body) in zip(heads, lines.items(), strict=True)
    }


# -- everything together ---------------------------------------------------------------


def readme(rows, text):
    """Return the text of README.md with the numbers of its table from the results."""
    before, rest = text.split(MARKERS[0])
    table, after = rest.split(MARKERS[1])
    head, rule, *lines = table.strip().splitlines()
    for i, (line, method) in enumerate(zip(lines, README, strict=True)):
        cells = ("LinMNIST", "11"), ("affine symbols", "1")
        found = [best(rows, *cell, method) for cell in cells]
        values = [f"{float(row['accuracy']):.3f}" for row in found]
        lines[i] = " | ".join([*line.strip("| ").split(" | ")[:-2], *values])
        lines[i] = f"| {lines[i]} |"
    table = "\n".join([head, rule, *lines])
    return f"{before}{MARKERS[0]}\n\n{table}\n\n{MARKERS[1]}{after}"


def tables(results):
    """Return the tables of the pages by the names of their files."""
    names = (
        *("comparison", "salt", "limits", "search", "oneshot", "certainty"),
        *("losses", "published", "fragments", "lines", "marks"),
    )
    rows, salt, limits, search, oneshot, certainty, *found = stored(results, *names)
    return {
        "accuracy": accuracy_table(rows, SHORT, METHODS[:10], {"ms per digit": "ms_per_image"}),
        **{
            f"accuracy_{name}": accuracy_table(
                rows, columns, UPRIGHT if name == "upright" else METHODS
            )
            for name, columns in GROUPS.items()
        },
        "accuracy_salt": pivot("1-NN, salted", salt, "feature", "n_quantiles", "accuracy"),
        "accuracy_oneshot": oneshot_table(oneshot),
        "certainty": marks_table(certainty),
        "limits": limits_table(limits),
        **search_tables(search),
        **{f"search_{name}": as_stored(rows) for name, rows in zip(names[6:], found, strict=True)},
        **guarantees.tables(results),
    }


def run(args):
    """Write the tables, draw the pictures and, unless results go elsewhere, fill README.md."""
    from benchmarks.accuracy import plots

    write_tables(args.docs, tables(args.results))
    rows, search = stored(args.results, "comparison", "search")
    if args.docs == ROOT / "docs":
        file = ROOT / "README.md"
        file.write_text(readme(rows, file.read_text(encoding="utf-8")), encoding="utf-8")
    if rows:
        save_figure(args, plots.digits(rows), "accuracy")
    if search:
        save_figure(args, plots.searches(search), "search", 110)
