"""Hostile inputs for all that is public: images, things that are none, names, folders, files.

What is new in the package meets them without being named, see tests/faults/test_hostile.py.
``HYPOTHESIS_PROFILE=extended`` tries every image with every combination of options.
"""

import atexit
import functools
import inspect
import io
import itertools
import os
import shutil
import struct
import tempfile
import zlib

import numpy as np
import scipy.sparse as sp
from PIL import Image, features
from public import things
from sklearn.utils._param_validation import StrOptions
from strategies import EXTENDED

from sklearn_nrcdt import MaxNRCDT

# Enough for every way through the code.
FEW = {"n_angles": 8, "n_quantiles": 5, "n_cells": 32, "n_harmonics": 2, "n_candidates": 2}


# --- images -------------------------------------------------------------------------------


def _with(shape, *places, value=1.0):
    image = np.zeros(shape)
    for place in places:
        image[place] = value
    return image


def images():
    """Degenerate images, all of them allowed: finite, non-negative, of at least one pixel."""
    rng = np.random.default_rng(0)
    square = _with((12, 12), np.s_[3:8, 4:9], np.s_[3:5, 9:11])
    wild = 10.0 ** rng.uniform(-300, 300, (12, 12))
    return {
        "blank": np.zeros((12, 12)),
        "constant": np.ones((12, 12)),
        "one pixel": _with((12, 12), (5, 7)),
        "corner": _with((12, 12), (0, 0)),
        "two corners": _with((12, 12), (0, 0), (-1, -1)),
        "four corners": _with((12, 12), (0, 0), (-1, -1), (0, -1), (-1, 0)),
        "frame": 1.0 - _with((12, 12), np.s_[1:-1, 1:-1]),
        "all but one pixel": 1.0 - _with((12, 12), (5, 7)),
        "row": _with((12, 12), np.s_[4, :]),
        "column": _with((12, 12), np.s_[:, 4]),
        "diagonal": np.eye(12),
        "checkerboard": np.indices((12, 12)).sum(axis=0) % 2 * 1.0,
        "noise": rng.random((12, 12)),
        "salt": (rng.random((12, 12)) < 0.03) + _with((12, 12), (0, 5)),
        "1 x 1": np.ones((1, 1)),
        "1 x 2": np.array([[0.0, 1.0]]),
        "1 x 49": np.arange(49.0)[None],
        "49 x 1": np.arange(49.0)[:, None],
        "2 x 2": np.array([[1.0, 0.0], [0.0, 0.0]]),
        "long, both ends": _with((9, 300), np.s_[:, 0], np.s_[:, -1]),
        "long, three pixels": _with((3, 200), (0, 0), (2, 199), (1, 100)),
        "high": _with((300, 9), np.s_[::40, :]),
        "far away": _with((200, 200), (0, 0), (0, 1), (1, 0), (199, 198)),
        "subnormal": square * 5e-324,
        "largest": square * np.finfo(float).max,
        "largest float32": (square * np.finfo(np.float32).max).astype(np.float32),
        "least float32": (square * np.finfo(np.float32).smallest_subnormal).astype(np.float32),
        "near one": 1 + square * 1e-15,
        "wild": wild,
        "one bright": square * 1e-30 + _with((12, 12), (11, 0), value=1e30),
        "negative zeros": np.where(square > 0, 1, -0.0),
        "bool": square > 0,
        "uint8": (square * 255).astype(np.uint8),
        "int64": (square * 2.0**62).astype(np.int64),
        "uint64": np.where(square > 0, np.uint64(2**64 - 1), np.uint64(0)),
        "float16": (square * 60000).astype(np.float16),
    }


def not_images():
    """What cannot be meant as images."""
    good = np.ones((3, 6, 6))
    endless: list = []
    endless.append(endless)
    broken = sp.csr_array(np.eye(3, 36))
    broken.indices[1] = 10**6
    return {
        "NaN": np.where(np.eye(6), np.nan, good),
        "infinity": np.where(np.eye(6), np.inf, good),
        "negative": good - 2,
        "negative infinity": np.where(np.eye(6), -np.inf, good),
        "complex": good * 1j,
        "text": good.astype(str),
        "bytes": good.astype("S3"),
        "times": np.ones((3, 6, 6), "m8[s]"),
        "dates": np.ones((3, 6, 6), "M8[s]"),
        "structured": np.zeros((3, 6, 6), [("a", "f4"), ("b", "i2")]),
        "objects": np.full((3, 6, 6), None),
        "dictionaries": np.array([[{}, {}], [{}, {}]], object),
        "number": 3.0,
        "nothing": None,
        "line": np.ones(36),
        "0-d": np.array(1.0),
        "no images": good[:0],
        "no rows": good[:, :0],
        "no columns": good[:, :, :0],
        "4-d": np.ones((3, 6, 6, 2)),
        "6-d": np.ones((1, 2, 1, 2, 1, 2)),
        "colour": np.ones((2, 16, 16, 3), np.uint8),
        "masked": np.ma.array(good, mask=good > 0),
        "ragged": [[1, 2], [3]],
        "list with None": [np.ones((4, 4)), None],
        "list with NaN": [np.ones((4, 4)), np.full((5, 3), np.nan)],
        "list of empty images": [np.ones((0, 4)), np.ones((4, 0))],
        "empty list": [],
        "endless list": endless,
        "endless integers": [[10**400] * 4, [1] * 4],
        "a name": "scan.png",
        "bytes of a file": b"\x89PNG",
        "names": ["a.png", "b.png"],
        "dictionary": {"images": good},
        "set": {1, 2, 3},
        "class": int,
        "generator": (image for image in good),
        "sparse NaN": sp.csr_array(np.where(np.eye(36), np.nan, 1)[:3]),
        "sparse, negative": sp.csr_array(-np.eye(3, 36)),
        "sparse, wrong indices": broken,
        "sparse, complex": sp.csr_array(np.eye(3, 36) * 1j),
    }


