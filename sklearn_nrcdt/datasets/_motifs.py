"""Parts of watermarks as curves: arrays of points (x, y) in [-1, 1]^2, y down.

A motif draws its own form from a random generator and returns its name, which tells it from
its siblings, and its curves. A tuple ``(curves, width)`` is the outline of a band along curves.
"""

import itertools

import numpy as np
from scipy.interpolate import CubicSpline
from skimage.measure import points_in_poly

# Strokes on a grid of 5 x 7 points, as pairs of digits: column, row. "~" bends a stroke.
LETTERS = {
    "A": "06 20 46,14 34",
    "B": "06 00,~00 20 31 32 23 03,~03 23 34 35 26 06",
    "C": "~41 20 02 04 26 45",
    "D": "06 00,~00 20 42 44 26 06",
    "E": "40 00 06 46,03 33",
    "F": "40 00 06,03 33",
    "G": "~41 20 02 04 26 45,45 43 23",
    "H": "00 06,40 46,03 43",
    "I": "20 26,10 30,16 36",
    "J": "30 34,~34 35 26 16 05",
    "K": "00 06,40 03 46",
    "L": "00 06 46",
    "M": "06 00 23 40 46",
    "N": "06 00 46 40",
    "O": "~20 02 04 26 44 42 20",
    "P": "06 00,~00 20 31 32 23 03",
    "Q": "~20 02 04 26 44 42 20,34 46",
    "R": "06 00,~00 20 31 32 23 03,13 46",
    "S": "~41 30 10 01 12 33 44 45 36 16 05",
    "T": "00 40,20 26",
    "U": "00 04,~04 05 16 36 45 44,44 40",
    "V": "00 26 40",
    "W": "00 16 23 36 40",
    "X": "00 46,40 06",
    "Y": "00 23 40,23 26",
    "Z": "00 40 06 46",
    "4": "36 30 04 44",
}
NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
NUMBERS += ["eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"]


def some(n, thing):
    """Return "no bells", "one bell", "two bells"."""
    return f"{NUMBERS[n]} {thing}" + ("" if n == 1 else "s")


# -- curves ----------------------------------------------------------------------------


def arc(x, y, width, height, first=0.0, last=360.0):
    """Part of an ellipse with these half axes; degrees from the right, clockwise."""
    angles = np.deg2rad(np.linspace(first, last, 2 + int(abs(last - first) / 8)))
    return np.column_stack([x + width * np.cos(angles), y + height * np.sin(angles)])


def bend(points):
    """Smooth curve through points."""
    points = np.asarray(points, dtype=float)
    steps = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    closed = np.allclose(points[0], points[-1])
    spline = CubicSpline(steps, points, bc_type="periodic" if closed else "natural")
    return spline(np.linspace(0, steps[-1], 12 * len(points)))


def line(*points):
    return np.array(points, dtype=float)


def flip(curves):
    """Mirror images, left to right."""
    return [curve * [-1, 1] for curve in curves]


def both(*curves):
    return [*curves, *flip(curves)]


def turned(curves, degrees):
    cos, sin = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    return [curve @ np.array([[cos, sin], [-sin, cos]]) for curve in curves]


def wreath(curves, n):
    """The same curves n times around the centre."""
    return [curve for k in range(n) for curve in turned(curves, 360 * k / n)]


def placed(curves, x, y, width, height):
    """Curves moved from [-1, 1]^2 to a box with this centre and these half sides."""
    moved = []
    for curve in curves:
        if isinstance(curve, tuple):
            band, thickness = curve
            band = placed(band, x, y, width, height)
            moved.append((band, thickness * min(width, height)))
        else:
            moved.append(curve * [width, height] + [x, y])
    return moved


def inside(curve, outline):
    """The longest part of a polygonal curve that lies within a closed outline."""
    dense = [
        start + (end - start) * np.linspace(0, 1, 200)[:, None]
        for start, end in itertools.pairwise(curve)
    ]
    points = np.concatenate(dense)
    outer = np.flatnonzero(~points_in_poly(points, outline))
    parts = np.split(points, outer)
    return max((part[1:] if k else part for k, part in enumerate(parts)), key=len)


