"""
Swap the features in an existing pipeline
=========================================

You have a pipeline with a PCA and a classifier, and it works as long as the objects
lie as they did in the training data. Replacing the step that makes the features leaves all the
rest as it is.
"""

# %%
# The pipeline that you have
# --------------------------
# Upright digits as rows of pixels, principal components, a logistic regression.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import Pipeline

from sklearn_nrcdt import SpectralNRCDT
from sklearn_nrcdt.datasets import affine, stack_images

digits = load_digits()
# Three times as large, on a canvas on which a turned digit fits, too.
images = affine(stack_images(digits.images, shape=(64, 64)), 3 * np.eye(2))
rows = images.reshape(len(images), -1)
train, test = train_test_split(
    np.arange(len(rows)), train_size=500, test_size=300, stratify=digits.target, random_state=0
)

pipeline = Pipeline(
    [
        ("features", "passthrough"),
        ("pca", PCA(random_state=0)),
        ("classify", LogisticRegression(C=100, max_iter=1000)),
    ]
)
search = GridSearchCV(pipeline, {"pca__n_components": [20, 40]}, cv=3)
search.fit(rows[train], digits.target[train])
print(f"{search.best_params_}, upright: {search.score(rows[test], digits.target[test]):.3f}")

# %%
# The swap
# --------
# One parameter of the pipeline changes. The transform takes the rows of pixels as they are,
# for they belong to square images; otherwise it would be told ``image_shape=(height, width)``.
swapped = GridSearchCV(
    pipeline.set_params(features=SpectralNRCDT()), {"pca__n_components": [20, 40]}, cv=3
)
swapped.fit(rows[train], digits.target[train])
print(f"{swapped.best_params_}, upright: {swapped.score(rows[test], digits.target[test]):.3f}")
swapped.best_estimator_

# %%
# What changes
# ------------
# Both were trained on upright digits. Now the test images are turned, sheared and squeezed,
# more and more.


def turn(angle):
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return np.array([[c, -s], [s, c]])


KINDS = {
    "turned by degrees": (np.arange(0, 181, 20), turn),
    "sheared by degrees": (
        np.arange(0, 41, 8),
        lambda angle: np.array([[1, np.tan(np.radians(angle))], [0, 1]]),
    ),
    "width in per cent": (np.arange(100, 39, -10), lambda width: np.diag([width / 100, 1])),
}
MODELS = {"pixels": (search, "#9a9a9a"), "spectrum": (swapped, "#3b7dd8")}

# sphinx_gallery_thumbnail_number = 1
figure, axes = plt.subplots(
    2, 3, figsize=(10, 5), layout="constrained", height_ratios=[1, 3.2], squeeze=False
)
for (top, axis), (kind, (amounts, matrix)) in zip(axes.T, KINDS.items(), strict=True):
    scores = {name: [] for name in MODELS}
    shown = []
    for amount in amounts:
        moved = affine(images[test], matrix(amount))
        shown.append(moved[7, 14:-14, 14:-14])
        for name, (model, _) in MODELS.items():
            labels = digits.target[test]
            scores[name].append(model.score(moved.reshape(len(moved), -1), labels))
    for name, (_, colour) in MODELS.items():
        axis.plot(amounts, scores[name], "o-", color=colour, label=name)
        print(f"{kind} {amounts[-1]}, {name}: {scores[name][-1]:.3f}")
    top.imshow(np.hstack(shown[:: len(shown) // 3]), cmap="gray")
    top.set_axis_off()
    axis.set(ylim=(0, 1), xlabel=kind)
    if amounts[0] > amounts[-1]:
        axis.invert_xaxis()
axes[1, 0].set_ylabel("accuracy")
axes[1, 0].legend(frameon=False, loc="upper right", bbox_to_anchor=(1, 0.85))
plt.show()
