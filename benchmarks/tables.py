"""Tables on disk and on pages, and the machine that they were measured on."""

import csv
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


def print_and_write(path, rows):
    """Print rows as they come, then write them all; return them."""
    found = []
    for row in rows:
        found.append(row)
        print(*row.values(), sep="  ", flush=True)
    write_csv(path, found)
    return found


def markdown(head, rows):
    """Markdown table; cells are strings or numbers."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def processor():
    """Processor and number of cores."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        names = [line for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0].split(":")[1].strip() if names else model
    return f"{model}, {os.cpu_count()} cores"
