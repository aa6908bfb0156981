"""Displays draw the data that they are given."""

import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import (
    NRCDT,
    MaxNRCDT,
    MeanNRCDT,
    NearestTemplateClassifier,
    RadonCDT,
    ShapeClassifier,
)
from sklearn_nrcdt.datasets import affine, load_symbols
from sklearn_nrcdt.display import ContourMatchDisplay, SinogramDisplay, TemplateMatchDisplay

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


# The way of an image


@pytest.mark.parametrize("n_angles", [8, 9])
def test_sinogram_panels_are_the_transforms(shapes, n_angles):
    display = SinogramDisplay.from_image(shapes[0], n_angles=n_angles)
    image, sinogram, rcdt, nrcdt = (np.asarray(drawn.get_array()) for drawn in display.images_)
    np.testing.assert_array_equal(image, shapes[0])
    for drawn, transformer in ((rcdt, RadonCDT), (nrcdt, NRCDT)):
        expected = transformer(n_angles).fit_transform(shapes[:1]).reshape(n_angles, 64)
        np.testing.assert_allclose(drawn, expected.T)
    # Densities: of total 1, and with the mean of the quantile function at every angle.
    step = 2 / len(sinogram)
    middles = np.linspace(-1, 1, len(sinogram) + 1)[:-1] + step / 2
    np.testing.assert_allclose(sinogram.sum(axis=0) * step, 1)
    fine = RadonCDT(n_angles, n_quantiles=5000).fit_transform(shapes[:1]).reshape(n_angles, -1)
    np.testing.assert_allclose(middles @ sinogram * step, fine.mean(axis=1), atol=1e-3)


@pytest.mark.parametrize("part", [np.s_[:], np.s_[:, 64:192], np.s_[64:192]])
def test_sinogram_clips_no_label(part):
    image = load_symbols().images[4][part]
    figure = SinogramDisplay.from_image(image, n_angles=16).figure_
    figure.draw_without_rendering()
    inside = figure.get_tightbbox()
    assert (inside.min >= 0).all()
    assert (inside.max <= figure.get_size_inches()).all()


def test_sinogram_labels_and_places(shapes):
    display = SinogramDisplay.from_image(shapes[0][:, :24], n_angles=8)
    panels = list(display.axes_.flat)
    titles = ["image", "projections", "R-CDT", "NR-CDT"]
    assert [panel.get_title() for panel in panels] == titles
    assert all(panel.get_xlabel() and panel.get_ylabel() for panel in panels)
    assert [bar.ax.get_ylabel() for bar in display.colorbars_] == [
        "density (1 / disc radius)",
        "quantile (disc radius)",
        "quantile (standard deviations)",
    ]
    # The longer side of the image has the length sqrt(2), and cells lie around their angle
    # and level.
    np.testing.assert_allclose(
        display.images_[0].get_extent(), np.array([-0.5, 0.5, -1, 1]) / np.sqrt(2)
    )
    np.testing.assert_allclose(display.images_[1].get_extent(), [-22.5, 337.5, -1, 1])
    np.testing.assert_allclose(display.images_[2].get_extent(), [-22.5, 337.5, 1 / 66, 65 / 66])
    assert display.images_[3].get_clim() == (
        -np.abs(display.nrcdt).max(),
        np.abs(display.nrcdt).max(),
    )


def test_sinogram_errors(shapes):
    with pytest.raises(ValueError, match="one grey image of shape"):
        SinogramDisplay.from_image(shapes)
    with pytest.raises(ValueError, match="that is not blank"):
        SinogramDisplay.from_image(np.zeros((8, 8)))
    _, axes = plt.subplots(1, 3)
    with pytest.raises(ValueError, match="draws 4 panels"):
        SinogramDisplay.from_image(shapes[0], n_angles=4, axes=axes)


# Nearest templates


def matched(display, i):
    """Images of one row, and its texts: the class on the left, the distance on the right."""
    pictures = [np.asarray(drawn.get_array()) for drawn in display.images_[i]]
    texts = [(p.get_title(loc="left"), p.get_title(loc="right")) for p in display.axes_[i]]
    return pictures, texts


