"""The bounds that the paper prints: radii solve them, and ours are larger."""

import numpy as np
from scipy.spatial.distance import pdist

from benchmarks.accuracy.guarantees import COLUMNS
from benchmarks.command import ROOT
from benchmarks.paper.bounds import diameter, max_moves, mean_moves, radii
from benchmarks.tables import read_csv
from sklearn_nrcdt.guarantees import certified_radius
from sklearn_nrcdt.guarantees._max import Boxes
from sklearn_nrcdt.guarantees._mean import Means
from sklearn_nrcdt.guarantees._templates import load_templates

OFF = ~np.eye(6, dtype=bool)


def ingredients(shapes, feature):
    _, templates = load_templates(shapes, None, 128, 66)
    bounds = Boxes(templates, np.inf, False) if feature == "max" else Means(templates, False, False)
    return bounds.features, np.array([template.smallest_std for template in templates])


def test_max_radii_solve_the_inequality_of_the_theorem(shapes):
    features, std = ingredients(shapes, "max")
    size = np.linspace(1, 2, 6)
    near, pairs = radii("paper", "max", features, features, std, size)
    distance = np.abs(features[:, None] - features).max(axis=2)
    nearest = np.where(OFF, distance, np.inf).min(axis=1) / 2
    for factor, holds in ((1 - 1e-9, True), (1 + 1e-6, False)):
        moved = max_moves(factor * pairs, std[:, None], size[:, None])
        moved += max_moves(factor * pairs, std, size)
        assert ((moved < distance)[OFF] == holds).all()
        assert ((max_moves(factor * near, std, size) < nearest) == holds).all()


def test_mean_radii_are_the_formula_of_the_theorem(shapes):
    features, std = ingredients(shapes, "mean")
    near, pairs = radii("paper", "mean", features, features, std, None)
    distance = np.sqrt(np.square(features[:, None] - features).sum(axis=2) / 66)
    np.testing.assert_allclose(pairs, np.minimum(std[:, None], std) * distance / 8)
    np.testing.assert_allclose(near, std * np.where(OFF, distance, 9).min(axis=1) / 8)
    np.testing.assert_allclose(mean_moves(near, std), np.where(OFF, distance, 9).min(axis=1) / 2)


def test_ours_are_larger(shapes):
    side = np.sqrt(2) / 48
    for feature in ("max", "mean"):
        features, std = ingredients(shapes, feature)
        report = certified_radius(shapes, feature=feature)
        for bound in ("paper", "earlier"):
            near, pairs = radii(bound, feature, features, features, std, np.full(6, 0.8))
            assert (report.radius * side > pairs)[OFF].all()
            assert (report.template_radius * side > near).all()


def test_diameter_is_the_largest_distance_of_pixel_corners(rng):
    pixels = rng.integers(0, 30, size=(40, 2))
    corners = np.concatenate([pixels + np.array([i, j]) for i in (0, 1) for j in (0, 1)])
    assert np.isclose(diameter(pixels * 0.1, 0.1), pdist(corners).max() * 0.1)


def test_stored_radii_are_in_order():
    """Of each template: the earlier bounds, the certificates, the truth, the attack."""
    rows = read_csv(ROOT / "benchmarks" / "accuracy" / "results" / "guarantees.csv")
    assert len(rows) == 60
    for row in rows:
        r = {name: float(row[name]) for name in COLUMNS}
        assert not r["paper"] > r["earlier"]  # NaN where the paper has no bound
        assert r["earlier"] < r["rigorous"] < r["certified"] < min(r["estimate"], r["attack"])
