"""Smooth random deformations that no affine map is, to test with.

They are not those of `sklearn_nrcdt.datasets.random_elastic`: no method is tested on the very maps
that made its copies.
"""

import numpy as np
from scipy.ndimage import map_coordinates


def displaced(images, *, rms, width, rng):
    """Move the pixels of each image by a smooth random field of its own.

    Both components of the displacement are white noise, smoothed by a Gaussian of the given
    width in pixels (periodically), and scaled so that the root mean square length of the
    displacement over the canvas is `rms` pixels.
    """
    height, width_of_canvas = images.shape[1:]
    frequencies = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width_of_canvas))
    smooth = np.exp(-2 * (np.pi * width * frequencies) ** 2)
    smooth[0, 0] = 0  # a shift of the whole image is no deformation
    places = np.indices(images.shape[1:])
    moved = np.empty_like(images)
    for image, result in zip(images, moved, strict=True):
        noise = np.fft.rfft2(rng.standard_normal(places.shape))
        field = np.fft.irfft2(noise * smooth, images.shape[1:])
        field *= rms / np.sqrt(np.mean(np.sum(field**2, axis=0)))
        map_coordinates(image, places + field, output=result, order=1)
    return moved
