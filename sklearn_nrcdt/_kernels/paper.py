"""Photographs of paper: uneven light, the lines of the mould, faint strokes.

Plain functions on arrays. Directions of lines are angles in radians from the x axis to the y axis
of the array, that is clockwise on the screen.
"""

import math

import numpy as np
import scipy.fft
from scipy import ndimage

# Tuned for strokes of four pixels; all lengths scale with the stroke.
STROKE = 4.0
LIGHT, CONTRAST = 3.0, 7.5  # windows of mean and deviation, in strokes
ACROSS, ALONG = 0.45, 1.25  # deviations of the ridge filter, in strokes
DARKEST, BRIGHTEST = -0.5, 1.5  # range of grey values that is kept, in local deviations
STRIP = 2**21  # pixels filtered at a time


def flatten_illumination(images, window=LIGHT * STROKE, polarity="dark"):
    """Even out light and contrast; strokes become bright.

    Parameters
    ----------
    images : ndarray of shape (n, height, width)
        Grey values.
    window : float
        Deviation of the Gaussian whose mean is the light, in pixels. Contrast is measured in a
        window 2.5 times as wide.
    polarity : {"dark", "bright"}
        What the strokes are in the photograph.

    Returns
    -------
    images : ndarray of the same shape, float32 for float32 images, else float64
        Grey values from 0 to 1: 1/4 is paper, one local deviation is 1/2. What is darker is
        clipped early: it is writing, or the far side of a shadow.
    """
    dtype = np.float32 if images.dtype == np.float32 else np.float64
    flat = np.empty(images.shape, dtype)
    for image, out in zip(images, flat, strict=True):
        # In float32 only if the input has no higher precision.
        grey = image.astype(dtype)
        grey /= grey.max() or 1
        grey -= ndimage.gaussian_filter(grey, window, truncate=3)
        if polarity == "dark":
            np.negative(grey, out=grey)
        square = np.square(grey)
        # A few bright spots must not raise the deviation around them.
        np.minimum(square, np.quantile(square, 0.99), out=square)
        ndimage.gaussian_filter(square, CONTRAST / LIGHT * window, output=square, truncate=3)
        deviation = np.sqrt(square, out=square)
        # Rounding is not grain: a uniform image stays uniform.
        deviation += 0.3 * np.median(deviation) + 1e-6
        grey /= deviation
        np.clip(grey, DARKEST, BRIGHTEST, out=grey)
        np.divide(grey - DARKEST, BRIGHTEST - DARKEST, out=out)
    return flat


def oriented_ridges(image, n_orientations, stroke=STROKE):
    """Filter an image for bright strokes, with one plane per direction.

    The filters are second derivatives across the stroke of a Gaussian that is longer along it.
    Negative responses are set to zero.

    Parameters
    ----------
    image : ndarray of shape (height, width)
        Grey values.
    n_orientations : int
        Number of directions: plane k is for lines in the direction pi * k / n_orientations.
    stroke : float
        Width of a stroke in pixels.

    Returns
    -------
    ridges : ndarray of shape (n_orientations, height, width)
        Non-negative, of the dtype of the image if that is float32 or float64.
    """
    across, along = ACROSS * stroke, ALONG * stroke
    margin = math.ceil(4 * along)
    height, width = image.shape
    dtype = np.float32 if image.dtype == np.float32 else np.float64
    padded = np.pad(image.astype(dtype), margin, mode="symmetric")
    shape = [scipy.fft.next_fast_len(side, real=True) for side in padded.shape]
    spectrum = scipy.fft.rfft2(padded, shape)
    y = 2 * np.pi * scipy.fft.fftfreq(shape[0])[:, None]
    x = 2 * np.pi * scipy.fft.rfftfreq(shape[1])
    ridges = np.empty((n_orientations, height, width), dtype)
    for k in range(n_orientations):
        direction = np.pi * k / n_orientations
        u = x * math.cos(direction) + y * math.sin(direction)
        v = y * math.cos(direction) - x * math.sin(direction)
        # Of unit response to a step of grey values as wide as the stroke, up to a constant.
        transfer = (across * v) ** 2 * np.exp(-((along * u) ** 2 + (across * v) ** 2) / 2)
        response = scipy.fft.irfft2(spectrum * transfer.astype(dtype), shape)
        inside = response[margin : margin + height, margin : margin + width]
        np.maximum(inside, 0, out=ridges[k])
    return ridges


