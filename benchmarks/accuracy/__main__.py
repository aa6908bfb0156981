"""Accuracy and exactness, and the tables of docs/accuracy.md. Without WHAT: all.

What "comparison" has stored is not computed again, so that a run that was stopped goes on.
"""

import sys

from benchmarks.command import run_room

EXPERIMENTS = {
    "comparison": ("comparison:run", "our features and what else a user could take"),
    "oneshot": ("oneshot:run", "one sample of each class: Omniglot, leaves"),
    "certainty": ("certainty:run", "how far the marks of ShapeClassifier can be trusted"),
    "salt": ("discretisation:salt", "how many quantile levels features may have under salt"),
    "limits": ("limits:run", "what the features cannot do: covered, cluttered, tilted"),
    "guarantees": ("guarantees:run", "certified radii, and how close they are to the truth"),
    "radii": ("discretisation:radii", "how the features depend on n_radii"),
    "roundtrip": ("discretisation:roundtrip", "how good RadonCDT.inverse_transform is"),
    "search": ("search:run", "drawings found in photographs of paper, beside OpenCV's searches"),
    "published": ("published:run", "nrcdt find on the files of an archive, as they are published"),
    "losses": ("search:losses", "what the search by segments misses"),
    "fragments": ("search:fragments", "marks of which a part is on the paper"),
    "lines": ("search:lines", "laid and chain lines measured on simulated paper"),
    "marks": ("marks:run", "how far the marks of nrcdt find can be trusted"),
    "tables": ("tables:run", "tables and pictures of the pages, from what is stored"),
}

if __name__ == "__main__":
    sys.exit(run_room("accuracy", __doc__, EXPERIMENTS))
