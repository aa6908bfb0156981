"""A page for the browser that needs nothing but itself."""

import html
import json
from importlib.resources import files

from sklearn_nrcdt import __version__


def write_report(path, *, title, facts, pictures, rows, marks, score, matrix=None):
    """Write a page of pictures, each beside those that are most like it.

    Parameters
    ----------
    path : path-like
        The file.
    title : str
        Its title.
    facts : dict of str
        What to know about the run, by name.
    pictures : sequence of (name, class or None, file in base64)
        All pictures, each of them once: drawings, bright on black, as PNG files; photographs as
        JPEG files.
    rows : sequence of (picture, mark, answer, score, [(picture, distance), ...], class or None, \
            found)
        What was asked and found; pictures are positions in `pictures`, and the class, if it is
        known, is the right answer. `found`, of photographs, is a part of it as a JPEG file,
        strokes to lay over that as a PNG file, both in base64, and their pose in words; or None.
    marks : dict of str
        The marks that rows have, in the order of the filters, and what they mean.
    score : str
        "Distance", "Certainty" or "Score".
    matrix : (classes, counts), default=None
        Confusion matrix: right classes in rows, answers in columns.
    """
    data = {
        "title": title,
        "version": __version__,
        "facts": facts,
        "pictures": pictures,
        "rows": [
            [int(k), mark, str(answer), _short(value), [[p, _short(d)] for p, d in near], *others]
            for k, mark, answer, value, near, *others in rows
        ],
        "marks": marks,
        "score": score,
        "matrix": matrix and {"classes": list(map(str, matrix[0])), "counts": matrix[1].tolist()},
    }
    # A name of a file must not end the script.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    page = (files("sklearn_nrcdt._commands") / "report.html").read_text("utf-8")
    page = page.replace("TITLE", html.escape(title), 1).replace("DATA", text, 1)
    path.write_text(page, encoding="utf-8")


def _short(number):
    return float(f"{number:.4g}")
