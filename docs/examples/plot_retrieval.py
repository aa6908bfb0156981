"""
Search a whole collection at once
=================================

You have a collection of shapes without labels. Show one, and get all others of its kind. A search
that compares shapes two by two misses those that differ too much. But the collection knows more:
between two very different shapes there are often others that resemble both. Diffusion finds these
chains of neighbours.
"""

# %%
# The collection
# --------------
# Silhouettes of creatures. A kind has limbs of certain lengths and widths at certain places; each
# creature holds them in its own way, and lies as it likes.
import matplotlib.pyplot as plt
import numpy as np

from sklearn_nrcdt import ShapeClassifier
from sklearn_nrcdt.datasets import random_affine

N_KINDS, N_EACH, SIDE = 20, 12, 96
rng = np.random.default_rng(0)
y, x = np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2


def kind():
    """Return where limbs start, how long and how wide they are, and the size of the body."""
    n_limbs = rng.integers(3, 7)
    start = np.sort(rng.uniform(0, 2 * np.pi, n_limbs))
    return start, rng.uniform(10, 26, n_limbs), rng.uniform(2.5, 6, n_limbs), rng.uniform(7, 13)


def creature(start, lengths, widths, body):
    """Draw one of a kind, its limbs bent at the knee."""
    seen = x**2 + (y / rng.uniform(0.8, 1.25)) ** 2 < body**2
    for angle, length, width in zip(start, lengths, widths, strict=True):
        angle += rng.normal(scale=0.12)
        length *= np.exp(rng.normal(scale=0.12))
        knee = angle + rng.normal(scale=0.5)
        for step in np.linspace(0, 1, 25):
            upper, lower = min(step, 0.5) * length, max(step - 0.5, 0) * length
            row = (body - 2 + upper) * np.sin(angle) + lower * np.sin(knee)
            column = (body - 2 + upper) * np.cos(angle) + lower * np.cos(knee)
            seen |= (y - row) ** 2 + (x - column) ** 2 < (width * (1 - 0.4 * step)) ** 2
    return seen.astype(np.float32)


kinds = [kind() for _ in range(N_KINDS)]
upright = np.stack([creature(*limbs) for limbs in kinds for _ in range(N_EACH)])
names = np.repeat(np.arange(N_KINDS), N_EACH)
images = random_affine(upright, scale=(1, 1), shear=(0, 0), cut="ignore", random_state=0)
print(f"{len(images)} silhouettes, {N_EACH} of each kind")

# %%
# Two by two
# ----------
# Every shape is a template of its own. ``kneighbors`` then finds, for each of them, the shapes that
# match best. The usual score is the "bull's eye": how many of the shapes of the same kind are among
# the first 24, twice as many as there are.
N_SHOWN = 2 * N_EACH
n = len(images)
model = ShapeClassifier("similarity").fit(images, np.arange(n))
costs, neighbours = model.kneighbors(images, N_SHOWN)


def bulls_eye(found):
    return (names[found] == names[:, None]).sum(axis=1) / N_EACH


print(f"two by two: {bulls_eye(neighbours).mean():.3f}")

# %%
# Diffusion
# ---------
# Join every shape to its nearest neighbours, with weights that fall off with the cost, relative to
# what is usual around these two shapes. Then walk on this graph from both ends: two shapes become
# similar if their neighbours are similar. Choose fewer neighbours than there are shapes of a kind.
N_NEIGHBOURS = 8


def diffuse(costs, neighbours, n_steps=5):
    """Return similarities of all shapes, from the costs of their nearest neighbours."""
    n, k = len(costs), N_NEIGHBOURS
    scale = np.maximum(costs[:, k], 1e-9)  # that of neighbour k + 1, the shape itself included
    graph = np.zeros((n, n))
    near, rows = neighbours[:, :k], np.arange(n)[:, None]
    graph[rows, near] = np.exp(-(costs[:, :k] ** 2) / (scale[:, None] * scale[near]))
    step = graph / graph.sum(axis=1, keepdims=True)
    similarity = step
    for _ in range(n_steps):
        similarity = step @ similarity @ step.T + np.eye(n)
    return similarity + similarity.T


diffused = np.argsort(-diffuse(costs, neighbours), axis=1, kind="stable")[:, :N_SHOWN]
print(f"diffused:   {bulls_eye(diffused).mean():.3f}")

# %%
# What comes back
# ---------------
# Four queries, and some of the first eleven shapes that were found for each: two by two in the
# upper row, diffused in the lower. Shapes of another kind are orange. These are the queries that
# gain most.
gain = bulls_eye(diffused[:, :N_EACH]) - bulls_eye(neighbours[:, :N_EACH])
queries = [np.flatnonzero(names == k)[gain[names == k].argmax()] for k in range(N_KINDS)]
queries = sorted(queries, key=lambda q: -gain[q])[:4]
figure, axes = plt.subplots(8, 7, figsize=(7, 8.2), layout="constrained")
for row, query in enumerate(queries):
    for line, (name, found) in enumerate({"two by two": neighbours, "diffused": diffused}.items()):
        panels = axes[2 * row + line]
        panels[0].set_ylabel(name, fontsize=11)
        for panel, k in zip(panels, [query, *found[query, 1:12:2]], strict=True):
            wrong = names[k] != names[query]
            panel.imshow(images[k], cmap="Oranges_r" if wrong else "gray")
            panel.set(xticks=[], yticks=[])
axes[0, 0].set_title("query", fontsize=12)
for panel, place in zip(axes[0, 1:], range(1, 12, 2), strict=True):
    panel.set_title(f"no. {place}", fontsize=12)
plt.show()

# %%
# All of this takes time that grows with the square of the collection, and the matrices must fit
# into memory: fine for thousands of shapes. In larger collections, diffuse among the first few
# hundred answers to a query.
