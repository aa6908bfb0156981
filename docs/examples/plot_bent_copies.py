"""
Bent copies of a single drawing
===============================

Two drawings of the same thing differ by more than their pose: lines bend from hand to hand. One
template of each class cannot show that. Bent copies of it can, and a classifier that learns from
them knows which differences to ignore.
"""

# %%
# A catalogue, and other hands
# ----------------------------
# There are 60 drawings. Somebody else has drawn each of them again: lines run differently, and the
# drawing is turned, scaled and sheared.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import InvariantHOG, NearestTemplateClassifier
from sklearn_nrcdt.datasets import make_drawings, random_affine, random_elastic, stack_images

catalogue = make_drawings(60, size=96, random_state=0)
templates = stack_images(catalogue.images, shape=(176, 176))  # room to bend and turn
bent = random_elastic(templates, displacement=0.08, width=0.15, random_state=1)
others = random_affine(bent, scale=(0.6, 1), shear=(-20, 20), random_state=1)

# %%
# Copies
# ------
# :func:`~sklearn_nrcdt.datasets.random_elastic` moves the pixels of an image by a smooth random
# field. Copies in other poses are not needed: the features do not depend on the pose.
origin = np.repeat(np.arange(60), 20)
copies = random_elastic(templates[origin], random_state=0)

shown = [3, 21, 40]
figure, axes = plt.subplots(3, 5, figsize=(8, 5), layout="constrained")
for row, number in zip(axes, shown, strict=True):
    mine = copies[origin == number][:3]
    for axis, image in zip(row, [templates[number], *mine, others[number]], strict=True):
        axis.imshow(image[30:146, 30:146], cmap="bone")
        axis.set(xticks=[], yticks=[])
for axis, title in zip(axes[0], ["template", "copy", "copy", "copy", "to recognise"], strict=True):
    axis.set_title(title, fontsize=14)
plt.show()

# %%
# Two classifiers
# ---------------
# The nearest template needs nothing but the templates. The recommended pipeline learns from the
# copies, too.
nearest = make_pipeline(InvariantHOG(keep="circle"), NearestTemplateClassifier("aligned"))
nearest.fit(templates, catalogue.target)

learned = make_pipeline(
    InvariantHOG(n_jobs=2), PCA(0.99), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3)
)
learned.fit(
    np.concatenate([templates, copies]),
    np.concatenate([catalogue.target, catalogue.target[origin]]),
)
for name, model in {"nearest template": nearest, "with bent copies": learned}.items():
    print(f"{name}: accuracy {model.score(others, catalogue.target):.2f}")

# %%
# How far may lines bend?
# -----------------------
# The further pixels move, the more the copies help. They are all made with the default
# displacement of 0.1, whatever is to be recognised.
displacements = [0.02, 0.04, 0.06, 0.08, 0.1]
accuracy: dict[str, list[float]] = {"nearest template": [], "with bent copies": []}
for displacement in displacements:
    bent = random_elastic(templates, displacement=displacement, width=0.15, random_state=2)
    others = random_affine(bent, scale=(0.6, 1), shear=(-20, 20), random_state=2)
    accuracy["nearest template"].append(nearest.score(others, catalogue.target))
    accuracy["with bent copies"].append(learned.score(others, catalogue.target))

figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
for (name, values), colour in zip(accuracy.items(), ("#f2a541", "#3b7dd8"), strict=True):
    axis.plot(displacements, values, "o-", color=colour, label=name)
axis.set(ylim=(0.5, 1.02))
axis.set_xlabel("displacement, as a share of the drawing's size", fontsize=13)
axis.set_ylabel("accuracy", fontsize=13)
axis.legend(frameon=False, fontsize=13)
plt.show()

# %%
# A copy does not show what a stray stroke or a second object does. For those the nearest template
# is at least as good, and it can also answer "unknown":
# :ref:`sphx_glr_auto_examples_plot_rejection.py`.
