"""Parts of watermarks as curves: arrays of points (x, y) in [-1, 1]^2, y down.

The motifs are data, in ``motifs.json``. Each lists what is drawn at random, what the result is
called, and strokes with the forms they belong to: "* 2" means whatever was drawn first, and the
third option of the second draw ("-" if nothing was drawn). A stroke is a "line" or a "bend" (smooth
curve) through points, an "arc" (center, half axes, degrees) or the outline of a "band" along
another stroke; "6x" repeats it around the center.
"""

import json
from functools import cache
from importlib.resources import files

import numpy as np
from scipy.interpolate import CubicSpline


@cache
def _data():
    return json.loads(files("sklearn_nrcdt.search").joinpath("motifs.json").read_text("utf-8"))


def motif_names():
    """Return the names of all motifs."""
    return list(_data()["motifs"])


def draw_motif(motif, rng):
    """Draw a form of a motif; return what it is called and its curves."""
    if motif == "letters":
        return draw_letters(rng, rng.integers(1, 4))
    data = _data()["motifs"][motif]
    labels: list = []
    key = []
    for draw in data["draws"]:
        if isinstance(draw, list):
            key.append(rng.integers(len(draw)))
            labels.append(draw[key[-1]])
        elif "p" in draw:  # there or not
            key.append(int(rng.random() < draw["p"]))
            labels.append(draw["yes"] if key[-1] else "")
        else:  # only after some of the options before
            needed = labels[-1] in draw["after"]
            key.append(rng.integers(len(draw["options"])) if needed else -1)
            labels.append(draw["options"][key[-1]] if needed else "")
    name = data["name"]
    if isinstance(name, dict):
        name = [name[forms] for forms in name if _matches(forms, key)][-1]
    curves = [
        curve
        for forms, strokes in data["strokes"].items()
        if _matches(forms, key)
        for stroke in strokes
        for curve in _curves(stroke)
    ]
    return name.format(*labels), curves


def draw_letters(rng, n):
    """Draw n letters in a row, as single lines or as outlines."""
    letters = _data()["letters"]
    signs = "".join(rng.choice(list(letters), n))
    outline = rng.random() < 0.5
    curves: list = []
    width = 1 / (1.35 * n - 0.35)
    for k, sign in enumerate(signs):
        x = -1 + width + 2.7 * width * k
        glyph = placed(_letter(letters[sign]), x, 0, 0.85 * width if outline else width, 1)
        # The outlines of a letter are merged into one.
        curves += [(glyph, 0.5 * min(width, 0.6))] if outline else glyph
    return f"{'outlined ' * outline}{signs}", curves


def placed(curves, x, y, width, height):
    """Return curves moved from [-1, 1]^2 to a box with this center and these half sides."""
    moved = []
    for curve in curves:
        if isinstance(curve, tuple):
            band, thickness = curve
            moved.append((placed(band, x, y, width, height), thickness * min(width, height)))
        else:
            moved.append(curve * [width, height] + [x, y])
    return moved


def arc(x, y, width, height, first=0.0, last=360.0):
    """Return part of an ellipse with these half axes; degrees from the right, clockwise."""
    angles = np.deg2rad(np.linspace(first, last, 2 + int(abs(last - first) / 8)))
    return np.column_stack([x + width * np.cos(angles), y + height * np.sin(angles)])


def bend(points):
    """Return a smooth curve through points."""
    steps = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    closed = np.allclose(points[0], points[-1])
    spline = CubicSpline(steps, points, bc_type="periodic" if closed else "natural")
    return spline(np.linspace(0, steps[-1], 12 * len(points)))


def _matches(forms, key):
    drawn = ["-" if k < 0 else f"{k:x}" for k in key]
    return all(f == "*" or k in f for f, k in zip(forms.split(), drawn, strict=True))


def _curves(stroke):
    """Read a stroke, such as "line 0 -1 0 1"."""
    kind, *rest = stroke.split()
    if kind == "band":
        return [(_curves(" ".join(rest[1:])), float(rest[0]))]
    if kind.endswith("x"):
        [curve] = _curves(" ".join(rest))
        steps = np.exp(2j * np.pi * np.arange(int(kind[:-1])) / int(kind[:-1]))
        turned = np.outer(steps, curve @ [1, 1j])
        return [np.column_stack([points.real, points.imag]) for points in turned]
    numbers = np.array(rest, dtype=float)
    if kind == "arc":
        return [arc(*numbers)]
    points = numbers.reshape(-1, 2)
    return [bend(points) if kind == "bend" else points]


def _letter(strokes):
    """Read a letter: strokes through points of a grid of 5 x 7, "12" is column 1 of row 2."""
    curves = []
    for part in strokes.split(","):
        points = [(int(pair[0]) / 2 - 1, int(pair[1]) / 3 - 1) for pair in part.strip("~").split()]
        curves.append(bend(np.array(points)) if part.startswith("~") else np.array(points))
    return curves
