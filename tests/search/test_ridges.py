"""Light and ridges of paper against closed forms."""

import tracemalloc

import numpy as np
import pytest
from scipy import ndimage

from sklearn_nrcdt.search._kernels.ridges import (
    block_mean,
    flatten_illumination,
    oriented_ridges,
    pooled_ridges,
    resize_photo,
)


def waves(shape, degrees, period, phase=0.0):
    """Lines in a direction, counted from the x axis to the y axis of the array."""
    rows, columns = np.indices(shape)
    angle = np.deg2rad(degrees)
    return np.cos(2 * np.pi * (rows * np.cos(angle) - columns * np.sin(angle)) / period + phase)


def test_flattening_does_not_see_brightness_nor_contrast(rng):
    photo = 100 + rng.normal(size=(1, 80, 90))
    flat = flatten_illumination(photo)
    np.testing.assert_allclose(flatten_illumination(7 * photo), flat, rtol=1e-9)
    # Twice the contrast, with the grey value of the paper kept.
    mean = ndimage.gaussian_filter(photo[0], 12, truncate=3)
    np.testing.assert_allclose(
        flatten_illumination(photo + (photo - mean)), flat, atol=0.05 * flat.std()
    )
    # Grain is normal; the floor of the deviation makes 1.3 of 1.
    quarter = 0.6745 / 1.3
    np.testing.assert_allclose(
        np.quantile(flat, [0.5, 0.75]), [0.25, 0.25 + quarter / 2], atol=0.02
    )


def test_polarity_turns_strokes_bright(rng):
    photo = 100 + rng.normal(size=(1, 80, 90))
    photo[0, 40:44] -= 10
    assert flatten_illumination(photo)[0, 40:44].min() > 0.6
    assert flatten_illumination(photo, polarity="bright")[0, 40:44].max() < 0.1


@pytest.mark.parametrize("value", [0, 1, 255])
def test_one_colour_stays_one_colour(value):
    flat = flatten_illumination(np.full((2, 30, 20), value))
    np.testing.assert_allclose(flat, 1 / 4, atol=1e-6)
    np.testing.assert_allclose(oriented_ridges(flat[0], 4), 0, atol=1e-6)


@pytest.mark.parametrize("k", range(6))
def test_ridges_of_a_wave_have_the_height_of_the_transfer_function(k):
    degrees, period = 30 * k, 16.0
    wave = waves((160, 160), degrees, period)
    ridges = oriented_ridges(wave, 6)[:, 40:-40, 40:-40]
    frequency = 2 * np.pi / period
    for j in range(6):
        turn = np.pi * (j - k) / 6
        across, along = 1.8 * frequency * np.cos(turn), 5 * frequency * np.sin(turn)
        height = across**2 * np.exp(-(across**2 + along**2) / 2)
        assert ridges[j].max() == pytest.approx(height, rel=0.02, abs=1e-4)
    assert ridges.min() == 0


def test_a_quarter_turn_of_the_image_turns_ridges_and_their_planes(rng):
    image = rng.random((50, 64))
    ridges = oriented_ridges(image, 6)
    turned = oriented_ridges(np.rot90(image), 6)
    np.testing.assert_allclose(np.rot90(ridges[[3, 4, 5, 0, 1, 2]], axes=(1, 2)), turned, atol=1e-5)


def test_strips_make_no_difference(rng, monkeypatch):
    image = rng.random((101, 47)).astype(np.float32)
    whole = pooled_ridges(image, 3, 2)
    assert whole.shape == (3, 51, 24)
    monkeypatch.setattr("sklearn_nrcdt.search._kernels.ridges.STRIP", 47 * 10)
    # The filters reach farther than the margin of a strip by a hair.
    np.testing.assert_allclose(pooled_ridges(image, 3, 2), whole, atol=1e-3 * whole.max())
    padded = np.zeros((3, 102, 48), np.float32)
    padded[:, :101, :47] = oriented_ridges(image, 3)
    means = (padded[:, ::2] + padded[:, 1::2])[..., ::2] + (padded[:, ::2] + padded[:, 1::2])[
        ..., 1::2
    ]
    np.testing.assert_allclose(whole, means / 4, atol=1e-6)


@pytest.mark.parametrize("zoom", [1.0, 0.4, 1 / 6])
def test_scans_of_any_size_take_little_memory(monkeypatch, zoom):
    monkeypatch.setattr("sklearn_nrcdt.search._kernels.ridges.STRIP", 2**16)
    wave = 100 + 50 * waves((1201, 1003), 30, 120)
    photo = wave.astype(np.uint16)
    tracemalloc.start()
    small = resize_photo(photo, zoom)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A few copies in float32, of the scan or of a scan of twice the working resolution.
    shrink = max(1, int(0.5 / zoom))
    assert peak < 4 * 4 * photo.size / shrink**2 + 4 * 8 * 2**16
    # The same wave: pixels of the small one are in the middle of those of the scan.
    assert small.shape == pytest.approx(np.array(wave.shape) * zoom, abs=1)
    rows, columns = ((np.arange(side) + 0.5) / zoom - 0.5 for side in small.shape)
    expected = ndimage.map_coordinates(wave, np.meshgrid(rows, columns, indexing="ij"), order=1)
    expected = (expected - wave.min()) / np.ptp(wave)
    inside = np.s_[10:-10, 10:-10]
    np.testing.assert_allclose(small[inside], expected[inside], atol=0.08)


def test_photographs_of_a_few_pixels_are_resized(rng):
    assert resize_photo(rng.random((3, 40)), 0.02).shape == (1, 1)


def test_pooling_is_a_mean():
    planes = np.arange(12.0).reshape(1, 3, 4)
    pooled = block_mean(planes, 2)
    np.testing.assert_allclose(pooled, [[[2.5, 4.5], [(8 + 9) / 4, (10 + 11) / 4]]])