# --- estimators and functions -------------------------------------------------------------


def options(kind):
    """Parameter -> its options, of those that are chosen from a list."""
    found = {}
    for name, constraints in kind._parameter_constraints.items():
        for constraint in constraints if isinstance(constraints, list) else []:
            if isinstance(constraint, StrOptions):
                found.setdefault(name, []).extend(sorted(constraint.options))
    # Metrics want features of their own kinds, and to search at all scales takes long.
    left_out = {"metric", "n_jobs"} if EXTENDED else {"metric", "n_jobs", "scales"}
    return {name: values for name, values in found.items() if name not in left_out}


def variants(kind):
    """Parameters: the default ones, then each other option alone, or all combinations."""
    plain = {name: value for name, value in FEW.items() if name in kind().get_params()}
    chosen = options(kind)
    if EXTENDED:
        for values in itertools.product(*chosen.values()):
            yield plain | dict(zip(chosen, values, strict=True))
        return
    yield plain
    for name, values in chosen.items():
        for value in values:
            if value != getattr(kind(), name):
                yield plain | {name: value}


def ordinary(n=6, side=16):
    """Images that are nothing special."""
    rng = np.random.default_rng(1)
    return rng.random((n, side, side)) * (rng.random((n, side, side)) < 0.3)


_scratch = tempfile.mkdtemp(prefix="hostile-")
atexit.register(shutil.rmtree, _scratch, ignore_errors=True)
# What functions want, by the name of the parameter, perhaps after that of the function.
IMAGES = dict.fromkeys(("images", "X", "photos", "drawings"), ordinary(3))
ARGUMENTS = IMAGES | {
    "matrix": np.eye(2),
    "random_state": 0,
    "cut": "ignore",
    "path": _scratch,
    "characters": "ab",
    "font": io.BytesIO(b"no font"),
    "aligned_pairwise_distances.X": np.eye(2, 16),
    "make_linmnist.images": ordinary(20),
    "make_linmnist.labels": np.arange(20) % 10,
    "make_paper_scans.shape": (64, 64),
    "paper_lines.photos": ordinary(1, 8),
    "make_symbols.n_samples_per_class": 1,
    "make_symbols.templates": ordinary(2),
    "certified_radius.n_angles": 16,
    "make_drawings.n_drawings": 1,
    "transform_to_npy.transformer": MaxNRCDT(4).fit(ordinary()),
    "transform_to_npy.path": os.path.join(_scratch, "features.npy"),
}


# What some functions take, and others cannot mean.
ACCEPTED = {
    "stack_images": {"generator", "NaN", "infinity", "negative", "negative infinity"}
    | {"list with NaN"},
    "make_paper_scans": {"generator"},
    "paper_lines": {"generator", "negative"},
}


def functions():
    """All public functions with good arguments: name -> (function, arguments)."""
    found = {}
    for name, thing in things().items():
        if isinstance(thing, type):
            continue
        good = {}
        for parameter in inspect.signature(thing).parameters.values():
            own = f"{thing.__name__}.{parameter.name}"
            if own in ARGUMENTS or (parameter.default is parameter.empty):
                known = own if own in ARGUMENTS else parameter.name
                assert known in ARGUMENTS, f"say in hostile.ARGUMENTS what {own} is"
                good[parameter.name] = ARGUMENTS[known]
            elif parameter.name in ("random_state", "cut"):
                good[parameter.name] = ARGUMENTS[parameter.name]
        found[name] = (thing, good)
    return found


def values():
    """What no parameter means, or only one that takes everything."""
    strange = (None, "nonsense", "", b"nonsense", True, 1j, [], (), {}, object(), ["a", None])
    arrays = ([np.nan] * 3, np.ones((2, 2)), np.array([]), (0, 0), (2, 1), (np.inf, np.nan))
    return [*strange, *arrays, -1, 0, 0.5, np.nan, np.inf, 1e300, 1e-300, 1e6, -1e6]


