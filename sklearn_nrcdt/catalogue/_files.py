"""Drawings as files: those in the folder of drawings, and those that were added to a catalogue.

A drawing is called by the path of its file with slashes, from its folder on.
"""

import io
import os
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote

import numpy as np
from PIL import Image

from sklearn_nrcdt._kernels.crops import filled_window
from sklearn_nrcdt._support.formats import find_image_files
from sklearn_nrcdt._support.images import check_image
from sklearn_nrcdt.datasets import UnreadableImagesError, iter_image_folder

# Drawings that were added have a folder of their own in the catalogue, as ordinary files.
ADDED = "added"
# Characters that some system does not allow in the name of a file.
UNSAFE = frozenset('<>:"/\\|?*%')
# Longer side of a thumbnail in pixels.
THUMBNAIL = 112


class Files(NamedTuple):
    """The files of a catalogue's drawings, which may be dark or bright in their own folder."""

    catalogue: Path
    drawings: Path
    invert: bool | Literal["auto"]

    def path(self, name):
        """Return the path of a drawing's file."""
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise ValueError(f"{name!r} leads out of the folder of drawings.")
        return (self.catalogue if is_added(name) else self.drawings) / name

    def find(self, known, left_out, only_added):
        """Return size and time of change of drawings by name, and why others are out of sight.

        The names of files that are no images by their names come last.
        Drawings that are `known` and out of sight now are as they were.
        """
        found, closed = {}, {}
        ignored: list[str] = []

        def look(root, start, left_out=(), own=None):
            names, others, folders = find_image_files(root)
            if own and own.is_relative_to(root):  # a catalogue among its drawings
                inside = f"{own.as_posix()}/".removeprefix(f"{root.as_posix()}/")
                names, others = (
                    [name for name in some if not name.startswith(inside)]
                    for some in (names, others)
                )
            ignored.extend(start + name for name in others)
            closed.update({str(PurePosixPath(start, name)): why for name, why in folders.items()})
            for name in names:
                if name in left_out:
                    continue
                try:
                    status = os.stat(f"{root}/{name}")
                    found[start + name] = status.st_size, status.st_mtime_ns
                except OSError as error:
                    closed[start + name] = f"{type(error).__name__}: {error.strerror}"
                    if start + name in known and not isinstance(error, FileNotFoundError):
                        found[start + name] = known[start + name]

        # The catalogue may be on another computer than its drawings.
        if only_added or not self.drawings.is_dir():
            found |= {name: facts for name, facts in known.items() if not is_added(name)}
        else:
            look(self.drawings, "", left_out, self.catalogue.resolve())
        if (self.catalogue / ADDED).is_dir():
            look(self.catalogue / ADDED, f"{ADDED}/")
        for name in known.keys() - found.keys():
            if any(str(folder) in closed for folder in PurePosixPath(name).parents):
                found[name] = known[name]
        return found, closed, ignored

    def read(self, names):
        """Return images by name, in this order, and why others cannot be used."""
        images: dict[str, np.ndarray] = {}
        reasons: dict[str, str] = {}
        for added in (False, True):
            chosen = [name for name in names if is_added(name) == added]
            paths = {os.path.abspath(self.path(name)): name for name in chosen}
            if not paths:
                continue
            # Added drawings are bright on black already.
            options: Any = {} if added else {"invert": self.invert, "background": "otsu"}
            root, skipped = os.path.commonpath([os.path.dirname(path) for path in paths]), {}
            try:
                for batch in iter_image_folder([*paths], errors="skip", **options):
                    for file, image in zip(batch.filenames, batch.images, strict=True):
                        if image.any():
                            images[paths[os.path.join(root, file)]] = image
                        else:
                            skipped[file] = "nothing is drawn on it"
                    skipped |= batch.skipped
            except UnreadableImagesError as error:
                skipped |= error.skipped
            reasons |= {paths[os.path.join(root, file)]: why for file, why in skipped.items()}
        return {name: images[name] for name in names if name in images}, reasons

    def thumbnail(self, name):
        """Return a small picture as a PNG file, None if the drawing can no longer be read."""
        images, _ = self.read([name])
        if not images:
            return None
        picture = _grey(filled_window(images[name]))
        picture.thumbnail((THUMBNAIL, THUMBNAIL), Image.Resampling.BOX, reducing_gap=2)
        return _png(picture, optimize=True)


def is_added(name):
    """Tell whether a drawing was added, by its name."""
    return name.startswith(f"{ADDED}/")


def class_of(name):
    """Return the class of a drawing: its subfolder, or its name without the ending."""
    path = PurePosixPath(name.removeprefix(f"{ADDED}/"))
    label = path.parts[0] if len(path.parts) > 1 else path.stem
    return unquote(label) if is_added(name) else label


def added_name(name, label):
    """Return what a drawing is called after it was added; its class may be None."""
    folders = [ADDED] if label is None else [ADDED, _file_name(label)]
    return "/".join([*folders, f"{_file_name(name)}.png"])


def _file_name(text):
    """Return a name for a file, on any system, from which `unquote` gets the text back."""
    text = str(text)
    name = "".join(
        f"%{ord(c):02X}" if c in UNSAFE or ord(c) < 32 or (c == "." and k == 0) else c
        for k, c in enumerate(text)
    )
    size = 0 if is_not_unicode(text) else len(name.encode())
    if not text.strip() or text != text.strip() or text.endswith(".") or not 0 < size <= 200:
        raise ValueError(
            f"{text!r} cannot be a name. Use up to 200 letters, no space or dot at the ends."
        )
    return name


def is_not_unicode(name):
    """Tell whether a name has halves of characters, as of bytes that are not UTF-8."""
    return not name.isascii() and name.encode(errors="replace").decode() != name


def write_whole(file, data):
    """Write a file completely or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(".part")
    with open(part, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(part, file)


def png_of(image, name):
    """Return an array as a PNG file."""
    image = check_image(image, repr(name)).astype(np.float64)
    if not np.isfinite(image).all() or image.min() < 0 or not image.any():
        raise ValueError(f"The drawing {name!r} must be a 2-D array, finite, bright on black.")
    return _png(_grey(np.ldexp(image, -int(np.frexp(image.max())[1]))))


def _grey(image):
    return Image.fromarray(np.uint8(np.rint(255 * image / image.max())))


def _png(picture, **options):
    file = io.BytesIO()
    picture.save(file, "PNG", **options)
    return file.getvalue()