# -- motifs ----------------------------------------------------------------------------


def rings(rng):
    n = rng.integers(1, 4)
    return some(n, "ring"), [arc(0, 0, r, r) for r in np.linspace(1, 0.4, n)]


def star(rng):
    n, depth = rng.integers(4, 9), rng.choice([0.4, 0.6])
    angles = np.pi * np.arange(2 * n + 1) / n - np.pi / 2
    radii = np.where(np.arange(2 * n + 1) % 2, depth, 1.0)
    outline = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
    kind = "slender" if depth < 0.5 else "stout"
    return f"{kind} star of {some(n, 'point')}", [outline]


def sun(rng):
    n, kind = rng.integers(6, 17), rng.choice(["plain", "pointed", "flaming"])
    if kind == "plain":
        ray = [line((0.5, 0), (1, 0))]
    elif kind == "pointed":
        half = 0.4 * np.sin(np.pi / n) + 0.02
        ray = [line((0.45, -half), (1, 0), (0.45, half))]
    else:
        ray = [bend([(0.5, 0), (0.66, 0.06), (0.83, -0.06), (1, 0)])]
    return f"sun of {NUMBERS[n]} {kind} rays", [arc(0, 0, 0.42, 0.42), *wreath(ray, n)]


def cross(rng):
    kind = rng.choice(["Latin", "patriarchal", "tau", "trefoil", "pattee", "anchored", "ringed"])
    if kind == "pattee":
        arm = line((0.1, 0.1), (0.45, 1), (-0.45, 1), (-0.1, 0.1))
        return "cross pattee", wreath([arm], 4)
    if kind == "trefoil":
        arm = [line((0, 0), (0, 0.6)), arc(0, 0.85, 0.14, 0.14), *both(arc(0.2, 0.66, 0.14, 0.14))]
        return "trefoil cross", wreath(arm, 4)
    if kind == "anchored":
        arm = [line((0, 0), (0, 0.7)), *both(arc(0.2, 0.72, 0.2, 0.26, 40, 180))]
        return "anchored cross", wreath(arm, 4)
    curves = [line((0, -1), (0, 1)), line((-0.65, -0.3), (0.65, -0.3))]
    if kind == "patriarchal":
        curves.append(line((-0.4, -0.65), (0.4, -0.65)))
    elif kind == "tau":
        curves = [line((0, -0.7), (0, 1)), line((-0.7, -0.7), (0.7, -0.7))]
    elif kind == "ringed":
        curves.append(arc(0, -0.3, 0.4, 0.4))
    return f"{kind} cross", curves


def crescent(rng):
    turn = rng.choice([0, 90, 180, 270])
    horn = [arc(0, 0, 1, 1, 50, 310), arc(0.42, 0, 0.8, 0.8, 73, 287)]
    face = [bend([(-0.45, -0.3), (-0.62, 0.05), (-0.4, 0.3)])] if rng.random() < 0.4 else []
    name = "crescent with a face" if face else "crescent"
    return f"{name}, turned by {turn}", turned(horn + face, turn)


def heart(rng):
    half = bend([(0, -0.5), (0.35, -0.9), (0.85, -0.75), (0.9, -0.2), (0.5, 0.4), (0, 1)])
    kind = rng.choice(["heart", "double heart", "pierced heart"])
    curves = both(half)
    if kind == "double heart":
        curves += both(half * 0.65)
    elif kind == "pierced heart":
        curves += [line((-1, 0.5), (1, -0.5)), line((0.75, -0.6), (1, -0.5), (0.9, -0.25))]
    return kind, curves


