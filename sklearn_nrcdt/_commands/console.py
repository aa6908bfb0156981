"""Messages to the user, and files that are written completely or not at all."""

import os
import shutil
import uuid
from contextlib import contextmanager
from pathlib import Path


class Problem(Exception):
    """A problem that the user can solve; its text is one line."""

    def __init__(self, text):
        super().__init__(" ".join(str(text).split()))


def check_output(option, file, suffixes):
    """Return where to write as a path; complain now, not when the work is done."""
    path = Path(file)
    if path.suffix.lower() not in suffixes:
        raise Problem(f"{option}: the name '{path.name}' must end in {' or '.join(suffixes)}.")
    if not path.parent.is_dir():
        raise Problem(f"{option}: there is no folder '{path.parent}'. Make it first.")
    if path.is_dir():
        raise Problem(f"{option}: '{path}' is a folder. Give the name of a file.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise Problem(f"{option}: you have no permission to write to '{path}'.")
    return path


@contextmanager
def whole_file(path):
    """Yield a temporary file name, which becomes `path` only if all goes well."""
    part = path.with_name(f".{path.stem}.{uuid.uuid4().hex[:12]}.part{path.suffix}")
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        raise Problem(f"'{path}' could not be written: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)


def print_table(heads, rows, right=()):
    """Print rows in columns that fit the terminal; the columns `right` are right-aligned."""
    rows = [list(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    room = shutil.get_terminal_size().columns - 2 * len(heads)
    while sum(widths) > room and max(widths) > 12:
        widths[widths.index(max(widths))] -= 1
    for cells in (heads, *rows):
        print(
            "  ".join(
                f"{_cut(cell, width):{'>' if place in right else '<'}{width}}"
                for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
            ).rstrip()
        )


def _cut(text, width):
    """Shorten a text in the middle: file names often differ at the end."""
    if len(text) <= width:
        return text
    tail = (width - 3) // 2
    return f"{text[: width - 3 - tail]}...{text[len(text) - tail :]}"


def count(number, thing, things=None):
    """Return "1 picture" or "5 pictures"."""
    return f"{number} {thing if number == 1 else things or thing + 's'}"


def listed(texts, most=5):
    """Return a few of the texts, and how many more there are."""
    texts = list(texts)
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more
