"""The warning about drawings on white paper: where it is due, and where it would be wrong."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits

from sklearn_nrcdt import BrightBorderWarning, InvariantHOG, MaxNRCDT
from sklearn_nrcdt._support.misreadings import report_bright_borders
from sklearn_nrcdt._support.samples import evenly_spaced
from sklearn_nrcdt.datasets import load_symbols


@pytest.fixture
def paper():
    figures = load_symbols(size=40).images
    return figures.max() - figures


def test_dark_drawings_on_white_paper_are_reported_once_with_what_to_do(paper):
    for images in (paper, list(paper), [image[:, i:] for i, image in enumerate(paper)]):
        with pytest.warns(BrightBorderWarning, match="12 of 12 images") as caught:
            report_bright_borders(images)
        assert len(caught) == 1
        assert "preprocessing.Invert" in str(caught[0].message)
        assert "BrightBorderWarning" in str(caught[0].message)
        assert caught[0].filename == __file__


def test_the_report_can_be_an_error_or_nothing(paper):
    with warnings.catch_warnings():
        warnings.simplefilter("error", BrightBorderWarning)
        with pytest.raises(BrightBorderWarning, match="pass invert=True; otherwise"):
            report_bright_borders(paper, "pass invert=True")
        warnings.simplefilter("ignore", BrightBorderWarning)
        report_bright_borders(paper)


def test_most_images_count(paper):
    bright = paper.max() - paper
    report_bright_borders(np.concatenate([paper, bright]))
    with pytest.warns(BrightBorderWarning, match="12 of 23 images"):
        report_bright_borders(np.concatenate([paper, bright[1:]]))


def test_of_many_images_a_hundred_are_looked_at_from_first_to_last(paper):
    images = np.concatenate([paper] * 50)
    with pytest.warns(BrightBorderWarning, match="100 of 100 images"):
        report_bright_borders(images)
    assert evenly_spaced(5, 100).tolist() == [0, 1, 2, 3, 4]
    assert len(evenly_spaced(1000, 100)) == 100
    assert evenly_spaced(1000, 100)[[0, -1]].tolist() == [0, 999]


def test_sparse_rows_and_no_images_at_all_are_never_reported(paper):
    report_bright_borders(sp.csr_array(paper.reshape(12, -1)))
    report_bright_borders(paper[:0])


@pytest.mark.parametrize("size", [(1, 7), (2, 2), (3, 3), (8, 8), (10, 10), (16, 16), (5, 20)])
@pytest.mark.parametrize("n", [20, 100])
def test_random_and_constant_images_are_not_taken_for_paper(rng, size, n):
    normal = rng.normal(size=(n, *size))
    for images in (
        rng.random((n, *size)),
        rng.integers(0, 256, (n, *size), dtype=np.uint8),
        normal - normal.min(),
        rng.exponential(size=(n, *size)),
        np.ones((n, *size)),
        np.zeros((n, *size)),
    ):
        report_bright_borders(images)


def test_bright_figures_that_touch_the_border_are_not_taken_for_paper():
    def cropped(image):
        rows, columns = np.flatnonzero(image.any(1)), np.flatnonzero(image.any(0))
        return image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]

    digits = np.kron(load_digits().images, np.ones((1, 4, 4)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report_bright_borders([cropped(image) for image in digits])
        report_bright_borders([cropped(image) for image in load_symbols(size=64).images])


@pytest.mark.parametrize("transformer", [MaxNRCDT(8), InvariantHOG()], ids=repr)
def test_fit_warns_once_about_dark_drawings_on_white_paper(transformer):
    drawings = 255 - (255 * load_symbols(size=64).images).astype(np.uint8)
    transformer = clone(transformer)
    with pytest.warns(BrightBorderWarning, match=r"12 of 12 images.*Invert") as caught:
        features = transformer.fit_transform(drawings)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(transformer.transform(drawings), features)  # without a word
    transformer.fit(255 - drawings)