def lily(rng):
    kind = rng.choice(["lily", "lily with stamens", "lily on a foot"])
    petal = bend([(0, -1), (0.25, -0.6), (0.22, -0.2), (0.1, 0.25)])
    side = bend([(0.1, 0.25), (0.3, -0.25), (0.65, -0.5), (0.95, -0.2), (0.8, 0.1), (0.62, -0.05)])
    curves = both(petal, side, bend([(0.1, 0.4), (0.3, 0.6), (0.45, 0.9)]))
    curves += [line((-0.3, 0.25), (0.3, 0.25)), line((-0.3, 0.4), (0.3, 0.4))]
    if kind == "lily with stamens":
        curves += both(
            bend([(0.15, -0.1), (0.35, -0.6), (0.5, -0.85)]), arc(0.53, -0.9, 0.07, 0.07)
        )
    elif kind == "lily on a foot":
        curves += [line((-0.45, 0.9), (0.45, 0.9)), line((0, 0.4), (0, 0.9))]
    return kind, curves


def flower(rng):
    n, seeds = rng.integers(4, 10), rng.random() < 0.5
    half = min(1.0, np.pi / n)
    petal = [bend([(0.25, 0), (0.65, -0.62 * half), (1, 0), (0.65, 0.62 * half), (0.25, 0)])]
    curves = [*wreath(petal, n), arc(0, 0, 0.22, 0.22)]
    curves += [line((-0.15, 0), (0.15, 0)), line((0, -0.15), (0, 0.15))] if seeds else []
    return f"flower of {some(n, 'petal')}{' with seeds' * seeds}", curves


def branch(rng):
    n, both_sides = rng.integers(3, 7), rng.random() < 0.6
    curves = [bend([(-0.1, 1), (0.1, 0.3), (-0.05, -0.4), (0.05, -1)])]
    for k in range(n):
        y = 0.7 - 1.5 * k / n
        leaf = [(0, y), (0.35, y - 0.3), (0.8, y - 0.35), (0.5, y + 0.02), (0, y)]
        leaves = both(bend(leaf)) if both_sides else [bend(leaf) * [1 if k % 2 else -1, 1]]
        curves += leaves
    pairs = "pairs of leaves" if both_sides else "leaves"
    return f"branch of {NUMBERS[n]} {pairs}", curves


def horn(rng):
    turn, cord = rng.choice([-1, 1]), rng.random() < 0.5
    curves = [
        arc(0, 0.1, 0.5, 0.5, -60, 240),
        arc(0, 0.1, 0.32, 0.32),
        bend([(-0.25, -0.33), (0.2, -0.55), (0.7, -0.6)]),
        bend([(0.25, -0.33), (0.5, -0.32), (0.75, -0.2)]),
        arc(0.75, -0.4, 0.1, 0.22),
        bend([(-0.25, -0.33), (-0.6, -0.3), (-0.9, -0.45)]),
    ]
    if cord:
        curves += both(bend([(0.2, 0.6), (0.55, 0.8), (0.35, 1), (0, 0.75)]))
    where = "right" if turn > 0 else "left"
    curves = [curve * [turn, 1] for curve in curves]
    return f"posthorn to the {where}{' with a cord' * cord}", curves


def bell(rng):
    n = rng.integers(1, 4)
    curves = both(bend([(0.12, -0.7), (0.4, -0.45), (0.5, 0.2), (0.85, 0.7)]))
    curves += [arc(0, -0.83, 0.15, 0.15), arc(0, 0.85, 0.14, 0.14), line((-0.85, 0.7), (0.85, 0.7))]
    rims = [0.55, -0.35, 0.1][:n]
    curves += [line((-0.4 - 0.2 * (y > 0), y), (0.4 + 0.2 * (y > 0), y)) for y in rims]
    return f"bell with {some(n, 'band')}", curves


def anchor(rng):
    stock, cable = rng.random() < 0.6, rng.random() < 0.5
    curves = [line((0, -0.7), (0, 1)), arc(0, -0.85, 0.15, 0.15), arc(0, 0.2, 0.8, 0.8, 10, 170)]
    curves += both(line((0.6, 0.45), (0.8, 0.3), (0.95, 0.55)))
    curves += [line((-0.5, -0.45), (0.5, -0.45))] if stock else []
    curves += [bend([(0.1, -0.75), (0.4, -0.2), (-0.35, 0.2), (0.3, 0.6)])] if cable else []
    return f"anchor{' with a stock' * stock}{' and a cable' * cable}", curves