def test_match_draws_nearest_templates(shapes):
    # Two templates of one class, classes in no order: positions are those given to fit.
    y = ["z", "a", "m", "a", "z", "b"]
    model = make_pipeline(MeanNRCDT(32), NearestTemplateClassifier()).fit(shapes, y)
    samples = shapes[[3, 0]].transpose(0, 2, 1)
    display = TemplateMatchDisplay.from_estimator(
        model, samples, templates=shapes, y=["a", "b"], n_neighbors=6
    )
    features = model[0].transform(shapes)
    distances = np.linalg.norm(model[0].transform(samples)[:, None] - features, axis=2)
    order = distances.argsort(axis=1)
    np.testing.assert_array_equal(display.indices, order)
    assert display.axes_.shape == (2, 7)
    for i in range(2):
        pictures, texts = matched(display, i)
        np.testing.assert_array_equal(pictures, [samples[i], *shapes[order[i]]])
        expected = [(y[k], f"{distances[i, k]:.3g}") for k in order[i]]
        assert texts == [("ab"[i], ""), *expected]
    assert order[0, 0] == 3
    assert order[1, 0] == 0
    heads = [panel.get_title().strip() for panel in display.axes_[0]]
    assert heads == ["sample", "nearest", "2nd", "3rd", "4th", "5th", "6th"]


def test_match_marks_right_and_wrong(shapes):
    display = TemplateMatchDisplay(
        shapes[:2],
        shapes,
        indices=[[1, 2], [0, 1]],
        distances=[[1, 2], [1, 2]],
        y=[2, 0],
        template_labels=range(6),
    ).plot()
    signs = [[mark.get_text() for mark in marks] for marks in display.marks_]
    # First sample: nearest is wrong, second is right. Other sample: nearest is right.
    assert signs == [["\u2715", "\u2713"], ["\u2713"]]
    frames = [[panel.spines["left"].get_edgecolor() for panel in row[1:]] for row in display.axes_]
    assert frames[0][1] == frames[1][0] != frames[0][0]
    assert frames[1][1] not in (frames[0][0], frames[0][1])


def test_match_without_classes(shapes):
    nearest, distances = np.arange(2)[:, None], np.zeros((2, 1))
    display = TemplateMatchDisplay(shapes[:2], shapes, nearest, distances).plot()
    assert display.marks_ == [[]] * 2
    assert matched(display, 1)[1] == [("", ""), ("", "0")]


def test_match_dollar_signs_are_plain_text(shapes):
    labels = ["$a_b$", "$\\x$"]
    display = TemplateMatchDisplay(
        shapes[:1], shapes[:2], [[0, 1]], [[1.0, 2.0]], y=labels[:1], template_labels=labels
    ).plot()
    display.figure_.canvas.draw()
    assert matched(display, 0)[1][2][0] == "$\\x$"


def test_match_of_neighbours(shapes):
    model = make_pipeline(MaxNRCDT(16), KNeighborsClassifier(1)).fit(shapes, range(6))
    display = TemplateMatchDisplay.from_estimator(
        model, shapes[:2], templates=shapes, n_neighbors=2, y=[0, 1], template_labels=range(6)
    )
    np.testing.assert_array_equal(matched(display, 1)[0][:2], shapes[[1, 1]])
    np.testing.assert_array_equal(display.indices[:, 0], [0, 1])


def test_match_of_data_frames_on_given_axes(shapes):
    pytest.importorskip("pandas")
    model = make_pipeline(MaxNRCDT(8), NearestTemplateClassifier())
    model.set_output(transform="pandas").fit(shapes, range(6))
    _, axes = plt.subplots(2, 3)
    display = TemplateMatchDisplay.from_estimator(
        model, shapes[:2], templates=shapes, n_neighbors=2, axes=axes
    )
    assert list(display.axes_.flat) == list(axes.flat)
    np.testing.assert_array_equal(display.indices[:, 0], [0, 1])


