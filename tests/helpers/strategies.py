"""Random images, transformers and rubbish for the property tests, and their two profiles.

The profile ``fast`` is part of the suite: few cases, always the same ones. The profile
``extended`` draws new ones by the thousand; CONTRIBUTING.md has the command.
"""

import atexit
import os
import shutil
import tempfile
from collections import Counter
from functools import wraps

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sklearn_nrcdt import NRCDT, InvariantHOG, MaxNRCDT, MeanNRCDT, RadonCDT, SpectralNRCDT

_ALL = {
    "deadline": None,
    "database": None,  # no file is left behind
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
}
settings.register_profile("fast", max_examples=12, derandomize=True, **_ALL)
settings.register_profile("extended", max_examples=600, print_blob=True, **_ALL)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "fast")
EXTENDED = PROFILE == "extended"
settings.load_profile(PROFILE)
# What hypothesis learns about the source code it would otherwise leave in the working folder.
if "HYPOTHESIS_STORAGE_DIRECTORY" not in os.environ:
    _storage = tempfile.mkdtemp(prefix="hypothesis-")
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = _storage
    atexit.register(shutil.rmtree, _storage, ignore_errors=True)

# How many cases each law was tried on; `conftest.py` prints them.
CASES: Counter[str] = Counter()


def law(**strategies):
    """Like `hypothesis.given`, with a count of the cases in which the law held."""

    def decorate(test):
        @wraps(test)
        def counted(*args, **kwargs):
            test(*args, **kwargs)
            CASES[test.__name__] += 1

        return given(**strategies)(counted)

    return decorate


