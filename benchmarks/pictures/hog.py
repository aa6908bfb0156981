"""What InvariantHOG sees: the frame, the whitened image, contours, windows, neighbours."""

import numpy as np
from matplotlib.colors import hsv_to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse

from benchmarks.tables import save_figure
from sklearn_nrcdt import InvariantHOG, aligned_pairwise_distances
from sklearn_nrcdt._kernels import frames, tangents
from sklearn_nrcdt._kernels.contours import whitened_images
from sklearn_nrcdt.datasets import affine, load_symbols

TITLES = ("image and frame", "whitened image", "contours", "tangent windows", "nearest", "next")


def _draw_row(axes, image, templates):
    image = image.astype(np.float32)
    (center,), (scatter,) = frames.robust_frames([image], isotropic=False)
    cells = whitened_images([image], "affine", 64)
    gx, gy = (gradient[0] for gradient in tangents.gradients(cells, 0.12))
    harmonics = tangents.tangent_harmonics(gx[None], gy[None])[0]
    values, vectors = np.linalg.eigh(scatter)
    axes[0].imshow(image, cmap="gray")
    axes[0].add_patch(
        Ellipse(
            (center[0], -center[1]),
            *(4 * np.sqrt(values)),
            angle=-np.rad2deg(np.arctan2(vectors[1, 0], vectors[0, 0])),
            fill=False,
            color="#f2a541",
            linewidth=2,
        )
    )
    axes[1].imshow(cells[0], cmap="gray")
    # Hue is the direction of the normal, brightness the weight.
    size = np.hypot(gx, gy)
    hue = np.arctan2(gy, gx) / (2 * np.pi) % 1
    weight = size / (size + tangents.SATURATION * np.sqrt((size**4).sum() / (size**2).sum()))
    axes[2].imshow(hsv_to_rgb(np.stack([hue, np.full_like(hue, 0.7), weight], axis=2)))
    # Order 0 alone, windows (i, j) and (i, -j) together: what a flip leaves of them.
    grid = np.full((7, 4), np.nan)
    for value, (i, j) in zip(harmonics[0].real, tangents.WINDOWS.tolist(), strict=True):
        if j >= 0:
            grid[i + 3, j] = value
    axes[3].imshow(grid.T, cmap="magma", origin="lower", vmin=0)
    axes[3].set(xlabel="distance s", ylabel="place t")
    hog = InvariantHOG(keep="circle").fit(templates)
    distances = aligned_pairwise_distances(hog.transform(image[None]), hog.transform(templates))[0]
    for axis, k in zip(axes[4:], np.argsort(distances), strict=False):
        axis.imshow(templates[k], cmap="bone")
        axis.set_xlabel(f"distance {distances[k]:.2f}")


def seen():
    """One symbol and an affine image of it."""
    templates = load_symbols().images
    moved = affine(templates[4:5], [[0.9, 0.7], [-0.5, 0.8]], (15, -10))[0]
    figure = Figure(figsize=(11, 4), layout="constrained")
    axes = figure.subplots(2, 6)
    for row, image in zip(axes, (templates[4], moved), strict=True):
        _draw_row(row, image, templates)
        for axis in row:
            axis.set(xticks=[], yticks=[])
    for axis, title in zip(axes[0], TITLES, strict=True):
        axis.set_title(title)
    return figure


def run(args):
    save_figure(args, seen(), "hog")
