"""
Combine with other features
===========================

Affine-invariant features ignore how large, how bright and which way up a figure is. Where that
matters, add a feature that knows, with scikit-learn's ``FeatureUnion``. Here are two cases: parts
of different sizes, and letters that are mostly upright.
"""

# %%
# Shapes in three sizes
# ---------------------
# Four shapes, each in three sizes that differ by a quarter and vary by five per cent, turned
# and shifted at random: twelve classes, two training samples of each.
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from skimage.feature import hog
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from sklearn_nrcdt import MaxNRCDT, SpectralNRCDT
from sklearn_nrcdt.datasets import affine, load_symbols, make_glyphs, random_affine

shapes = load_symbols(size=128).images[[0, 4, 8, 11]]
SIZES = [0.64, 0.8, 1.0]


def draw_parts(n_samples, seed):
    rng = np.random.default_rng(seed)
    target = np.repeat(np.arange(12), n_samples)
    size = np.array(SIZES)[target % 3] * np.exp(rng.uniform(-0.05, 0.05, len(target)))
    angle = rng.uniform(0, 2 * np.pi, len(target))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrices = (size * turn).transpose(2, 0, 1)
    shifts = rng.integers(-8, 9, (len(target), 2))
    return affine(shapes[target // 3].astype(np.float32), matrices, shifts), target


train_images, train_target = draw_parts(2, seed=0)
test_images, test_target = draw_parts(10, seed=1)

figure, axes = plt.subplots(3, 8, figsize=(9, 3.6), layout="constrained")
for k in range(12):
    for column, image in enumerate(test_images[test_target == k][:2]):
        axes[k % 3, 2 * (k // 3) + column].imshow(image, cmap="gray")
for axis in axes.flat:
    axis.set(xticks=[], yticks=[])
for axis, size in zip(axes[:, 0], SIZES, strict=True):
    axis.set_ylabel(f"size {size:g}")
plt.show()

# %%
# The amount of ink depends on the size, the NR-CDT on the shape. Neither alone is enough.


def log_mass(images):
    return np.log(images.sum(axis=(1, 2)))[:, None]


def classify(features):
    classifier = LogisticRegression(C=10, max_iter=2000)
    return make_pipeline(features, StandardScaler(), classifier)


extractors = {
    "amount of ink": FunctionTransformer(log_mass),
    "max NR-CDT": MaxNRCDT(),
    "both": make_union(FunctionTransformer(log_mass), MaxNRCDT()),
}
names = [f"{'ABCD'[k // 3]} {'SML'[k % 3]}" for k in range(12)]
figure, axes = plt.subplots(1, 3, figsize=(10, 4.4), layout="constrained")
for axis, (name, extractor) in zip(axes, extractors.items(), strict=True):
    model = classify(extractor).fit(train_images, train_target)
    accuracy = model.score(test_images, test_target)
    print(f"{name:14s} accuracy {accuracy:.3f}")
    ConfusionMatrixDisplay.from_estimator(
        model,
        test_images,
        test_target,
        display_labels=names,
        ax=axis,
        colorbar=False,
        include_values=False,
        xticks_rotation="vertical",
        cmap="magma",
    )
    axis.set_title(f"{name}: {accuracy:.2f}")
for axis in axes[1:]:
    axis.set(ylabel=None, yticks=[])
plt.show()

# %%
# Letters, mostly upright
# -----------------------
# Turned by 180 degrees, a 6 is a 9, an M is nearly a W, and an n a u. Histograms of oriented
# gradients (HOG) know which way is up, but nothing else about poses. Train on letters and digits of
# six fonts, and test on six others. All are scaled, sheared a little, and turned by at most the
# angle on the horizontal axis.
CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabdefghijklmnpqrtuwy23456789"
FOLDER = matplotlib.get_data_path() + "/fonts/ttf/"
TRAIN = ["DejaVuSans", "DejaVuSerif", "STIXGeneral", "cmr10", "cmss10", "STIXGeneralItalic"]
TEST = ["DejaVuSans-Bold", "DejaVuSerif-Italic", "DejaVuSansMono", "STIXGeneralBol", "cmtt10"]
TEST += ["DejaVuSans-Oblique"]


def draw_letters(fonts):
    options = {"canvas": 64, "size": 36, "dtype": np.float32}
    glyphs = [make_glyphs(CHARACTERS, FOLDER + font + ".ttf", **options) for font in fonts]
    return np.concatenate([g.images for g in glyphs]), np.tile(glyphs[0].target, len(fonts))


def turn(images, angle, seed):
    return random_affine(
        images, scale=(0.7, 1.2), rotation=(-angle, angle), shear=(-10, 10), random_state=seed
    )


def gradients(images):
    options = {"orientations": 8, "pixels_per_cell": (16, 16), "cells_per_block": (1, 1)}
    return np.stack([hog(image, **options) for image in images])


train_letters, train_target = draw_letters(TRAIN)
test_letters, test_target = draw_letters(TEST)
ANGLES = [0, 10, 20, 45, 90, 180]
EXTRACTORS = {
    "HOG": FunctionTransformer(gradients),
    "spectrum": SpectralNRCDT(),
    "both": make_union(FunctionTransformer(gradients), SpectralNRCDT()),
}
accuracies = {name: [] for name in EXTRACTORS}
for angle in ANGLES:
    train_images, test_images = turn(train_letters, angle, 0), turn(test_letters, angle, 1)
    for name, extractor in EXTRACTORS.items():
        model = classify(extractor).fit(train_images, train_target)
        accuracies[name].append(model.score(test_images, test_target))

print("degrees " + "".join(f"{name:>18s}" for name in EXTRACTORS))
for angle, *values in zip(ANGLES, *accuracies.values(), strict=True):
    print(f"{angle:7d} " + "".join(f"{value:18.3f}" for value in values))

# %%
# As long as letters are more or less upright, both together are better than either. When every
# angle is possible, HOG has nothing to add. If your letters are always upright, use
# ``InvariantHOG("slant")`` instead: see :doc:`plot_invariance`.
figure, axis = plt.subplots(figsize=(7, 4.2), layout="constrained")
# sphinx_gallery_thumbnail_number = 3
looks = [("#808080", "s"), ("#d55e00", "^"), ("#0072b2", "o")]
for (name, values), (colour, marker) in zip(accuracies.items(), looks, strict=True):
    axis.plot(range(len(ANGLES)), values, color=colour, marker=marker, label=name)
axis.set_xticks(range(len(ANGLES)), ANGLES)
axis.set(
    xlabel="letters are turned by at most (degrees)",
    ylabel=f"accuracy, {len(CHARACTERS)} classes",
    ylim=(0, 1),
)
axis.grid(alpha=0.3)
axis.legend(frameon=False)
plt.show()
