"""Made-up watermarks: motifs, alone and put together."""

from numbers import Integral, Real

import numpy as np
from PIL import Image, ImageDraw
from sklearn.utils import Bunch, check_random_state

from sklearn_nrcdt._support.compat import Interval, validate_params
from sklearn_nrcdt._support.types import Seed
from sklearn_nrcdt.search._motifs import arc, draw_letters, draw_motif, motif_names, placed

FINE = 4  # supersampling factor
TIPS = ("star", "sun", "cross", "lily", "flower", "crown")


@validate_params(
    {
        "n_drawings": [Interval(Integral, 1, None, closed="left")],
        "size": [Interval(Integral, 32, None, closed="left")],
        "line_width": [Interval(Real, 0.5, None, closed="left")],
        "random_state": ["random_state"],
    }
)
def make_drawings(
    n_drawings: int = 100, *, size: int = 192, line_width: float = 2.0, random_state: Seed = None
) -> Bunch:
    """Draw a catalogue of made-up watermarks in thin strokes, no two alike.

    Crowns, shields, stars, suns, crosses, bulls' heads, posthorns, jugs, towers, letters and
    more, each in many forms, stand alone or are combined: crowned, in shields and frames, above
    letters, on posts. A slight wobble, as of a hand, makes drawings of equal motifs differ.

    Parameters
    ----------
    n_drawings : int, default=100
        Number of drawings.
    size : int, default=192
        Side of the square images in pixels; drawings fill most of them.
    line_width : float, default=2.0
        Width of the strokes in pixels.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of all draws. The first drawings do not depend on how many follow.

    Returns
    -------
    drawings : Bunch
        With the attributes

        - images : ndarray of shape (n_drawings, size, size), float32, bright on black in [0, 1]
        - target : ndarray of shape (n_drawings,), 0, 1, ...
        - target_names : ndarray of shape (n_drawings,), what each of them shows, in words,
          all different

    See Also
    --------
    make_paper_scans : Photographs of paper with such drawings in it.
    sklearn_nrcdt.datasets.make_glyphs : Drawings from a font.

    Examples
    --------
    >>> from sklearn_nrcdt.search import make_drawings
    >>> drawings = make_drawings(3, random_state=0)
    >>> drawings.images.shape
    (3, 192, 192)
    >>> for name in drawings.target_names:
    ...     print(name)
    heater shield, chevron
    posthorn to the right
    two lozenge keys of three bits, below NBF
    """
    if line_width > size / 16:
        raise ValueError(f"line_width must be at most size / 16 = {size / 16:g}, got {line_width}.")
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31))
    images = np.empty((n_drawings, size, size), dtype=np.float32)
    names: dict = {}
    layouts = [_alone, _arms, _framed, _above_letters, _on_post, _word]
    while len(names) < n_drawings:
        # A description, and curves in [-1, 1]^2.
        name, curves = layouts[rng.choice(6, p=[0.2, 0.25, 0.15, 0.15, 0.15, 0.1])](rng)
        wobble = _wobble(rng)
        if name not in names:
            images[len(names)] = _draw(curves, wobble, size, line_width)
            names[name] = None
    target_names = np.array(list(names))
    return Bunch(images=images, target=np.arange(n_drawings), target_names=target_names)


def _one_of(motifs, rng):
    return draw_motif(motifs[rng.integers(len(motifs))], rng)


def _charge(rng):
    return _one_of([motif for motif in motif_names() if motif not in ("shield", "crown")], rng)


def _alone(rng):
    name, curves = _one_of(motif_names(), rng)
    return name, placed(curves, 0, 0, rng.uniform(0.6, 0.9), rng.uniform(0.7, 0.95))


def _word(rng):
    name, curves = draw_letters(rng, rng.integers(2, 5))
    return name, placed(curves, 0, 0, 0.95, rng.uniform(0.3, 0.5))


def _above_letters(rng):
    name, curves = _charge(rng)
    word, signs = draw_letters(rng, rng.integers(1, 4))
    n = len(word.split()[-1])
    curves = placed(curves, 0, -0.3, 0.65, 0.65) + placed(signs, 0, 0.72, 0.22 * n, 0.22)
    return f"{name}, below {word}", curves


