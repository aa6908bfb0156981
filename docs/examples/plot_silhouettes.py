"""
Leaves: scanned flat, or photographed
=====================================

A willow leaf is more or less a long beech leaf. A classifier that ignores all affine maps ignores
proportions, too. So ask how the pictures were taken. On a scanner, a leaf may lie anywhere and
either side up, but it keeps its proportions: use ``invariance="similarity"``. In a photograph from
the side it does not: use ``invariance="affine"``.
"""

# %%
# Leaves, drawn
# -------------
# Six kinds of leaves. The outline runs around a mid-rib; a kind is described by its length,
# where it is widest, and the teeth or lobes at its edge. No two leaves of a kind are equal.
import matplotlib.pyplot as plt
import numpy as np
from skimage.draw import polygon
from sklearn.model_selection import StratifiedShuffleSplit, cross_val_score

from sklearn_nrcdt import ShapeClassifier
from sklearn_nrcdt.datasets import affine

rng = np.random.default_rng(0)
# Length over width, place of the widest point, number and depth of lobes.
KINDS = {
    "beech": (1.5, 0.5, 0, 0.0),
    "willow": (4.0, 0.5, 0, 0.0),
    "poplar": (1.3, 0.3, 0, 0.0),
    "oak": (1.6, 0.6, 4, 0.3),
    "nettle": (2.2, 0.4, 9, 0.16),
    "chestnut": (2.8, 0.65, 14, 0.1),
}


def leaf(ratio, widest, n_lobes, depth):
    """Draw a leaf of about 110 pixels length on 160 x 160 pixels, its tip to the right."""
    ratio *= np.exp(rng.normal(scale=0.06))
    widest += rng.normal(scale=0.03)
    along = np.linspace(0, 1, 400)
    # Zero at both ends, one at the widest place.
    power = np.log(0.5) / np.log(widest)
    half = np.sin(np.pi * along**power) ** 0.9
    edges = []
    for side in (1, -1):
        phase = rng.uniform(0, 0.6)
        lobes = 1 + depth * np.cos(2 * np.pi * (n_lobes * along + phase)) - depth
        bumps = 1 + 0.04 * np.sin(2 * np.pi * (rng.uniform(1, 3) * along + rng.uniform()))
        edges.append(side * half * lobes * bumps / (2 * ratio))
    bend = rng.normal(scale=0.02) * np.sin(np.pi * along)
    x = 110 * (np.concatenate([along, along[::-1]]) - 0.5)
    y = 110 * np.concatenate([edges[0] + bend, (edges[1] + bend)[::-1]])
    image = np.zeros((160, 160), np.float32)
    image[polygon(80 - y, 80 + x, image.shape)] = 1
    return image


N_LEAVES = 25
names = np.repeat(list(KINDS), N_LEAVES)
leaves = np.stack([leaf(*KINDS[name]) for name in names])

# %%
# Two ways to take a picture
# --------------------------
# On the scanner a leaf is turned, flipped half of the time, and young leaves are smaller. The
# camera looks from the side as well: what is farther away is foreshortened, in any direction.


def turn(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def scanner():
    flip = np.diag([1, rng.choice([-1, 1])])
    return rng.uniform(0.6, 1.1) * turn(rng.uniform(0, 2 * np.pi)) @ flip


def camera():
    return turn(rng.uniform(0, 2 * np.pi)) @ np.diag([1, rng.uniform(0.25, 1)]) @ scanner()


pictures = {
    "scanner": affine(leaves, np.stack([scanner() for _ in leaves])),
    "camera": affine(leaves, np.stack([camera() for _ in leaves])),
}

figure, axes = plt.subplots(3, 6, figsize=(8, 4.4), layout="constrained")
rows = {"as grown": leaves, **pictures}
for row, (title, images) in zip(axes, rows.items(), strict=True):
    row[0].set_ylabel(title)
    for axis, name in zip(row, KINDS, strict=True):
        axis.imshow(images[names == name][1], cmap="gray")
        axis.set(xticks=[], yticks=[])
        if images is leaves:
            axis.set_title(name)
plt.show()

# %%
# Which invariance wins?
# ----------------------
# The same classifier for both, five leaves of each kind to learn from, the rest to test.
# ``reflection="ignore"`` because a leaf may lie either side up.
split = StratifiedShuffleSplit(1, train_size=5 * len(KINDS), random_state=0)
accuracy = {}
for taken, images in pictures.items():
    for invariance in ("similarity", "affine"):
        model = ShapeClassifier(invariance, reflection="ignore")
        accuracy[taken, invariance] = cross_val_score(model, images, names, cv=split).mean()

figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
colours = {"similarity": "#3b7dd8", "affine": "#f2a541"}
for k, (taken, invariance) in enumerate(accuracy):
    value = accuracy[taken, invariance]
    place = k + (k > 1) * 0.6
    axis.barh(place, value, color=colours[invariance])
    axis.text(value - 0.02, place, f"{value:.2f}", ha="right", va="center", color="black")
    print(f"{taken}, {invariance}: {value:.3f}")
axis.set_yticks([0, 1, 2.6, 3.6], [f"{taken}, {invariance}" for taken, invariance in accuracy])
axis.invert_yaxis()
axis.set(xlim=(0, 1), xlabel="accuracy with 5 samples per class")
axis.spines[["top", "right"]].set_visible(False)
plt.show()
# sphinx_gallery_thumbnail_number = 1

# %%
# On the scanner, ``"affine"`` mixes up leaves that differ only in their proportions: beech and
# willow. Under the camera, proportions mean nothing, and ``"similarity"`` is misled by them. If you
# do not know how your pictures were taken, choose ``invariance`` by grid search.
