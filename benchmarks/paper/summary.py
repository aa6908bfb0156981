"""Rows of all seeds -> one row for each setting, with the paper's value beside ours."""

from pathlib import Path

import numpy as np

from benchmarks.paper.agreement import agrees, interval
from benchmarks.paper.store import load
from benchmarks.tables import read_csv, write_csv

TABLES = ("table2", "table3", "table4", "table5", "table6")
PHASES = ("fig7", "fig8")
CONFUSIONS = ("confusion_symbols", "confusion_linmnist")
MEASURED = ("value", "std_repeats", "n_images", "n_predictions")
# Ours with something of the authors' program put in, as far as a table has been run with it.
VARIANTS = ("fault", "dark")


def published(table):
    """The paper's values of a table."""
    return read_csv(Path(__file__).parent / "published" / f"{table}.csv")


def group(rows, without=MEASURED):
    """Rows by their settings, as {settings: rows}; settings are tuples of pairs."""
    groups = {}
    for row in rows:
        settings = tuple((key, value) for key, value in row.items() if key not in without)
        groups.setdefault(settings, []).append(row)
    return groups


def summarize(folder):
    """Write the summary of everything that has been computed, and return the names."""
    written = []
    for name in TABLES:
        written += _write(folder, name, _table(name, load(folder, name)))
    for name in PHASES:
        written += _write(folder, name, _means(load(folder, name)))
    for name in CONFUSIONS:
        written += _write(folder, name, _confusion(load(folder, name)))
    written += _write(folder, "times", _times(folder))
    return written


def _write(folder, name, rows):
    if rows:
        write_csv(Path(folder) / f"{name}.csv", rows)
    return [name] if rows else []


def statistics(rows):
    """Mean, spread over seeds, and counts of the rows of one setting."""
    values = np.array([float(row["value"]) for row in rows])
    found = {
        "value": round(values.mean(), 4),
        "std": round(values.std(ddof=1), 4) if len(values) > 1 else "",
        "n_seeds": len(values),
        "n_images": rows[0]["n_images"],
        "n_predictions": sum(int(row["n_predictions"]) for row in rows),
    }
    low, high = interval(values, int(rows[0]["n_predictions"]))
    found.update(low=round(low, 4), high=round(high, 4))
    repeats = [float(row["std_repeats"]) for row in rows if row.get("std_repeats")]
    if repeats:
        found["std_repeats"] = round(np.mean(repeats), 4)
    return found


def _table(name, rows):
    """One row for each value that was measured: the published ones in the paper's order, then
    those of the quick version that the paper does not have."""
    groups = {frozenset(settings): found for settings, found in group(rows).items()}
    settings_of = [{k: r[k] for k in r if not k.startswith("paper")} for r in published(name)]
    papers = [{k: r[k] for k in r if k.startswith("paper")} for r in published(name)]
    known = {frozenset(settings.items()) for settings in settings_of}
    for found in groups:
        settings = {key: dict(found)[key] for key in settings_of[0]}
        if frozenset(settings.items()) not in known:
            known.add(frozenset(settings.items()))
            settings_of.append(settings)
            papers.append({"paper": ""})
    table = []
    for settings, paper in zip(settings_of, papers, strict=True):
        ours = groups.get(frozenset({**settings, "variant": "ours"}.items()))
        if ours is None:
            continue
        line = {**settings, **paper, **statistics(ours)}
        line["agrees"] = _agrees(line, line)
        for variant in VARIANTS:
            found = groups.get(frozenset({**settings, "variant": variant}.items()))
            if found is not None:
                changed = statistics(found)
                line[f"{variant}_value"] = changed["value"]
                line[f"{variant}_agrees"] = _agrees(line, changed)
        table.append(line)
    return table


def _agrees(line, ours):
    if not line["paper"]:
        return ""
    return "yes" if agrees(line["paper"], ours["low"], ours["high"]) else "no"


def _means(rows):
    return [
        {
            **dict(settings),
            "value": round(np.mean([float(row["value"]) for row in found]), 4),
            "n_seeds": len(found),
            "n_predictions": sum(int(row["n_predictions"]) for row in found),
        }
        for settings, found in group(rows).items()
    ]


def _confusion(rows):
    """Shares of the true class; all repetitions and seeds together."""
    groups = group(rows)
    counts = {
        settings: sum(int(row["value"]) for row in found) for settings, found in groups.items()
    }
    totals = {}
    for settings, count in counts.items():
        kept = tuple(pair for pair in settings if pair[0] != "predicted")
        totals[kept] = totals.get(kept, 0) + count
    return [
        {
            **dict(settings),
            "value": round(
                count / totals[tuple(pair for pair in settings if pair[0] != "predicted")], 4
            ),
        }
        for settings, count in counts.items()
    ]


def _times(folder):
    """Seconds of each item, and on what machine."""
    found = {}
    for row in load(folder, "time-*"):
        key = (row["item"], row["n_jobs"], row["machine"])
        seconds, seeds = found.get(key, (0.0, 0))
        found[key] = seconds + float(row["seconds"]), seeds + 1
    return [
        {"item": item, "n_seeds": n, "seconds": round(s, 1), "n_jobs": jobs, "machine": machine}
        for (item, jobs, machine), (s, n) in found.items()
    ]