def _arms(rng):
    """A shield with something in it, perhaps crowned, perhaps with letters or a tail."""
    name, curves = draw_motif("shield", rng)
    curves = placed(curves, 0, 0.15, 0.6, 0.65)
    if name.endswith("plain"):
        charge, inner = _charge(rng)
        name += f" but for {charge}"
        curves += placed(inner, 0, 0.08, 0.36, 0.38)
    if rng.random() < 0.7:
        top, upper = draw_motif("crown", rng)
        name += f", {top}"
        curves += placed(upper, 0, -0.73, 0.45, 0.24)
    if rng.random() < 0.4:
        (first, left), (second, right) = draw_letters(rng, 1), draw_letters(rng, 1)
        name += f", between {first} and {second}"
        curves += placed(left, -0.78, 0.65, 0.13, 0.2) + placed(right, 0.78, 0.65, 0.13, 0.2)
    elif rng.random() < 0.5:
        tail, lower = _one_of(TIPS, rng)
        name += f", hung with {tail}"
        curves += placed(lower, 0, 0.87, 0.11, 0.11)
    return name, curves


def _framed(rng):
    name, curves = _charge(rng)
    kind = rng.choice(["circle", "double circle", "oval", "lozenge", "square"])
    frame = {
        "circle": [arc(0, 0, 0.92, 0.92)],
        "double circle": [arc(0, 0, 0.95, 0.95), arc(0, 0, 0.83, 0.83)],
        "oval": [arc(0, 0, 0.72, 0.95)],
        "lozenge": [np.array([(0, -1), (0.85, 0), (0, 1), (-0.85, 0), (0, -1)])],
        "square": [0.8 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)])],
    }[kind]
    half = 0.42 if kind == "lozenge" else 0.5
    curves = placed(curves, 0, 0, half, half * 1.1) + frame
    return f"{name} in {'an' if kind == 'oval' else 'a'} {kind}", curves


def _on_post(rng):
    """A motif on a post, as they stand on chain lines, with something at its tip."""
    name, curves = _charge(rng)
    tip, upper = _one_of(TIPS, rng)
    curves = placed(curves, 0, 0.4, 0.5, 0.5) + placed(upper, 0, -0.75, 0.2, 0.2)
    curves += [np.array([(x, -0.55), (x, -0.1)]) for x in (-0.02, 0.02)]
    if rng.random() < 0.3:
        plant, leaves = draw_motif("branch", rng)
        right = placed(leaves, 0.75, 0.35, 0.18, 0.55)
        curves += right + [leaf * [-1, 1] for leaf in right]
        name += f" between {plant}"
    return f"{name} on a post with {tip}", curves


def _wobble(rng):
    """A smooth map of the plane, near the identity, as a function of points."""
    aspect = np.exp(rng.uniform(-0.15, 0.15) * np.array([1, -1]))
    waves = rng.uniform(1, 4, (4, 2)) * rng.choice([-1, 1], (4, 2))
    phases = rng.uniform(0, 2 * np.pi, 4)
    moves = rng.normal(0, 0.015, (4, 2))

    def move(points):
        return 0.85 * points * aspect + np.sin(points @ waves.T + phases) @ moves

    return move


def _draw(curves, wobble, size, line_width):
    canvas = Image.new("L", (FINE * size, FINE * size))
    pen = ImageDraw.Draw(canvas)
    unit = FINE * size / 2.15

    def trace(points, width, grey):
        places = wobble(_dense(points)) * unit + FINE * size / 2
        pen.line([tuple(place) for place in places], fill=grey, width=round(width), joint="curve")
        # Round ends.
        for x, y in places[[0, -1]]:
            half = width / 2 - 0.5
            pen.ellipse([x - half, y - half, x + half, y + half], fill=grey)

    width = FINE * line_width
    for curve in curves:
        if isinstance(curve, tuple):
            # A broad white band with a black core is its own outline.
            parts, thickness = curve
            core = max(thickness * unit, 2 * width)
            for breadth, grey in ((core + width, 255), (core - width, 0)):
                for part in parts:
                    trace(part, breadth, grey)
        else:
            trace(curve, width, 255)
    return np.asarray(canvas.reduce(FINE), dtype=np.float64) / 255


def _dense(points):
    """Points so near to each other that the hand's wobble bends straight lines, too."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    counts = np.maximum(np.ceil(steps / 0.1).astype(int), 1)
    parts = [
        start + (end - start) * np.arange(n)[:, None] / n
        for start, end, n in zip(points[:-1], points[1:], counts, strict=True)
    ]
    return np.concatenate([*parts, points[-1:]])
