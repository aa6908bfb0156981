"""
A folder of scans
=================

Real scans are dark on bright paper, the paper is uneven, there is dust on the glass, and sizes
differ. The transforms need one bright figure on black, because grey values are mass. Three pipeline
steps take you there.
"""

# %%
# A folder
# --------
# We make one, so that this page runs anywhere: a subfolder for each class with PNG files of
# different sizes. Ink is dark, paper is bright and uneven, and there are specks of dust.
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from skimage.filters import gaussian
from skimage.io import imsave
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import ShapeClassifier
from sklearn_nrcdt.datasets import add_salt, load_image_folder, make_symbols
from sklearn_nrcdt.preprocessing import Despeckle, Invert, RemoveBackground

rng = np.random.RandomState(0)
drawings = make_symbols(6, scale=(0.6, 1.0), shear=(-20, 20), random_state=0)
dusty = add_salt(drawings.images, n_discs=(3, 8), strength=12, random_state=0)


def scan(ink):
    """Return a sheet of paper with a drawing on it, as grey values from 0 to 255."""
    height, width = ink.shape + rng.randint(0, 60, size=2)
    sheet = np.zeros((height, width))
    sheet[: ink.shape[0], : ink.shape[1]] = ink
    grain = rng.normal(size=sheet.shape)
    clouds = gaussian(rng.normal(size=sheet.shape), 25)
    paper = 0.88 + 0.015 * grain + 0.05 * clouds / np.abs(clouds).max()
    return np.uint8(255 * np.clip(paper * (1 - 0.8 * sheet), 0, 1))


temporary = tempfile.TemporaryDirectory()
folder = Path(temporary.name)
for number, (ink, label) in enumerate(zip(dusty, drawings.target, strict=True)):
    path = folder / f"class {label:02d}" / f"scan {number:03d}.png"
    path.parent.mkdir(exist_ok=True)
    imsave(path, scan(np.clip(ink, 0, 1)), check_contrast=False)

print("\n".join(str(path.relative_to(folder)) for path in sorted(folder.rglob("*.png"))[:3]))

# %%
# Load it
# -------
# :func:`~sklearn_nrcdt.datasets.load_image_folder` finds the classes and puts all images on one
# canvas. ``invert=True`` makes dark ink bright while reading. The paper is then nearly black, like
# the border that is added to the smaller images.
scans = load_image_folder(folder, invert=True)
temporary.cleanup()
print(f"{scans.images.shape[0]} images of {scans.images.shape[1:]} pixels")
print(f"{len(scans.target_names)} classes: {', '.join(scans.target_names[:3])}, ...")

# %%
# Clean it
# --------
# Nearly black is not black: all pixels of the paper together outweigh the ink.
# :class:`~sklearn_nrcdt.preprocessing.RemoveBackground` removes the paper, and
# :class:`~sklearn_nrcdt.preprocessing.Despeckle` removes the dust. Otsu's method, the default,
# divides grey values into two groups, such as paper and ink. On this canvas there are three:
# border, paper and ink. So we give the level as a share of the brightest value. You could also
# remove the paper while reading: ``load_image_folder(folder, invert=True, background="otsu")``
# finds the level of each image before it adds the border.
cleaning = {"RemoveBackground": RemoveBackground(level=0.4), "Despeckle": Despeckle(min_area=120)}
stages = {"as scanned": 1 - scans.images, "inverted": scans.images}
images = scans.images
for name, step in cleaning.items():
    images = step.fit_transform(images)
    stages[name] = images

for name in ("inverted", *cleaning):
    print(f"{name}: {np.mean(stages[name] > 0):.1%} of the pixels have mass")

figure, axes = plt.subplots(4, 6, figsize=(9, 6.6), layout="constrained")
for row, (name, images) in zip(axes, stages.items(), strict=True):
    row[0].set_ylabel(name)
    for axis, image in zip(row, images[2::12], strict=True):
        axis.imshow(image[50:-50, 50:-50], cmap="gray", vmin=0, vmax=1)
        axis.set(xticks=[], yticks=[])
plt.show()

# %%
# Classify it
# -----------
# The steps are transformers, so they go before the classifier in a pipeline. One scan of each class
# is the template, the five others are tests.
folds = [
    (train, test)
    for test, train in StratifiedKFold(6, shuffle=True, random_state=0).split(
        scans.data, scans.target
    )
]
classifier = ShapeClassifier()
pipelines = {
    "nothing": classifier,
    "RemoveBackground": make_pipeline(cleaning["RemoveBackground"], classifier),
    "RemoveBackground,\nDespeckle": make_pipeline(*cleaning.values(), classifier),
}
scores = {
    name: cross_val_score(model, scans.images, scans.target, cv=folds)
    for name, model in pipelines.items()
}
for name, values in scores.items():
    print(f"{name.replace(chr(10), ' ')}: accuracy {values.mean():.3f} +- {values.std():.3f}")

figure, axis = plt.subplots(figsize=(6.5, 2.6), layout="constrained")
axis.barh(
    list(scores)[::-1],
    [values.mean() for values in scores.values()][::-1],
    color=["#3b7dd8", "#9dbeea", "#b0b0b0"],
)
axis.set(xlim=(0, 1), xlabel="accuracy with one template of each of 12 classes")
axis.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# If you have not inverted the files while reading, do it in the pipeline:
model = make_pipeline(Invert(), *cleaning.values(), classifier)
model
