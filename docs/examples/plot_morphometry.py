"""
How do these shapes vary? Transport-based morphometry
=====================================================

Two groups of cells look alike at first sight. What is the difference, and what does a typical
cell of each group look like? Principal components of pixels look like ghosts. Principal components
of the R-CDT look like cells: the transform turns the movement of mass into straight lines, and
:meth:`~sklearn_nrcdt.RadonCDT.inverse_transform` turns every point of such a line back into an
image.
"""

# %%
# Two groups of cells
# -------------------
# Each cell is a soft-edged outline around a nucleus. In both groups, cells vary in size and
# elongation. In the second group, the nucleus lies slightly towards one end.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import RadonCDT

rng = np.random.default_rng(0)
SIZE = 64
x, y = np.meshgrid(np.linspace(-1, 1, SIZE), np.linspace(1, -1, SIZE))


def cell(group):
    width = 0.55 * np.exp(rng.normal(scale=0.15))
    height = 0.38 * np.exp(rng.normal(scale=0.15))
    edge = np.hypot(x / width, y / height)
    body = 1 / (1 + np.exp((edge - 1) * 14))
    place = (rng.normal(scale=0.08) + 0.16 * group) * width / 0.55
    nucleus = np.exp(-((x - place) ** 2 + y**2) / (2 * 0.11**2))
    return body + 2 * nucleus


group = np.repeat([0, 1], 100)
cells = np.stack([cell(g) for g in group])

figure, axes = plt.subplots(2, 7, figsize=(8, 2.5), layout="constrained")
for g, row in enumerate(axes):
    row[0].set_ylabel("AB"[g], rotation=0, ha="right", va="center", fontsize=14)
    for axis, image in zip(row, cells[group == g], strict=False):
        axis.imshow(image, cmap="magma", vmin=0, vmax=3)
        axis.set(xticks=[], yticks=[])
plt.show()

# %%
# Modes of variation
# ------------------
# ``scaling="wasserstein"`` makes Euclidean distances sliced Wasserstein distances, so that variance
# is measured by how far mass moves. Each row goes along one principal component, from two standard
# deviations below the mean to two above.
transform = RadonCDT(n_angles=120, n_quantiles=128, scaling="wasserstein")
rows = transform.fit_transform(cells)
transport, pixels = PCA(3).fit(rows), PCA(3).fit(cells.reshape(len(cells), -1))
STEPS = np.array([-2, -1, 0, 1, 2])


def along(pca, k):
    return pca.mean_ + np.outer(STEPS * np.sqrt(pca.explained_variance_[k]), pca.components_[k])


def draw_modes(pca, to_images, title):
    figure, axes = plt.subplots(3, 5, figsize=(7, 4.6), layout="constrained")
    for k, row in enumerate(axes):
        share = pca.explained_variance_ratio_[k]
        row[0].set_ylabel(f"mode {k + 1}\n{share:.0%}", rotation=0, ha="right", va="center")
        images = to_images(along(pca, k))
        for axis, image in zip(row, images, strict=True):
            axis.imshow(image, cmap="magma", vmin=0, vmax=images[2].max())
            axis.set(xticks=[], yticks=[])
    for axis, step in zip(axes[0], STEPS, strict=True):
        axis.set_title(f"{step:+d} std" if step else "mean")
    figure.suptitle(title)
    plt.show()


draw_modes(transport, transform.inverse_transform, "modes of the R-CDT")
# sphinx_gallery_thumbnail_number = 2

# %%
# Width, height, place of the nucleus: three modes, one for each thing that varies. Principal
# components of the pixels need more of them for the same share of the variance, and they paint
# light and shadow where an edge or a nucleus moves.
draw_modes(pixels, lambda modes: modes.reshape(-1, SIZE, SIZE).clip(0), "modes of the pixels")

for name, data in (("R-CDT", rows), ("pixels", cells.reshape(len(cells), -1))):
    shares = np.cumsum(PCA(10).fit(data).explained_variance_ratio_)
    print(
        f"{name:6s} variance explained by 1, 2, 3, 5, 10 modes:", shares[[0, 1, 2, 4, 9]].round(3)
    )

# %%
# What tells the groups apart?
# ----------------------------
# A linear classifier after the PCA does about as well on pixels as on the R-CDT. But on the R-CDT
# you can look at what it has found: its direction leads from a typical cell of group A to a typical
# one of group B.
lda = LinearDiscriminantAnalysis()
pca = PCA(10)
for name, data in (("R-CDT", rows), ("pixels", cells.reshape(len(cells), -1))):
    scores = cross_val_score(make_pipeline(pca, lda), data, group, cv=5)
    print(f"{name:6s} accuracy {scores.mean():.3f}")

reduced = pca.fit_transform(rows)
lda.fit(reduced, group)
# The covariance turns the weights into the direction in which cells vary along with the answer.
direction = np.cov(reduced.T) @ lda.coef_[0]
direction /= np.sqrt(lda.coef_[0] @ direction)
between = reduced.mean(axis=0) + np.outer(STEPS, direction)
images = transform.inverse_transform(pca.inverse_transform(between))

figure, axes = plt.subplots(1, 5, figsize=(7, 2), layout="constrained")
for axis, image in zip(axes, images, strict=True):
    axis.imshow(image, cmap="magma", vmin=0, vmax=images[2].max())
    axis.set(xticks=[], yticks=[])
axes[0].set_title("more like A")
axes[-1].set_title("more like B")
plt.show()
