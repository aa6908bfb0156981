"""How close certified radii are to the truth.

For symbols, characters and logos (twelve templates each, nearest of all), in pixels: the radius by
the bound of the paper, by our first one, by `certified_radius` without and with its numerical
error, its first-order estimate, and the smallest perturbation that an attack by gradients found
(see `attack`). The truth lies between the certificate and the attack. Then the radii of all
pairs of symbols, the affine maps that the mean admits, and the error of the grid of `MaxNRCDT`.
Draws the pictures of docs/guarantees.md.
"""

import numpy as np

from benchmarks.accuracy.attack import Attack, distances, feature_of
from benchmarks.command import store
from benchmarks.paper import bounds
from benchmarks.tables import as_stored, markdown, save_figure, stored, write_tables
from sklearn_nrcdt.datasets import load_symbols
from sklearn_nrcdt.guarantees import certified_radius
from sklearn_nrcdt.guarantees._max import Boxes
from sklearn_nrcdt.guarantees._mean import Means
from sklearn_nrcdt.guarantees._radius import _ball_radii, _box_radius
from sklearn_nrcdt.guarantees._templates import Template, load_templates

N_CELLS, COARSE, FINE = 66, 128, 2048
# Feature: order of the Wasserstein distance, metric of the nearest template.
KINDS = {"max": (np.inf, "chebyshev"), "mean": (2, "euclidean"), "weighted_mean": (2, "euclidean")}
COLUMNS = ["paper", "earlier", "certified", "rigorous", "estimate", "attack"]


def sets(args):
    """Return names, images, twelve of them, the features to measure, and templates of all."""
    size = 32 if args.quick else 128
    images = load_symbols(size=size).images
    kinds = ["max"] if args.quick else list(KINDS)
    found = [(f"symbols, {size} x {size}", images, np.arange(12), kinds)]
    for name, path in (("characters", args.characters), ("logos", args.logos)):
        if path is not None and not args.quick:
            with np.load(path) as file:
                images = file["images"] / 255.0
            size = images.shape[1]
            chosen = np.random.default_rng(0).choice(len(images), 12, replace=False)
            found.append((f"{name}, {size} x {size}", images, chosen, ["max"]))
    return [(*one, load_templates(one[1], None, COARSE, N_CELLS)[1]) for one in found]


def pixels(image):
    """Centers, masses and side of the pixels of an image."""
    side = np.sqrt(2) / max(image.shape)
    rows, columns = np.nonzero(image)
    (height, width), mass = image.shape, image[rows, columns] / image.sum()
    x, y = (columns - (width - 1) / 2) * side, ((height - 1) / 2 - rows) * side
    return np.column_stack([x, y]), mass, side


def radius(feature, template, features, i, rigorous):
    """Certified radius of a template among stored features."""
    others = np.delete(features, i, axis=0)
    if feature == "max":
        boxes = Boxes([template], np.inf, rigorous)
        return float(_box_radius(boxes, 0, others, False))
    means = Means([template] * (len(others) + 1), feature == "weighted_mean", rigorous)
    means.features[1:] = others
    return float(_ball_radii(means, 0, np.arange(len(means.features)) == 0, 0.0)[1])


def earlier_bounds(feature, images, templates, features, others):
    """Yield the paper's bound and our first one: name, radii for the nearest, radii of pairs."""
    std, reach = (np.array([getattr(t, name) for t in templates])
                  for name in ("smallest_std", "reach"))  # fmt: skip
    extent = np.array([bounds.diameter(*pixels(image)[::2]) for image in images])
    for name, size in (("paper", extent), ("earlier", reach)):
        if feature in bounds.BOUNDS[name]:
            yield name, *bounds.radii(name, feature, features, others, std, size)


