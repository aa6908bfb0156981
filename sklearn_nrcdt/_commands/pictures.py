"""A folder of pictures as features and small pictures."""

import base64
import io
import sys
from itertools import chain
from pathlib import PurePosixPath

import numpy as np
from PIL import Image

from sklearn_nrcdt._commands.console import Problem, count, listed
from sklearn_nrcdt.datasets import iter_image_folder

BATCH = 64
# Longer side of the small pictures in a report, and their number of grey values.
SMALL = 112
GREYS = 16
INK = {"auto": "auto", "dark": True, "bright": False}


class Folder:
    """The pictures of a folder, cleaned, batch by batch.

    Whether the folder is there and has pictures is found out at once, all else in `batches`.
    """

    def __init__(self, path, args, layout="auto"):
        self.path = path
        self.skip_broken = args.skip_broken
        self.inverted = []
        self.broken = {}
        try:
            self._files = iter_image_folder(
                path,
                batch_size=BATCH,
                layout=layout,
                invert=INK[args.ink],
                background="otsu",
                errors="skip",
                on_bright_border="ignore",
                verbose=int(not args.quiet and sys.stdout.isatty()),
            )
        except FileNotFoundError:
            raise Problem(f"There is no folder '{path}'.") from None
        except ValueError as error:
            raise Problem(_in_our_words(error, path)) from None

    def batches(self, extractor, *, small=False, check=lambda classes: None):
        """Yield names, class names (None if there are no subfolders), features, small pictures.

        `check` is called with all class names before the first feature is computed. A file
        that cannot be used ends the work, after all of them have been found.
        """
        first, skipped = True, {}
        for batch in self._read():
            if first:
                check(batch.target_names)
            skipped = batch.skipped  # grows until the end
            self.broken |= skipped
            if self.broken and not self.skip_broken:
                first = False
                continue  # only to see what else is broken
            if first:
                extractor.fit(batch.images)
                first = False
            features = extractor.transform(batch.images)
            drawn = features.any(axis=1)
            names = [_readable(name) for name in batch.filenames]
            blank = [name for name, has_mass in zip(names, drawn, strict=True) if not has_mass]
            self.broken |= dict.fromkeys(blank, "nothing is drawn on it")
            self.inverted += batch.inverted[drawn].tolist()
            kept = np.flatnonzero(drawn)
            if not len(kept):
                continue
            yield (
                [names[k] for k in kept],
                None if batch.target is None else batch.target_names[batch.target[kept]].tolist(),
                features[kept],
                [small_picture(batch.images[k]) for k in kept] if small else [],
            )
        self.broken |= skipped
        self._complain()

    def read(self, extractor, **options):
        """Return what `batches` yields, all together."""
        names, classes, features, pictures = zip(*self.batches(extractor, **options), strict=True)
        joined = None if classes[0] is None else [*chain(*classes)]
        return [*chain(*names)], joined, np.concatenate(features), [*chain(*pictures)]

    def cleaning(self):
        """Return in words what was done to the pictures."""
        n, dark = len(self.inverted), sum(self.inverted)
        ink = "dark on bright paper, inverted" if dark else "bright on dark, taken as they are"
        if 0 < dark < n:
            ink = f"{dark} dark on bright paper and inverted, {n - dark} bright on dark"
        text = f"{count(n, 'picture')}: {ink}; background removed"
        if self.broken:
            text += f"; {len(self.broken)} left out: {listed(_reasons(self.broken), 3)}"
        return text

    def _read(self):
        try:
            yield from self._files
        except ValueError as error:  # not one picture could be read
            raise Problem(_in_our_words(error, self.path)) from None

    def _complain(self):
        if self.broken and not self.skip_broken:
            raise Problem(
                f"{count(len(self.broken), 'file')} in '{self.path}' cannot be used: "
                f"{listed(_reasons(self.broken))}. Remove them, or add --skip-broken."
            )
        if not self.inverted:
            raise Problem(f"No picture in '{self.path}' can be used.")


def class_of_file(name):
    """Return what a picture without a class stands for: its name without the ending."""
    return PurePosixPath(name).stem


def small_picture(image):
    """Return the figure in an image as a PNG file in base64."""
    rows, columns = (np.flatnonzero(image.any(axis=axis)) for axis in (1, 0))
    figure = image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    grey = Image.fromarray(np.uint8(np.minimum(figure / figure.max(), 1) * 255))
    grey.thumbnail((SMALL, SMALL), Image.Resampling.BOX, reducing_gap=2)
    step = 255 / (GREYS - 1)
    indexed = Image.fromarray(np.uint8(np.asarray(grey) / step + 0.5), mode="P")
    indexed.putpalette([round(step * (k // 3)) for k in range(3 * GREYS)])
    file = io.BytesIO()
    indexed.save(file, "PNG", bits=4, optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def _readable(name):
    """Return a file's name such that it can be printed, whatever bytes it is made of."""
    return str(name).encode("utf-8", "replace").decode("utf-8")


def _reasons(broken):
    return [f"{_readable(file)} ({why.rstrip('.')})" for file, why in broken.items()]


def _in_our_words(error, path):
    """Return a message of the reader with our options instead of its own."""
    text = str(error)
    if "as well as subfolders" in text:
        return (
            f"The folder '{path}' holds pictures as well as subfolders with pictures. "
            "Move them so that it is one or the other."
        )
    if "no image files" in text:
        where = " in subfolders, one for each class" if "in subfolders" in text else ""
        return f"The folder '{path}' has no pictures{where}."
    return text.replace("Remove them, or leave them out with errors='skip'.", "")
