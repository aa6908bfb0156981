"""
The worst mistakes
==================

An accuracy is one number. Before you try to raise it, look at what goes wrong: which classes are
mixed up, and which pictures the classifier gets wrong although it is sure.
"""

# %%
# A classifier
# ------------
# scikit-learn's digits, turned by any angle, scaled and sheared, and the recommended pipeline. The
# features learn nothing from the data, so we compute them once; cross-validation then needs
# only the classifier. Every digit is judged by a classifier that has not seen it.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import ConfusionMatrixDisplay, accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import InvariantHOG, NearestTemplateClassifier
from sklearn_nrcdt.datasets import make_linmnist

digits = load_digits()
posed = make_linmnist(
    digits.images,
    digits.target,
    n_samples_per_class=100,
    zoom=3,
    size=48,
    shear=(-15, 15),
    shift=(0, 0),
    random_state=0,
)
features = InvariantHOG().fit_transform(posed.images)
classifier = make_pipeline(PCA(0.99), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3))
folds = StratifiedKFold(5, shuffle=True, random_state=0)
probabilities = cross_val_predict(
    classifier, features, posed.target, cv=folds, method="predict_proba"
)
predicted = probabilities.argmax(axis=1)
print(f"accuracy {accuracy_score(posed.target, predicted):.3f}")

# %%
# Which classes are mixed up?
# ---------------------------
# A six turned upside down is a nine. A feature that ignores rotations can tell them apart only by
# differences in handwriting.
figure, axis = plt.subplots(figsize=(5.5, 5), layout="constrained")
ConfusionMatrixDisplay.from_predictions(
    posed.target, predicted, ax=axis, cmap="Blues", colorbar=False
)
plt.show()

# %%
# Which pictures?
# ---------------
# The worst mistakes are those that the classifier is most certain of. Sort the wrong answers by
# the margin between the probability of the answer and that of the truth.
samples = np.arange(len(predicted))
margin = probabilities[samples, predicted] - probabilities[samples, posed.target]
worst = np.argsort(-margin)[:12]

figure, axes = plt.subplots(2, 6, figsize=(8, 3.6), layout="constrained")
for axis, k in zip(axes.flat, worst, strict=True):
    axis.imshow(posed.images[k], cmap="gray")
    axis.set(xticks=[], yticks=[])
    axis.set_title(f"{posed.target[k]} taken for {predicted[k]}", fontsize=11)
plt.show()
# sphinx_gallery_thumbnail_number = 2

# %%
# Why?
# ----
# The most similar training samples often explain a mistake. Each row is one of the worst mistakes,
# followed by its nearest neighbours with their true classes. If the neighbours look right to you,
# the picture is ambiguous or its label is wrong. If they do not, the features miss something.
nearest = NearestTemplateClassifier().fit(features, posed.target)
shown = worst[:4]
distances, neighbours = nearest.kneighbors(features[shown], n_neighbors=6)

figure, axes = plt.subplots(4, 6, figsize=(7, 5.4), layout="constrained")
for row, k, others in zip(axes, shown, neighbours, strict=True):
    row[0].imshow(posed.images[k], cmap="bone")
    row[0].set_ylabel(f"a {posed.target[k]}", fontsize=12)
    # The first neighbour is the sample itself.
    for axis, other in zip(row[1:], others[1:], strict=True):
        axis.imshow(posed.images[other], cmap="gray")
        axis.set_xlabel(posed.target[other], fontsize=12)
    for axis in row:
        axis.set(xticks=[], yticks=[])
plt.show()

# %%
# Upright digits
# --------------
# If your digits are never turned, choose ``"slant"``, and the most frequent mistake is gone. Here
# are the same digits, upright and slanted, with the two invariances.
upright = make_linmnist(
    digits.images,
    digits.target,
    n_samples_per_class=100,
    zoom=3,
    size=48,
    rotation=(0, 0),
    shear=(-15, 15),
    shift=(0, 0),
    random_state=0,
)
for invariance in ("affine", "slant"):
    rows = InvariantHOG(invariance).fit_transform(upright.images)
    answers = cross_val_predict(classifier, rows, upright.target, cv=folds)
    swapped = (
        np.isin(upright.target, [6, 9]) & np.isin(answers, [6, 9]) & (answers != upright.target)
    )
    print(
        f"{invariance:7s} accuracy {accuracy_score(upright.target, answers):.3f}, "
        f"{swapped.sum()} sixes and nines swapped"
    )
