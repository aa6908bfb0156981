"""Results on disk: one CSV for each item and seed, so that nothing is computed twice."""

import csv
import os
from pathlib import Path

RESULTS = Path("benchmarks/results/paper")


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


def run_file(folder, item, seed):
    """Where the rows of one item and seed are kept; its time is in the last one written."""
    return Path(folder) / "runs" / f"{item}-seed{seed}.csv"


def is_done(folder, item, seed):
    """Whether an item was finished for a seed: its times are written last."""
    return run_file(folder, f"time-{item}", seed).is_file()


def save(folder, item, seed, tables, timing):
    """Keep the tables of an item and, when they are safe, how long they took."""
    for name, rows in tables.items():
        write_csv(run_file(folder, name, seed), rows)
    write_csv(run_file(folder, f"time-{item}", seed), [timing])


def load(folder, name):
    """Rows of all seeds of a table."""
    files = sorted((Path(folder) / "runs").glob(f"{name}-seed*.csv"))
    return [row for file in files for row in read_csv(file)]
