"""How conservative the certificates are.

First, the ingredients and the certified radii of the twelve symbols, by every bound, with the
discretisation error left out and subtracted, and the time that 1,000 templates take. Then,
template by template, the certified radius beside the smallest perturbation among several attacks
for which the nearest template is wrong:

- noise: every pixel moves in a random direction;
- wave: the pixels follow a smooth random wave;
- stray: the outermost hundredth of the mass moves further out (Wasserstein-2 only);
- towards: the pixels move towards another template along the optimal transport, after the
  affine map that aligns the two.

The pixels are moved as points, not drawn again, so that a move by epsilon is one. The true
radius of a template lies between the certified one and the smallest that was found.

Needs POT, and draws the pictures of docs/guarantees.md.
"""

import time
from functools import partial

import numpy as np
import ot
from scipy.spatial.distance import cdist

from benchmarks.command import keep_text
from sklearn_nrcdt import MaxNRCDT, MeanNRCDT
from sklearn_nrcdt._kernels.cdt import quantiles
from sklearn_nrcdt._kernels.normalize import max_over_angles, mean_over_angles, normalize
from sklearn_nrcdt.datasets import load_symbols
from sklearn_nrcdt.guarantees import (
    max_nrcdt_radius,
    mean_nrcdt_radius,
    weighted_mean_nrcdt_radius,
)
from sklearn_nrcdt.guarantees._features import DiscreteFeatures

N_ANGLES, N_RADII, N_QUANTILES = 128, 501, 64
GROWTH = 1.1  # of the perturbation from one trial to the next

CERTIFICATES = {
    "max, paper": partial(max_nrcdt_radius, bound="paper"),
    "max, sharp": partial(max_nrcdt_radius, bound="sharp"),
    "mean, paper": partial(mean_nrcdt_radius, bound="paper", anisotropy=0),
    "mean, sharp": partial(mean_nrcdt_radius, bound="sharp", anisotropy=0),
    "weighted mean": weighted_mean_nrcdt_radius,
}
# Feature: its certificates, the metric of the nearest template, the Wasserstein distance.
FEATURES = {
    "max": (["max, paper", "max, sharp"], "chebyshev", np.inf),
    "mean": (["mean, paper", "mean, sharp"], "euclidean", 2),
    "weighted mean": (["weighted mean"], "euclidean", 2),
}


class Cloud:
    """Pixels as points with masses."""

    def __init__(self, points, mass):
        self.points, self.mass = points, mass
        self.mean = mass @ points
        centred = points - self.mean
        values, vectors = np.linalg.eigh((centred * mass[:, None]).T @ centred)
        self.root = vectors * np.sqrt(values) @ vectors.T
        self.white = centred @ np.linalg.inv(self.root)

    def moved(self, moves):
        return Cloud(self.points + moves, self.mass)


def clouds_of(images):
    size = images.shape[1]
    axis = (np.arange(size) - (size - 1) / 2) * np.sqrt(2) / size
    points = np.column_stack([c.ravel() for c in np.meshgrid(axis, -axis)])
    rows = images.reshape(len(images), -1)
    return [Cloud(points[row > 0], row[row > 0] / row.sum()) for row in rows]


