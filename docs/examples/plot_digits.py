"""
Handwritten digits in any pose
==============================

scikit-learn's digits stand upright in the middle of their images. Here they do not: each is
turned by any angle, scaled, sheared and shifted. How many training samples does it take to learn
them from raw pixels, from histograms of oriented gradients (HOG), by a small neural
network, and from features that the pose does not change?
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

from sklearn_nrcdt import MaxNRCDT, SpectralNRCDT
from sklearn_nrcdt.datasets import make_linmnist

digits = load_digits()
posed = make_linmnist(
    digits.images,
    digits.target,
    n_samples_per_class=100,
    zoom=3,
    size=48,
    scale=(0.75, 1.25),
    shear=(-20, 20),
    shift=(-5, 5),
    cut="redraw",
    random_state=0,
)
print(f"{len(posed.images)} images of {posed.images.shape[1:]} pixels")

figure, axes = plt.subplots(4, 10, figsize=(10, 4.2), layout="constrained")
for label in range(10):
    for axis, image in zip(axes[:, label], posed.images[posed.target == label], strict=False):
        axis.imshow(image, cmap="gray")
        axis.set_axis_off()
plt.show()

# %%
# Features
# --------
# None of the four learns anything from the data, so they are computed once. HOG is
# scikit-image's, with its usual nine orientations.
features = {
    "raw pixels": posed.data / posed.data.max(),
    "HOG": np.stack([hog(image, pixels_per_cell=(8, 8)) for image in posed.images]),
    "max NR-CDT": MaxNRCDT().fit_transform(posed.images),
    "spectrum": SpectralNRCDT().fit_transform(posed.images),
}
for name, rows in features.items():
    print(f"{name}: {rows.shape[1]} numbers per image")

# %%
# The same classifier for all of them, a support vector machine; the neural network takes the
# pixels. The transforms are standardised. Pixels and HOG are not: it would blow up
# pixels that are nearly always black. Nobody gets deformed copies of the training samples.
svm = SVC(C=10)
standardised_svm = make_pipeline(StandardScaler(), SVC(C=10))
network = MLPClassifier((64,), max_iter=300, tol=1e-3, random_state=0)
contestants = {
    "raw pixels + SVM": ("raw pixels", svm),
    "raw pixels + neural network": ("raw pixels", network),
    "HOG + SVM": ("HOG", svm),
    "max NR-CDT + SVM": ("max NR-CDT", standardised_svm),
    "spectrum + SVM": ("spectrum", standardised_svm),
}

# %%
# From 1 to 50 samples per class
# ------------------------------
# Three random choices of the training samples, always the same 500 test images.
SIZES = [1, 2, 5, 10, 20, 50]
rng = np.random.RandomState(0)
by_class = [rng.permutation(np.flatnonzero(posed.target == label)) for label in range(10)]
test = np.concatenate([samples[50:] for samples in by_class])
pool = [samples[:50] for samples in by_class]

accuracy = {name: np.zeros((3, len(SIZES))) for name in contestants}
for repetition in range(3):
    shuffled = [rng.permutation(samples) for samples in pool]
    for column, size in enumerate(SIZES):
        train = np.concatenate([samples[:size] for samples in shuffled])
        for name, (feature, classifier) in contestants.items():
            rows = features[feature]
            classifier.fit(rows[train], posed.target[train])
            accuracy[name][repetition, column] = classifier.score(rows[test], posed.target[test])

print(f"{'samples per class':28s}" + "".join(f"{size:8d}" for size in SIZES))
for name, values in accuracy.items():
    print(f"{name:28s}" + "".join(f"{value:8.3f}" for value in values.mean(axis=0)))

# %%
figure, axis = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
# sphinx_gallery_thumbnail_number = 2
styles = {
    "raw pixels + SVM": ("#9a9a9a", "o:"),
    "raw pixels + neural network": ("#6d6d6d", "s--"),
    "HOG + SVM": ("#c8553d", "^-."),
    "max NR-CDT + SVM": ("#f2a541", "o-"),
    "spectrum + SVM": ("#3b7dd8", "o-"),
}
for name, values in accuracy.items():
    colour, style = styles[name]
    axis.plot(SIZES, values.mean(axis=0), style, color=colour, label=name)
    axis.fill_between(SIZES, values.min(axis=0), values.max(axis=0), color=colour, alpha=0.15)
axis.axhline(0.1, color="grey", linewidth=0.8, linestyle=":")
axis.set(xscale="log", ylim=(0, 1), xlabel="training samples per class", ylabel="accuracy")
axis.set_xticks(SIZES, SIZES)
axis.minorticks_off()
axis.legend(frameon=False, loc=(0.55, 0.28))
axis.set_title("digits at random poses")
plt.show()

# %%
# The most frequent mistakes of the last one. A six that is turned by half a circle is a nine, and
# whoever ignores the pose must tell them apart by the habits of the writers.
rows = features["spectrum"]
standardised_svm.fit(rows[np.concatenate(pool)], posed.target[np.concatenate(pool)])
wrong = np.zeros((10, 10), dtype=int)
np.add.at(wrong, (posed.target[test], standardised_svm.predict(rows[test])), 1)
np.fill_diagonal(wrong, 0)
for true, taken in zip(*np.unravel_index(np.argsort(-wrong, axis=None)[:5], (10, 10)), strict=True):
    print(f"{true} taken for {taken}: {wrong[true, taken]} of {(posed.target[test] == true).sum()}")