def pooled_ridges(image, n_orientations, factor, stroke=STROKE):
    """Return the oriented ridges of an image in means over squares of `factor` pixels.

    Large images are filtered in strips, so that memory beyond the result is bounded. Incomplete
    squares at the right and at the bottom are padded with zeros.
    """
    height, width = image.shape
    rows, columns = -(-height // factor), -(-width // factor)
    pooled = np.zeros((n_orientations, rows, columns), np.float32)
    margin = math.ceil(4 * ALONG * stroke)
    step = factor * max(1, STRIP // max(1, factor * width))
    for top in range(0, height, step):
        bottom = min(top + step, height)
        low, high = max(0, top - margin), min(height, bottom + margin)
        ridges = oriented_ridges(image[low:high].astype(np.float32), n_orientations, stroke)
        ridges = ridges[:, top - low : bottom - low]
        fill = -ridges.shape[1] % factor, -width % factor
        ridges = np.pad(ridges, [(0, 0), (0, fill[0]), (0, fill[1])])
        part = ridges.reshape(n_orientations, -1, factor, columns, factor).mean(axis=(2, 4))
        pooled[:, top // factor : top // factor + part.shape[1]] = part
    return pooled


def line_direction(image, periods=(3.0, 8.0)):
    """Find the direction of the finest regular lines of an image: the laid lines of paper.

    The lines make a peak in the spectrum, which is located to a fraction of a frequency by
    zooming in.

    Parameters
    ----------
    image : ndarray of shape (height, width)
        Grey values of even light.
    periods : (float, float)
        Shortest and longest distance between two lines, in pixels.

    Returns
    -------
    direction : float
        Direction of the lines in radians, from -pi/2 to pi/2; NaN for an image without lines.
    strength : float
        Power of the peak as a multiple of the mean power at such periods.
    """
    grey = image - image.mean()
    if not np.ptp(grey) > 1e-9 * max(1.0, np.abs(image).max()):
        return math.nan, 0.0
    window = np.hanning(grey.shape[0] + 2)[1:-1, None] * np.hanning(grey.shape[1] + 2)[1:-1]
    grey = grey * window
    # Twice the size puts a frequency between any two.
    shape = [scipy.fft.next_fast_len(2 * side, real=True) for side in grey.shape]
    power = np.square(np.abs(scipy.fft.rfft2(grey, shape)))
    y, x = scipy.fft.fftfreq(shape[0])[:, None], scipy.fft.rfftfreq(shape[1])
    radius = np.hypot(y, x)
    band = (radius > 1 / periods[1]) & (radius < 1 / periods[0])
    if not band.any() or not power[band].any():
        return math.nan, 0.0
    peak = np.unravel_index(np.argmax(np.where(band, power, 0)), power.shape)
    fy, fx = _sharpen_peak(grey, float(y[peak[0], 0]), float(x[peak[1]]))
    # The lines are perpendicular to the direction in which they repeat.
    direction = (math.atan2(fy, fx) + math.pi) % math.pi - math.pi / 2
    return direction, float(power[peak] / power[band].mean())


def _sharpen_peak(grey, fy, fx):
    """Return the frequency near (fy, fx), in cycles per pixel, where the power is greatest."""
    rows, columns = (np.arange(side) for side in grey.shape)
    step = np.array([0.5 / side for side in grey.shape])
    for _ in range(6):
        near = np.array([-1, -0.5, 0, 0.5, 1])
        try_y, try_x = fy + step[0] * near, fx + step[1] * near
        wave_y = np.exp(-2j * np.pi * np.outer(try_y, rows))
        wave_x = np.exp(-2j * np.pi * np.outer(columns, try_x))
        i, j = np.unravel_index(np.argmax(np.abs(wave_y @ grey @ wave_x)), (5, 5))
        fy, fx = float(try_y[i]), float(try_x[j])
        step /= 2
    return fy, fx


def suppress_lines(image, direction, along=0.012, across=0.008):
    """Remove regular lines in one direction, and those across it, from an image.

    Fourier coefficients on the two axes of the paper are removed, with soft edges. Periods above
    200 pixels stay: they are light, not lines.

    Parameters
    ----------
    image : ndarray of shape (height, width)
        Grey values.
    direction : float
        Direction of the lines in radians.
    along, across : float
        Half widths of the notches for lines in that direction and across it, in cycles per
        pixel; 0 keeps such lines.

    Returns
    -------
    image : ndarray of the same shape
        Grey values from 0 to the largest value of the image.
    """
    margin = [min(64, side) for side in image.shape]
    padded = np.pad(image, [(m, m) for m in margin], mode="symmetric")
    shape = [scipy.fft.next_fast_len(side, real=True) for side in padded.shape]
    y = scipy.fft.fftfreq(shape[0])[:, None]
    x = scipy.fft.rfftfreq(shape[1])
    u = x * math.cos(direction) + y * math.sin(direction)
    v = y * math.cos(direction) - x * math.sin(direction)
    keep = np.ones(np.broadcast_shapes(x.shape, y.shape))
    for half_width, beside in ((along, u), (across, v)):
        if half_width > 0:
            keep *= 1 - np.exp(-0.5 * (2 * beside / half_width) ** 2)
    slow = np.exp(-0.5 * (200 * np.hypot(x, y)) ** 2)
    keep = np.maximum(keep, slow).astype(image.dtype)
    filtered = scipy.fft.irfft2(scipy.fft.rfft2(padded, shape) * keep, shape)
    inside = tuple(slice(m, m + side) for m, side in zip(margin, image.shape, strict=True))
    return np.clip(filtered[inside], 0, image.max())


def turn_upright(image, direction):
    """Rotate an image about its centre so that lines in a direction become horizontal."""
    cos, sin = math.cos(direction), math.sin(direction)
    matrix = np.array([[cos, sin], [-sin, cos]])
    centre = (np.array(image.shape) - 1) / 2
    return ndimage.affine_transform(
        image, matrix, offset=centre - matrix @ centre, order=1, mode="nearest"
    )
