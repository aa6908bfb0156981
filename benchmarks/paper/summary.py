"""Run the paper's experiments; one row for each setting, with the paper's value beside ours."""

from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.command import Job, run_jobs
from benchmarks.paper import neighbors, templates
from benchmarks.paper.agreement import agrees, interval
from benchmarks.tables import read_csv, write_csv

MEASURED = ("seed", "value", "std_repeats", "n_images", "n_predictions")


def published(table):
    """The paper's values of a table."""
    return read_csv(Path(__file__).parent / "published" / f"{table}.csv")


def run_table(args, name, function, n_seeds, file=None):
    """Run a table for several data sets, and write its summary and confusions."""
    seeds = range(min(n_seeds, 2) if args.quick else n_seeds)
    more = [getattr(args, file)] if file else []
    jobs = (Job({"seed": seed}, function, (seed, args.quick, *more)) for seed in seeds)
    rows = run_jobs(args, args.results / "runs" / f"{name}.csv", jobs)
    table = summarize(name, [row for row in rows if not row.get("true")])
    write_csv(args.results / f"{name}.csv", table)
    if confusions := [row for row in rows if row.get("true")]:
        which = {"table4": "symbols", "table6": "linmnist"}[name]
        write_csv(args.results / f"confusion_{which}.csv", shares(confusions))
    compared = [row["agrees"] for row in table if row["agrees"]]
    print(f"{name}: {compared.count('yes')} of {len(compared)} values agree with the paper's.")


table2 = partial(run_table, name="table2", function=templates.table2, n_seeds=16)
table3 = partial(run_table, name="table3", function=templates.table3, n_seeds=16)
table4 = partial(run_table, name="table4", function=neighbors.table4, n_seeds=8)
table5 = partial(run_table, name="table5", function=neighbors.table5, n_seeds=2, file="characters")
table6 = partial(run_table, name="table6", function=neighbors.table6, n_seeds=8, file="mnist")


def phase(args, name):
    """Run the columns of Figure 7 or 8."""
    function = getattr(templates, name)
    columns = range(1, 21, 9 if args.quick else 1)
    jobs = [Job({"x": x}, function, (x, args.quick)) for x in columns]
    rows = run_jobs(args, args.results / "runs" / f"{name}.csv", jobs)
    rows.sort(key=lambda row: int(row["x"]))  # not in the order in which workers were ready
    keys = ("angles", "feature", "x", "n_discs", "value")
    write_csv(args.results / f"{name}.csv", [{key: row[key] for key in keys} for row in rows])


def group(rows, columns):
    """Rows by their values in some columns, as {values: rows}."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return groups


def summarize(name, rows):
    """One row for each value that was measured: the published ones in the paper's order, then
    those of the quick version that the paper does not have."""
    papers = published(name)
    columns = [column for column in papers[0] if not column.startswith("paper")]
    groups = group(rows, columns)
    known = {tuple(row[column] for column in columns): row for row in papers}
    table = []
    for settings in [*known, *(found for found in groups if found not in known)]:
        if settings in groups:
            paper = known.get(settings, dict(zip(columns, settings, strict=True)) | {"paper": ""})
            line = paper | statistics(groups[settings])
            inside = line["paper"] and agrees(line["paper"], line["low"], line["high"])
            line["agrees"] = ("yes" if inside else "no") if line["paper"] else ""
            table.append(line)
    return table


def statistics(rows):
    """Mean, spread over seeds, and counts of the rows of one setting."""
    values = np.array([float(row["value"]) for row in rows])
    low, high = interval(values, int(rows[0]["n_predictions"]))
    repeats = [float(row["std_repeats"]) for row in rows if row.get("std_repeats")]
    return {
        "value": round(values.mean(), 4),
        "std": round(values.std(ddof=1), 4) if len(values) > 1 else "",
        "n_seeds": len(values),
        "n_images": rows[0]["n_images"],
        "n_predictions": sum(int(row["n_predictions"]) for row in rows),
        "low": round(low, 4),
        "high": round(high, 4),
        "std_repeats": round(np.mean(repeats), 4) if repeats else "",
    }


def shares(rows):
    """Confusions as shares of the true class; all repetitions and seeds together."""
    columns = [c for c in rows[0] if c not in MEASURED and rows[0][c]]
    table = []
    for found in group(rows, [c for c in columns if c != "predicted"]).values():
        total = sum(int(row["value"]) for row in found)
        for settings, same in group(found, columns).items():
            share = sum(int(row["value"]) for row in same) / total
            table.append(dict(zip(columns, settings, strict=True)) | {"value": round(share, 4)})
    return table