def template_rows(loaded):
    """Yield a row for each template and feature."""
    for name, images, chosen, kinds, templates in loaded:
        side = pixels(images[0])[2]
        fine = {i: Template(*pixels(images[i]), FINE, N_CELLS) for i in chosen}
        own = images[chosen], [templates[i] for i in chosen]
        for feature in kinds:
            order, metric = KINDS[feature]
            features = np.stack([feature_of(template, feature) for template in templates])
            earlier = list(earlier_bounds(feature, *own, features[chosen], features))
            for position, i in enumerate(chosen):
                close = np.argsort(distances(features[i], features, metric))[:9]
                report = certified_radius(images[close], feature=feature)
                found = {bound: nearest[position] for bound, nearest, _ in earlier}
                found["certified"] = radius(feature, templates[i], features, i, False)
                found["rigorous"] = radius(feature, fine[i], features, i, True)
                found["estimate"] = report.template_estimate[0] * side
                attack = Attack(*pixels(images[i]), i, features, feature, order, metric)
                found["attack"] = attack.smallest(found["certified"], found["estimate"])
                row = {"images": name, "feature": feature, "template": int(i)}
                yield row | {
                    column: f"{found.get(column, np.nan) / side:.4f}" for column in COLUMNS
                }


def pair_rows(args):
    """Yield radii of all pairs of symbols."""
    size = 64 if args.quick else 256
    images = load_symbols(size=size).images
    side, templates = load_templates(images, None, COARSE, N_CELLS)
    i, j = np.triu_indices(12, 1)
    for feature in KINDS:
        features = np.stack([feature_of(template, feature) for template in templates])
        earlier = earlier_bounds(feature, images, templates, features, features)
        found = {bound: pairs[i, j] / side for bound, _, pairs in earlier}
        for name, rigorous in (("certified", False), ("rigorous", True)):
            if rigorous and feature != "max":
                continue
            report = certified_radius(images, feature=feature, rigorous=rigorous)
            found[name] = report.radius[i, j]
        for name, values in found.items():
            yield {
                "images": f"symbols, {size} x {size}",
                "feature": feature,
                "bound": name,
                "smallest": f"{values.min():.3f}",
                "median": f"{np.median(values):.3f}",
                "largest": f"{values.max():.3f}",
                "above 1 px": f"{np.mean(values > 1):.0%}",
            }


def anisotropy_rows(loaded):
    """Yield the anisotropy of affine maps that the mean admits, for the nearest template."""
    for name, _, chosen, _, templates in loaded:
        means = Means(templates, False, False)
        found = []
        for i in chosen:
            distance = means.directions(i)[0]
            nearest = np.delete(distance, i).min()
            same = np.arange(len(distance)) == i
            # The total variation of the density of the angles: 4 / pi arcsin q.
            shift = np.sin(np.pi / 8 * nearest)
            earlier = 2 * shift / (1 - shift)
            found.append((nearest / 2, earlier, _ball_radii(means, i, same, 0.0)[2]))
        paper, earlier, certified = np.median(found, axis=0)
        yield {
            "images": name,
            "paper": f"{paper:.3f}",
            "earlier": f"{earlier:.3f}",
            "certified": f"{certified:.2f}",
        }


