"""A page for the browser that needs nothing but itself.

A new column goes to two places: `columns` and `drawRow` in report.html show it, and the rows with
its values are made in `answers.on_page`, those of `nrcdt classify` in `classify.py`.
"""

import base64
import hashlib
import html
import json
import re
from importlib.resources import files

from sklearn_nrcdt import __version__
from sklearn_nrcdt._commands.console import readable, whole_file

# What pages of this package may do: nothing that the rest does not allow.
POLICY = "default-src 'none'; form-action 'none'; base-uri 'none'"


def make_report(*, title, facts, pictures, rows, marks, score, matrix=None, decisions=None):
    """Return a page of pictures, each beside those that are most like it.

    `facts` and `marks` are texts by name. `pictures` are tuples of name, class or None, and file:
    drawings, bright on black, as PNG; photographs as JPEG. `rows` are tuples of picture, mark,
    answer, score, [(picture, distance), ...], right class or None, and None or, of a photograph,
    `found_pictures` and the pose in words of the first drawings. Pictures are positions in
    `pictures`. `score` is the head of scores and distances, `matrix` holds classes and counts,
    right classes in rows. `decisions` about the rows are dicts of decision, drawing and note.
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
        "decisions": decisions or [],
    }
    # A name of a file must not end the script.
    text = json.dumps(data, separators=(",", ":"), default=_base64).replace("<", "\\u003c")
    page = (files("sklearn_nrcdt._commands") / "report.html").read_text("utf-8")
    policy = f"{POLICY}; img-src data:; {_own_code(page)}"
    identity = hashlib.sha256(text.encode()).hexdigest()[:16]
    contents = {"POLICY": policy, "TITLE": html.escape(title), "IDENTITY": identity, "DATA": text}
    for place, content in contents.items():
        page = page.replace(place, content, 1)
    return page


def write_report(path, **parts):
    """Write the page that `make_report` makes of these."""
    with whole_file(path) as part:
        part.write_text(make_report(**parts), encoding="utf-8")
    print(f"Wrote {readable(path)}")


def _own_code(page):
    """Return a policy that allows the style and the script of this page, and no other."""
    parts = re.findall(r"<(style|script)>(.*?)</\1>", page, re.DOTALL)
    codes = {kind: _base64(hashlib.sha256(code.encode()).digest()) for kind, code in parts}
    return "; ".join(f"{kind}-src 'sha256-{code}'" for kind, code in codes.items())


def _base64(data):
    return base64.b64encode(data).decode()


def _short(number):
    return float(f"{number:.4g}")
