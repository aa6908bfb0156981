"""
Clusters of deformed shapes
===========================

You have no labels. Which of these drawings show the same thing? Each of twelve symbols is drawn
twenty times, bent by a wave, then scaled, turned and sheared at random. Clustering pixels
finds images whose ink happens to overlap. Clustering invariant features finds the symbols.
"""

# %%
# The data
# --------
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from sklearn.cluster import KMeans
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_nrcdt import InvariantHOG, MaxNRCDT, SpectralNRCDT
from sklearn_nrcdt.datasets import load_symbols, make_symbols

symbols = make_symbols(
    20,
    templates=load_symbols(size=128),
    amplitude=(1.0, 3.0),
    scale=(0.6, 1.1),
    shear=(-20, 20),
    random_state=0,
)
print(f"{len(symbols.images)} images of {len(symbols.templates)} symbols")

rng = np.random.default_rng(0)
figure, axes = plt.subplots(3, 8, figsize=(9, 3.6), layout="constrained")
for axis, k in zip(axes.flat, rng.permutation(len(symbols.images)), strict=False):
    axis.imshow(symbols.images[k, 10:118, 10:118], cmap="gray")
    axis.set(xticks=[], yticks=[])
plt.show()

# %%
# Twelve clusters
# ---------------
# ``KMeans`` with twelve clusters, on different features. The adjusted Rand index compares the
# clusters with the symbols: 1 if they are the same, about 0 for clusters at random.


def as_rows(images):
    return images.reshape(len(images), -1)


extractors = {
    "raw pixels": FunctionTransformer(as_rows),
    "max NR-CDT": MaxNRCDT(),
    "spectrum": SpectralNRCDT(),
    "InvariantHOG": InvariantHOG(),
}
features, scores = {}, {}
for name, extractor in extractors.items():
    features[name] = extractor.fit_transform(symbols.images)
    clusters = KMeans(12, n_init=10, random_state=0).fit_predict(features[name])
    scores[name] = adjusted_rand_score(symbols.target, clusters)
    print(f"{name:16s} adjusted Rand index {scores[name]:.3f}")

figure, axis = plt.subplots(figsize=(7, 2.4), layout="constrained")
axis.barh(list(scores), list(scores.values()), color=["#808080"] + ["#0072b2"] * 3)
for position, score in enumerate(scores.values()):
    axis.text(max(score, 0) + 0.01, position, f"{score:z.2f}", va="center")
axis.invert_yaxis()
axis.set(xlim=(-0.02, 1.08), xlabel="adjusted Rand index of 12 clusters")
axis.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The best features for classification need not be the best for clustering. Symbols that share most
# of their contours, such as three shields, are neighbours in ``InvariantHOG``, and without labels
# nothing says that the small difference matters. So we continue with the spectrum, that is
# :class:`~sklearn_nrcdt.SpectralNRCDT`.
#
# A map of the images
# -------------------
# t-SNE places images with similar features next to each other. Every point is an image; its
# colour and marker show the symbol, which t-SNE did not see.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]


def draw_map(axis, rows, title):
    """Return the places of the images, drawn."""
    places = TSNE(perplexity=15, random_state=0).fit_transform(rows)
    for k, label in enumerate(symbols.template_target):
        look = {"color": COLOURS[k % 6], "marker": "o^"[k // 6]}
        axis.scatter(*places[symbols.target == label].T, s=16, linewidths=0, **look)
    axis.set(title=title, xticks=[], yticks=[])
    axis.margins(0.13)
    return places


figure, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
draw_map(axes[0], features["raw pixels"], "raw pixels")
places = draw_map(axes[1], features["spectrum"], "spectrum")
for label, template in zip(symbols.template_target, symbols.templates, strict=True):
    # Above the middle of its points.
    middle = np.median(places[symbols.target == label], axis=0)
    looks = {"cmap": "gray_r", "zoom": 0.4, "interpolation": "hamming", "resample": True}
    picture = OffsetImage(template[30:98, 30:98], **looks)
    box = AnnotationBbox(picture, middle, (0, 26), boxcoords="offset points", pad=0.1)
    axes[1].add_artist(box)
plt.show()
# sphinx_gallery_thumbnail_number = 3

# %%
# What a cluster looks like
# -------------------------
# Features and clustering make one pipeline. Each row is a cluster, the images nearest to its centre
# first, and their number on the left: more than twenty where two symbols were merged, fewer where
# one was split.
model = make_pipeline(SpectralNRCDT(), KMeans(12, n_init=10, random_state=0))
distances = model.fit_transform(symbols.images)
clusters = model[-1].labels_

figure, axes = plt.subplots(12, 8, figsize=(6, 9), layout="constrained")
for row, cluster in zip(axes, range(12), strict=True):
    members = np.flatnonzero(clusters == cluster)
    members = members[distances[members, cluster].argsort()]
    row[0].set_ylabel(len(members), rotation=0, ha="right", va="center")
    for axis in row:
        axis.set(xticks=[], yticks=[])
        axis.set_visible(False)
    for axis, k in zip(row, members, strict=False):
        axis.imshow(symbols.images[k, 16:112, 16:112], cmap="gray")
        axis.set_visible(True)
plt.show()
