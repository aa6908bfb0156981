"""
The method of the paper
=======================

There are twelve symbols, one drawing of each, and no other training data. The samples were scaled,
turned, sheared and shifted at random. The paper, for which this package was made, turns each image
into a curve of 64 numbers that such maps do not change, and takes the template with the nearest
curve. :doc:`Guarantees </guarantees>` say when that must work.
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

from sklearn_nrcdt import MaxNRCDT, NearestTemplateClassifier, ShapeClassifier
from sklearn_nrcdt.datasets import make_symbols

symbols = make_symbols(10, random_state=0)
print(f"{len(symbols.templates)} templates, {len(symbols.images)} samples")

figure, axes = plt.subplots(4, 6, figsize=(9, 6.2), layout="constrained")
for column in range(6):
    for top, k in ((0, column), (2, column + 6)):
        sample = symbols.images[symbols.target == symbols.template_target[k]][3]
        axes[top, column].imshow(symbols.templates[k, 30:226, 30:226], cmap="bone")
        axes[top + 1, column].imshow(sample[30:226, 30:226], cmap="gray")
for axis in axes.flat:
    axis.set(xticks=[], yticks=[])
for row, name in enumerate(["template", "sample"] * 2):
    axes[row, 0].set_ylabel(name)
plt.show()

# %%
# Pixels, curves, contours
# ------------------------
# A classifier that compares pixels can only guess. The max NR-CDT is the paper's feature.
# :class:`~sklearn_nrcdt.ShapeClassifier` matches contours instead, without the paper's guarantees.


def as_rows(images):
    return images.reshape(len(images), -1)


nrcdt = make_pipeline(MaxNRCDT(), NearestTemplateClassifier())
models = {
    "raw pixels": make_pipeline(FunctionTransformer(as_rows), NearestTemplateClassifier()),
    "max NR-CDT": nrcdt,
    "ShapeClassifier": ShapeClassifier(),
}
for name, model in models.items():
    model.fit(symbols.templates, symbols.template_target)
    print(f"{name}: accuracy {model.score(symbols.images, symbols.target):.3f}")

# %%
# What the max NR-CDT sees
# ------------------------
# The samples of a class, however deformed, share the curve of their template.
features = nrcdt[0].transform(symbols.images)
templates = nrcdt[0].transform(symbols.templates)
levels = nrcdt[0].quantile_levels_

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained")
colours = plt.get_cmap("tab10")
for position, label in enumerate([1, 5, 9, 12]):
    name = symbols.target_names[label - 1]
    # Minus the mean curve of all templates, the classes are easier to tell apart.
    for axis, origin in ((left, 0), (right, templates.mean(axis=0))):
        own = features[symbols.target == label] - origin
        axis.plot(levels, own.T, color=colours(position), alpha=0.35, linewidth=0.8)
        template = templates[symbols.template_target == label][0] - origin
        axis.plot(levels, template, color="black", linewidth=1.2, linestyle="--")
    left.plot([], [], color=colours(position), label=name)
left.plot([], [], color="black", linestyle="--", label="template")
left.set(xlabel="quantile level", title="max NR-CDT of 4 x 10 samples")
right.set(xlabel="quantile level", title="the same, minus the mean template")
left.legend(frameon=False)
plt.show()
# sphinx_gallery_thumbnail_number = 2

# %%
# How much room is there for error? Compare the distance of each sample to its own template with
# that to the nearest of the others. Below 1 the answer is right.
distances = -nrcdt.decision_function(symbols.images)
is_own = symbols.target[:, None] == nrcdt.classes_
ratio = distances[is_own] / np.where(is_own, np.inf, distances).min(axis=1)
figure, axis = plt.subplots(figsize=(6.5, 3.2), layout="constrained")
axis.hist(ratio, np.linspace(0, 1.1, 45), color="#f2a541")
axis.axvline(1, color="grey", linestyle=":")
axis.set(xlabel="distance to own template / to nearest other one", ylabel="samples")
plt.show()
print(f"at most {ratio.max():.2f}")

# %%
# The features work with any classifier. With one template per class, scikit-learn's nearest
# neighbour gives the same answers:
neighbour = make_pipeline(MaxNRCDT(), KNeighborsClassifier(1))
neighbour.fit(symbols.templates, symbols.template_target)
print(f"KNeighborsClassifier(1): {neighbour.score(symbols.images, symbols.target):.3f}")
