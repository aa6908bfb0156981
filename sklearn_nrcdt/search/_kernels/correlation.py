"""Search for line elements in oriented ridges: correlation over all positions by FFT.

A photograph is given as planes of ridges, a drawing as planes of line elements, both with one
plane for each direction and on grids of the same resolution. The photograph is whitened: each
plane is divided by the root of its own smoothed power spectrum, which suppresses what repeats
(laid lines) or varies slowly (stains) and keeps what is rare.
"""

import math

import numpy as np
import scipy.fft

from sklearn_nrcdt.search._kernels.line_elements import draw_elements

WHITENING_RANGE = 100.0  # pixels; what correlates over longer distances belongs to the figure
LEAST_VISIBLE = 0.25  # share of a drawing's elements that must be in the photograph
BLUR = {4: 0.5, 2: 0.65}  # tolerance in grid points, by the number of pixels between two


def fft_shape(shape, extent):
    """Return a fast FFT size for a picture and what is around it as far as drawings reach.

    Both are in grid points; drawings reach `extent` from their centers.
    """
    sides = (math.ceil((n + more + 4) / 8) * 8 for n, more in zip(shape, extent, strict=True))
    return tuple(scipy.fft.next_fast_len(side, real=True) for side in sides)


def element_spectrum(elements, n_orientations, factor, shape):
    """Return the spectrum of a drawing's line elements, turned by 180 degrees."""
    # What is farther away is outside for every place of the center in the photograph.
    near = (np.abs(elements[:, :2]) < np.array(shape) * (factor / 2)).all(axis=1)
    turned = elements[near] * np.array([-1, -1, 1], np.float32)
    return scipy.fft.rfft2(draw_elements(turned, n_orientations, factor, shape))


def whitened_spectrum(planes, shape, factor):
    """Return the spectrum of planes, whitened and a little blurred, complex64.

    The blur tolerates small deformations of the drawing. Correlations over more than
    `WHITENING_RANGE` pixels are not whitened: they belong to the figure. `shape` is that of the
    FFT, with `factor` pixels between two grid points.
    """
    spectrum = scipy.fft.rfft2(planes.astype(np.float32, copy=False), shape)
    auto = scipy.fft.irfft2(np.square(np.abs(spectrum)), shape)
    for axis in (0, 1):
        away = scipy.fft.fftfreq(shape[axis]) * (shape[axis] * factor / WHITENING_RANGE)
        window = np.exp(-0.5 * np.square(away)).astype(np.float32)
        auto *= window[:, None] if axis == 0 else window
    power = scipy.fft.rfft2(auto).real
    mean = power.mean(axis=(1, 2), keepdims=True)
    power = np.maximum(power, 0) + 1e-3 * mean
    y = scipy.fft.fftfreq(shape[0])[:, None]
    x = scipy.fft.rfftfreq(shape[1])
    soft = np.exp(-2 * np.square(np.pi * BLUR[factor]) * (y * y + x * x)).astype(np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(mean > 0, spectrum * (soft / np.sqrt(power)), 0).astype(np.complex64)


def correlate(picture, drawings, shape, inside, visible=None):
    """Find where drawings fit best into a picture of `inside` grid points.

    `picture` is its whitened spectrum, `drawings` are `element_spectrum`s: the product is a
    correlation. `visible` is for fragments: the spectrum of the photograph's mask, and the numbers
    of elements. Centers may then be outside, and what is visible of a drawing counts.

    Returns maxima of the correlation, divided by its root mean square, and their grid points.
    """
    # Four times as fast as einsum, and one inverse FFT for all directions.
    product = picture[0] * drawings[:, 0]
    term = np.empty_like(product)
    for k in range(1, len(picture)):
        product += np.multiply(picture[k], drawings[:, k], out=term)
    surface = scipy.fft.irfft2(product, shape, overwrite_x=True)
    n, searched, area = len(surface), inside, math.prod(inside)
    if visible is not None:
        mask, n_elements = visible
        share = scipy.fft.irfft2(mask * drawings.sum(axis=1), shape) / n_elements[:, None, None]
        # A sum of fewer terms deviates less. Below the least share anything may fit.
        surface *= (share >= LEAST_VISIBLE) / np.sqrt(np.maximum(share, LEAST_VISIBLE))
        # A drawing may be too large to be visible anywhere: then its surface is zero.
        area, searched = np.maximum((share >= LEAST_VISIBLE).sum(axis=(1, 2)), 1), shape
    power = np.einsum("nhw,nhw->n", surface, surface) / area
    part = np.ascontiguousarray(surface[:, : searched[0], : searched[1]]).reshape(n, -1)
    best = part.argmax(axis=1)
    peak = part[np.arange(n), best]
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.where(power > 0, peak / np.sqrt(power), 0)
    positions = np.column_stack(np.unravel_index(best, searched))
    # The far half of what is around the picture lies before its first row or column.
    beyond = positions > (np.array(inside) + searched) // 2
    return scores, positions - beyond * np.array(searched)


def likeness(drawing, other, shape, tolerance):
    """Return how much of a drawing is in another one, wherever that is.

    Both are `element_spectrum`s; lines that are apart by a deviation of `tolerance` grid points are
    somewhat alike.
    """
    y = scipy.fft.fftfreq(shape[0])[:, None]
    x = scipy.fft.rfftfreq(shape[1])
    soft = np.exp(-2 * np.square(np.pi * tolerance) * (y * y + x * x)).astype(np.float32)
    alike, same = (
        scipy.fft.irfft2(np.einsum("kyx,kyx,yx->yx", drawing.conj(), one, soft), shape).max()
        for one in (other, drawing)
    )
    return float(alike / same)
