"""Why a value differs from the paper's, as far as it was found."""

from pathlib import Path

from benchmarks.paper.agreement import is_misprint
from benchmarks.tables import read_csv

NOTES = Path(__file__).parent / "published" / "notes.csv"
VARIANTS = {
    "fault": "with the fault near 270°",
    "dark": "without grey values below 0.666",
}
CAUSES = {
    "fault": "a fault in the authors' program, for projections near 270°",
    "dark": "dark pixels that the authors' notebook removes",
    "blur": "lines blurred by repeated interpolation",
    "misprint": "a misprint: not a multiple of 1/120",
    "other images": "one value of Table 3 that seems to belong to other images",
    "": "**not explained**",
}


def cause(name, row):
    """Return the key of `CAUSES` and the finding in words; both are empty if there is none."""
    if name in ("table2", "table3") and is_misprint(row["paper"], int(row["n_images"])):
        return "misprint", f"the paper's value is not a multiple of 1 / {row['n_images']}"
    for variant, words in VARIANTS.items():
        if row.get(f"{variant}_agrees") == "yes":
            return variant, f"{words}: {float(row[f'{variant}_value']):.3f}, agrees"
    for note in read_csv(NOTES):
        if _applies(note, name, row):
            return note["cause"], note["reason"]
    return "", ""


def tried(row):
    """Say what a value without an explanation becomes under each guess."""
    return ", ".join(
        f"{words}: {float(row[f'{variant}_value']):.3f}"
        for variant, words in VARIANTS.items()
        if row.get(f"{variant}_value")
    )


def _applies(note, name, row):
    """Whether a note is about a value: its columns that are filled in must match."""
    given = {k: v for k, v in note.items() if k not in ("table", "cause", "reason") and v}
    return note["table"] == name and all(row.get(k) in v.split("|") for k, v in given.items())