def grid_rows(args):
    """Yield the error that the grid of angles leaves in the max NR-CDT, under affine maps.

    In the maximum norm, for symbols under random maps of condition up to 4: angles spread evenly
    in the image, as those of `MaxNRCDT`, or evenly in the frame of the shape.
    """
    n_maps = 5 if args.quick else 50
    _, templates = load_templates(load_symbols(size=64).images, None, 1024, N_CELLS)
    features = np.stack([feature_of(template, "max") for template in templates])
    nearest = [np.sort(distances(row, features, "chebyshev"))[1] for row in features]
    rng = np.random.default_rng(0)
    maps = [(*rng.uniform(0, np.pi, 2), 4 ** rng.random()) for _ in range(n_maps)]
    for n_angles in (64, 128, 256, 512):
        for frame in ("image", "shape"):
            errors, proved = [], []
            for template, feature in zip(templates, features, strict=True):
                for start, turn, condition in maps:
                    angles = start / n_angles + np.pi * np.arange(n_angles // 2) / (n_angles // 2)
                    if frame == "image":
                        angles = _in_frame(template, angles, turn, condition)
                    # The nearest directions of a grid that is fine enough.
                    lines = np.rint(angles / (2 * template.half_gap)).astype(int)
                    lines %= len(template.functions)
                    some = template.functions[np.unique(lines), 1:-1]
                    seen = np.maximum(some.max(axis=0), -some.min(axis=0)[::-1])
                    errors.append(np.abs(feature - seen).max())
                    gaps = np.diff(np.append(np.sort(angles), np.sort(angles)[0] + np.pi))
                    proved.append(template.reach * np.sin(min(gaps.max() / 2, np.pi / 2)))
            yield {
                "angles": n_angles,
                "even in": f"the {frame}",
                "median error": f"{np.median(errors):.4f}",
                "largest": f"{np.max(errors):.3f}",
                "proved, median": f"{np.median(proved):.3f}",
                "nearest symbol": f"{np.median(nearest):.2f}",
            }


def _in_frame(template, angles, turn, condition):
    """Angles in the frame of a template, of those in the image of its map by diag(c, 1) R."""
    cos, sin = np.cos(turn), np.sin(turn)
    matrix = np.diag([condition, 1]) @ np.array([[cos, -sin], [sin, cos]])
    x, y = (Template.directions(angles) @ matrix @ np.linalg.inv(template.whitening)).T
    return np.arctan2(y, x) % np.pi


def tables(results):
    """Return the tables of the page by the names of their files."""
    rows, pairs, anisotropies, grids = stored(
        results, "guarantees", "guarantees_pairs", "guarantees_anisotropy", "guarantees_grid"
    )
    lines = []
    for images, feature in dict.fromkeys((row["images"], row["feature"]) for row in rows):
        group = [row for row in rows if (row["images"], row["feature"]) == (images, feature)]
        values = np.array([[float(row[column]) for column in COLUMNS] for row in group])
        ratio = np.median(values[:, 5] / values[:, 2])
        medians = ["" if np.isnan(m) else f"{m:.3f}" for m in np.median(values, axis=0)]
        void = f"{np.mean(values[:, 3] > 0):.0%}"
        lines.append([feature.replace("_", " "), images, *medians, f"{ratio:.1f}", void])
    head = ["feature", "images", *COLUMNS, "attack / certified", "rigorous > 0"]
    kept = ["feature", "bound", "smallest", "median", "largest", "above 1 px"]
    pairs = [{key: row[key].replace("_", " ") for key in kept} for row in pairs]
    return {
        "guarantees": markdown(head, lines) if lines else "",
        "guarantees_pairs": as_stored(pairs),
        "guarantees_anisotropy": as_stored(anisotropies),
        "guarantees_grid": as_stored(grids),
    }


def picture(rows):
    """Draw radii of the symbols by every bound, the estimate and the attack, for each feature."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    styles = {
        "attack": ("^-", "#d55e00", "attack (upper bound)"),
        "estimate": ("x--", "#808080", "estimate"),
        "certified": ("o-", "#0072b2", "certified"),
        "rigorous": ("o:", "#0072b2", "certified, rigorous"),
        "earlier": ("s-", "#56b4e9", "our earlier bound"),
        "paper": ("v-", "#009e73", "the paper's bound"),
    }
    every = figure.subplots(1, len(KINDS), sharey=True)
    for axes, (feature, (order, _)) in zip(every, KINDS.items(), strict=True):
        group = [row for row in rows if row["feature"] == feature and "symbols" in row["images"]]
        for column, (style, color, label) in styles.items():
            values = [float(row[column]) for row in group]
            if not np.isnan(values).all():
                axes.plot(np.arange(1, 13), values, style, color=color, ms=4, lw=1, label=label)
        distance = "2" if order == 2 else "infinity"
        title = f"{feature.replace('_', ' ')}, Wasserstein-{distance}"
        axes.set(yscale="log", title=title, xlabel="symbol", xticks=np.arange(1, 13))
        axes.grid(axis="y", which="both", lw=0.3, color="0.85")
    every[0].set_ylabel(f"radius in pixels ({rows[0]['images'].partition(', ')[2]})")
    handles, labels = every[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, fontsize=8, frameon=False)
    return figure


def heat_map(size):
    from matplotlib.figure import Figure

    symbols = load_symbols(size=size)
    figure = Figure(figsize=(6.2, 5.2), layout="constrained")
    certified_radius(symbols.images, symbols.target).plot(figure.subplots())
    return figure


def run(args):
    """Measure, write the tables of the page and draw its pictures."""
    loaded = sets(args)
    rows = store(args, "guarantees", template_rows(loaded))
    store(args, "guarantees_pairs", pair_rows(args))
    store(args, "guarantees_anisotropy", anisotropy_rows(loaded))
    store(args, "guarantees_grid", grid_rows(args))
    write_tables(args.docs, tables(args.results))
    save_figure(args, picture(rows), "guarantees_conservative", 100)
    save_figure(args, heat_map(64 if args.quick else 256), "guarantees_heatmap", 80)
