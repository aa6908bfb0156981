"""SearchDisplay: what is drawn where."""

import matplotlib
import numpy as np
import pytest
from sheets import random_drawings, sheet

from sklearn_nrcdt import NearestTemplateClassifier
from sklearn_nrcdt.search import DrawingSearch, SearchDisplay

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture
def photo(rng):
    drawings = random_drawings(4, rng)
    return drawings, sheet(drawings[2], (150, 170), (30, 60), rng)


def test_the_best_drawing_lies_over_its_strokes(photo):
    drawings, image = photo
    search = DrawingSearch(polarity="dark").fit(drawings, ["a", "b", "$c", "d"])
    display = SearchDisplay.from_estimator(search, image, n_neighbors=2)
    assert display.axes_.shape == (1, 4)
    assert display.axes_[0, 2].get_title("left") == "$c"
    assert len(display.lines_) == 2
    columns, rows = display.lines_[0].get_data()
    points = np.argwhere(drawings[2]) + np.array([30, 60])
    away = np.hypot(rows[:, None] - points[:, 0], columns[:, None] - points[:, 1]).min(axis=1)
    assert np.mean(away < 2) > 0.95
    assert display.ridges.shape == image.shape
    assert display.axes_[0, 2].get_xlim() == (-0.5, 169.5)


def test_without_labels_positions_are_shown(photo):
    drawings, image = photo
    display = SearchDisplay.from_estimator(DrawingSearch().fit(drawings), image, n_neighbors=1)
    assert display.axes_[0, 2].get_title("left") == "2"


def test_bad_input(photo):
    drawings, image = photo
    search = DrawingSearch().fit(drawings)
    with pytest.raises(ValueError, match="photo must be one grey image"):
        SearchDisplay.from_estimator(search, image[None])
    with pytest.raises(TypeError, match="DrawingSearch, got NearestTemplateClassifier"):
        SearchDisplay.from_estimator(NearestTemplateClassifier().fit([[0.0]], [0]), image)
