"""Correlation by FFT against sums over positions."""

import numpy as np
import pytest
import scipy.fft
from scipy.signal import correlate as direct_correlation

from sklearn_nrcdt.search._kernels.correlation import (
    correlate,
    element_spectrum,
    fft_shape,
    likeness,
    whitened_spectrum,
)


def test_correlation_is_the_sum_over_positions(rng):
    planes = rng.normal(size=(3, 20, 26))
    elements = np.column_stack(
        [rng.integers(-6, 7, 15), rng.integers(-8, 9, 15), rng.integers(0, 3, 15) * np.pi / 3]
    ).astype(np.float32)
    shape = fft_shape((20, 26), (6, 8))
    drawing = element_spectrum(elements, 3, 1, shape)[None]
    picture = scipy.fft.rfft2(planes, shape)
    [score], [position] = correlate(picture, drawing, shape, (20, 26))
    template = np.zeros((3, 13, 17))
    for y, x, direction in elements:
        template[round(direction * 3 / np.pi), int(y) + 6, int(x) + 8] += 1
    full = sum(direct_correlation(p, t, "full") for p, t in zip(planes, template, strict=True))
    inside = full[6:26, 8:34]
    assert tuple(position) == np.unravel_index(inside.argmax(), inside.shape)
    assert score == pytest.approx(inside.max() / np.sqrt(np.square(full).sum() / 520), rel=1e-4)


def test_whitening_takes_away_what_repeats(rng):
    rows = np.arange(96)[:, None]
    grain = rng.normal(size=(1, 96, 96))
    lined = grain + 5 * np.cos(2 * np.pi * rows / 6)
    power = np.square(np.abs(whitened_spectrum(lined, (96, 96), 4)))[0]
    # The wave of 6 has 16 periods; its power was 5**2 * 96**2 / 4 of that of the grain.
    assert power[16, 0] < 100 * np.median(power)
    raw = np.square(np.abs(scipy.fft.rfft2(lined[0])))
    assert raw[16, 0] > 10_000 * np.median(raw)


def test_whitening_does_not_see_contrast_and_survives_nothing(rng):
    planes = rng.normal(size=(2, 30, 30)).astype(np.float32)
    once = whitened_spectrum(planes, (40, 36), 4)
    np.testing.assert_allclose(whitened_spectrum(50 * planes, (40, 36), 4), once, rtol=1e-3)
    planes[1] = 0
    assert not whitened_spectrum(planes, (40, 36), 4)[1].any()


def test_likeness_does_not_see_places_and_counts_what_is_shared():
    """A line of 20 points, alone, elsewhere, half of it, across, and near."""
    steps = np.arange(-10, 10)
    line = np.column_stack([steps, np.zeros(20), np.full(20, np.pi / 2)]).astype(np.float32)
    across = line[:, [1, 0, 2]] * np.float32([1, 1, 0])
    shape = fft_shape((40, 40), (20, 20))
    others = line + np.float32([5, -7, 0]), line[:10], across
    spectra = [element_spectrum(one, 6, 1, shape) for one in (line, *others)]
    alike = [likeness(spectra[0], other, shape, 1.0) for other in spectra[1:]]
    np.testing.assert_allclose(alike, [1, 0.5, 0], atol=0.05)
