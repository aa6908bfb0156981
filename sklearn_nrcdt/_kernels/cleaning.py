"""Scan -> bright figure on black: inversion, background, specks. Plain functions on arrays."""

import numpy as np
from scipy import ndimage

OTSU_BINS = 256


def invert(images, white=None):
    """Turn dark on bright into bright on dark: ``white - images``, at least 0.

    `white` is the grey value that becomes black, as do all brighter ones; None takes the largest
    value of each image. Returns the same dtype, or float64 if that cannot hold `white`.
    """
    if images.dtype == bool:
        inverted = invert(images.view(np.uint8), white)
        return inverted.astype(bool if white in (None, 1) else np.float64)
    if white is None:
        white = images.max(axis=(-2, -1), keepdims=True)
    else:
        whole = images.dtype.kind in "ui"
        largest = float(np.finfo(images.dtype).max) if not whole else np.iinfo(images.dtype).max
        if white > largest or (whole and white != int(white)):
            images = images.astype(np.float64)
        white = images.dtype.type(white)
    return white - np.minimum(images, white)


def border_brightness(images):
    """Return how much of the border of each image is bright: 1 for drawings on white paper.

    The border is the outermost sixteenth of the shorter side; bright is nearer to the largest value
    than to the smallest. An image with no dark pixel inside its border is all figure, cropped
    tightly, and gets 0, as does one too small to have an inside.
    """
    n, height, width = images.shape
    edge = max(1, min(height, width) // 16)
    if min(height, width) <= 2 * edge:
        return np.zeros(n)
    low = images.min(axis=(1, 2), keepdims=True).astype(np.float64)
    high = images.max(axis=(1, 2), keepdims=True).astype(np.float64)
    dark = images <= low + (high - low) / 2
    n_inside = np.count_nonzero(dark[:, edge:-edge, edge:-edge], axis=(1, 2))
    n_border = height * width - (height - 2 * edge) * (width - 2 * edge)
    shares = 1 - (np.count_nonzero(dark, axis=(1, 2)) - n_inside) / n_border
    return np.where(n_inside > 0, shares, 0.0)


def otsu_level(image):
    """Return the brightest background value of an image by Otsu's method.

    The bins are divided such that the variance between the two parts is largest. The level is of
    the dtype of the image: float64 does not hold all large integers.
    """
    values = image.ravel()
    low, high = values.min(), values.max()
    if low == high:
        return high
    if image.dtype.kind in "ui":
        above, width = (values - low).astype(np.float64), float(high - low)
    else:
        above, width = values.astype(np.float64) - float(low), float(high) - float(low)
    bins = np.minimum((above / width * OTSU_BINS).astype(np.intp), OTSU_BINS - 1)
    counts = np.bincount(bins, minlength=OTSU_BINS)
    n_below = np.cumsum(counts)[:-1]
    sum_below = np.cumsum(counts * np.arange(OTSU_BINS))
    mean = sum_below[-1] / bins.size
    between = (mean * n_below - sum_below[:-1]) ** 2 / (n_below * (1.0 * bins.size - n_below))
    return values[bins <= between.argmax()].max()


def _medians(images):
    """Return the median of each image, of integers rounded down."""
    n_pixels = images[0].size
    middle = [(n_pixels - 1) // 2, n_pixels // 2]
    values = np.partition(images.reshape(len(images), -1), middle, axis=1)
    low, high = values[:, middle[0]], values[:, middle[1]]
    # Not the mean of the two: their sum may be too large.
    half = (high - low) // 2 if images.dtype.kind in "ui" else (high - low) / 2
    return (low + half)[:, None, None]


def background_levels(images, level):
    """Return the level of the background of each image, of shape (n, 1, 1).

    `level` is "otsu", "median" or a share of the largest value of the image.
    """
    if level == "otsu":
        return np.array([otsu_level(image) for image in images])[:, None, None]
    if images.dtype == bool:
        images = images.view(np.uint8)
    if level == "median":
        return _medians(images)
    return level * images.max(axis=(1, 2), keepdims=True)


def remove_background(images, levels, subtract=False):
    """Set values up to a level to zero, and optionally subtract it from the others.

    Levels are rounded down for integers, which makes no difference to what is background.
    """
    if images.dtype == bool:
        return images & (np.asarray(levels) < 1)
    levels = np.asarray(levels).astype(images.dtype)  # rounds down to integers
    kept = images - np.minimum(images, levels) if subtract else images
    return np.where(images > levels, kept, images.dtype.type(0))


def remove_specks(images, min_area):
    """Set connected components of fewer than `min_area` pixels that are not black to zero.

    Sides and corners connect them. The largest component of an image always stays.
    """
    cleaned = np.array(images, order="C")
    bright = images > 0
    # All images in one call: nothing connects one to the next.
    structure = np.zeros((3, 3, 3), bool)
    structure[1] = True
    labels, n_labels = ndimage.label(bright, structure)
    pixels = np.flatnonzero(bright)
    component = labels.ravel()[pixels] - 1
    areas = np.bincount(component, minlength=n_labels)
    image = np.empty(n_labels, dtype=np.intp)
    image[component] = np.repeat(np.arange(len(images)), np.count_nonzero(bright, axis=(1, 2)))
    largest = np.zeros(len(images), dtype=areas.dtype)
    np.maximum.at(largest, image, areas)
    small = areas < np.minimum(min(min_area, bright.size), largest[image])
    cleaned.ravel()[pixels[small[component]]] = 0
    return cleaned
