"""The model of the time that we expect, fitted to what was measured."""

import math

import numpy as np
from scipy.optimize import nnls

# What a term counts, as the page writes it.
TERMS = {
    "call": "calls",
    "pixels": "pixels",
    "entries": "projected pixels x lines x bins touched",
    "bins": "lines x radii",
    "levels": "lines x levels",
}
# Exponent of the time that the model expects where the varied quantity dominates.
EXPECTED = {
    "image side": {"sparse": 2, "dense": 2},
    "non-zero pixels": {"sparse": 1, "dense": 0},
    "angles": {"sparse": 1, "dense": 1},
    "radii": {"sparse": 1, "dense": 1},
    "levels": {"sparse": 1, "dense": 1},
    "images in a call": {"sparse": 0, "dense": 0},
    "number of images": {"sparse": 0, "dense": 0},
}


def counts(row):
    """How often each term of the model occurs for one image.

    Sparse images are projected pixel by pixel, dense ones with all pixels of the window
    around what is not black; its share of the image is 1 unless `row` says otherwise.
    """
    side, angles = int(row["side"]), int(row["angles"])
    radii, levels = int(row["radii"]), int(row["levels"])
    lines = angles / 2 if angles % 2 == 0 else angles
    window = float(row.get("window", 1))
    projected = float(row["filled"]) if row["kind"] == "sparse" else window
    # A pixel's projection is side * (|cos| + |sin|) wide, 4 / pi on average over the angles.
    touched = 1 + 4 / math.pi * math.sqrt(2) / side * (radii - 1) / 2
    return {
        "call": 1 / int(row["images"]),
        "pixels": side**2,
        "entries": projected * side**2 * lines * touched,
        "bins": lines * radii * math.sqrt(window),
        "levels": lines * levels,
    }


def fit(rows):
    """Non-negative nanoseconds for each term, with the smallest relative squared error."""
    design = np.array([list(counts(row).values()) for row in rows])
    times = 1e6 * np.array([float(row["ms"]) for row in rows])
    cost, _ = nnls(design / times[:, None], np.ones(len(times)))
    return dict(zip(TERMS, cost, strict=True))


def predict(cost, row):
    """Milliseconds per image."""
    return sum(cost[term] * count for term, count in counts(row).items()) / 1e6


def errors(cost, rows):
    """Relative error of the model at each row."""
    return np.array([predict(cost, row) / float(row["ms"]) - 1 for row in rows])


def exponent(x, y):
    """Slope of log y over log x on the upper half of the points, and its standard error."""
    keep = slice(len(x) // 2 - 1, None) if len(x) > 3 else slice(None)
    x, y = np.log(np.asarray(x, float)[keep]), np.log(np.maximum(np.asarray(y, float)[keep], 1e-9))
    design = np.stack([x, np.ones_like(x)], axis=1)
    slope, offset = np.linalg.lstsq(design, y, rcond=None)[0]
    residual = y - slope * x - offset
    spread = np.sum((x - x.mean()) ** 2)
    error = math.sqrt(np.sum(residual**2) / max(len(x) - 2, 1) / spread)
    return slope, error


def linear(x, y):
    """Fit y = a + b x with small relative errors; return a, b and the largest relative error."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    design = np.stack([np.ones_like(x), x], axis=1)
    (a, b), _ = nnls(design / y[:, None], np.ones(len(y)))
    return a, b, np.max(np.abs((a + b * x) / y - 1))
