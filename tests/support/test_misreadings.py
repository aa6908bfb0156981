"""Arrays of the shape of images that are none: a warning that helps that very user."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits

from sklearn_nrcdt import InvariantHOG, MaxNRCDT
from sklearn_nrcdt.datasets import load_symbols

rng = np.random.default_rng(0)
WALKS = np.abs(np.cumsum(rng.normal(size=(20, 100)), axis=1))
WAVES = 1 + np.sin(np.linspace(0, 9, 100) * rng.uniform(1, 3, (20, 1)))
PHOTO = rng.random((28, 28))
BALL = np.exp(-np.square(np.mgrid[:16, :16, :16] - 7.5).sum(axis=0) / 30)


@pytest.mark.parametrize("kind", [MaxNRCDT, InvariantHOG])
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (rng.random((4, 50, 3)), r"4 images of 50 x 3 pixels.*lists of points.*histogram2d"),
        ([rng.random((50, 2)), rng.random((40, 2))], "lists of points"),
        (BALL, r"one volume.*X\.sum\(axis=0\).*image_shape=\(16, 16\)"),
        (PHOTO * [[[0.5]], [[0.9]], [[1]]], "channels of one image.*channel_axis=0"),
        (1e300 * np.stack([PHOTO, PHOTO, PHOTO, np.ones((28, 28))]), "channels of one image"),
        (WALKS, r"20 images of 10 x 10 pixels.*signals.*image_shape=\(10, 10\)"),
        (WAVES, "signals"),
    ],
)
def test_what_is_no_image_is_reported_once_with_what_to_do(kind, X, message):
    with pytest.warns(UserWarning, match=message) as caught:
        transformer = kind().fit(X)
    assert len(caught) == 1
    transformer.transform(X)  # said once
    if not isinstance(X, list):
        shape = transformer.image_shape_
        kind(image_shape=shape).fit(X)


def test_volumes_are_not_told_to_convert_color():
    with pytest.raises(ValueError, match=r"volumes pass slices or projections") as error:
        MaxNRCDT().fit(rng.random((2, 16, 16, 16)))
    assert "color" not in str(error.value)
    with pytest.raises(ValueError, match="rgb2gray"):
        MaxNRCDT().fit(rng.random((2, 16, 16, 3)))


@pytest.mark.parametrize(
    "X",
    [
        load_digits().images,
        load_digits().data[:500],
        load_digits().images[:3],
        load_symbols(size=40).images[:3],
        load_symbols(size=40).images.reshape(12, -1),
        rng.random((30, 64)),
        rng.random((3, 5, 5)),
        rng.random((5, 7, 3)),
        rng.random((7, 7, 7)),
        rng.random((16, 16, 16)),  # noise: nothing tells a volume from sixteen images
        np.resize(load_symbols(size=40).images, (40, 40, 40)),
        np.eye(100)[:6],
    ],
    ids=lambda X: str(X.shape),
)
def test_images_are_taken_as_such(X):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MaxNRCDT(8).fit(X)
