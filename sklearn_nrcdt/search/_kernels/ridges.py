"""From a photograph to oriented ridges: even light, then a filter for strokes in each direction.

Directions of lines are angles in radians from the x axis to the y axis of the array, that is
clockwise on the screen.
"""

import math

import numpy as np
import scipy.fft
from scipy import ndimage
from skimage.measure import block_reduce

# Working resolution: photographs are resized so that a stroke is four pixels wide.
STROKE = 4.0
N_ORIENTATIONS = 6
# Chosen on twenty development photographs; half or twice as much finds fewer drawings.
LIGHT, CONTRAST = 3.0, 7.5  # windows of mean and deviation, in strokes
ACROSS, ALONG = 0.45, 1.25  # deviations of the ridge filter, in strokes
DARKEST, BRIGHTEST = -0.5, 1.5  # range of grey values that is kept, in local deviations
# Images are scaled if the exponent of their largest value is beyond this: their sums overflow.
SAFE_EXPONENT = 60
STRIP = 2**21  # pixels filtered at a time; bounds the memory for scans of any size


def resize_photo(photo, zoom):
    """Return a photograph with grey values from 0 to 1, of any scale before, in another size."""
    low, high = float(photo.min()), float(photo.max())
    # Halves, where the difference would overflow.
    half = 0.5 if math.isinf(high - low) else 1.0
    # Twice the working resolution is enough; strips bound the memory for scans of any size.
    shrink = min(max(1, math.floor(0.5 / zoom)), *photo.shape)
    shape = tuple(side // shrink for side in photo.shape)
    grey = np.empty(shape, np.float32)
    step = max(1, STRIP // photo.shape[1] // shrink)
    for top in range(0, shape[0], step):
        strip = photo[top * shrink : (top + step) * shrink, : shape[1] * shrink]
        strip = (strip.astype(np.float64) * half - low * half) / (high * half - low * half)
        out = grey[top : top + step]
        out[:] = block_mean(strip[None], shrink)[0, : len(out)] if shrink > 1 else strip
    zoom = zoom * shrink
    if zoom == 1:
        return grey
    from skimage.transform import resize  # fails under -OO

    shape = tuple(max(1, round(side * zoom)) for side in grey.shape)
    return resize(grey, shape, order=1, anti_aliasing=zoom < 1, preserve_range=True)


def flatten_illumination(images, window=LIGHT * STROKE, polarity="dark"):
    """Even out light and contrast of images (n, height, width); strokes become bright.

    The light is the mean in a Gaussian window of this deviation, in pixels; contrast is measured in
    one 2.5 times as wide. Results are from 0 to 1: 1/4 is paper, one local deviation is 1/2. What
    is darker is clipped early: it is writing, or the far side of a shadow.
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
    """Filter an image for bright strokes of a width, with one plane for each direction.

    The filters are second derivatives across the stroke of a Gaussian that is longer along it.
    Negative responses are set to zero. Plane k is for lines in the direction pi * k /
    n_orientations.
    """
    across, along = ACROSS * stroke, ALONG * stroke
    margin = math.ceil(4 * along)
    height, width = image.shape
    dtype = np.float32 if image.dtype == np.float32 else np.float64
    padded = np.pad(image.astype(dtype), margin, mode="symmetric")
    exponent = int(np.frexp(image.max())[1])
    if exponent > SAFE_EXPONENT:
        padded = np.ldexp(padded, -exponent)
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
    if exponent > SAFE_EXPONENT:
        largest = np.finfo(dtype).max
        np.ldexp(np.minimum(ridges, np.ldexp(largest, -exponent)), exponent, out=ridges)
    return ridges


def block_mean(planes, factor):
    """Return means over squares of `factor` pixels, after padding with zeros."""
    return block_reduce(planes, (1, factor, factor), np.mean)


def pooled_ridges(image, n_orientations, factor):
    """Return the oriented ridges of an image in means over squares of `factor` pixels.

    Large images are filtered in strips, so that memory beyond the result is bounded.
    """
    height, width = image.shape
    rows, columns = -(-height // factor), -(-width // factor)
    pooled = np.zeros((n_orientations, rows, columns), np.float32)
    margin = math.ceil(4 * ALONG * STROKE)
    step = factor * max(1, STRIP // max(1, factor * width))
    for top in range(0, height, step):
        bottom = min(top + step, height)
        low, high = max(0, top - margin), min(height, bottom + margin)
        ridges = oriented_ridges(image[low:high].astype(np.float32), n_orientations)
        part = block_mean(ridges[:, top - low : bottom - low], factor)
        pooled[:, top // factor : top // factor + part.shape[1]] = part
    return pooled


def ridges_of(photo, zoom, polarity, factor):
    """Return the oriented ridges of a photograph on a grid of `factor` pixels."""
    flat = flatten_illumination(resize_photo(photo, zoom)[None], polarity=polarity)[0]
    planes = pooled_ridges(flat, N_ORIENTATIONS, factor)
    # What lies around a photograph is as bright as its mean.
    planes -= planes.mean(axis=(1, 2), keepdims=True)
    return planes
