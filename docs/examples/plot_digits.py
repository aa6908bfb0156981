"""
Digits in any pose: invariance against augmentation
===================================================

scikit-learn's digits stand upright in the middle of their images. Here they do not: each is
turned by any angle, scaled and sheared. There are two ways to cope with that. You can train a
classifier on copies of its images in many poses (augmentation), or you can use one that ignores the
pose. How many training samples does each need?
"""

# %%
# The digits
# ----------
import matplotlib.pyplot as plt
import numpy as np
from skimage.feature import hog
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from sklearn_nrcdt import MaxNRCDT, ShapeClassifier
from sklearn_nrcdt.datasets import make_linmnist, random_affine

digits = load_digits()
posed = make_linmnist(
    digits.images,
    digits.target,
    n_samples_per_class=40,
    zoom=3,
    size=48,
    scale=(0.75, 1.25),
    shear=(-20, 20),
    shift=(0, 0),
    cut="redraw",
    random_state=0,
)
print(f"{len(posed.images)} images of {posed.images.shape[1:]} pixels")

figure, axes = plt.subplots(3, 10, figsize=(9, 3), layout="constrained")
for label in range(10):
    for axis, image in zip(axes[:, label], posed.images[posed.target == label], strict=False):
        axis.imshow(image, cmap="gray")
        axis.set_axis_off()
plt.show()

# %%
# Training samples and their copies
# ---------------------------------
# Half of the digits are for training. Each gets ten copies, which are turned, scaled and sheared
# once more.
N_COPIES = 10
rng = np.random.default_rng(0)
by_class = [rng.permutation(np.flatnonzero(posed.target == label)) for label in range(10)]
pool = np.concatenate([samples[:20] for samples in by_class])
test = np.concatenate([samples[20:] for samples in by_class])
copies = random_affine(
    np.repeat(posed.images[pool], N_COPIES, axis=0),
    scale=(0.85, 1.15),
    shear=(-20, 20),
    cut="ignore",
    random_state=0,
)


def pixels(images):
    """Means of 2 x 2 pixels, which are enough for a network and save time."""
    return images.reshape(len(images), 24, 2, 24, 2).mean(axis=(2, 4)).reshape(len(images), -1) / 16


def gradients(images):
    return np.stack(
        [hog(image, pixels_per_cell=(8, 8), cells_per_block=(2, 2)) for image in images]
    )


# %%
# Features are computed once, because none of these learns anything from the data. What ignores
# the pose needs no copies.
features = {
    "network": (pixels(posed.images), pixels(copies)),
    "HOG": (gradients(posed.images), gradients(copies)),
    "max NR-CDT": (MaxNRCDT().fit_transform(posed.images), None),
    "images": (posed.images, None),
}
network = MLPClassifier((100,), learning_rate_init=0.003, max_iter=600, tol=3e-3, random_state=0)
svm = SVC(C=10)
contestants = {
    "HOG": ("HOG", svm, False),
    "HOG, augmented": ("HOG", svm, True),
    "network, augmented": ("network", network, True),
    "max NR-CDT": ("max NR-CDT", make_pipeline(StandardScaler(), svm), False),
    "ShapeClassifier": ("images", ShapeClassifier(), False),
}

# %%
# From 1 to 20 samples per class
# ------------------------------
# HOG and the max NR-CDT are followed by a support vector machine, the network takes the pixels, and
# :class:`~sklearn_nrcdt.ShapeClassifier` takes the images as they are.
SIZES = [1, 5, 20]
accuracy = {name: [] for name in contestants}
for size in SIZES:
    # Places in the pool, which is sorted by class.
    chosen = np.concatenate([label * 20 + np.arange(size) for label in range(10)])
    copied = (chosen[:, None] * N_COPIES + np.arange(N_COPIES)).ravel()
    for name, (feature, classifier, augmented) in contestants.items():
        rows, rows_of_copies = features[feature]
        X, y = rows[pool[chosen]], posed.target[pool[chosen]]
        if augmented:
            X = np.concatenate([X, rows_of_copies[copied]])
            y = np.concatenate([y, np.repeat(y, N_COPIES)])
        classifier.fit(X, y)
        accuracy[name].append(classifier.score(rows[test], posed.target[test]))

print(f"{'samples per class':20s}" + "".join(f"{size:8d}" for size in SIZES))
for name, values in accuracy.items():
    print(f"{name:20s}" + "".join(f"{value:8.3f}" for value in values))

# %%
figure, axis = plt.subplots(figsize=(7, 4.6), layout="constrained")
# sphinx_gallery_thumbnail_number = 2
looks = ["#b0b0b0", "#6d6d6d", "#c8553d", "#f2a541", "#3b7dd8"]
for (name, values), colour, style in zip(
    accuracy.items(), looks, ("^:", "^-.", "s--", "o-", "o-"), strict=True
):
    axis.plot(SIZES, values, style, color=colour, label=name)
axis.axhline(0.1, color="grey", linewidth=0.8, linestyle=":")
axis.set(xscale="log", ylim=(0, 1), xlabel="training samples per class", ylabel="accuracy")
axis.set_xticks(SIZES, SIZES)
axis.minorticks_off()
axis.grid(alpha=0.3)
axis.legend(frameon=False, loc="lower right", ncols=2)
axis.set_title("digits in random poses")
plt.show()

# %%
# Augmentation helps a lot, and with thousands of samples and a convolutional network it will catch
# up. With few samples, invariance is ahead. :doc:`/accuracy` also compares a convolutional
# network and a pretrained one.
#
# Most of the remaining mistakes confuse sixes and nines.