def few(law):
    """A law whose cases are slow: a tenth of the profile's number of them."""
    return settings(max_examples=max(5, settings().max_examples // 10))(law)


# --- images -----------------------------------------------------------------------------

INTEGERS = [f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)]
FLOATS = ["float16", "float32", "float64"]
DTYPES = ["bool", *INTEGERS, *FLOATS, "longdouble"]


def _pixel(rng, shape):
    figure = np.zeros(shape)
    figure[tuple(rng.integers(side) for side in shape)] = 1
    return figure


def _line(rng, shape):
    h, w = shape
    figure = np.zeros(shape)
    ends = rng.random((2, 2)) * (h - 1, w - 1)
    r, c = np.round(np.linspace(*ends, 2 * max(shape))).astype(int).T
    figure[r, c] = 1
    return figure


def _rectangle(rng, shape):
    (top, bottom), (left, right) = (np.sort(rng.integers(0, side, 2)) for side in shape)
    figure = np.zeros(shape)
    figure[top : bottom + 1, left : right + 1] = 1
    return figure


FIGURES = {
    "noise": lambda rng, shape: rng.random(shape),
    "salt": lambda rng, shape: (rng.random(shape) < 0.05) * rng.random(shape),
    "pixel": _pixel,
    "line": _line,
    "rectangle": _rectangle,
    "constant": lambda rng, shape: np.ones(shape),
    "checkerboard": lambda rng, shape: np.indices(shape).sum(axis=0) % 2 * 1.0,
    "ramp": lambda rng, shape: np.indices(shape).sum(axis=0) / max(1, sum(shape) - 2),
    # Bright and dark by as many orders of magnitude as the dtype has.
    "wild": lambda rng, shape: 10.0 ** rng.uniform(-600, 0, shape),
    "blank": lambda rng, shape: np.zeros(shape),
}


def _grey(figure, dtype, brightness):
    """A figure of values in [0, 1] as grey values of a dtype, up to a share of its largest."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return figure > 0
    if dtype.kind == "f":
        limits = np.finfo(np.float64 if dtype.itemsize > 8 else dtype)
        largest = {
            "dark": limits.smallest_subnormal,
            "dim": limits.tiny * 1000,
            "plain": 1.0,
            "bright": float(limits.max) / 1000,
            "brightest": limits.max,
        }[brightness]
        with np.errstate(under="ignore"):
            return (figure * float(largest)).astype(dtype)
    most = int(np.iinfo(dtype).max)
    largest = {"dark": 1, "dim": 2, "plain": 100, "bright": most - 1, "brightest": most}[brightness]
    # float64 cannot hold the largest integers: by halves, and those of 1 on their own.
    grey = (figure * (largest // 2)).astype(dtype)
    grey = np.maximum(grey, (figure > 0).astype(dtype))
    return np.where(figure == 1, dtype.type(largest), grey).astype(dtype)


image_shapes = st.tuples(st.integers(1, 64), st.integers(1, 64))
BRIGHTNESS = ["plain", "dark", "dim", "bright", "brightest"]


@st.composite
def stacks(draw, dtypes=DTYPES, figures=tuple(FIGURES), shapes=image_shapes, max_images=4):
    """Stacks of images of all shapes, dtypes and grey values, some blank ones among them."""
    shape = draw(shapes)
    dtype = draw(st.sampled_from(dtypes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = draw(st.lists(st.sampled_from(figures), min_size=1, max_size=max_images))
    brightness = draw(st.sampled_from(BRIGHTNESS))
    return np.stack([_grey(FIGURES[kind](rng, shape), dtype, brightness) for kind in kinds])


@st.composite
def full_images(draw, shapes=image_shapes):
    """float64 images without a dark pixel: their projections have no gaps."""
    shape = draw(shapes)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.uniform(0.1, 1, (draw(st.integers(1, 3)), *shape))


# --- transformers -----------------------------------------------------------------------

VARIANTS = [
    (RadonCDT, {}),
    (RadonCDT, {"scaling": "wasserstein"}),
    (NRCDT, {}),
    (MaxNRCDT, {}),
    (MeanNRCDT, {}),
    (MeanNRCDT, {"weighting": "precision"}),
    (SpectralNRCDT, {}),
    (SpectralNRCDT, {"keep": "circle"}),
    (SpectralNRCDT, {"reflection": "ignore", "n_harmonics": 3}),
    (InvariantHOG, {}),
    (InvariantHOG, {"invariance": "similarity", "keep": "circle"}),
    (InvariantHOG, {"invariance": "slant", "reflection": "ignore"}),
    (InvariantHOG, {"invariance": "scale"}),
]


@st.composite
def transformers(draw, variants=VARIANTS, n_angles=(1, 2, 3, 4, 5, 8, 12, 15, 32), **params):
    """Unfitted transformers of all kinds."""
    kind, extra = draw(st.sampled_from(variants))
    if kind is InvariantHOG:
        return kind(
            **extra,
            n_cells=draw(st.sampled_from([16, 33])),
            **params,
        )
    return kind(
        draw(st.sampled_from(n_angles)),
        draw(st.sampled_from(["auto", 2, 3, 40, 200])),
        draw(st.sampled_from([1, 2, 3, 8, 17])),
        quantiles=draw(st.sampled_from(["means", "points"])),
        **extra,
        **params,
    )


# --- rubbish ----------------------------------------------------------------------------

# All of Unicode would take hypothesis a second to list.
text = st.text(st.sampled_from("aZ09 .-\nß漢🐚"), max_size=3)
dtypes = hnp.scalar_dtypes().filter(lambda dtype: dtype.kind != "U")
records = st.lists(dtypes, min_size=1, max_size=2).map(
    lambda kinds: np.dtype([(f"f{k}", kind) for k, kind in enumerate(kinds)])
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, -1, 2**63, 2**64, np.nan, np.inf, -np.inf, 1e308, "", "3", b"x"]),
    st.floats(),
    st.complex_numbers(),
    text,
    st.decimals(),
    st.dates(),
)
rubbish = st.one_of(
    scalars,
    st.recursive(scalars, lambda inner: st.lists(inner, max_size=3), max_leaves=12),
    hnp.arrays(dtypes, hnp.array_shapes(min_dims=0, max_dims=5, max_side=4)),
    hnp.arrays(records, hnp.array_shapes(max_dims=3, max_side=3)),
    hnp.arrays("U3", hnp.array_shapes(max_dims=3, max_side=3), elements=text),
    st.dictionaries(text, scalars, max_size=2),
    st.sets(st.integers(0, 5), max_size=3),
)
