"""
A three-minute tour
===================

The same object never lies the same way twice: it is shifted, turned, seen from the side, nearer or
farther away. This page shows how affine-invariant features cope with that, and the five things you
will most likely do with them.
"""

# %%
# 1. Features that ignore the pose
# --------------------------------
# Take a drawing, two pictures of it as if photographed from the side, and another drawing. Judged
# by pixels, no two are alike. Judged by :class:`~sklearn_nrcdt.InvariantHOG`, the first three are
# the same shape.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import InvariantHOG, NearestTemplateClassifier
from sklearn_nrcdt.datasets import affine, load_symbols, make_linmnist, make_symbols
from sklearn_nrcdt.display import TemplateMatchDisplay

drawings = load_symbols().images
views = affine(drawings[[4, 4]], [[[0.9, 0.7], [-0.5, 0.8]], [[-0.2, 0.6], [0.9, 0.3]]])
images = np.stack([drawings[4], *views, drawings[8]])


def distances_to_first(rows):
    return np.linalg.norm(rows - rows[0], axis=1) / np.linalg.norm(rows[0])


pixels = distances_to_first(images.reshape(4, -1))
contours = distances_to_first(InvariantHOG().fit_transform(images))

figure, axes = plt.subplots(1, 4, figsize=(8, 3.1), layout="constrained")
titles = ["a drawing", "the same", "the same", "another one"]
for k, (axis, title) in enumerate(zip(axes, titles, strict=True)):
    axis.imshow(images[k, 50:206, 50:206], cmap="gray")
    axis.set(xticks=[], yticks=[], title=title)
    axis.set_xlabel(f"pixels {pixels[k]:.2f}\nInvariantHOG {contours[k]:.2f}", fontsize=11)
figure.suptitle("distance to the first drawing")
plt.show()

# %%
# 2. One template per class
# -------------------------
# Twelve drawings are all we know. ``keep="circle"`` together with the metric ``"aligned"`` compares
# two shapes at their best rotation, which is the most accurate choice here.
symbols = make_symbols(10, amplitude=(1.0, 3.0), random_state=0)
model = make_pipeline(InvariantHOG(keep="circle"), NearestTemplateClassifier("aligned"))
model.fit(symbols.templates, symbols.template_target)
accuracy = model.score(symbols.images, symbols.target)
print(f"accuracy on {len(symbols.images)} samples: {accuracy:.3f}")

# %%
# 3. Look at the answers
# ----------------------
# Each row is a sample, followed by the templates that are nearest to it and their distances. The
# samples were bent by a wave before they were turned and sheared.
TemplateMatchDisplay.from_estimator(
    model,
    symbols.images[[24, 58, 112]],
    templates=symbols.templates,
    y=symbols.target[[24, 58, 112]],
)
plt.show()
# sphinx_gallery_thumbnail_number = 2

# %%
# 4. Unknown shapes
# -----------------
# With ``reject_distance="auto"`` the classifier may answer "unknown" (-1 where classes are
# numbers). Here it knows only the first eight symbols; the others are unknown shapes.
known = symbols.template_target <= 8
model.set_params(nearesttemplateclassifier__reject_distance="auto")
model.fit(symbols.templates[known], symbols.template_target[known])
answers = model.predict(symbols.images)
is_unknown = symbols.target > 8
print(f"known shapes recognised: {np.mean((answers == symbols.target)[~is_unknown]):.3f}")
print(f"unknown shapes rejected: {np.mean(answers[is_unknown] == -1):.3f}")

# %%
# 5. Several samples per class
# ----------------------------
# If you have more than one sample of each class, let a classifier learn how the class varies. This
# is the pipeline that we recommend; here it learns handwritten digits in any pose from 40 samples
# of each.
digits = load_digits()
posed = make_linmnist(
    digits.images,
    digits.target,
    n_samples_per_class=50,
    zoom=3,
    size=48,
    shift=(0, 0),
    random_state=0,
)
model = make_pipeline(
    InvariantHOG(), PCA(0.99), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.3)
)
scores = cross_val_score(model, posed.images, posed.target, cv=5)
print(f"accuracy: {scores.mean():.3f} +- {scores.std():.3f}")

# %%
# Where to go from here
# ---------------------
# - :doc:`plot_invariance`: affine maps are not always what lies between your images.
# - :doc:`plot_scans`: from dark ink on white paper to a bright figure on black.
# - :doc:`plot_mistakes`: what goes wrong, and how to see it.
