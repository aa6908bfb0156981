"""From quantile functions of projections back to an image, by filtered back projection."""

import numpy as np

from sklearn_nrcdt._kernels.footprints import pixel_side
from sklearn_nrcdt._kernels.quantiles import cdf_from_quantiles


def reconstruct(
    quantiles: np.ndarray, image_shape: tuple[int, int], kind: str = "means"
) -> np.ndarray:
    """Image of total mass 1 whose projections have the given quantile functions.

    These are of shape (n_directions, n_quantiles), at the angles ``pi * m / n_directions``, and
    hold what `kind` says, see `quantiles`.
    """
    # Imported here: it is slow to import, and `python -OO` cannot import it.
    from skimage.transform import iradon

    n_directions = len(quantiles)
    angles = np.pi * np.arange(n_directions) / n_directions
    size = max(image_shape)
    top, left = ((size - side) // 2 for side in image_shape)
    # The detectors are shifted: iradon's origin is pixel (size // 2, size // 2), not the center.
    right = (image_shape[1] - 1) / 2 + left - size // 2
    up = size // 2 - (image_shape[0] - 1) / 2 - top
    offset = right * np.cos(angles) + up * np.sin(angles)
    half = int(np.ceil(size / np.sqrt(2))) + 1
    detectors = np.arange(-half, half + 2) - 0.5
    edges = (detectors - offset[:, None]) * pixel_side(image_shape)
    cdfs = [cdf_from_quantiles(q, e, kind) for q, e in zip(quantiles, edges, strict=True)]
    sinogram = np.diff(cdfs, axis=1).T
    # Of scikit-image's filters, the cosine window has the smallest error at 64 levels.
    image = iradon(
        sinogram, np.rad2deg(angles), output_size=size, circle=False, filter_name="cosine"
    )
    image = image[top : top + image_shape[0], left : left + image_shape[1]]
    image = np.maximum(image, 0)
    total = image.sum()
    return image / total if total > 0 else image
