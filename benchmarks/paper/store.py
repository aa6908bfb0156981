"""Results on disk: one CSV for each item and seed, so that nothing is computed twice."""

from pathlib import Path

from benchmarks.tables import read_csv, write_csv


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
