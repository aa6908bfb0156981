"""
A three-minute tour
===================

The same object never lies the same way twice: it is shifted, turned, seen from the side, nearer or
farther away. :class:`~sklearn_nrcdt.ShapeClassifier` recognises it all the same, from a single
picture. This page shows the five things that you will most likely do.
"""

# %%
# 1. One template per class
# -------------------------
# Twelve drawings are all we know. The samples were bent by a wave, scaled, turned, sheared and
# shifted at random.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from sklearn_nrcdt import InvariantHOG, ShapeClassifier
from sklearn_nrcdt.datasets import affine, make_linmnist, make_symbols
from sklearn_nrcdt.display import TemplateMatchDisplay

symbols = make_symbols(6, amplitude=(1.0, 3.0), random_state=0)
model = ShapeClassifier().fit(symbols.templates, symbols.template_target)
accuracy = model.score(symbols.images, symbols.target)
print(f"accuracy on {len(symbols.images)} samples: {accuracy:.3f}")

# %%
# 2. Look at the answers
# ----------------------
# Each row is a sample, followed by the templates that match best and what the match costs: 0 for
# equal shapes, mostly 0.3 to 1 for different ones.
TemplateMatchDisplay.from_estimator(
    model,
    symbols.images[[14, 35, 67]],
    templates=symbols.templates,
    y=symbols.target[[14, 35, 67]],
)
plt.show()
# sphinx_gallery_thumbnail_number = 1

# %%
# 3. Ask how sure an answer is
# ----------------------------
# ``identify`` returns the labels, the probability that each of them is right, and a mark: "clear",
# "likely", "doubtful" or "unknown". Here the model knows only the first eight symbols; samples of
# the other four are unknown shapes. :doc:`plot_rejection` has a harder case.
known = symbols.template_target <= 8
model.fit(symbols.templates[known], symbols.template_target[known])
answers = model.identify(symbols.images)
for name, chosen in {"known": symbols.target <= 8, "unknown": symbols.target > 8}.items():
    marks, counts = np.unique(answers.marks[chosen], return_counts=True)
    found = ", ".join(f"{n} {mark}" for mark, n in zip(marks, counts, strict=True))
    print(f"{chosen.sum()} samples of {name} shapes: {found}")

# %%
# 4. Learn from several samples per class
# ---------------------------------------
# Handwriting varies more than drawings do. Give the same class all the samples that you have: it
# learns by itself how much to trust them. These are handwritten digits in any pose, ten samples of
# each to learn from.
digits = load_digits()
posed = make_linmnist(
    digits.images,
    digits.target,
    n_samples_per_class=30,
    zoom=3,
    size=48,
    shift=(0, 0),
    random_state=0,
)
train, test, y_train, y_test = train_test_split(
    posed.images, posed.target, train_size=100, stratify=posed.target, random_state=0
)
print(f"accuracy: {ShapeClassifier().fit(train, y_train).score(test, y_test):.3f}")

# %%
# 5. Put features into your own code
# ----------------------------------
# For another classifier, for clusters or for an index you need features. Take a drawing, two
# pictures of it as if photographed from the side, and another drawing. Judged by pixels, no two are
# alike. Judged by :class:`~sklearn_nrcdt.InvariantHOG`, the first three are the same shape.
drawings = symbols.templates
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
# Where to go from here
# ---------------------
# - :doc:`plot_invariance`: affine maps are not always what lies between your images.
# - :doc:`plot_scans`: from dark ink on white paper to a bright figure on black.
# - :doc:`plot_one_shot`: handwriting, and what people reach.
# - :doc:`plot_one_template`: the method of the paper, for which this package was made.
