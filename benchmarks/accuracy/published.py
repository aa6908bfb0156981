"""``nrcdt find`` on the files that an archive publishes, given by --published FOLDER.

Its folders are ``drawings`` (pages with ruler, arrow and caption), ``photos`` (details) and
``sheets`` (whole sheets); the number after ``W_`` names the sheet. Counted is how often a drawing
of the own sheet comes first, for the files as they are; without the own sheet, one of the same
motif (--watermarks has the motifs). As a control the figures are wiped out of the drawings, because
these were traced from the sheets: what is then found are the lines of the mould. "Phone" are copies
of the details, 2.4 times as large, with light from one side and no resolution in the file. Marks
are counted as well, for figures in the catalogue and for those of which it has no drawing whose
description shares a noun with the motif: variants of a figure are expected to be found.
"""

import csv
import re
import shutil
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image
from scipy import ndimage

from benchmarks.command import store
from benchmarks.data import MissingData
from sklearn_nrcdt._commands.cli import main
from sklearn_nrcdt._commands.find import MARKS
from sklearn_nrcdt.search._kernels.line_elements import line_elements
from sklearn_nrcdt.search._kernels.pages import shared_elements


def sheet_of(name):
    return re.search(r"W_(\d+)", str(name)).group(1)


def find(drawings, photos, *options):
    """Return the sheet of each photograph, its mark, and sheets of the drawings, the best first."""
    with TemporaryDirectory() as folder:
        table = Path(folder) / "found.csv"
        files = photos if isinstance(photos, list) else [photos]
        status = main(["find", str(drawings), *map(str, files), "--csv", str(table), *options])
        if status:
            raise MissingData(f"nrcdt find failed with status {status}.")
        with open(table, newline="", encoding="utf-8-sig") as file:
            found = list(csv.DictReader(file))
    places = [key for key in found[0] if re.fullmatch(r"drawing_\d+", key)]
    return [
        (sheet_of(row["photograph"]), row["mark"], [sheet_of(row[place]) for place in places])
        for row in found
    ]


def find_absent(drawings, photos, motif, *options):
    """Do what `find` does, each photograph without drawings of its sheet or like its motif."""

    def nouns(sheet):
        return frozenset(re.findall(r"\b[A-ZÄÖÜ]\w*", motif.get(sheet, ""))) - {"Fragment"}

    answers = []
    alike: dict = {}
    for photo in sorted(photos.iterdir()):
        alike.setdefault(nouns(sheet_of(photo)), []).append(photo)
    for words, files in alike.items():
        sheets = {sheet_of(file) for file in files}
        with TemporaryDirectory() as folder:
            for file in drawings.iterdir():
                if sheet_of(file) not in sheets and not nouns(sheet_of(file)) & words:
                    shutil.copy(file, folder)
            answers += find(folder, files, *options)
    return answers


def wipe(drawings, folder):
    """Write drawings without their figures: without all that is not shared."""
    pages = [Image.open(file) for file in sorted(drawings.iterdir())]
    grey = [np.asarray(page.convert("L")) for page in pages]
    zooms = [100 / page.info["dpi"][0] for page in pages]
    found = [line_elements(255.0 - g, 3 / zoom) for g, zoom in zip(grey, zooms, strict=True)]
    elements = [e * [zoom, zoom, 1] for (e, _), zoom in zip(found, zooms, strict=True)]
    sheets = np.array([sheet_of(file) for file in sorted(drawings.iterdir())])
    shared, _ = shared_elements([e.astype(np.float32) for e in elements], sheets)
    for k, file in enumerate(sorted(drawings.iterdir())):
        (own, center), image = found[k], grey[k].copy()
        places = np.floor(own[~shared[k], :2] + center).astype(int)
        # Captions and rulers, at the edges of the page, stay even if they count as figures.
        share = places / np.array(image.shape)
        places = places[(share[:, 0] < 0.88) & (share[:, 1] < 0.88)]
        canvas = np.zeros(image.shape, np.uint8)
        canvas[tuple(places.T)] = 1
        image[ndimage.maximum_filter(canvas, 2 * round(4 / zooms[k]) + 1) > 0] = 255
        dpi = pages[k].info["dpi"]
        Image.fromarray(image).save(folder / file.with_suffix(".png").name, dpi=dpi)


def photograph_again(photos, folder):
    """Write copies as from a phone: larger, with light from one side."""
    for file in sorted(photos.iterdir()):
        grey = np.asarray(Image.open(file).convert("L"), dtype=float)
        large = ndimage.zoom(grey, 2.4, order=1)
        light = np.linspace(0.55, 1.0, large.shape[1])
        Image.fromarray(np.uint8(large * light)).save(folder / file.with_suffix(".png").name)


def count(task, found):
    right = sum(sheet == ranked[0] for sheet, _, ranked in found)
    marks = Counter(mark for _, mark, _ in found)
    return {
        "files as published": task,
        "photographs": len(found),
        "right drawing first": right,
        **{mark: marks[mark] for mark in MARKS},
    }


def motifs(path):
    if path is None:
        return {}
    with np.load(path) as file:
        return dict(zip(file["drawings"].tolist(), file["drawing_labels"].tolist(), strict=True))


def rows(args):
    root = args.published
    if root is None:
        raise MissingData("Pass --published FOLDER: drawings, photos and sheets of an archive.")
    jobs = ["--n-jobs", str(args.n_jobs), "--quiet"]
    details = find(root / "drawings", root / "photos", "--top", "40", *jobs)
    yield count("details, own drawing", details)
    motif = motifs(args.watermarks)
    others = []
    for sheet, _, ranked in details:
        left = [other for other in ranked if other != sheet]
        same = [motif.get(other) == motif.get(sheet) for other in left]
        if sheet in motif and any(same):
            others.append((sheet, "", [sheet if is_same else "" for is_same in same]))
    if others:
        task = "details, own drawing removed: same motif on another sheet"
        yield count(task, others) | dict.fromkeys(MARKS, "")
    with TemporaryDirectory() as folder:
        wipe(root / "drawings", Path(folder))
        yield count(
            "details, figures wiped out of the drawings", find(folder, root / "photos", *jobs)
        )
    yield count("whole sheets", find(root / "drawings", root / "sheets", *jobs))
    with TemporaryDirectory() as folder:
        photograph_again(root / "photos", Path(folder))
        yield count(
            "details as from a phone, any size",
            find(root / "drawings", folder, "--size", "any", *jobs),
        )
    for task, photos in {"details": "photos", "whole sheets": "sheets"}.items():
        absent = find_absent(root / "drawings", root / photos, motif, *jobs)
        yield count(f"{task}, motif not in the catalogue", absent) | {"right drawing first": ""}


def run(args):
    store(args, "published", rows(args))
