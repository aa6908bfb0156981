"""Images -> harmonics of their contours, each in the image's own frame."""

import numpy as np

from sklearn_nrcdt._kernels import frames, tangents
from sklearn_nrcdt._kernels.circle import N_ORDERS
from sklearn_nrcdt._kernels.crops import filled_window

# Pixels of the images that are worked on at a time, which bounds the memory of their frames.
CHUNK_PIXELS = 2**16


def contour_harmonics(images, invariance, n_cells, width):
    """Harmonics of the contours of images, (n, N_ORDERS, n_channels), see `tangent_harmonics`.

    Images come from `prepared` or `prepared_pixels`; those of None, a blank one, are zero. A
    Gaussian of this width smooths the gradients in the frame of `n_cells` by `n_cells` cells.
    """
    coefficients = np.zeros((len(images), N_ORDERS, len(tangents.WINDOWS)), np.complex64)
    for chunk, slopes in contour_gradients(images, invariance, n_cells, width):
        coefficients[chunk] = tangents.tangent_harmonics(*slopes)
    return coefficients


def contour_gradients(images, invariance, n_cells, width):
    """Yield positions of a few images that are not blank, and their gradients in their frames."""
    filled = [i for i, image in enumerate(images) if image is not None]
    while filled:
        n_pixels = np.cumsum([images[i].size for i in filled])
        n = max(1, int(np.searchsorted(n_pixels, CHUNK_PIXELS)))
        chunk, filled = filled[:n], filled[n:]
        cells = whitened_images([images[i] for i in chunk], invariance, n_cells)
        yield chunk, tangents.gradients(cells, width)


def whitened_images(images, invariance, n_cells):
    """Images as they are seen in their own frames, of shape (n, n_cells, n_cells)."""
    centers, scatters = frames.robust_frames(images, isotropic(invariance))
    roots = frames.upper_triangular_roots if invariance == "slant" else frames.symmetric_roots
    seen = zip(images, centers, roots(scatters), strict=True)
    return np.stack([frames.whitened(*image, n_cells) for image in seen])


def isotropic(invariance):
    return invariance in ("similarity", "scale")


def upright(invariance):
    return invariance in ("slant", "scale")


def prepared(image, invariance):
    """Return the window of an image, of largest value 1 in float32 and reduced; None if blank."""
    window = filled_window(image)
    return None if window is None else frames.reduced(_near_one(window), isotropic(invariance))


def prepared_pixels(rows, columns, greys, invariance):
    """Do what `prepared` does, given the filled pixels of an image."""
    if not len(rows):
        return None
    return frames.reduced_pixels(rows, columns, _near_one(greys), isotropic(invariance))


def _near_one(greys):
    greys = greys if greys.dtype == np.float32 else greys.astype(np.float64)
    with np.errstate(over="ignore"):  # NumPy 1 divides 1 by subnormal numbers in unused lanes
        return (greys / greys.max()).astype(np.float32)
