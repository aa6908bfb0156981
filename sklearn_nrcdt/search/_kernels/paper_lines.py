"""Lines of the mould: how far apart laid and chain lines are, and where they run.

Directions are angles in radians, clockwise on the screen, as in `ridges`.
"""

import math

import numpy as np
import scipy.fft
from scipy import ndimage

LAID = (3.0, 8.0)  # distances of laid lines in pixels: 0.8 to 2 mm at 100 dots per inch
CHAINS = (50.0, 170.0)  # of chain lines: 13 to 43 mm
# Chain lines are about perpendicular to laid lines; these deviations are tried, in radians.
TILTS = np.radians(np.linspace(-2, 2, 9))


def regular_lines(image):
    """Measure the strongest regular lines of an image of even light, such as laid lines.

    They make a peak in the spectrum, which is located to a fraction of a frequency by zooming in.
    Returns their direction, from -pi/2 to pi/2, the distance of two lines in pixels, within
    `LAID`, and the power of the peak as a multiple of the mean power at such periods; NaN, NaN
    and 0 for an image without lines.
    """
    grey = image - image.mean()
    if not np.ptp(grey) > 1e-9 * max(1.0, np.abs(image).max()):
        return math.nan, math.nan, 0.0
    window = np.hanning(grey.shape[0] + 2)[1:-1, None] * np.hanning(grey.shape[1] + 2)[1:-1]
    grey = grey * window
    # Twice the size puts a frequency between any two.
    shape = [scipy.fft.next_fast_len(2 * side, real=True) for side in grey.shape]
    power = np.square(np.abs(scipy.fft.rfft2(grey, shape)))
    y, x = scipy.fft.fftfreq(shape[0])[:, None], scipy.fft.rfftfreq(shape[1])
    radius = np.hypot(y, x)
    band = (radius > 1 / LAID[1]) & (radius < 1 / LAID[0])
    if not band.any() or not power[band].any():
        return math.nan, math.nan, 0.0
    peak = np.unravel_index(np.argmax(np.where(band, power, 0)), power.shape)
    fy, fx = _sharpen_peak(grey, float(y[peak[0], 0]), float(x[peak[1]]))
    # The lines are perpendicular to the direction in which they repeat.
    direction = (math.atan2(fy, fx) + math.pi) % math.pi - math.pi / 2
    return direction, 1 / math.hypot(fy, fx), float(power[peak] / power[band].mean())


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


def chain_lines(image, direction):
    """Measure the thin lines across the laid lines of a direction, in an image of even light.

    Returns their direction, from -pi/2 to pi/2, the mean distance of two lines in pixels, within
    `CHAINS`, and the correlation of the profile across them with itself, one distance further;
    NaN, NaN and 0 if they do not repeat. Three distances must fit into the image.
    """
    profiles = [_profile(image, direction + tilt) for tilt in TILTS]
    best = int(np.argmax([np.std(profile) for profile in profiles]))
    profile = profiles[best] - profiles[best].mean()
    n = len(profile)
    # At least three distances, or anything may repeat once.
    low, high = math.ceil(CHAINS[0]), min(int(CHAINS[1]), n // 3)
    if high <= low or not profile.any():
        return math.nan, math.nan, 0.0
    lags = np.arange(low, high + 1)
    # Of the overlap only, or distant lags would be weaker.
    auto = np.array([profile[:-lag] @ profile[lag:] / (n - lag) for lag in lags]) / profile.var()
    peak = _first_peak(auto)
    across = (direction + TILTS[best] + math.pi) % math.pi - math.pi / 2
    return across, float(lags[0] + peak), float(auto[round(peak)])


def _profile(image, direction):
    """Return the mean along lines perpendicular to a direction, with thin lines enhanced."""
    height, width = image.shape
    y, x = np.indices(image.shape, sparse=True)
    across = (x - width / 2) * math.cos(direction) + (y - height / 2) * math.sin(direction)
    place = (across - across.min()).ravel()
    below = place.astype(int)
    count = np.bincount(below)
    profile = np.bincount(below, image.ravel()) / np.maximum(count, 1)
    # Ends with few pixels are noise.
    profile = profile[count > 0.3 * count.max()]
    return ndimage.gaussian_filter1d(profile, 1.5) - ndimage.gaussian_filter1d(profile, 8)


def _first_peak(values):
    """Return the place of the first maximum that is almost the highest, between two points."""
    inner = (values[1:-1] >= values[:-2]) & (values[1:-1] >= values[2:])
    peaks = np.flatnonzero(inner) + 1
    if not len(peaks):
        return float(values.argmax())
    k = peaks[np.argmax(values[peaks] >= 0.7 * values[peaks].max())]
    bend = values[k - 1] - 2 * values[k] + values[k + 1]
    return k + (0.5 * (values[k - 1] - values[k + 1]) / bend if bend else 0.0)