def arrows(rng):
    n, feathers = rng.integers(1, 4), rng.integers(1, 4)
    arrow = [line((0, -1), (0, 1)), line((-0.18, -0.7), (0, -1), (0.18, -0.7))]
    arrow += [
        line((-0.15, y + 0.12), (0, y), (0.15, y + 0.12)) for y in 0.6 + 0.13 * np.arange(feathers)
    ]
    turns = {1: [0], 2: [-40, 40], 3: [-45, 0, 45]}[n]
    curves = [curve for turn in turns for curve in turned(arrow, turn)]
    return f"{some(n, 'arrow')} with {some(feathers, 'feather')}", curves


def keys(rng):
    n, bits = rng.integers(1, 3), rng.integers(2, 4)
    kind = rng.choice(["round", "lozenge"])
    bow = arc(0, 0.75, 0.25, 0.25)
    if kind == "lozenge":
        bow = line((0, 0.45), (0.3, 0.72), (0, 1), (-0.3, 0.72), (0, 0.45))
    key = [line((0, -1), (0, 0.5)), bow, line((0, -0.95), (0.35, -0.95), (0.35, -0.5), (0, -0.5))]
    key += [line((0.12, y), (0.35, y)) for y in np.linspace(-0.85, -0.6, bits)]
    curves = key if n == 1 else turned(key, 40) + turned(flip(key), -40)
    return f"{some(n, kind + ' key')} of {some(bits, 'bit')}", curves


def bull(rng):
    rod = rng.choice(["no rod", "a star", "a cross", "a flower", "a serpent"])
    nose = rng.choice(["nostrils", "a ring", "a line"])
    curves = both(
        bend([(0, -0.1), (0.25, -0.2), (0.42, 0.15), (0.25, 0.6), (0.28, 0.85), (0, 1)]),
        bend([(0.25, -0.2), (0.6, -0.3), (0.72, -0.7), (0.55, -0.95)]),
        bend([(0.55, -0.95), (0.52, -0.55), (0.15, -0.2)]),
        bend([(0.42, 0), (0.7, -0.1), (0.9, 0.05), (0.65, 0.2), (0.42, 0.12)]),
        arc(0.17, 0.15, 0.08, 0.06),
    )
    if nose == "nostrils":
        curves += both(arc(0.12, 0.78, 0.06, 0.05))
    elif nose == "a ring":
        curves.append(arc(0, 0.85, 0.14, 0.14))
    else:
        curves.append(line((-0.25, 0.68), (0.25, 0.68)))
    if rod != "no rod":
        curves.append(line((0, -0.1), (0, -0.75)))
        tip = {
            "a star": wreath([line((0, 0), (0, 1))], 6),
            "a cross": [line((-1, 0), (1, 0)), line((0, -1), (0, 1))],
            "a flower": wreath([arc(0, 0.6, 0.4, 0.4)], 5),
            "a serpent": [bend([(0, 3), (-1, 2), (1, 1), (-1, 0), (0.6, -1)])],
        }[rod]
        curves += placed(tip, 0, -0.83, 0.17, 0.17)
    return f"bull's head with {nose} and {rod}", curves


