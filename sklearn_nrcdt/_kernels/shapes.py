"""Images -> harmonics of their contours, each in the image's own frame."""

import numpy as np
import scipy.sparse as sp

from sklearn_nrcdt._kernels import frames, tangents
from sklearn_nrcdt._kernels.circle import N_ORDERS
from sklearn_nrcdt._kernels.windows import filled_windows, sparse_points

# Images that are worked on at a time, fewer if they have more points than this in all.
CHUNK_IMAGES = 16
CHUNK_POINTS = 2**16


def shape_harmonics(images, image_shape, invariance, n_cells, width):
    """Harmonics of the contours of images.

    Parameters
    ----------
    images : ndarray of shape (n, h, w), list of 2-D ndarray, or CSR array of shape (n, h * w)
        Non-negative and finite.
    image_shape : tuple (h, w)
        Needed for sparse images only.
    invariance : {"affine", "similarity", "slant", "scale"}
        The maps of the image that its frame follows.
    n_cells : int
        Cells on a side of the whitened image.
    width : float
        Width of the Gaussian that smooths its gradients.

    Returns
    -------
    coefficients : complex ndarray of shape (n, N_ORDERS, n_channels), complex64
        See `tangents.tangent_harmonics`; zero for a blank image.
    blank : ndarray of shape (n,), bool
    """
    isotropic = invariance in ("similarity", "scale")
    prepared = list(_prepared(images, image_shape, isotropic))
    shape = (len(prepared), N_ORDERS, len(tangents.WINDOWS))
    coefficients = np.zeros(shape, np.complex64)
    filled = [i for i, image in enumerate(prepared) if image is not None]
    while filled:
        n_points = np.cumsum([prepared[i].size for i in filled[:CHUNK_IMAGES]])
        n = max(1, int(np.searchsorted(n_points, CHUNK_POINTS)))
        chunk, filled = filled[:n], filled[n:]
        cells = whitened_images([prepared[i] for i in chunk], invariance, n_cells)
        coefficients[chunk] = tangents.tangent_harmonics(*tangents.gradients(cells, width))
    return coefficients, np.array([image is None for image in prepared])


def whitened_images(images, invariance, n_cells):
    """Images as they are seen in their own frames, of shape (n, n_cells, n_cells)."""
    centres, scatters = frames.robust_frames(images, invariance in ("similarity", "scale"))
    roots = (
        frames.upper_triangular_roots(scatters)
        if invariance == "slant"
        else frames.symmetric_roots(scatters)
    )
    seen = zip(images, centres, roots, strict=True)
    return np.stack([frames.whitened(*image, n_cells) for image in seen])


def _prepared(images, image_shape, isotropic):
    """Yield the windows of images, of largest value 1 in float32 and reduced; None for blanks."""
    if sp.issparse(images):
        for rows, columns, greys in sparse_points(images, image_shape):
            if not len(rows):
                yield None
            else:
                yield frames.reduced_points(rows, columns, _near_one(greys), isotropic)
    else:
        for window in filled_windows(images):
            yield None if window is None else frames.reduced(_near_one(window), isotropic)


def _near_one(greys):
    # Divided in a precision that holds them: float32 does not hold all values of float64.
    greys = greys if greys.dtype == np.float32 else greys.astype(np.float64)
    return (greys / greys.max()).astype(np.float32)
