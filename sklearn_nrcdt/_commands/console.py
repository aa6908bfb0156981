"""Messages to the user, and files that are written completely or not at all."""

import os
import re
import shutil
import unicodedata
import uuid
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path

# Control characters, halves of characters, line separators: a terminal or a spreadsheet might act
# on them, and files cannot be written with them.
UNPRINTABLE = ("Cc", "Cs", "Zl", "Zp")
BIDIRECTIONAL = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


class Problem(Exception):
    """A problem that the user can solve; its text is one line."""

    def __init__(self, text):
        super().__init__(" ".join(str(text).split()))


def check_output(option, file, suffixes):
    """Return where to write as a path; complain now, not when the work is done.

    Without a file (None), there is nothing to write; an empty name is a mistake.
    """
    if file is None:
        return None
    path, name = Path(file), readable(file)
    if path.suffix.lower() not in suffixes:
        raise Problem(f"{option}: the name '{name}' must end in {' or '.join(suffixes)}.")
    if not os.path.isdir(path.parent):
        raise Problem(f"{option}: there is no folder '{readable(path.parent)}'. Make it first.")
    if os.path.isdir(path):
        raise Problem(f"{option}: '{name}' is a folder. Give the name of a file.")
    try:
        part = _temporary(path)
        part.touch(exist_ok=False)
        part.unlink()
        path.lstat()  # its name may be too long
    except FileNotFoundError:
        pass
    except OSError as error:
        raise Problem(f"{option}: '{name}' cannot be written: {error.strerror}.") from None
    return path


def _temporary(path):
    return path.with_name(f".{uuid.uuid4().hex}.part{path.suffix}")


@contextmanager
def whole_file(path):
    """Yield a temporary file name, which becomes `path` only if all goes well."""
    part = _temporary(path)
    try:
        yield part
        os.replace(part, path)
    except OSError as error:
        reason = error.strerror or error
        raise Problem(f"'{readable(path)}' could not be written: {reason}.") from error
    finally:
        part.unlink(missing_ok=True)


def readable(name):
    """Return a file's name such that it can be printed and written, different for each name.

    Bytes that are not UTF-8, control characters and backslashes become escapes such as ``\\xff``.
    """
    name = str(name)
    if name.isprintable() and "\\" not in name:
        return name
    return "".join(
        f"\\x{ord(c) - 0xDC00:02x}"
        if "\udc80" <= c <= "\udcff"
        else c.encode("unicode_escape").decode()
        if c == "\\" or c in BIDIRECTIONAL or unicodedata.category(c) in UNPRINTABLE
        else c
        for c in name
    )


def safe_cell(value, point="."):
    """Return a cell of a table; a text that a spreadsheet would run as a formula gets a quote."""
    if isinstance(value, float):
        return f"{value:.6g}".replace(".", point)
    is_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@"))
    return f"'{value}" if is_formula else value


def shortened(cells, width):
    """Return names with "..." for words that all of them begin or end with, to fit a width.

    A cell is a name, "none (name)", or empty.
    """
    bare = [re.sub(r"^none \((.+)\)$", r"\1", cell) for cell in cells]
    names = sorted({*bare} - {""})
    spare = width - max(map(len, cells))
    if len(names) < 2 or spare >= 0:
        return cells
    head = re.sub(r"[^\W_]+$", "", _common_start(names))
    rests = [name[len(head) :] for name in names]
    tail = re.sub(r"^[^\W_]+", "", _common_start([rest[::-1] for rest in rests])[::-1])
    rests = [rest[: len(rest) - len(tail)] for rest in rests]
    # The longer one first, and both if that is not enough; but not ".jpeg".
    tail_first = len(tail) >= len(head)
    for is_tail in (tail_first, not tail_first):
        end = tail if is_tail else head
        if spare < 0 and len(end) > 5:
            spare += len(end) - 3
            head, tail = (head, "...") if is_tail else ("...", tail)
    short = {name: head + rest + tail for name, rest in zip(names, rests, strict=True)}
    return [c and c.replace(name, short[name]) for c, name in zip(cells, bare, strict=True)]


def _common_start(texts):
    same = takewhile(lambda characters: len({*characters}) == 1, zip(*texts, strict=False))
    return "".join(characters[0] for characters in same)


def print_table(heads, rows, right=(), names=()):
    """Print rows in columns that fit the terminal.

    The columns `right` are right-aligned. If there is too little room, the columns `names`, each
    a list of columns that share a kind of names, lose what these have in common.
    """
    columns = [list(map(str, column)) for column in zip(*rows, strict=True)]
    room = shutil.get_terminal_size().columns - 2 * len(heads)
    for group in names:
        width = min(_widths(heads, columns, room)[place] for place in group)
        short = iter(shortened([cell for place in group for cell in columns[place]], width))
        for place in group:
            columns[place] = [next(short) for _ in columns[place]]
    widths = _widths(heads, columns, room)
    for cells in (heads, *zip(*columns, strict=True)):
        print(
            "  ".join(
                f"{_cut(cell, width):{'>' if place in right else '<'}{width}}"
                for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
            ).rstrip()
        )


def _widths(heads, columns, room):
    """Return the widths of columns; of a room that is too small, all get the same share."""
    widths = [max(map(len, [h, *column])) for h, column in zip(heads, columns, strict=True)]
    while sum(widths) > room and max(widths) > 12:
        widths[widths.index(max(widths))] -= 1
    return widths


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
