"""
Which invariance do I need?
===========================

Choose the smallest group that contains the maps between your images. More invariance than you need
costs accuracy: shapes that the group maps onto each other become equal. In each of these four small
tasks, a different choice of :class:`~sklearn_nrcdt.InvariantHOG` wins.
"""

# %%
# Four tasks
# ----------
# Each task has one template per class. Samples are templates under random maps of one group, with a
# slight random wave on top, so that no two of them are equal.
import matplotlib.pyplot as plt
import numpy as np
from skimage.draw import polygon
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import InvariantHOG, NearestTemplateClassifier
from sklearn_nrcdt.datasets import affine, load_symbols, random_wave

rng = np.random.default_rng(0)
SIZE, CENTRE = 128, 64


def draw(*corners):
    """Fill a polygon whose corners are given as (x, y), y up, in pixels from the centre."""
    image = np.zeros((SIZE, SIZE), np.float32)
    x, y = np.array(corners).T
    image[polygon(CENTRE - y, CENTRE + x, image.shape)] = 1
    return image


def box(width, height):
    return draw((-width, -height), (width, -height), (width, height), (-width, height))


def hook(x, y):
    """A flag on a post; the signs of x and y say on which side and at which end."""
    corners = [(-14, -24), (-8, -24), (-8, 4), (14, 4), (14, 24), (-14, 24)]
    return draw(*[(x * a, y * b) for a, b in corners])


def turn(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def any_map():
    stretch = np.diag(rng.uniform(0.6, 1.2, 2))
    return turn(rng.uniform(0, 6.3)) @ stretch @ turn(rng.uniform(0, 6.3))


def similarity():
    return rng.uniform(0.6, 1.1) * turn(rng.uniform(0, 6.3))


def slant():
    width, height = rng.uniform(0.4, 1.2, 2)
    return np.array([[width, rng.uniform(-0.9, 0.9)], [0, height]])


def scale():
    return rng.uniform(0.6, 1.1) * np.eye(2)


diamond = draw((0, -30), (30, 0), (0, 30), (-30, 0))
leaning = draw((-34, -20), (6, -20), (34, 20), (-6, 20))
tasks = {
    "any pose": (load_symbols(size=SIZE).images, any_map),
    "flat scans": (np.stack([box(26, 26), box(30, 22), box(34, 18), box(38, 13)]), similarity),
    "handwriting": (np.stack([hook(x, y) for x in (1, -1) for y in (1, -1)]), slant),
    "icons": (np.stack([box(24, 24), diamond, leaning, box(32, 16), box(16, 32)]), scale),
}
data = {}
for name, (templates, draw_map) in tasks.items():
    target = np.repeat(np.arange(len(templates)), 15)
    samples = np.concatenate([affine(templates[k : k + 1], draw_map()) for k in target])
    data[name] = templates, random_wave(samples, amplitude=(0.5, 1.5), random_state=0), target

figure, axes = plt.subplots(4, 8, figsize=(9, 4.8), layout="constrained")
for row, (name, (templates, samples, target)) in zip(axes, data.items(), strict=True):
    for k in range(4):
        row[2 * k].imshow(templates[k], cmap="bone")
        row[2 * k + 1].imshow(samples[target == k][1], cmap="gray")
    row[0].set_ylabel(name)
for axis in axes.flat:
    axis.set(xticks=[], yticks=[])
figure.suptitle("four templates of each task, a sample to the right of each")
plt.show()

# %%
# Four invariances
# ----------------
# The nearest template decides.
invariances = ["affine", "similarity", "slant", "scale"]
accuracy = np.empty((4, 4))
for i, (templates, samples, target) in enumerate(data.values()):
    for j, invariance in enumerate(invariances):
        model = make_pipeline(InvariantHOG(invariance), NearestTemplateClassifier())
        model.fit(templates, np.arange(len(templates)))
        accuracy[i, j] = model.score(samples, target)

figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
axis.imshow(accuracy, cmap="Blues", vmin=0, vmax=1.2)
axis.set_xticks(range(4), invariances)
axis.set_yticks(range(4), list(data))
axis.set(xlabel="invariance", title="accuracy of the nearest template")
for i, j in np.ndindex(4, 4):
    weight = "bold" if accuracy[i, j] == accuracy[i].max() else "normal"
    colour = "white" if accuracy[i, j] > 0.7 else "black"
    axis.text(j, i, f"{accuracy[i, j]:.2f}", ha="center", va="center", weight=weight, color=colour)
plt.show()

# %%
# - **Any pose**: symbols that are stretched and turned at will need ``"affine"``.
# - **Flat scans**: boxes differ in nothing but their aspect ratio, which ``"affine"`` removes.
#   ``"similarity"`` keeps it, and a scanner never changes it.
# - **Handwriting**: the flag is at the left or right, at the top or bottom, like b, d, p and q.
#   Both choices that remove rotations mix them up. ``"slant"`` lets letters lean and be wide or
#   narrow; ``"scale"`` does not.
# - **Icons**: a square, a diamond and a leaning box differ by a rotation or a slant. Where only
#   size and place vary, ``"scale"`` is right.