def crown(rng):
    n, kind = rng.integers(3, 8), rng.choice(["pearls", "points", "leaves", "arches"])
    jewels = rng.integers(0, 5)
    curves = [
        bend([(-0.75, 0.55), (0, 0.68), (0.75, 0.55)]),
        bend([(-0.7, 0.9), (0, 1), (0.7, 0.9)]),
        *both(line((0.75, 0.55), (0.7, 0.9))),
    ]
    curves += [
        arc(x, 0.79 + 0.03 * (1 - x * x), 0.08, 0.08) for x in np.linspace(-0.5, 0.5, jewels)
    ]
    if kind == "arches":
        curves += both(bend([(0.75, 0.55), (1, 0), (0.6, -0.45), (0, -0.3)]))
        curves += both(bend([(0.35, 0.62), (0.45, 0.05), (0, -0.3)])) if n > 4 else []
        curves += [
            arc(0, -0.45, 0.14, 0.14),
            line((0, -0.6), (0, -1)),
            line((-0.15, -0.8), (0.15, -0.8)),
        ]
        name = "crown of four arches" if n > 4 else "crown of two arches"
    else:
        tips, feet = np.linspace(-1, 1, n), np.linspace(-0.75, 0.75, n + 1)
        zigzag = [(feet[0], 0.55)]
        for tip, foot in zip(tips, feet[1:], strict=True):
            top = -0.45 - 0.3 * (1 - tip * tip)
            zigzag += [(tip, top), (foot, 0.3 if foot < 0.7 else 0.55)]
            if kind == "pearls":
                curves.append(arc(tip * 1, top - 0.1, 0.1, 0.1))
            elif kind == "leaves":
                curves += placed(wreath([arc(0, 0.6, 0.4, 0.4)], 3), tip, top - 0.08, 0.16, 0.16)
        curves.append(line(*zigzag))
        name = f"crown of {NUMBERS[n]} {kind}"
    return f"{name} with {some(jewels, 'jewel')}", curves


def tower(rng):
    n, windows = rng.integers(3, 6), rng.integers(0, 4)
    edge = np.linspace(-0.65, 0.65, 2 * n)
    top = [
        (x, y) for k, x in enumerate(edge) for y in ((-0.5, -0.8) if k % 2 == 0 else (-0.8, -0.5))
    ]
    curves = [line(*top), line((-0.65, -0.35), (0.65, -0.35)), line((-0.8, 1), (0.8, 1))]
    curves += both(line((0.65, -0.5), (0.65, -0.35), (0.5, -0.35), (0.6, 1)))
    curves += [arc(0, 0.6, 0.2, 0.25, 180, 360), *both(line((0.2, 0.6), (0.2, 1)))]
    curves += [arc(x, 0.05, 0.08, 0.14) for x in np.linspace(-0.3, 0.3, windows)]
    return f"tower of {some(n, 'merlon')} and {some(windows, 'window')}", curves


def wheel(rng):
    n, teeth = rng.integers(4, 13), rng.random() < 0.5
    curves = [arc(0, 0, 0.8, 0.8), arc(0, 0, 0.2, 0.2), *wreath([line((0.2, 0), (0.8, 0))], n)]
    curves += wreath([line((0.8, -0.1), (1, 0), (0.8, 0.1))], n) if teeth else [arc(0, 0, 1, 1)]
    return f"{'toothed ' * teeth}wheel of {some(n, 'spoke')}", curves


def knot(rng):
    across, along = [(1, 2), (2, 3), (3, 2), (3, 4), (1, 3), (3, 1)][rng.integers(6)]
    t = np.linspace(0, 2 * np.pi, 160)
    phase = np.pi / 2 if across % 2 and along % 2 else 0.4 * np.pi / along
    curve = np.column_stack([np.sin(across * t + phase), np.sin(along * t)])
    return f"knot of {NUMBERS[across]} by {NUMBERS[along]}", [curve]


def grapes(rng):
    n, leaf = rng.integers(3, 6), rng.random() < 0.5
    size = 0.9 / n
    curves = [line((0, -1), (0, -0.75))]
    for row in range(n):
        count = n - row
        xs = (np.arange(count) - (count - 1) / 2) * 2 * size
        curves += [arc(x, -0.6 + size + row * 1.7 * size * 0.95, size, size) for x in xs]
    curves += [bend([(0, -0.8), (0.5, -1), (0.9, -0.8), (0.5, -0.7), (0, -0.8)])] if leaf else []
    return f"grapes in {some(n, 'row')}{' with a leaf' * leaf}", curves


