"""Files that may be images."""

import os
from pathlib import Path

# Formats that may be read, by Pillow's names, and the ends of their files. The content of a file
# tells its format. Not PostScript, for which Pillow would run Ghostscript.
FORMATS = {
    "AVIF": ("avif",),
    "BMP": ("bmp", "dib"),
    "GIF": ("gif",),
    "JPEG": ("jpg", "jpeg", "jpe", "jfif"),
    "JPEG2000": ("jp2", "j2k"),
    "PNG": ("png",),
    "PPM": ("pbm", "pgm", "pnm", "ppm"),
    "TIFF": ("tif", "tiff"),
    "WEBP": ("webp",),
}
EXTENSIONS = tuple(f".{end}" for ends in FORMATS.values() for end in ends)


def find_image_files(root):
    """Find the images below a folder by their names.

    Returns images and other files, as sorted paths relative to the folder with slashes, and the
    subfolders that cannot be looked into with the reason.
    """
    images: list[str] = []
    ignored: list[str] = []
    closed: dict[str, str] = {}

    def relative(path):
        return os.path.relpath(path, root).replace(os.sep, "/")

    def note(error):
        closed[relative(error.filename)] = f"{type(error).__name__}: {error.strerror}"

    def is_safe(file):
        if os.path.islink(file) and not Path(os.path.realpath(file)).is_relative_to(real_root):
            return False
        # Reading from a pipe or a device might never end; what is not there gets named.
        return os.path.isfile(file) or not os.path.exists(file)

    real_root = os.path.realpath(root)
    for folder, subfolders, files in os.walk(root, onerror=note):
        start = "" if folder == str(root) else f"{relative(folder)}/"
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        links = [name for name in subfolders if os.path.islink(os.path.join(folder, name))]
        ignored += [start + name for name in links]
        for name in files:
            if name.startswith("."):
                continue
            wanted = name.lower().endswith(EXTENSIONS) and is_safe(os.path.join(folder, name))
            (images if wanted else ignored).append(start + name)
    return sorted(images), sorted(ignored), closed
