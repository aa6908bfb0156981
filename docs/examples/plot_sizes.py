"""
Images of different sizes
=========================

Crops, icons and logos come in all sizes. You need not put them on one canvas: pass a list of arrays
of different shapes. Neither the size of a figure nor the border around it changes its features.
"""

# %%
# A list of images
# ----------------
# Characters, drawn at 12 to 200 pixels, turned and sheared, and cropped to what is not black.
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import InvariantHOG, MaxNRCDT, NearestTemplateClassifier
from sklearn_nrcdt.datasets import make_glyphs, random_affine

FONT = matplotlib.get_data_path() + "/fonts/ttf/DejaVuSans.ttf"
CHARACTERS = list("ABDEFGJKLPQRT2345678&?@")


def crop(image):
    lit = image > 0.02 * image.max()
    rows, columns = np.flatnonzero(lit.any(axis=1)), np.flatnonzero(lit.any(axis=0))
    return image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def draw(size, seed):
    """Return one cropped image of each character, turned and sheared."""
    glyphs = make_glyphs(CHARACTERS, FONT, canvas=3 * size, size=size, dtype=np.float32)
    moved = random_affine(glyphs.images, scale=(0.8, 1.2), shear=(-15, 15), random_state=seed)
    return [crop(image) for image in moved]


SIZES = [12, 16, 24, 32, 48, 64, 100, 140, 200]
images = [image for seed, size in enumerate(SIZES) for image in draw(size, seed)]
target = np.tile(CHARACTERS, len(SIZES))
sizes = np.repeat(SIZES, len(CHARACTERS))
print(f"{len(images)} images, the first ones of", [image.shape for image in images[:3]])
print("the last ones of", [image.shape for image in images[-3:]])

# All at the same scale.
canvas = np.zeros((200, 1200))
left = 0
for size in SIZES:
    image = images[np.flatnonzero(sizes == size)[5]]
    canvas[-image.shape[0] :, left : left + image.shape[1]] = image
    left += image.shape[1] + 12
figure, axis = plt.subplots(figsize=(8, 2.5), layout="constrained")
axis.imshow(canvas[:, :left], cmap="gray")
axis.set_axis_off()
plt.show()

# %%
# Fit and predict
# ---------------
# The templates are a stack of upright characters of 64 pixels, the queries are a list. Nothing else
# changes.
templates = make_glyphs(CHARACTERS, FONT, canvas=128, size=64, dtype=np.float32)
models = {
    "InvariantHOG": make_pipeline(
        InvariantHOG(keep="circle"), NearestTemplateClassifier("aligned")
    ),
    "MaxNRCDT": make_pipeline(MaxNRCDT(), NearestTemplateClassifier()),
}
right = {}
for name, model in models.items():
    model.fit(templates.images, CHARACTERS)
    answers = model.predict(images)
    right[name] = answers == target
    wrong = sorted({f"{t} as {a}" for t, a in zip(target, answers, strict=True) if t != a})
    print(f"{name:12s} accuracy {right[name].mean():.3f}, wrong: {', '.join(wrong[:6])}")

# %%
# How small is too small?
# -----------------------
# Contours are legible from 12 pixels on. The remaining mistakes confuse 7 and L: one is the other,
# turned and sheared.
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, hits), look in zip(right.items(), ("o-", "^:"), strict=True):
    axis.plot(SIZES, [hits[sizes == size].mean() for size in SIZES], look, label=name)
axis.set(
    xscale="log",
    ylim=(0, 1.03),
    xlabel="size of the font in pixels",
    ylabel=f"accuracy, {len(CHARACTERS)} classes",
)
axis.set_xticks(SIZES, SIZES)
axis.minorticks_off()
axis.grid(alpha=0.3)
axis.legend(frameon=False, loc="lower right")
plt.show()
# sphinx_gallery_thumbnail_number = 2

# %%
# For a folder of files, ``load_image_folder(folder, shape="own")`` returns such a list.