def jug(rng):
    handles, lid = rng.integers(1, 3), rng.choice(["a cross", "a crescent", "a crown", "no lid"])
    curves = both(
        bend([(0.25, -0.45), (0.2, -0.2), (0.5, 0.15), (0.4, 0.6), (0.15, 0.8)]),
        line((0.15, 0.8), (0.35, 1), (0, 1)),
    )
    curves += [line((-0.3, -0.45), (0.3, -0.45)), line((-0.48, 0.1), (0.48, 0.1))]
    curves += [line((-0.47, 0.3), (0.47, 0.3))]
    grip = bend([(0.25, -0.35), (0.7, -0.4), (0.85, 0), (0.5, 0.25)])
    curves += both(grip) if handles == 2 else [grip]
    curves += {
        "a cross": [line((0, -0.45), (0, -1)), line((-0.2, -0.8), (0.2, -0.8))],
        "a crescent": [arc(0, -0.75, 0.25, 0.25, -20, 200), arc(0, -0.85, 0.25, 0.2, 0, 180)],
        "a crown": [
            line(
                (-0.3, -0.45),
                (-0.35, -0.95),
                (-0.15, -0.65),
                (0, -1),
                (0.15, -0.65),
                (0.35, -0.95),
                (0.3, -0.45),
            )
        ],
        "no lid": [],
    }[lid]
    return f"jug of {some(handles, 'handle')} with {lid}", curves


def hills(rng):
    n, top = rng.integers(3, 7), rng.choice(["a cross", "a star", "nothing"])
    lower = n - n // 2
    xs = (np.arange(lower) - (lower - 1) / 2) * 1.6 / lower
    curves = [arc(x, 0.9, 0.85 / lower, 0.8, 180, 360) for x in xs]
    upper = n - lower
    xs = (np.arange(upper) - (upper - 1) / 2) * 1.6 / lower
    curves += [arc(x, 0.2, 0.8 / lower, 0.6, 180, 360) for x in xs]
    curves.append(line((-0.9, 0.9), (0.9, 0.9)))
    tip = {
        "a cross": [line((0, -1), (0, 1)), line((-0.6, -0.3), (0.6, -0.3))],
        "a star": wreath([line((0, 0), (0, 1))], 5),
        "nothing": [],
    }[top]
    return f"{some(n, 'hill')} below {top}", curves + placed(tip, 0, -0.7, 0.3, 0.3)


def scales(rng):
    pans, frame = rng.choice(["round", "flat", "three-cornered"]), rng.random() < 0.4
    pan = {
        "round": arc(0.6, 0.4, 0.3, 0.3, 0, 180),
        "flat": line((0.3, 0.4), (0.4, 0.55), (0.8, 0.55), (0.9, 0.4)),
        "three-cornered": line((0.3, 0.4), (0.6, 0.75), (0.9, 0.4)),
    }[pans]
    curves = both(pan, line((0.3, 0.4), (0.9, 0.4)), line((0.3, 0.4), (0.6, -0.4), (0.9, 0.4)))
    curves += [bend([(-0.6, -0.4), (0, -0.5), (0.6, -0.4)]), line((0, -0.9), (0, -0.1))]
    curves += [arc(0, -0.95, 0.1, 0.08)] + ([arc(0, 0.05, 1, 1)] if frame else [])
    return f"{pans} scales{' in a circle' * frame}", curves


def spiral(rng):
    turns, hand = rng.integers(2, 5), rng.choice([-1, 1])
    t = np.linspace(0, 1, 60 * turns)
    angle = 2 * np.pi * turns * t
    curve = np.column_stack([hand * t * np.cos(angle), t * np.sin(angle)])
    return f"{'left' if hand < 0 else 'right'} spiral of {some(turns, 'turn')}", [curve]