def half_transform(points, mass):
    """Quantile functions of half of the directions, by the steps of the estimators."""
    angles = np.pi * np.arange(N_ANGLES // 2) / (N_ANGLES // 2)
    values = points @ np.stack([np.cos(angles), np.sin(angles)])
    bins = np.clip(((values + 1) / 2 * (N_RADII - 1)).astype(int), 0, N_RADII - 2)
    flat = bins + np.arange(len(angles)) * (N_RADII - 1)
    masses = np.bincount(
        flat.ravel(), np.repeat(mass, len(angles)), minlength=len(angles) * (N_RADII - 1)
    )
    return quantiles(masses.reshape(1, len(angles), -1), N_QUANTILES), values


def features(cloud):
    """Return the three features of one cloud."""
    # Points that left the disc are brought back by a scale, which the features do not see.
    points = cloud.points / max(1, np.linalg.norm(cloud.points, axis=1).max())
    half, values = half_transform(points, cloud.mass)
    normal = normalize(half)
    weights = 1 / (cloud.mass @ (values - cloud.mass @ values) ** 2)
    mean = np.average(normal[0], axis=0, weights=weights)
    return {
        "max": max_over_angles(normal, N_ANGLES)[0],
        "mean": mean_over_angles(normal, N_ANGLES)[0],
        "weighted mean": (mean - mean[::-1]) / 2,
    }


# -- attacks: functions epsilon -> moves -----------------------------------------------


def length(moves, mass, order):
    """Wasserstein distance by which moves are measured: the cost of the plan they are."""
    squares = np.square(moves).sum(axis=1)
    return np.sqrt(squares.max() if order == np.inf else mass @ squares)


def noise(cloud, rng):
    angle = rng.uniform(0, 2 * np.pi, len(cloud.mass))
    return np.column_stack([np.cos(angle), np.sin(angle)])


def wave(cloud, rng):
    frequency = 2 * np.pi * rng.uniform(0.5, 2, size=2)
    phase = rng.uniform(0, 2 * np.pi, size=2)
    return np.sin(cloud.points[:, ::-1] * frequency + phase)


def stray(cloud, rng):
    order = np.argsort(-np.linalg.norm(cloud.white, axis=1))
    chosen = order[np.cumsum(cloud.mass[order]) <= 0.01]
    moves = np.zeros_like(cloud.points)
    moves[chosen] = cloud.points[chosen] - cloud.mean
    return moves


def whitened(cloud):
    """NR-CDT of the whitened cloud at all angles: (n_angles, n_quantiles)."""
    scale = np.linalg.norm(cloud.white, axis=1).max()
    half, _ = half_transform(cloud.white / scale, cloud.mass)
    return np.concatenate([half[0], -half[0, :, ::-1]]) * scale


def transport(cloud, other):
    """Moves of the optimal transport to the best aligned affine image of another cloud."""
    best = np.inf
    for mirror in (1, -1):
        flipped = Cloud(other.white * [1, mirror], other.mass)
        ours, theirs = whitened(cloud), whitened(flipped)
        for k in range(N_ANGLES):
            gap = np.square(ours - np.roll(theirs, -k, axis=0)).sum()
            if gap < best:
                best, turn, points = gap, 2 * np.pi * k / N_ANGLES, flipped.white
    cos, sin = np.cos(turn), np.sin(turn)
    aligned = points @ np.array([[cos, -sin], [sin, cos]]) @ cloud.root + cloud.mean
    plan = ot.emd(cloud.mass, other.mass, ot.dist(cloud.points, aligned))
    return plan @ aligned / plan.sum(axis=1, keepdims=True) - cloud.points


def scaled(moves, mass, order):
    """Moves of a given Wasserstein length, in proportion."""
    unit = moves / length(moves, mass, order)
    return lambda epsilon: epsilon * unit


def capped(moves):
    """All points on their way for epsilon, at most to its end."""
    distance = np.linalg.norm(moves, axis=1, keepdims=True)
    return lambda epsilon: moves * np.minimum(1, epsilon / np.maximum(distance, 1e-12))


def attacks(clouds, i, transports, targets, order, rng):
    cloud = clouds[i]
    kinds = [noise, wave, wave, wave] + [stray] * (order == 2)
    for kind in kinds:
        yield kind.__name__, scaled(kind(cloud, rng), cloud.mass, order)
    for j in targets:
        if (i, j) not in transports:
            transports[i, j] = transport(cloud, clouds[j])
        moves = transports[i, j]
        yield "towards", capped(moves) if order == np.inf else scaled(moves, cloud.mass, order)


def first_failure(cloud, label, move, feature, metric, templates, start, stop):
    """Smallest tried epsilon for which the nearest template is another one."""
    epsilon = start
    while epsilon < stop:
        sample = features(cloud.moved(move(epsilon)))[feature]
        if cdist(sample[None], templates, metric).argmin() != label:
            return epsilon
        epsilon *= GROWTH
    return np.inf


# -- tables ----------------------------------------------------------------------------


def certified_table(size):
    images = load_symbols(size=size).images
    side = np.sqrt(2) / size
    print(f"Certified radii of the 66 pairs of symbols, {size} x {size}, in pixels")
    print(f"{'':16s}{'smallest':>10s}{'median':>10s}{'largest':>10s}{'nearest template':>18s}")
    pairs = np.triu_indices(12, 1)
    for name, certificate in CERTIFICATES.items():
        report = certificate(images)
        values = report.radius[pairs] / side
        near = np.median(report.template_radius) / side
        row = f"{values.min():10.3f}{np.median(values):10.3f}{values.max():10.3f}{near:18.3f}"
        print(f"{name:16s}{row}")
    for bound in ("paper", "sharp"):
        report = mean_nrcdt_radius(images, c=0.5, bound=bound)
        values = report.anisotropy[pairs]
        print(
            f"Largest admissible anisotropy without perturbation, {bound}: smallest "
            f"{values.min():.4f}, median {np.median(values):.4f}, largest {values.max():.4f}"
        )


def ingredient_table(size):
    images = load_symbols(size=size).images
    shapes = DiscreteFeatures(images, "max").shapes
    pixels = size / np.sqrt(2)
    print(f"Ingredients of the symbols, {size} x {size}: smallest, median and largest")
    rows = {
        "smallest std, in pixels": shapes.smallest_std * pixels,
        "diameter, in pixels": shapes.diameter * pixels,
        "diameter / std": shapes.diameter / shapes.smallest_std,
        "reach": shapes.reach,
    }
    for transformer, feature in ((MaxNRCDT(), "max"), (MeanNRCDT(), "mean")):
        ours = DiscreteFeatures(images, feature).values
        theirs = transformer.fit_transform(images)
        difference = np.linalg.norm(theirs - ours, axis=1) / np.linalg.norm(ours, axis=1)
        rows[f"{type(transformer).__name__} against the theorem's"] = difference
    for name, values in rows.items():
        print(f"{name:36s}{values.min():9.3f}{np.median(values):9.3f}{values.max():9.3f}")
    print()


def rigorous_table(size):
    images = load_symbols(size=size).images
    pairs = np.triu_indices(12, 1)
    grids = [{}, {"n_angles": 1024, "n_radii": 8193, "n_quantiles": 1023}]
    print(f"\nDiscretisation error subtracted, {size} x {size} pixels")
    print(f"{'':16s}{'n_angles':>9s}{'error':>8s}{'pairs > 0':>11s}{'median radius kept':>20s}")
    for name in ("max, sharp", "mean, sharp", "weighted mean"):
        plain = CERTIFICATES[name](images).radius[pairs]
        for grid in grids:
            report = CERTIFICATES[name](images, rigorous=True, **grid)
            kept = report.radius[pairs] / plain
            row = f"{grid.get('n_angles', 128):9d}{report.error.max():8.3f}"
            print(f"{name:16s}{row}{(kept > 0).sum():11d}{np.median(kept):20.2f}")


def time_table(n):
    images = np.random.default_rng(0).random((n, 32, 32)) ** 8
    print(f"\nSeconds for {n} templates of 32 x 32 pixels, {n * (n - 1) // 2} pairs")
    for name, certificate in CERTIFICATES.items():
        start = time.perf_counter()
        certificate(images)
        print(f"{name:16s}{time.perf_counter() - start:8.1f}")


def empirical_table(size):
    """Print and return the certified and the empirical radii of each template, in pixels."""
    images = load_symbols(size=size).images
    side = np.sqrt(2) / size
    clouds = clouds_of(images)
    of_templates = [features(cloud) for cloud in clouds]
    transports: dict = {}
    results = {}
    for feature, (names, metric, order) in FEATURES.items():
        templates = np.stack([f[feature] for f in of_templates])
        certified = [CERTIFICATES[name](images).template_radius for name in names]
        distances = cdist(templates, templates, metric)
        found = []
        print(f"\n{feature}: radius of the nearest template, {size} x {size}, in pixels")
        header = "".join(f"{name:>15s}" for name in names)
        print(f"{'template':>8s}{header}{'first failure':>15s}  {'by':8s}{'ratio':>7s}")
        for i, cloud in enumerate(clouds):
            targets = np.argsort(distances[i])[1:4]
            rng = np.random.default_rng(i)
            best, by = 1.0, "none"
            for kind, move in attacks(clouds, i, transports, targets, order, rng):
                start = certified[-1][i] * 0.9
                epsilon = first_failure(cloud, i, move, feature, metric, templates, start, best)
                if epsilon < best:
                    best, by = epsilon, kind
            found.append(best)
            row = "".join(f"{c[i] / side:15.4f}" for c in certified)
            ratio = best / certified[-1][i]
            print(f"{i + 1:8d}{row}{best / side:15.3f}  {by:8s}{ratio:7.1f}")
        found = np.array(found)
        ratios = ", ".join(
            f"{np.median(found / c):.1f} ({name})" for c, name in zip(certified, names, strict=True)
        )
        print(f"median of first failure / certified: {ratios}")
        results[feature] = dict(zip(names, np.array(certified) / side, strict=True))
        results[feature]["first failure found"] = found / side
    return results


def pictures(folder, results, size):
    from matplotlib.figure import Figure

    symbols = load_symbols(size=256)
    figure = Figure(figsize=(6.2, 5.2), layout="constrained")
    max_nrcdt_radius(symbols.images, symbols.target, bound="sharp").plot(figure.subplots())
    figure.savefig(folder / "guarantees_heatmap.png", dpi=80)

    figure = Figure(figsize=(10, 3.6), layout="constrained")
    every = figure.subplots(1, len(results), sharey=True)
    distance = {np.inf: "Wasserstein-infinity", 2: "Wasserstein-2"}
    for axes, (feature, curves) in zip(every, results.items(), strict=True):
        styles = {True: ("^-", "tab:red"), False: ("o-", "tab:blue")}
        for name, values in curves.items():
            marker, colour = styles[name == "first failure found"]
            colour = "tab:cyan" if name.endswith("paper") else colour
            axes.plot(np.arange(1, 13), values, marker, color=colour, ms=4, lw=1, label=name)
        axes.fill_between(
            np.arange(1, 13),
            *[curves[name] for name in list(curves)[-2:]],
            color="0.9",
            label="undecided",
        )
        axes.set(
            yscale="log",
            title=f"{feature}, {distance[FEATURES[feature][2]]}",
            xlabel="symbol",
            xticks=np.arange(1, 13),
        )
        axes.legend(fontsize=7, loc="upper left", ncols=2)
    every[0].set_ylabel(f"radius in pixels ({size} x {size})")
    low, high = every[0].get_ylim()
    every[0].set_ylim(low, high * 6)
    figure.savefig(folder / "guarantees_conservative.png", dpi=80)


@keep_text
def run(args):
    large, small, moved, n = (64, 16, 32, 100) if args.quick else (256, 32, 128, 1000)
    ingredient_table(large)
    certified_table(large)
    rigorous_table(small)
    time_table(n)
    pictures(args.docs / "images", empirical_table(moved), moved)
