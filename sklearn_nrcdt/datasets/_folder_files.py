"""The image files of a folder, each read as a bright figure on black."""

import os
from pathlib import Path

import numpy as np

from sklearn_nrcdt._kernels import cleaning
from sklearn_nrcdt._support.polarity import MAX_LOOKED_AT
from sklearn_nrcdt._support.samples import spread
from sklearn_nrcdt.datasets._checks import check_dtype, check_number, check_option
from sklearn_nrcdt.datasets._image_file import Unreadable, read_grey

MAX_NAMED = 10
# A border with this share of bright, or of dark, pixels leaves no doubt about the paper.
CLEAR_SHARE = 0.9


class ImageFiles:
    """The image files of a folder, and how to read one of them as a clean image."""

    def __init__(self, path, layout, invert, background, extensions, follow_links, dtype):
        self.root = Path(path)
        check_option(layout, "layout", ("auto", "classes", "flat"))
        if not (isinstance(invert, bool | np.bool_) or invert == "auto"):
            raise ValueError(f"invert must be True, False or 'auto', got {invert!r}.")
        self.invert = invert if invert == "auto" else bool(invert)
        self.dtype = check_dtype(dtype)
        if background is not None and background != "otsu":
            background = check_number(background, "background", low=0)
        self.background = background
        if not self.root.is_dir():
            raise FileNotFoundError(
                f"path={str(path)!r} is not a folder. Pass the folder that holds the images."
            )
        files, self.ignored = _find_images(self.root, _check_extensions(extensions), follow_links)
        self.files = _choose(files, layout, self.root, self.ignored)
        self.has_classes = "/" in self.files[0]
        self._majority = None

    @property
    def advice(self):
        if self.invert is False:
            return "pass invert=True or invert='auto'"
        return "pass invert=False" if self.invert is True else "pass invert=True"

    def read(self, file):
        """Return a clean image, and whether it was inverted."""
        if self.invert != "auto":
            grey = read_grey(self.root / file, 1.0 if self.invert else 0.0, self.dtype)
            return self._clean(grey, self.invert), self.invert
        grey = read_grey(self.root / file, None, self.dtype)
        share = cleaning.border_brightness(grey[None])[0]
        invert = share > 0.5
        if 1 - CLEAR_SHARE <= share <= CLEAR_SHARE:
            invert = self._most_are_bright()
        return self._clean(grey, invert), bool(invert)

    def _clean(self, grey, invert):
        if invert:
            grey = cleaning.invert(grey, max(1.0, grey.max()))
        if self.background is None:
            return grey
        level = self.background
        if level == "otsu":
            level = cleaning.otsu_level(grey)
        return cleaning.remove_background(grey, level)

    def _most_are_bright(self):
        """Return whether most of some images, spread over the folder, have a bright border."""
        if self._majority is None:
            shares = []
            for position in spread(len(self.files), MAX_LOOKED_AT):
                try:
                    grey = read_grey(self.root / self.files[position], None, self.dtype)
                except Unreadable:
                    continue
                shares.append(cleaning.border_brightness(grey[None])[0])
            self._majority = bool(shares) and np.median(shares) > 0.5
        return self._majority

    def complaint(self, skipped):
        named = "\n".join(f"  {file}: {why}" for file, why in list(skipped.items())[:MAX_NAMED])
        more = f"\n  ... and {len(skipped) - MAX_NAMED} more" if len(skipped) > MAX_NAMED else ""
        advice = "\nRemove them, or leave them out with errors='skip'."
        return (
            f"{len(skipped)} of {len(self.files)} files in {str(self.root)!r} could not be used:\n"
            f"{named}{more}{advice if len(skipped) < len(self.files) else ''}"
        )


def _check_extensions(extensions):
    if isinstance(extensions, str) or not all(isinstance(end, str) for end in extensions):
        raise ValueError(
            f"extensions must be a sequence of strings such as ('png', 'tif'), got {extensions!r}."
        )
    return tuple("." + end.lower().lstrip(".") for end in extensions)


def _find_images(root, extensions, follow_links):
    """Return images and ignored files as sorted posix paths relative to the root."""
    images: list[str] = []
    ignored: list[str] = []
    seen = set()
    real_root = os.path.realpath(root)
    for folder, subfolders, files in os.walk(root, followlinks=follow_links):
        real = os.path.realpath(folder)
        if real in seen:  # a link to a folder already visited
            subfolders.clear()
            continue
        seen.add(real)
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        if not follow_links:
            links = (Path(folder, name) for name in subfolders)
            ignored += [link.relative_to(root).as_posix() for link in links if link.is_symlink()]
        for file in (Path(folder, name) for name in files if not name.startswith(".")):
            inside = Path(os.path.realpath(file)).is_relative_to(real_root)
            wanted = file.name.lower().endswith(extensions) and (inside or follow_links)
            # Reading from a pipe or a device might never end.
            wanted = wanted and (file.is_file() or not file.exists())
            (images if wanted else ignored).append(file.relative_to(root).as_posix())
    return sorted(images), sorted(ignored)


def _choose(files, layout, root, ignored):
    """Return the files that the layout asks for."""
    flat = [file for file in files if "/" not in file]
    nested = [file for file in files if "/" in file]
    if layout == "auto" and flat and nested:
        raise ValueError(
            f"The folder {str(root)!r} holds images ({flat[0]!r}, ...) as well as subfolders of "
            f"images ({nested[0]!r}, ...). Pass layout='classes' to load the subfolders, or "
            "layout='flat' to load the images directly in it."
        )
    chosen = {"auto": flat or nested, "flat": flat, "classes": nested}[layout]
    if not chosen:
        where = {"auto": "", "flat": " directly in it", "classes": " in subfolders"}[layout]
        hint = f" It holds other files, such as {ignored[0]!r}; see extensions." if ignored else ""
        raise ValueError(f"The folder {str(root)!r} has no image files{where}.{hint}")
    return chosen
