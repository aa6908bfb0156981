"""
Which points belong together?
=============================

``ShapeClassifier`` lays two shapes over each other and lets every point of a contour look for its
partner in the other. This example draws the partners as lines: for the same shape in another pose,
for another hand, and for another shape.
"""

# %%
# Another pose
# ------------
# A symbol, and a copy of it that is bent, turned and sheared. In the frame of its own, each shape
# has some 150 points, and the copy lies there as the symbol does. Lines are short and level: each
# point finds its partner at the same place.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from sklearn_nrcdt.datasets import affine, load_symbols, make_linmnist, random_elastic
from sklearn_nrcdt.display import ContourMatchDisplay

symbols = load_symbols(size=128).images.astype(np.float32)
bent = random_elastic(symbols[8:9], displacement=0.05, width=0.2, random_state=1)
posed = affine(bent, [[0.8, 0.5], [-0.6, 0.7]])[0]


def compare(template, query, invariance):
    """Draw two images, and the partners of their points."""
    _, axes = plt.subplots(1, 3, figsize=(9, 2.9), width_ratios=(1, 1, 2), layout="constrained")
    for axis, image, title in zip(axes, (template, query), ("template", "query"), strict=False):
        axis.imshow(image, cmap="gray")
        axis.set(title=title, xticks=[], yticks=[])
    display = ContourMatchDisplay.from_images(template, query, invariance=invariance, ax=axes[2])
    plt.show()
    return display.cost


print(f"cost of the copy: {compare(symbols[8], posed, 'affine'):.2f}")

# %%
# Another shape
# -------------
# Another symbol in the pose in which it fits best. Many points share one partner far away, and the
# match costs several times as much.
print(f"cost of another symbol: {compare(symbols[8], symbols[3], 'affine'):.2f}")

# %%
# Another hand
# ------------
# Two people have written a four. No map of the whole image leads from one to the other, but every
# stroke has its counterpart nearby. ``"scale"`` keeps digits upright; before the match it brings
# the two a little closer by an affine map.
digits = load_digits()
chosen = [*np.flatnonzero(digits.target == 4)[[1, 8]], np.flatnonzero(digits.target == 9)[4]]
written = make_linmnist(
    digits.images[chosen],
    digits.target[chosen],
    n_samples_per_class=None,
    zoom=8,
    size=80,
    scale=(1, 1),
    rotation=(0, 0),
    shift=(0, 0),
).images
same = compare(written[0], written[1], "scale")

# %%
# A nine is not far from a four either, but it costs more.
other = compare(written[0], written[2], "scale")
print(f"another four: {same:.2f}, a nine: {other:.2f}")
# sphinx_gallery_thumbnail_number = 1

# %%
# The cost of a match is all that ``ShapeClassifier`` needs to know of a template. The page on
# :doc:`contours matched point by point </matching>` has the formula.
