"""A folder of pictures as features, as images, and as small pictures."""

import base64
import io
import sys
from itertools import chain
from pathlib import PurePosixPath

import numpy as np
from PIL import Image, ImageDraw

from sklearn_nrcdt._commands.console import Problem, count, listed
from sklearn_nrcdt.datasets import iter_image_folder

BATCH = 64
# Photographs are large, and a search takes long: so many between two steps of the progress bar.
PHOTOS = 8
NOTHING = "nothing is drawn on it"
# Longer side of the small pictures in a report, and their number of grey values.
SMALL = 112
GREYS = 16
# The same of photographs, of the part of a photograph where a drawing is, and of its strokes.
PHOTO, PART, STROKES = 320, 400, 480
STROKE_COLOUR = (255, 62, 28)
INK = {"auto": "auto", "dark": True, "bright": False}


class Folder:
    """The pictures of a folder, batch by batch: cleaned drawings, or photographs as they are.

    Whether the folder is there and has pictures is found out at once, all else when it is read.
    """

    def __init__(self, path, args, layout="auto", photos=False):
        self.path = path
        self.skip_broken = args.skip_broken
        self.inverted = []
        self.broken = {}
        try:
            self._files = iter_image_folder(
                path,
                batch_size=PHOTOS if photos else BATCH,
                layout=layout,
                invert=False if photos else INK[args.ink],
                background=None if photos else "otsu",
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

        `check` is called with all class names before the first feature is computed.
        """
        fitted = False
        for names, classes, images, inverted in self._batches(check):
            if not fitted:
                extractor.fit(images)
                fitted = True
            features = extractor.transform(images)
            faults = [None if drawn else NOTHING for drawn in features.any(axis=1)]
            kept = self._keep(names, inverted, faults)
            if kept:
                yield (
                    [names[k] for k in kept],
                    classes and [classes[k] for k in kept],
                    features[kept],
                    [small_picture(images[k]) for k in kept] if small else [],
                )
        self._complain()

    def images(self, fault):
        """Yield names, class names (None if there are no subfolders), and images.

        `fault` returns why an image cannot be used, or None.
        """
        for names, classes, images, inverted in self._batches():
            kept = self._keep(names, inverted, map(fault, images))
            if kept:
                yield (
                    [names[k] for k in kept],
                    classes and [classes[k] for k in kept],
                    [images[k] for k in kept],
                )
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
        return f"{count(n, 'picture')}: {ink}; background removed{self.left_out()}"

    def left_out(self):
        """Return in words which files were not used."""
        if not self.broken:
            return ""
        return f"; {len(self.broken)} left out: {listed(_reasons(self.broken), 3)}"

    def _batches(self, check=lambda classes: None):
        """Yield names, class names, images, and which were inverted.

        A file that cannot be used ends the work, after all of them have been found.
        """
        skipped, checked = {}, False
        for batch in self._read():
            if not checked:
                check(batch.target_names)
                checked = True
            skipped = batch.skipped  # grows until the end
            self.broken |= skipped
            if self.broken and not self.skip_broken:
                continue  # only to see what else is broken
            classes = None if batch.target is None else batch.target_names[batch.target].tolist()
            yield (
                [_readable(name) for name in batch.filenames],
                classes,
                batch.images,
                batch.inverted,
            )
        self.broken |= skipped

    def _keep(self, names, inverted, faults):
        """Return the positions of pictures without a fault, and remember the others."""
        kept = []
        for k, why in enumerate(faults):
            if why is None:
                kept.append(k)
                self.inverted.append(bool(inverted[k]))
            else:
                self.broken[names[k]] = why
        return kept

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


def photo_picture(image, longest=PHOTO):
    """Return a photograph, with its contrast stretched, as a JPEG file in base64."""
    step = max(1, min(image.shape) // 500)
    low, high = np.percentile(image[::step, ::step], [0.5, 99.5])
    grey = (image - low) * (255 / max(high - low, 1e-6))
    picture = Image.fromarray(np.uint8(np.clip(grey, 0, 255)))
    picture.thumbnail((longest, longest), Image.Resampling.BOX, reducing_gap=2)
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=75, optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def found_pictures(image, strokes):
    """Return the part of a photograph where a drawing is, and the strokes to lay over it.

    The strokes are a transparent PNG file in base64, of the same proportions.
    """
    box = np.array([strokes.min(axis=0), strokes.max(axis=0)])
    margin = 0.2 * (box[1] - box[0]).max() + 8
    first = np.floor(np.maximum(box[0] - margin, 0)).astype(int)
    last = np.ceil(np.minimum(box[1] + margin, image.shape)).astype(int)
    part = image[first[0] : last[0], first[1] : last[1]]
    zoom = STROKES / max(part.shape)
    lines = Image.new("P", [max(1, round(side * zoom)) for side in part.shape[::-1]])
    lines.putpalette([0, 0, 0, *STROKE_COLOUR])
    pen, half = ImageDraw.Draw(lines), max(1.0, 0.6 * zoom)
    for y, x in (strokes + 0.5 - first) * zoom:
        pen.ellipse([x - half, y - half, x + half, y + half], fill=1)
    file = io.BytesIO()
    lines.save(file, "PNG", bits=1, transparency=0, optimize=True)
    return photo_picture(part, PART), base64.b64encode(file.getvalue()).decode()


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