def serpent(rng):
    n, crowned = rng.integers(2, 5), rng.random() < 0.5
    y = np.linspace(-0.6, 1, 2 * n + 2)
    x = 0.6 * np.where(np.arange(len(y)) % 2, 1, -1) * np.linspace(0.6, 1, len(y))
    body = bend(np.column_stack([x, y]))
    curves = [([body], 0.16), arc(x[0], -0.75, 0.2, 0.14)]
    if crowned:
        half = [(0.2, 0.1), (0.25, -0.25), (0.08, 0), (0, -0.3)]
        curves += placed(both(line(*half)), x[0], -0.9, 0.6, 0.35)
    return f"{'crowned ' * crowned}serpent of {some(n, 'coil')}", curves


def letters(rng, n=None):
    """One to four letters in a row, as single lines or as outlines."""
    n = rng.integers(1, 4) if n is None else n
    signs = "".join(rng.choice(list(LETTERS), n))
    outline = rng.random() < 0.5
    curves: list = []
    width = 1 / (1.35 * n - 0.35)
    for k, sign in enumerate(signs):
        x = -1 + width + 2.7 * width * k
        glyph = placed(_letter(sign), x, 0, 0.85 * width if outline else width, 1)
        # The outlines of a letter are merged into one.
        curves += [(glyph, 0.5 * min(width, 0.6))] if outline else glyph
    return f"{'outlined ' * outline}{signs}", curves


def _letter(sign):
    curves = []
    for part in LETTERS[sign].split(","):
        digits = [(int(pair[0]) / 2 - 1, int(pair[1]) / 3 - 1) for pair in part.strip("~").split()]
        curves.append(bend(digits) if part.startswith("~") else line(*digits))
    return curves


def shield(rng):
    shape = rng.choice(["heater", "round", "scrolled", "oval"])
    if shape == "oval":
        outline = arc(0, 0, 0.85, 1)
    else:
        side = {
            "heater": [(0.85, -1), (0.85, -0.4), (0.7, 0.3), (0, 1)],
            "round": [(0.8, -1), (0.82, 0), (0.65, 0.7), (0, 1)],
            "scrolled": [(0.65, -0.95), (0.95, -0.7), (0.75, 0), (0.85, 0.5), (0.4, 0.85), (0, 1)],
        }[shape]
        half = bend(side)
        top = line((0, -0.85), (0.65, -0.95)) if shape == "scrolled" else line((0, -1), side[0])
        right = np.vstack([top[:1], half])
        outline = np.vstack([right, right[::-1] * [-1, 1]])
    charge = rng.choice(
        ["plain", "bend", "chevron", "fess", "pale", "quarters", "bars", "lozenges"]
    )
    n = rng.integers(2, 5) if charge in ("bars", "lozenges") else 0
    curves = {
        "plain": [],
        "bend": [line((-1, -0.9), (1, 0.7)), line((-1, -0.6), (1, 1))],
        "chevron": [line((-1, 0.5), (0, -0.3), (1, 0.5)), line((-1, 0.8), (0, 0), (1, 0.8))],
        "fess": [line((-1, -0.25), (1, -0.25)), line((-1, 0.15), (1, 0.15))],
        "pale": [line((-0.25, -1), (-0.25, 1)), line((0.25, -1), (0.25, 1))],
        "quarters": [line((0, -1), (0, 1)), line((-1, -0.1), (1, -0.1))],
        "bars": [line((-1, y), (1, y)) for y in np.linspace(-0.6, 0.5, n)],
        "lozenges": [
            line((-1, y), (1, y + s)) for y in np.linspace(-0.8, 0.8, n + 1) for s in (0.7, -0.7)
        ],
    }[charge]
    curves = [inside(curve, outline) for curve in curves]
    kind = f"{NUMBERS[n]} {charge}" if n else charge
    return f"{shape} shield, {kind}", [outline, *(curve for curve in curves if len(curve) > 1)]


MOTIFS = (
    rings,
    star,
    sun,
    cross,
    crescent,
    heart,
    lily,
    flower,
    branch,
    horn,
    bell,
    anchor,
    arrows,
    keys,
    bull,
    crown,
    tower,
    wheel,
    knot,
    grapes,
    jug,
    hills,
    scales,
    spiral,
    serpent,
    letters,
    shield,
)
