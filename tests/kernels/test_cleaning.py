"""Which borders are bright: by hand for small images, and for drawings of all data sets."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from sklearn_nrcdt._kernels.cleaning import border_brightness
from sklearn_nrcdt.datasets import load_symbols, make_symbols


def test_share_of_the_border_by_hand():
    image = np.full((5, 6), 100, np.uint8)  # a border of 18 pixels
    image[2, 2] = 0
    image[0, :3] = 50  # half-way is dark
    image[4, 5] = 51  # and above it is bright
    assert border_brightness(image[None])[0] == pytest.approx(15 / 18)


def test_the_border_is_wider_in_larger_images():
    image = np.ones((64, 80))
    image[30:34, 30:34] = 0
    image[:2] = 0  # two of four rows at the top
    border = 64 * 80 - 56 * 72
    assert border_brightness(image[None])[0] == pytest.approx(1 - 2 * 80 / border)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, np.float64])
def test_scale_offset_and_type_do_not_matter(rng, dtype):
    images = rng.random((20, 9, 11)) < 0.7
    expected = border_brightness(images)
    assert len(np.unique(expected)) > 5
    if dtype is not bool:
        images = np.where(images, dtype(120), dtype(20))
    np.testing.assert_array_equal(border_brightness(images.astype(dtype)), expected)


def test_images_without_an_inside_or_with_a_bright_one_have_no_bright_border(rng):
    assert border_brightness(rng.random((3, 2, 9))).tolist() == [0, 0, 0]
    assert border_brightness(np.ones((1, 9, 9)))[0] == 0
    cropped = np.ones((1, 9, 9))  # a disc that fills the image
    cropped[0, [0, 0, -1, -1], [0, -1, 0, -1]] = 0
    assert border_brightness(cropped)[0] == 0


@pytest.mark.parametrize(
    "images",
    [
        load_symbols(size=64).images,
        make_symbols(
            3, amplitude=(2.5, 7.5), shear=(-20, 20), n_discs=(4, 7), random_state=0
        ).images,
        load_digits().images,
    ],
    ids=["symbols", "deformed", "digits"],
)
def test_drawings_and_their_negatives_are_told_apart(images):
    assert border_brightness(images).max() < 0.4
    assert border_brightness(images.max(axis=(1, 2), keepdims=True) - images).min() > 0.6


def test_shadow_and_the_edge_of_a_scanner_do_not_hide_the_paper(rng):
    figures = load_symbols(size=128).images.clip(0, 1)
    light = np.add.outer(np.linspace(0.3, 0.5, 128), np.linspace(0.25, 0.45, 128))
    paper = (light * (1 - 0.7 * figures) + 0.03 * rng.normal(size=figures.shape)).clip(0, 1)
    assert border_brightness(paper).min() > 0.8
    paper[:, :, :3] = paper[:, :2] = 0.05
    assert border_brightness(paper).min() > 0.7
