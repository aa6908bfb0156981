"""Tables on disk and on pages, and the machine that they were measured on."""

import csv
import importlib.metadata
import os
import platform
from pathlib import Path


def write_csv(path, rows):
    """Write rows (dicts, perhaps with different keys), whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(key for row in rows for key in row))
    part = path.with_suffix(".part")
    with part.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(part, path)


def read_csv(path):
    """Read rows of strings."""
    with Path(path).open(newline="") as file:
        return list(csv.DictReader(file))


def stored(folder, *names):
    """Return the rows of CSV files in a folder, of each name; none where there is no file."""
    paths = [Path(folder) / f"{name}.csv" for name in names]
    return [read_csv(path) if path.is_file() else [] for path in paths]


def markdown(head, rows):
    """Markdown table; cells are strings or numbers."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def as_stored(rows):
    """Markdown table of the rows of a CSV, empty without rows."""
    return markdown(list(rows[0]), [list(row.values()) for row in rows]) if rows else ""


def pivot(head, rows, line, column, value):
    """Markdown table with a line and a column for each value of two columns of a CSV."""
    lines, columns = (dict.fromkeys(row[key] for row in rows) for key in (line, column))
    cells = {(row[line], row[column]): row[value] for row in rows}
    body = [[one, *(cells.get((one, c), "") for c in columns)] for one in lines]
    return markdown([head, *columns], body) if body else ""


def write_tables(folder, tables):
    """Write tables for the pages, each a file of its own; those without rows stay as they are."""
    for name, text in tables.items():
        if text:
            (folder / "_tables" / f"{name}.md").write_text(text, encoding="utf-8")
            print(f"{folder / '_tables' / name}.md")


def save_figure(args, figure, name, dpi=140):
    """Save a figure of a page; coarser in a quick run."""
    file = args.docs / "images" / f"{name}.png"
    figure.savefig(file, dpi=dpi // 2 if args.quick else dpi, metadata={"Software": None})
    print(file)


def machine():
    """Processor and versions in one line."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        names = [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0].split(":")[1].strip() if names else model
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in ("scikit-learn", "numpy", "scipy")
    )
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}"