def not_labels():
    """What cannot be labels of six samples."""
    return {
        "None among strings": ["a", None] * 3,
        "NaN among strings": ["a", np.nan] * 3,
        "NaN among objects": np.array(["a", np.nan] * 3, object),
        "strings and numbers": ["a", 1] * 3,
        "strings and numbers, objects": np.array(["a", 1] * 3, object),
        "no strings": np.array([1, 2] * 3, object),
        "NaN": [0.0, np.nan] * 3,
        "infinity": [0.0, np.inf] * 3,
        "fractions": np.linspace(0, 1, 6),
        "complex": [1j, 2] * 3,
        "no time": np.array(["2020", "NaT"] * 3, "M8[Y]"),
        "records": np.zeros(6, [("a", int)]),
        "masked": np.ma.array([0, 1] * 3, mask=[0, 1] * 3),
        "bytes": [b"a", b"b"] * 3,
        "two columns": np.eye(6, 2, dtype=int),
        "ragged": [[1, 2], [3]] * 3,
        "dictionaries": [{}] * 6,
        "sparse": sp.csr_array(np.arange(6)[:, None]),
        "one": 1,
        "a word": "ababab",
        "too few": [0, 1],
        "too many": [0, 1] * 4,
        "none": [],
    }


# --- names, files, folders ----------------------------------------------------------------

NAMES = [
    "plain",
    "with spaces  and dots . .",
    "-rf",
    "--report",
    "'\"`$(touch x);&|",
    "<script>document.title='owned'<",
    "<img src=x onerror=document.title='owned'>",
    "&lt;b&gt;&amp;",
    "]]><!--",
    "{{ 7 * 7 }} %s %n ${HOME} {0}",
    '=HYPERLINK("x")',
    "a,b;c\td",
    "two\nlines\rthree",
    "\x1b[31mred\x07",
    "e\u0301 and \u00e9",
    "\u202egnp.\u0000"[:-1],
    "\u4e2d\u6587 \U0001f600",
    "\ufeff\u200b",
    "NUL",
    "a" * 240,
    b"\xff",
    b"\xfe",
    b"\xff\xfe\x00"[:2],
]


def write_pictures(folder, names=NAMES, size=48):
    """Write small drawings by hostile names, dark on white, no two alike; return how many."""
    os.makedirs(folder, exist_ok=True)
    for k, name in enumerate(names):
        picture = np.full((size, size), 255, np.uint8)
        picture[8 : 30 + k % 8, 10:16] = picture[8:14, 10 : 24 + k // 2] = 0
        buffer = io.BytesIO()
        Image.fromarray(picture).save(buffer, "PNG")
        with open(os.path.join(os.fsencode(folder), os.fsencode(name) + b".png"), "wb") as file:
            file.write(buffer.getvalue())
    return len(names)


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(width, height, *chunks):
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = b"".join(chunks) or _chunk(b"IDAT", zlib.compress(bytes(1000)))
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + body + _chunk(b"IEND", b"")


def _saved(kind, size=(64, 64), **more):
    buffer = io.BytesIO()
    Image.new("L", size).save(buffer, kind, **more)
    return buffer.getvalue()


def _of_another_size(content, size, pattern):
    """Let a file say that it is larger: replace width and height wherever they stand together."""
    old, new = struct.pack(pattern, *size), struct.pack(pattern, 60_000, 60_000)
    assert old in content
    return content.replace(old, new)


@functools.cache
def files():
    """Files by the names of pictures that hold none, lie about their size, or inflate."""
    zeros = zlib.compress(bytes(2**27), 1)
    pixels = _chunk(b"IDAT", zlib.compress(bytes(17 * 16)))
    found = {
        "empty.png": b"",
        "page.png": b"<html><script>alert(1)</script></html>",
        "program.jpg": b"\x7fELF" + bytes(100),
        "half.png": _saved("PNG")[:60],
        "huge.png": _png(100_000, 100_000),
        "inflating.png": _png(16, 16, _chunk(b"IDAT", zeros)),
        "profile.png": _png(16, 16, _chunk(b"iCCP", b"a\0\0" + zeros), pixels),
        "profile.jpg": _saved("JPEG", icc_profile=os.urandom(2**20)),
        "profile.tif": _saved("TIFF", icc_profile=bytes(2**24)),
    }
    if features.check("webp"):
        found["profile.webp"] = _saved("WEBP", icc_profile=bytes(2**24))
    if features.check("jpg_2000"):
        found["huge.jp2"] = _of_another_size(_saved("JPEG2000"), (64, 64), ">II")
    if features.check("avif"):
        found["huge.avif"] = _of_another_size(_saved("AVIF"), (64, 64), ">II")
    return found


def write_hostile_folder(folder):
    """A folder with all of that, links in circles, pipes and devices; two good pictures."""
    write_pictures(folder, ["good", "also good"])
    for name, content in files().items():
        (folder / name).write_bytes(content)
    (folder / "folder.png").mkdir()
    (folder / "circle.png").symlink_to("circle.png")
    (folder / "nowhere.png").symlink_to("gone.png")
    (folder / "up").symlink_to("..", target_is_directory=True)
    (folder / "endless.png").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.png")
    return 2
