"""
Search a catalogue without programming
======================================

You have a folder of known drawings and a folder of scans. Which drawing is on which scan? The
command ``nrcdt match`` answers in the terminal, in a table for your spreadsheet, and on a page for
your browser. This example runs it from Python; in a shell you would write
``nrcdt match drawings scans --csv answers.csv --report answers.html``.
"""

# %%
# Two folders
# -----------
# We make them, so that this page runs anywhere: twelve drawings and ten scans, dark on white paper,
# turned, sheared, in different sizes. The last two scans show a heart and an anchor, which are not
# in the catalogue.
import csv
import html
import tempfile
from contextlib import chdir
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from skimage.io import imread, imsave
from skimage.transform import rescale

from sklearn_nrcdt.__main__ import main
from sklearn_nrcdt.datasets import load_symbols, make_glyphs, make_symbols, random_affine

temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)


def save(image, file):
    file.parent.mkdir(exist_ok=True)
    imsave(file, np.uint8(255 * (1 - np.clip(image, 0, 1))), check_contrast=False)


for number, drawing in enumerate(load_symbols().images, start=1):
    save(drawing, folder / "catalogue" / f"symbol{number:02d}.png")

rng = np.random.default_rng(0)
samples = make_symbols(1, amplitude=(0.5, 1.5), shear=(-25, 25), random_state=0).images[:8]
font = matplotlib.get_data_path() + "/fonts/ttf/DejaVuSans.ttf"
unknown = make_glyphs("\N{BLACK HEART SUIT}\N{ANCHOR}", font, canvas=256, size=110).images
unknown = random_affine(unknown, random_state=0)
for number, image in enumerate([*samples, *unknown], start=1):
    save(rescale(image, rng.uniform(0.6, 1.6)), folder / "scans" / f"scan{number:02d}.png")

# %%
# One command
# -----------
# It notices that the pictures are dark on bright, removes the paper, compares, and says how far to
# trust each answer.
with chdir(folder):
    main(["match", "catalogue", "scans", "--csv", "answers.csv", "--report", "answers.html"])

# %%
# The table
# ---------
# ``answers.csv`` has a row for each scan, with its mark and the nearest drawings. Here it is as a
# picture: each scan above the drawing that was found for it.
with open(folder / "answers.csv", newline="", encoding="utf-8-sig") as file:
    answers = list(csv.DictReader(file))

COLOURS = {"clear": "#2a9d5c", "likely": "#2a9d5c", "doubtful": "#b8860b", "unknown": "#c8553d"}
figure, axes = plt.subplots(4, 5, figsize=(8, 7), layout="constrained")
for k, answer in enumerate(answers):
    top, column = 2 * (k // 5), k % 5
    scan, found = axes[top, column], axes[top + 1, column]
    scan.imshow(imread(folder / "scans" / answer["picture"]), cmap="gray")
    found.imshow(imread(folder / "catalogue" / answer["template_1"]), cmap="gray")
    scan.set_title(answer["mark"], color=COLOURS[answer["mark"]], fontsize=12)
    found.set_xlabel(f"distance {float(answer['distance_1']):.2f}", fontsize=11)
for axis in axes.flat:
    axis.set(xticks=[], yticks=[])
for row, name in enumerate(["scan", "nearest"] * 2):
    axes[row, 0].set_ylabel(name, fontsize=12)
plt.show()

# %%
# The page
# --------
# ``answers.html`` is one file with all pictures in it, to be opened in any browser, kept, or sent
# to somebody. Sort it by a click on a heading, search it, or choose a mark.


class Page:
    """Shows a page inside of this one."""

    def __init__(self, file):
        self.text = html.escape(file.read_text(encoding="utf-8"))

    def _repr_html_(self):
        style = "width: 100%; height: 600px; border: 1px solid #888"
        return f'<iframe title="answers.html" style="{style}" srcdoc="{self.text}"></iframe>'


page = Page(folder / "answers.html")
temporary.cleanup()
page

# %%
# ``nrcdt match --help`` explains the options. :doc:`/commands` also has ``nrcdt classify``, which
# tests how well your classes can be told apart, and ``nrcdt features`` for use in other programs.
