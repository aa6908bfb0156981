"""The pictures of a folder, batch by batch, as images, figures or features."""

import os
import sys
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from sklearn_nrcdt._commands.console import Problem, count, listed, readable
from sklearn_nrcdt._commands.pictures import figure_of, small_picture
from sklearn_nrcdt.catalogue import Catalogue, is_catalogue
from sklearn_nrcdt.datasets import MixedFolderError, UnreadableImagesError, iter_image_folder

BATCH = 64
# Photographs are large, and a search takes long: so many between two steps of the progress bar.
PHOTOS = 8
INVERT: dict[str, bool | Literal["auto"]] = {"auto": "auto", "dark": True, "bright": False}
# What may differ between pictures of one class.
INVARIANCES: dict[Any, str] = {
    "affine": "position, rotation, size, proportions and shear may differ",
    "similarity": "position, rotation and size may differ, proportions may not",
    "slant": "upright shapes: width, height and slant may differ",
    "scale": "upright shapes: position and size may differ",
}
ADVICE = "Save pictures of other formats as PNG, JPEG or TIFF."


def blank(image):
    """Return why a drawing cannot be used, None if it can."""
    return None if image.any() else "nothing is drawn on it"


class Folder:
    """The pictures of a folder: cleaned drawings, or photographs as they are.

    Whether the folder is there and has pictures is found out at once, all else when it is read.
    `fault` returns why a picture cannot be used, or None.
    """

    def __init__(self, path, args, *, ink=None, layout="auto", photos=False, fault=blank):
        source, self.labels = _check_source(path), {}
        if isinstance(source, str) and is_catalogue(source):
            source, self.labels = _files_of_catalogue(source)
        folder = "" if isinstance(source, list) else f" '{readable(source)}'"
        self.where = folder and f" in{folder}"
        self.skip_broken = args.skip_broken
        self.fault = fault
        self.inverted = {}
        self.dpi = {}  # what files state, NaN if they do not
        self.broken = {}
        self.ignored = []
        if layout == "auto" and args.nested:
            layout = "nested"
        try:
            self._batches = iter_image_folder(
                source,
                batch_size=PHOTOS if photos else BATCH,
                layout=layout,
                invert=False if photos else INVERT[ink or args.ink],
                background=None if photos else "otsu",
                errors="skip",
                verbose=int(not args.quiet and sys.stdout.isatty()),
            )
        except MixedFolderError:
            raise Problem(
                f"The folder{folder} holds pictures as well as subfolders with pictures. "
                "Move them so that it is one or the other, or add --nested to take all of them."
            ) from None
        except UnreadableImagesError as error:  # subfolders only, which cannot be looked into
            raise self._problem(error.skipped) from None
        except ValueError:
            where = " in subfolders, one for each class" if layout == "classes" else ""
            others = sorted(readable(file.name) for file in Path(source).iterdir())
            only = f", only {listed(others, 3)}" if others and not where else ""
            advice = f" {ADVICE}" if only else ""
            raise Problem(f"The folder{folder} has no pictures{where}{only}.{advice}") from None

    def images(self, check=lambda classes: None):
        """Yield names, class names (None if there are no subfolders), and images.

        A file that cannot be used ends the work, after all of them have been found. `check` is
        called with all class names before the first image is returned.
        """
        skipped, checked = {}, False
        try:
            for batch in self._batches:
                skipped = batch.skipped  # grows until the end
                self.ignored = batch.ignored
                kept = self._usable(batch)
                if (self.broken or skipped) and not self.skip_broken:
                    continue  # only to see what else is broken
                if not checked:  # names may be many
                    check(sorted(set(self.labels.values())) or batch.target_names)
                    checked = True
                if kept:
                    classes = None
                    if self.labels:
                        classes = [readable(self.labels[batch.filenames[k]]) for k in kept]
                    elif batch.target is not None:
                        classes = [readable(batch.target_names[batch.target[k]]) for k in kept]
                    names = [readable(batch.filenames[k]) for k in kept]
                    yield names, classes, [batch.images[k] for k in kept]
        except UnreadableImagesError as error:  # not one picture could be read
            raise self._problem(error.skipped) from None
        self.broken |= skipped
        if self.broken and not self.skip_broken:
            raise self._problem(self.broken)
        if not self.inverted:
            raise Problem(f"No picture{self.where} can be used.")

    def figures(self, *, small=False, make=figure_of, **options):
        """Yield names, class names, figures, and small pictures if they are wanted."""
        for names, classes, images in self.images(**options):
            pictures = [small_picture(image) if small else b"" for image in images]
            yield names, classes, [make(image) for image in images], pictures

    def all_figures(self, **options):
        """Return what `figures` yields, all together; without subfolders, names are classes."""
        names, classes, figures, pictures = zip(*self.figures(**options), strict=True)
        files = [*chain(*names)]
        labels = [*map(class_of_file, files)] if classes[0] is None else [*chain(*classes)]
        return files, labels, [*chain(*figures)], [*chain(*pictures)]

    def cleaning(self):
        """Return in words what was done to the pictures."""
        n, dark = len(self.inverted), sum(self.inverted.values())
        ink = "dark on bright paper, inverted" if dark else "bright on dark, taken as they are"
        if 0 < dark < n:
            parts = [f"{dark} dark on bright paper and inverted", f"{n - dark} bright on dark"]
            few = dark < n / 2  # those against the majority are named
            names = [name for name, inverted in self.inverted.items() if inverted == few]
            parts[not few] += f" ({listed(names, 3)})"
            ink = ", ".join(parts)
        return f"{count(n, 'picture')}: {ink}; background removed"

    def left_out(self):
        """Return in words which files were not used, in lines of their own."""
        return "".join(f"\n{line}" for line in not_used(self.broken, self.ignored))

    def _usable(self, batch):
        """Return the positions of pictures without a fault, and remember the others."""
        kept = []
        for k, image in enumerate(batch.images):
            why = self.fault(image)
            if why is None:
                kept.append(k)
                self.inverted[readable(batch.filenames[k])] = bool(batch.inverted[k])
                self.dpi[readable(batch.filenames[k])] = float(batch.dpi[k])
            else:
                self.broken[batch.filenames[k]] = why
        return kept

    def _problem(self, broken):
        advice = "" if self.skip_broken else " Remove them, or add --skip-broken."
        return Problem(
            f"{count(len(broken), 'file')}{self.where} cannot be used: "
            f"{listed(reasons(broken))}.{advice}"
        )


