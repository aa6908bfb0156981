"""
Classify with one template per class
====================================

Twelve symbols, one drawing of each, and no other training data. The samples to be classified
were scaled, turned, sheared and shifted at random. A classifier that compares pixels guesses;
one that compares the max-normalized Radon-CDT compares shapes.
"""

# %%
# The data
# --------
# :func:`~sklearn_nrcdt.datasets.make_symbols` draws the templates and deforms them. Scales lie
# between 0.5 and 1.25 for each axis, shears go up to 45 degrees, rotations are arbitrary.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_nrcdt import MaxNRCDT, NearestTemplateClassifier
from sklearn_nrcdt.datasets import make_symbols

symbols = make_symbols(20, random_state=0)
print(f"{len(symbols.templates)} templates, {len(symbols.images)} samples")

figure, axes = plt.subplots(4, 6, figsize=(9, 6.2), layout="constrained")
for column in range(6):
    for top, k in ((0, column), (2, column + 6)):
        sample = symbols.images[symbols.target == symbols.template_target[k]][3]
        axes[top, column].imshow(symbols.templates[k], cmap="bone")
        axes[top + 1, column].imshow(sample, cmap="gray")
for axis in axes.flat:
    axis.set(xticks=[], yticks=[])
for row, name in enumerate(["template", "sample"] * 2):
    axes[row, 0].set_ylabel(name)
plt.show()

# %%
# Two pipelines
# -------------
# They differ in the first step only.


def as_rows(images):
    return images.reshape(len(images), -1)


pixels = make_pipeline(FunctionTransformer(as_rows), NearestTemplateClassifier())
nrcdt = make_pipeline(MaxNRCDT(), NearestTemplateClassifier())
for name, model in (("raw pixels", pixels), ("max NR-CDT", nrcdt)):
    model.fit(symbols.templates, symbols.template_target)
    print(f"{name}: accuracy {model.score(symbols.images, symbols.target):.3f}")

# %%
# What the classifier sees
# ------------------------
# Each image has become a curve of 64 numbers. The samples of a class, however deformed, share
# the curve of their template.
features = nrcdt[0].transform(symbols.images)
# sphinx_gallery_thumbnail_number = 1
templates = nrcdt[0].transform(symbols.templates)
levels = nrcdt[0].quantile_levels_

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
colours = plt.get_cmap("tab10")
for position, label in enumerate([1, 5, 9, 12]):
    name = symbols.target_names[label - 1]
    # The mean curve of all templates is taken off: what is left tells the classes apart.
    for axis, origin in ((left, 0), (right, templates.mean(axis=0))):
        own = features[symbols.target == label] - origin
        axis.plot(levels, own.T, color=colours(position), alpha=0.35, linewidth=0.8)
        template = templates[symbols.template_target == label][0] - origin
        axis.plot(levels, template, color="black", linewidth=1.2, linestyle="--")
    left.plot([], [], color=colours(position), label=name)
left.plot([], [], color="black", linestyle="--", label="template")
left.set(xlabel="quantile level", title="max NR-CDT of 4 x 20 samples")
right.set(xlabel="quantile level", title="the same, less the mean template")
left.legend(frameon=False)
plt.show()

# %%
# The distances tell the same: to the nearest template of the right class, and to the nearest
# of all others.
distances = -nrcdt.decision_function(symbols.images)
is_own = symbols.target[:, None] == nrcdt.classes_
own = distances[is_own]
others = np.where(is_own, np.inf, distances).min(axis=1)

figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
bins = np.geomspace(own.min(), others.max(), 40)
axis.hist(own, bins, label="own template", color="#3b7dd8", alpha=0.8)
axis.hist(others, bins, label="nearest other template", color="#f2a541", alpha=0.8)
axis.set(xscale="log", xlabel="Euclidean distance of max NR-CDT", ylabel="samples")
axis.set_xticks([0.02, 0.05, 0.1, 0.2, 0.5], ["0.02", "0.05", "0.1", "0.2", "0.5"])
axis.minorticks_off()
axis.legend(frameon=False)
plt.show()

print(f"largest distance to the own template: {own.max():.3f}")
print(f"smallest distance to another one: {others.min():.3f}")

# %%
# Nothing ties the features to this classifier. With one template per class, scikit-learn's
# nearest neighbour is the same thing:
neighbour = make_pipeline(MaxNRCDT(), KNeighborsClassifier(1))
neighbour.fit(symbols.templates, symbols.template_target)
print(f"KNeighborsClassifier(1): {neighbour.score(symbols.images, symbols.target):.3f}")
