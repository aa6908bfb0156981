"""
The same pipeline with other features
=====================================

You have a pipeline of pixels or histograms of oriented gradients (HOG), principal components and a
classifier. It works as long as everything lies as in the training data. Replace the step that
computes the features, and leave everything else as it is.
"""

# %%
# The pipeline that you have
# --------------------------
# Upright digits, a step for the features, principal components, a linear classifier.
import matplotlib.pyplot as plt
import numpy as np
from skimage.feature import hog
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_nrcdt import InvariantHOG
from sklearn_nrcdt.datasets import affine, stack_images

digits = load_digits()
# Three times as large, on a canvas on which a turned digit fits, too.
images = affine(stack_images(digits.images, shape=(64, 64)), 3 * np.eye(2))
train, test = train_test_split(
    np.arange(len(images)), train_size=500, test_size=300, stratify=digits.target, random_state=0
)


def as_rows(images):
    return images.reshape(len(images), -1)


def gradients(images):
    return np.stack(
        [hog(image, pixels_per_cell=(8, 8), cells_per_block=(2, 2)) for image in images]
    )


def pipeline(features):
    return Pipeline(
        [
            ("features", features),
            ("pca", PCA(0.99)),
            ("classify", LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3)),
        ]
    )


# %%
# The swap
# --------
# One step of the pipeline changes. All three learn upright digits well.
models = {
    "pixels": pipeline(FunctionTransformer(as_rows)),
    "HOG": pipeline(FunctionTransformer(gradients)),
    "InvariantHOG": pipeline(InvariantHOG()),
}
for name, model in models.items():
    model.fit(images[train], digits.target[train])
    print(f"{name:12s} upright: {model.score(images[test], digits.target[test]):.3f}")
models["InvariantHOG"]

# %%
# What changes
# ------------
# All were trained on upright digits. Now the test images are turned, sheared and squeezed, more and
# more.


def turn(angle):
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return np.array([[c, -s], [s, c]])


KINDS = {
    "turned by (degrees)": (np.arange(0, 181, 30), turn),
    "sheared by (degrees)": (
        np.arange(0, 41, 8),
        lambda angle: np.array([[1, np.tan(np.radians(angle))], [0, 1]]),
    ),
    "width (per cent)": (np.arange(100, 39, -12), lambda width: np.diag([width / 100, 1])),
}
LOOKS = {"pixels": ("s:", "#9a9a9a"), "HOG": ("^--", "#c8553d"), "InvariantHOG": ("o-", "#3b7dd8")}

figure, axes = plt.subplots(
    2, 3, figsize=(9, 4.8), layout="constrained", height_ratios=[1, 3.2], squeeze=False
)
for (top, axis), (kind, (amounts, matrix)) in zip(axes.T, KINDS.items(), strict=True):
    scores = {name: [] for name in models}
    shown = []
    for amount in amounts:
        moved = affine(images[test], matrix(amount))
        shown.append(moved[7, 14:-14, 14:-14])
        for name, model in models.items():
            scores[name].append(model.score(moved, digits.target[test]))
    for name, (style, colour) in LOOKS.items():
        axis.plot(amounts, scores[name], style, color=colour, label=name)
        print(f"{kind} {amounts[-1]}, {name}: {scores[name][-1]:.3f}")
    top.imshow(np.hstack(shown[:: (len(shown) - 1) // 2]), cmap="gray")
    top.set_axis_off()
    axis.set(ylim=(0, 1.02), xlabel=kind)
    axis.grid(alpha=0.3)
    if amounts[0] > amounts[-1]:
        axis.invert_xaxis()
axes[1, 0].set_ylabel("accuracy")
axes[1, 2].legend(frameon=False, loc="lower left")
plt.show()
# sphinx_gallery_thumbnail_number = 1

# %%
# The others need training data in all poses to do the same: :doc:`plot_digits` gives it to them.