def _check_source(path):
    """Return a folder, or a list of files if they may be given instead."""
    paths = path if isinstance(path, list) else [path]
    for given in paths:
        if not os.path.exists(given):  # its name may be too long to ask
            raise Problem(f"There is no file or folder '{readable(given)}'.")
    n_files = sum(os.path.isfile(given) for given in paths)
    if n_files == 0 and len(paths) == 1:
        return paths[0]
    if n_files < len(paths):
        raise Problem("Give one folder, or one or more files.")
    if not isinstance(path, list):
        raise Problem(f"'{readable(path)}' is a file. Give a folder.")
    return paths


def open_catalogue(path, **options):
    """Return a catalogue of at least one drawing."""
    catalogue = Catalogue(path, **options)
    if catalogue.classifier is None:
        raise Problem(f"The catalogue '{readable(path)}' is empty.")
    return catalogue


def _files_of_catalogue(path):
    """Return the files of a catalogue's drawings, and their classes by the names that they get."""
    catalogue = open_catalogue(path)
    files = [os.path.abspath(catalogue.file(name)) for name in catalogue.names]
    root = os.path.commonpath([os.path.dirname(file) for file in files])
    names = [os.path.relpath(file, root).replace(os.sep, "/") for file in files]
    labels = dict(zip(names, catalogue.labels, strict=True))
    catalogue.close()
    return files, labels


def class_of_file(name):
    """Return what a picture stands for: its subfolder, or its name without the ending."""
    path = PurePosixPath(name)
    return path.parts[0] if len(path.parts) > 1 else path.stem


def not_used(broken, ignored):
    """Yield in words which files were not used: broken ones with the reason, and ignored ones."""
    if broken:
        yield f"{len(broken)} left out: {listed(reasons(broken), 3)}."
    if ignored:
        names = listed(map(readable, ignored), 3)
        yield f"{count(len(ignored), 'other file')} not read: {names}. {ADVICE}"


def reasons(broken):
    """Return files and why they cannot be used, in words."""
    return [f"{readable(file)} ({why.rstrip('.')})" for file, why in sorted(broken.items())]
