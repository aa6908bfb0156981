"""
From one shape to another
=========================

The mean of two images shows both of them, half as bright. The mean of their R-CDTs is halfway along
a transport that moves the mass of one shape to the other. The inverse transform turns every point
of the path into an image.
"""

# %%
# Two shapes
# ----------
# Two glyphs of a font that comes with matplotlib: a small heart at the lower left, a larger star at
# the upper right. :class:`~sklearn_nrcdt.display.SinogramDisplay` shows the steps of the transform:
# the projections in all directions, and the quantile function of each.
import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from sklearn_nrcdt import RadonCDT
from sklearn_nrcdt.datasets import affine, make_glyphs
from sklearn_nrcdt.display import SinogramDisplay

font = matplotlib.get_data_path() + "/fonts/ttf/DejaVuSans.ttf"
glyphs = make_glyphs("\N{BLACK HEART SUIT}\N{BLACK STAR}", font, canvas=128, size=90).images
matrices = np.multiply.outer([0.5, 0.75], np.eye(2))
shapes = affine(glyphs, matrices, [[-28, -28], [20, 20]])

SinogramDisplay.from_image(shapes[0], n_angles=180)
plt.show()

# %%
# The path between them
# ---------------------
# With ``scaling="wasserstein"`` the Euclidean distance of two rows is the sliced Wasserstein
# distance of the images, and a straight line between two rows is a shortest path. Many quantile
# levels and angles make the inverse sharp.
transformer = RadonCDT(n_angles=360, n_quantiles=256, scaling="wasserstein").fit(shapes)
start, end = transformer.transform(shapes)
times = np.linspace(0, 1, 6)
path = np.array([(1 - t) * start + t * end for t in times])
transported = transformer.inverse_transform(path)

# Images of equal mass, so that the grey values of the mean say something.
first, last = (shape / shape.sum() for shape in shapes)
averaged = np.array([(1 - t) * first + t * last for t in times])

figure, axes = plt.subplots(2, len(times), figsize=(9, 2.9), layout="constrained")
for row, (name, images) in enumerate({"pixels": averaged, "R-CDT": transported}.items()):
    axes[row, 0].set_ylabel(name)
    for axis, image, t in zip(axes[row], images, times, strict=True):
        axis.imshow(image, cmap="gray", vmin=0, vmax=1.2 * first.max())
        axis.set(xticks=[], yticks=[])
        if row == 0:
            axis.set_title(f"t = {t:.1f}", fontsize="medium")
plt.show()
# sphinx_gallery_thumbnail_number = 2


# %%
# Is this a shortest path?
# ------------------------
# A point lies on a shortest path if it is no detour: its distances to both ends add up to the
# distance between the ends. The straight line is such a path, but not every mean of quantile
# functions belongs to an image. :meth:`~sklearn_nrcdt.RadonCDT.inverse_transform` returns an image
# near it, and the table shows how long the detour over that image is (1 means none).
def detour(rows):
    over = np.linalg.norm(rows - start, axis=1) + np.linalg.norm(rows - end, axis=1)
    return over / np.linalg.norm(end - start)


table = {
    "straight line": detour(path),
    "its images": detour(transformer.transform(transported)),
    "pixel means": detour(transformer.transform(averaged)),
}
print("   t " + "".join(f"{name:>15s}" for name in table))
for t, *values in zip(times, *table.values(), strict=True):
    print(f"{t:5.2f}" + "".join(f"{value:15.3f}" for value in values))

# %%
# The mean of many images
# -----------------------
# Put one star at twelve places. The mean of the pixels is twelve faint stars. A shift of the image
# adds a sine to its transform, so the mean of the transforms belongs to a star at the mean place.
rng = np.random.default_rng(0)
star = affine(glyphs[1:], 0.5 * np.eye(2))
shifts = rng.uniform(-40, 40, size=(12, 2))
stars = affine(np.repeat(star, len(shifts), axis=0), np.eye(2), shifts)
mean_star = transformer.inverse_transform(transformer.transform(stars).mean(axis=0)[None])[0]

figure, axes = plt.subplots(1, 3, figsize=(9, 3.3), layout="constrained")
panels = {
    "one of twelve": stars[0],
    "mean of the pixels": stars.mean(axis=0),
    "mean of the R-CDTs": mean_star,
}
for axis, (name, image) in zip(axes, panels.items(), strict=True):
    axis.imshow(image, cmap="gray", vmin=0)
    axis.set(title=name, xticks=[], yticks=[])
plt.show()

columns, rows = np.meshgrid(np.arange(128) - 63.5, 63.5 - np.arange(128))


def centres(images):
    """Centre of mass of each image in pixels, to the right and up from the middle."""
    masses = images.sum(axis=(1, 2))
    return np.stack([(images * place).sum(axis=(1, 2)) / masses for place in (columns, rows)], 1)


print("mean of the twelve centres:      ", centres(stars).mean(axis=0).round(2))
print("centre of the mean of the R-CDTs:", centres(mean_star[None])[0].round(2))
