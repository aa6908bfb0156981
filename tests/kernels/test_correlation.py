"""Correlation by FFT against sums over positions, and photographs in the frame of a drawing."""

import numpy as np
import pytest
import scipy.fft
from scipy.signal import correlate as direct_correlation

from sklearn_nrcdt._kernels.correlation import (
    correlate,
    fft_shape,
    pool_planes,
    pose_planes,
    whitened_spectrum,
)
from sklearn_nrcdt._kernels.line_elements import draw_elements, pose_matrix


def test_correlation_is_the_sum_over_positions(rng):
    planes = rng.normal(size=(3, 20, 26))
    elements = np.column_stack(
        [rng.integers(-6, 7, 15), rng.integers(-8, 9, 15), rng.integers(0, 3, 15) * np.pi / 3]
    ).astype(np.float32)
    shape = fft_shape((20, 26), (6, 8))
    turned = elements * np.array([-1, -1, 1], np.float32)
    drawing = scipy.fft.rfft2(draw_elements(turned, 3, 1, shape))[None]
    picture = scipy.fft.rfft2(planes, shape)
    [score], [position] = correlate(picture, drawing, shape, (20, 26), 20 * 26)
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
    once = whitened_spectrum(planes, (40, 36), 8)
    np.testing.assert_allclose(whitened_spectrum(50 * planes, (40, 36), 8), once, rtol=1e-3)
    planes[1] = 0
    assert not whitened_spectrum(planes, (40, 36), 8)[1].any()


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("mirror", [False, True])
def test_quarter_turns_of_planes_are_exact(rng, turns, mirror):
    planes = rng.random((4, 10, 14)).astype(np.float32)
    posed, _ = pose_planes(planes, pose_matrix(90 * turns, 1, mirror))
    # The photograph turned back, and then mirrored back.
    expected = np.rot90(planes, -turns, axes=(1, 2))
    expected = np.roll(expected, 2 * turns, axis=0)
    if mirror:
        expected = expected[[0, 3, 2, 1], :, ::-1]
    np.testing.assert_allclose(posed, expected, atol=1e-6)


def test_planes_and_positions_go_back_to_the_photograph(rng):
    planes = np.zeros((2, 40, 50), np.float32)
    planes[:, 12, 33] = 1
    matrix = pose_matrix(37, 0.8, True)
    posed, corner = pose_planes(planes, matrix)
    y, x = np.unravel_index(posed[0].argmax(), posed.shape[1:])
    back = matrix @ (np.array([y, x]) + 0.5 + corner)
    np.testing.assert_allclose(back, [12.5, 33.5], atol=1)


def test_pooling_is_a_mean():
    planes = np.arange(12.0).reshape(1, 3, 4)
    pooled = pool_planes(planes, 2)
    np.testing.assert_allclose(pooled, [[[2.5, 4.5], [(8 + 9) / 4, (10 + 11) / 4]]])