def test_match_errors(shapes):
    model = make_pipeline(MaxNRCDT(8), NearestTemplateClassifier()).fit(shapes, range(6))
    draw = TemplateMatchDisplay.from_estimator
    with pytest.raises(NotFittedError, match="NearestTemplateClassifier"):
        draw(NearestTemplateClassifier(), shapes, templates=shapes)
    with pytest.raises(ValueError, match=r"templates holds 5 images.*fitted on 6"):
        draw(model, shapes, templates=shapes[:5])
    with pytest.raises(ValueError, match="n_neighbors must be an integer from 1 to"):
        draw(model, shapes, templates=shapes, n_neighbors=7)
    with pytest.raises(ValueError, match="with a method kneighbors"):
        draw(model[:1], shapes, templates=shapes)
    with pytest.raises(ValueError, match="X must be images of shape"):
        draw(model, shapes.reshape(6, -1), templates=shapes)
    neighbours = make_pipeline(MaxNRCDT(8), KNeighborsClassifier(1)).fit(shapes, range(6))
    with pytest.raises(ValueError, match="y was given without template_labels"):
        draw(neighbours, shapes[:2], templates=shapes, y=[0, 1])
    _, axes = plt.subplots(2, 2)
    with pytest.raises(ValueError, match="draws 3 panels"):
        draw(model, shapes[:1], templates=shapes, n_neighbors=2, axes=axes)


# Contours


@pytest.mark.parametrize(
    ("invariance", "reflection", "matrix"),
    [
        ("affine", "distinguish", [[0.7, 0.5], [-0.6, 0.8]]),
        ("affine", "ignore", [[-0.7, 0.5], [0.6, 0.8]]),
        ("similarity", "ignore", [[0.5, 0.7], [0.7, -0.5]]),
        ("slant", "distinguish", [[0.8, 0.4], [0, 0.7]]),
        ("slant", "ignore", [[-0.8, 0.4], [0, 0.7]]),
        ("scale", "distinguish", [[0.8, 0.1], [0, 0.7]]),
    ],
)
def test_partners_in_a_posed_copy_are_at_the_same_place(invariance, reflection, matrix):
    image = load_symbols().images[9]
    copy = affine(image[None], matrix)[0]
    display = ContourMatchDisplay.from_images(
        image, copy, invariance=invariance, reflection=reflection
    )
    model = ShapeClassifier(invariance, reflection=reflection).fit([image], [0])
    assert display.cost == pytest.approx(model.kneighbors([copy], 1)[0][0, 0], abs=1e-6)
    assert display.cost < 0.1
    apart = display.places - display.other_places[display.partners]
    tolerance = 1.0 if invariance == "scale" else 0.3  # whose frame keeps stretch and shear
    assert np.median(np.linalg.norm(apart, axis=1)) < tolerance
    if invariance != "scale":  # the copy is drawn in its pose
        one, other = (frame.ravel() for frame in display.frames)
        assert np.corrcoef(one, other)[0, 1] > 0.9
    ends = np.array(display.lines_.get_segments())
    np.testing.assert_allclose(ends[:, 0], display.points_[0].get_offsets())
    assert display.ax_.get_title() == f"cost {display.cost:.2f}"


@pytest.mark.parametrize("bad", [np.zeros((8, 8)), np.ones((2, 8, 8))])
def test_contours_of_one_image_that_is_not_blank(bad, shapes):
    with pytest.raises(ValueError, match="query must be one grey image"):
        ContourMatchDisplay.from_images(shapes[0], bad)


# Without matplotlib, which no import of ours needs: tests/test_rooms.py

X = np.ones((2, 8, 8))


@pytest.mark.parametrize(
    "call",
    [
        lambda: SinogramDisplay(X[0], X[0], X[0], X[0]).plot(),
        lambda: SinogramDisplay.from_image(X[0]),
        lambda: ContourMatchDisplay(X, X[0], X[0], [0], 0.0).plot(),
        lambda: ContourMatchDisplay.from_images(X[0], X[0]),
        lambda: TemplateMatchDisplay(X, X, [[0], [1]], [[0.0], [0.0]]).plot(),
        lambda: TemplateMatchDisplay.from_estimator(None, X, templates=X),
    ],
)
def test_without_matplotlib(call, monkeypatch):
    for name in ("matplotlib", "matplotlib.pyplot"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"Display\.(?s:.*)sklearn-nrcdt\[plot\]"):
        call()
