"""Displays draw the data that they are given."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_nrcdt import (
    NRCDT,
    MaxNRCDT,
    MeanNRCDT,
    NearestTemplateClassifier,
    RadonCDT,
    SpectralNRCDT,
    aligned_pairwise_distances,
)
from sklearn_nrcdt.datasets import load_symbols
from sklearn_nrcdt.display import (
    HeatmapDisplay,
    QuantileDisplay,
    SinogramDisplay,
    TemplateMatchDisplay,
)
from sklearn_nrcdt.preprocessing import Invert

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def legend_texts(display):
    return [text.get_text() for text in display.legend_.get_texts()]


# Feature curves


@pytest.mark.parametrize("transformer", [MaxNRCDT(16), MeanNRCDT(16, n_quantiles=9)])
def test_quantile_curves_are_the_features(shapes, transformer):
    transformer.fit(shapes)
    y = ["b", "a", "b", "a", "a", "b"]
    display = QuantileDisplay.from_estimator(
        transformer, shapes, y, templates=shapes[:2], template_labels=["b", "a"]
    )
    features = transformer.transform(shapes)
    for curves, expected in ((display.lines_, features), (display.template_lines_, features[:2])):
        np.testing.assert_allclose([line.get_ydata() for line in curves], expected)
        for line in curves:
            np.testing.assert_allclose(line.get_xdata(), transformer.quantile_levels_)
    # One colour for a class, samples and template alike.
    colours = dict(zip(y, (line.get_color() for line in display.lines_), strict=True))
    assert [line.get_color() for line in display.lines_] == [colours[label] for label in y]
    assert [line.get_color() for line in display.template_lines_] == [colours["b"], colours["a"]]
    assert colours["a"] != colours["b"]
    assert display.template_lines_[0].get_linewidth() > 3 * display.lines_[0].get_linewidth()
    assert legend_texts(display) == ["class a", "class b", "sample", "template"]
    assert display.ax_.get_xlabel() == "quantile level"
    assert type(transformer).__name__ in display.ax_.get_ylabel()
    assert display.figure_ is display.ax_.figure


def test_quantile_from_features_without_classes(rng):
    display = QuantileDisplay.from_features(rng.random((3, 4)), feature_name="height")
    np.testing.assert_allclose(display.lines_[0].get_xdata(), np.array([3, 5, 7, 9]) / 12)
    assert display.legend_ is None
    assert display.template_lines_ == []
    assert display.ax_.get_ylabel() == "height"
    templated = QuantileDisplay.from_features(rng.random((3, 4)), templates=rng.random((1, 4)))
    assert legend_texts(templated) == ["sample", "template"]
    assert templated.plot(legend=False).legend_ is None


def test_quantile_takes_axes_and_looks(rng):
    figure, ax = plt.subplots()
    display = QuantileDisplay.from_features(
        rng.random((2, 3)),
        ax=ax,
        levels=[0.1, 0.5, 0.9],
        templates=rng.random((1, 3)),
        line_kwargs={"linewidth": 3, "color": "red"},
        template_kwargs={"alpha": 1},
    )
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert display.lines_[1].get_linewidth() == 3
    assert display.lines_[1].get_color() == "red"
    assert display.template_lines_[0].get_alpha() == 1
    np.testing.assert_allclose(display.lines_[0].get_xdata(), [0.1, 0.5, 0.9])


def test_quantile_subtracts_the_mean(rng):
    features, templates = rng.random((4, 5)), rng.random((2, 5))
    for given, mean in ((templates, templates.mean(axis=0)), (None, features.mean(axis=0))):
        display = QuantileDisplay.from_features(features, templates=given, subtract_mean=True)
        drawn = [line.get_ydata() for line in display.lines_]
        np.testing.assert_allclose(drawn, features - mean)
        assert display.ax_.get_ylabel() == "feature\nminus the mean"
        for line, template in zip(display.template_lines_, templates, strict=False):
            np.testing.assert_allclose(line.get_ydata(), template - mean)


def test_quantile_tells_many_classes_apart(rng):
    display = QuantileDisplay.from_features(rng.random((20, 5)), y=range(20))
    looks = {(line.get_color(), line.get_linestyle()) for line in display.lines_}
    assert len(looks) == 20


def test_quantile_takes_the_transformer_out_of_a_pipeline(shapes):
    y = [0, 0, 0, 1, 1, 1]
    model = make_pipeline(Invert(), MaxNRCDT(8), StandardScaler(), NearestTemplateClassifier())
    search = GridSearchCV(model, {"maxnrcdt__n_quantiles": [8]}, cv=3).fit(1 - shapes, y)
    for estimator in (search, search.best_estimator_):
        display = QuantileDisplay.from_estimator(estimator, 1 - shapes, y)
        expected = MaxNRCDT(8, n_quantiles=8).fit_transform(shapes)
        np.testing.assert_allclose([line.get_ydata() for line in display.lines_], expected)


def test_quantile_errors(shapes, rng):
    with pytest.raises(ValueError, match="features of one angle"):
        QuantileDisplay.from_estimator(RadonCDT(8).fit(shapes), shapes)
    with pytest.raises(ValueError, match="quantile levels such as MaxNRCDT"):
        QuantileDisplay.from_estimator(Invert().fit(shapes), shapes)
    features = rng.random((4, 3))
    with pytest.raises(ValueError, match="y was given without template_labels"):
        QuantileDisplay.from_features(features, y=[0, 0, 1, 1], templates=features)
    with pytest.raises(ValueError, match="template_labels was given without y"):
        QuantileDisplay.from_features(features, templates=features, template_labels=[0, 0, 1, 1])
    with pytest.raises(ValueError, match="y must hold one label for each of the 4 samples"):
        QuantileDisplay.from_features(features, y=[0, 1])
    with pytest.raises(ValueError, match="features have 3 columns, but there are 2 levels"):
        QuantileDisplay.from_features(features, levels=[0.3, 0.6])
    with pytest.raises(ValueError, match="templates have 2 columns"):
        QuantileDisplay.from_features(features, templates=features[:, :2])
    with pytest.raises(ValueError, match="features must be an array of real numbers"):
        QuantileDisplay.from_features(["a", "b"])


def test_estimators_must_be_fitted_and_may_give_data_frames(shapes):
    pytest.importorskip("pandas")
    with pytest.raises(NotFittedError, match="MaxNRCDT"):
        QuantileDisplay.from_estimator(MaxNRCDT(), shapes)
    model = make_pipeline(MaxNRCDT(8), NearestTemplateClassifier())
    model.set_output(transform="pandas").fit(shapes, range(6))
    display = QuantileDisplay.from_estimator(model, shapes, templates=shapes[:1])
    np.testing.assert_allclose(display.lines_[0].get_ydata(), model[0].transform(shapes).iloc[0])
    found = TemplateMatchDisplay.from_estimator(model, shapes[:2], templates=shapes)
    np.testing.assert_array_equal(found.indices[:, 0], [0, 1])


# The way of an image


@pytest.mark.parametrize("n_angles", [8, 9])
def test_sinogram_panels_are_the_transforms(shapes, n_angles):
    display = SinogramDisplay.from_image(shapes[0], n_angles=n_angles, n_radii=101, n_quantiles=12)
    image, sinogram, rcdt, nrcdt = (np.asarray(drawn.get_array()) for drawn in display.images_)
    np.testing.assert_array_equal(image, shapes[0])
    for drawn, transformer in ((rcdt, RadonCDT), (nrcdt, NRCDT)):
        expected = transformer(n_angles, 101, 12).fit_transform(shapes[:1]).reshape(n_angles, 12)
        np.testing.assert_allclose(drawn, expected.T)
    # Densities: of total 1, and with the mean of the quantile function at every angle.
    assert sinogram.shape == (100, n_angles)
    middles = np.linspace(-1, 1, 101)[:-1] + 0.01
    np.testing.assert_allclose(sinogram.sum(axis=0) * 0.02, 1)
    fine = RadonCDT(n_angles, 101, 5000).fit_transform(shapes[:1]).reshape(n_angles, -1)
    np.testing.assert_allclose(middles @ sinogram * 0.02, fine.mean(axis=1), atol=1e-3)


@pytest.mark.parametrize("part", [np.s_[:], np.s_[:, 64:192], np.s_[64:192]])
def test_sinogram_clips_no_label(part):
    image = load_symbols().images[4][part]
    figure = SinogramDisplay.from_image(image).figure_
    figure.canvas.draw()
    inside = figure.get_tightbbox()
    assert (inside.min >= 0).all()
    assert (inside.max <= figure.get_size_inches()).all()


def test_sinogram_labels_and_places(shapes):
    display = SinogramDisplay.from_image(shapes[0][:, :24], n_angles=8, n_quantiles=3)
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
    np.testing.assert_allclose(display.images_[2].get_extent(), [-22.5, 337.5, 1 / 5, 4 / 5])
    assert display.images_[3].get_clim() == (
        -np.abs(display.nrcdt).max(),
        np.abs(display.nrcdt).max(),
    )


def test_sinogram_from_estimator_shows_what_the_transformer_sees(shapes):
    model = make_pipeline(Invert(), MaxNRCDT(8, n_quantiles=5), NearestTemplateClassifier())
    model.fit(1 - shapes, range(6))
    _, axes = plt.subplots(1, 4)
    display = SinogramDisplay.from_estimator(model, 1 - shapes[4], axes=axes, cmap="viridis")
    np.testing.assert_allclose(display.images_[0].get_array(), shapes[4])
    assert display.nrcdt.shape == (8, 5)
    assert list(display.axes_.flat) == list(axes)
    assert display.images_[1].get_cmap().name == "viridis"


def test_sinogram_of_a_transformer_fitted_on_images_of_different_shapes(shapes):
    transformer = MaxNRCDT(8, n_quantiles=5).fit([shapes[0], shapes[1][1:]])
    display = SinogramDisplay.from_estimator(transformer, shapes[4])
    expected = SinogramDisplay.from_estimator(MaxNRCDT(8, n_quantiles=5).fit(shapes), shapes[4])
    np.testing.assert_array_equal(display.rcdt, expected.rcdt)
    np.testing.assert_array_equal(display.sinogram, expected.sinogram)


def test_sinogram_errors(shapes):
    with pytest.raises(ValueError, match="one grey image of shape"):
        SinogramDisplay.from_image(shapes)
    with pytest.raises(ValueError, match="image is blank"):
        SinogramDisplay.from_image(np.zeros((8, 8)) + 0.0, n_radii=11)
    with pytest.raises(ValueError, match="one of the transformers of sklearn_nrcdt"):
        SinogramDisplay.from_estimator(NearestTemplateClassifier().fit([[0], [1]], [0, 1]), shapes)
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
    distances = np.array([[3.0, 1, 2, 4, 5, 6], [1, 2, 3, 4, 5, 6]])
    display = TemplateMatchDisplay.from_distances(
        distances, shapes[:2], templates=shapes, y=[2, 0], template_labels=range(6), n_neighbors=2
    )
    np.testing.assert_array_equal(display.indices, [[1, 2], [0, 1]])
    np.testing.assert_array_equal(display.distances, [[1, 2], [1, 2]])
    signs = [[mark.get_text() for mark in marks] for marks in display.marks_]
    # First sample: nearest is wrong, second is right. Other sample: nearest is right.
    assert signs == [["\u2715", "\u2713"], ["\u2713"]]
    frames = [[panel.spines["left"].get_edgecolor() for panel in row[1:]] for row in display.axes_]
    assert frames[0][1] == frames[1][0] != frames[0][0]
    assert frames[1][1] not in (frames[0][0], frames[0][1])


def test_match_without_classes(shapes):
    display = TemplateMatchDisplay.from_distances(
        1 - np.eye(6), shapes, templates=shapes, n_neighbors=1
    )
    assert display.marks_ == [[]] * 6
    assert matched(display, 3)[1] == [("", ""), ("", "0")]


def test_match_dollar_signs_are_plain_text(shapes):
    display = TemplateMatchDisplay.from_distances(
        [[1.0, 2.0]],
        shapes[:1],
        templates=shapes[:2],
        y=["$a_b$"],
        template_labels=["$a_b$", "$\\x$"],
        n_neighbors=2,
    )
    display.figure_.canvas.draw()
    assert matched(display, 0)[1][2][0] == "$\\x$"


def test_match_of_neighbours_rows_and_sparse_rows(shapes):
    rows = shapes.reshape(6, -1)
    model = make_pipeline(MaxNRCDT(16), KNeighborsClassifier(1)).fit(rows, range(6))
    for X in (rows[:2], sp.csr_array(rows[:2]), shapes[:2]):
        display = TemplateMatchDisplay.from_estimator(
            model, X, templates=rows, n_neighbors=2, y=[0, 1], template_labels=range(6)
        )
        np.testing.assert_array_equal(matched(display, 1)[0][:2], shapes[[1, 1]])
        np.testing.assert_array_equal(display.indices[:, 0], [0, 1])


def test_match_by_any_distance_on_given_axes(shapes):
    features = SpectralNRCDT(16, keep="circle").fit_transform(shapes)
    _, axes = plt.subplots(2, 3)
    display = TemplateMatchDisplay.from_distances(
        aligned_pairwise_distances(features[:2], features),
        shapes[:2],
        templates=shapes,
        n_neighbors=2,
        axes=axes,
        cmap="gray_r",
    )
    assert list(display.axes_.flat) == list(axes.flat)
    assert display.images_[0][0].get_cmap().name == "gray_r"
    np.testing.assert_array_equal(display.indices[:, 0], [0, 1])


def test_match_errors(shapes):
    model = make_pipeline(MaxNRCDT(8), NearestTemplateClassifier()).fit(shapes, range(6))
    draw = TemplateMatchDisplay.from_estimator
    with pytest.raises(ValueError, match=r"templates holds 5 images.*fitted on 6"):
        draw(model, shapes, templates=shapes[:5])
    with pytest.raises(ValueError, match="n_neighbors must be an integer from 1 to"):
        draw(model, shapes, templates=shapes, n_neighbors=7)
    with pytest.raises(ValueError, match="with a method kneighbors"):
        draw(model[:1], shapes, templates=shapes)
    with pytest.raises(ValueError, match="X must be images of shape"):
        draw(model, shapes[0, 0], templates=shapes)
    neighbours = make_pipeline(MaxNRCDT(8), KNeighborsClassifier(1)).fit(shapes, range(6))
    with pytest.raises(ValueError, match="y was given without template_labels"):
        draw(neighbours, shapes[:2], templates=shapes, y=[0, 1])
    with pytest.raises(ValueError, match="6 images and 2 templates"):
        TemplateMatchDisplay.from_distances(np.eye(6), shapes, templates=shapes[:2])
    with pytest.raises(ValueError, match=r"of shape \(6, n_neighbors\)"):
        TemplateMatchDisplay(shapes, shapes, [[0]], [[1.0]]).plot()
    _, axes = plt.subplots(2, 2)
    with pytest.raises(ValueError, match="draws 3 panels"):
        draw(model, shapes[:1], templates=shapes, n_neighbors=2, axes=axes)


# Heat maps


def ticks(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_heatmap_draws_values():
    values = [[1.0, 0.25, 0.5], [np.nan, 0.125, 0.0]]
    display = HeatmapDisplay.from_values(
        values, x=[1, 2, 4], y=["a", "b"], xlabel="discs", ylabel="kind", value_name="accuracy"
    )
    drawn = display.im_.get_array().filled(np.nan)
    np.testing.assert_array_equal(drawn, values)
    assert display.im_.origin == "lower"
    assert display.im_.get_clim() == (0, 1)
    assert ticks(display.ax_.xaxis) == ["1", "2", "4"]
    assert ticks(display.ax_.yaxis) == ["a", "b"]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("discs", "kind")
    assert display.colorbar_.ax.get_ylabel() == "accuracy"
    assert display.text_[1, 0] is None
    assert display.text_[0, 1].get_text() == "0.25"
    assert display.text_[0, 1].get_position() == (1, 0)
    # Dark on the brightest cell, bright on the darkest.
    assert display.text_[0, 0].get_color() == "black"
    assert display.text_[1, 2].get_color() == "white"


def test_heatmap_of_many_cells_thins_ticks(rng):
    figure, ax = plt.subplots()
    display = HeatmapDisplay.from_values(
        rng.random((20, 30)), range(30), np.linspace(0, 1, 20), ax=ax, vmin=0, vmax=2
    )
    assert display.text_ is None
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert ticks(ax.xaxis) == [str(3 * k) for k in range(10)]
    assert ticks(ax.yaxis)[1] == f"{2 / 19:g}"
    assert display.im_.get_clim() == (0, 2)
    full = display.plot(include_values=True, values_format=".0%", colorbar=False)
    assert full.text_[3, 4].get_text() == f"{display.values[3, 4]:.0%}"
    assert full.colorbar_ is None


def test_heatmap_from_search(shapes):
    model = make_pipeline(MaxNRCDT(), NearestTemplateClassifier())
    grid = {
        "maxnrcdt__n_angles": [16, 2],
        "maxnrcdt__n_quantiles": [8, 2, 4],
        "nearesttemplateclassifier__metric": ["euclidean", "chebyshev"],
    }
    X, y = np.concatenate([shapes, np.rot90(shapes, axes=(1, 2))]), np.tile(range(6), 2)
    search = GridSearchCV(model, grid, cv=2).fit(X, y)
    display = HeatmapDisplay.from_search(search, "maxnrcdt__n_angles", "maxnrcdt__n_quantiles")
    expected = np.full((3, 2), -1.0)
    for params, score in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        i = [2, 4, 8].index(params["maxnrcdt__n_quantiles"])
        j = [2, 16].index(params["maxnrcdt__n_angles"])
        expected[i, j] = max(expected[i, j], score)
    np.testing.assert_array_equal(display.im_.get_array(), expected)
    assert ticks(display.ax_.xaxis) == ["2", "16"]
    assert ticks(display.ax_.yaxis) == ["2", "4", "8"]
    assert display.ax_.get_xlabel() == "maxnrcdt__n_angles"
    assert display.colorbar_.ax.get_ylabel() == "mean test score"


def test_heatmap_from_search_leaves_gaps(shapes):
    model = make_pipeline(MaxNRCDT(4), NearestTemplateClassifier())
    grid = {
        "maxnrcdt__n_quantiles": [2, 4, 8],
        "nearesttemplateclassifier__metric": ["euclidean", "chebyshev"],
    }
    search = RandomizedSearchCV(model, grid, n_iter=3, cv=2, random_state=0)
    search.fit(np.concatenate([shapes, shapes]), np.tile(range(6), 2))
    display = HeatmapDisplay.from_search(
        search, "maxnrcdt__n_quantiles", "nearesttemplateclassifier__metric", score="mean_fit_time"
    )
    assert np.isfinite(np.asarray(display.values)).sum() == 3


def test_heatmap_errors(shapes):
    with pytest.raises(ValueError, match=r"\(len\(y\), len\(x\)\) = \(1, 2\), got \(2, 1\)"):
        HeatmapDisplay.from_values([[1], [2]], x=[0, 1], y=[0])
    with pytest.raises(ValueError, match="finite, or NaN"):
        HeatmapDisplay.from_values([[np.nan]], x=[0], y=[0])
    with pytest.raises(ValueError, match="search must be a fitted search"):
        HeatmapDisplay.from_search(MaxNRCDT(), "n_angles", "n_radii")
    model = make_pipeline(MaxNRCDT(4), NearestTemplateClassifier())
    grid = {"maxnrcdt__n_quantiles": [2, 4], "maxnrcdt__n_angles": [4]}
    search = GridSearchCV(model, grid, cv=2)
    search.fit(np.concatenate([shapes, shapes]), np.tile(range(6), 2))
    with pytest.raises(ValueError, match=r"y='n_angles' is not a parameter.*maxnrcdt__n_angles"):
        HeatmapDisplay.from_search(search, "maxnrcdt__n_quantiles", "n_angles")
    with pytest.raises(ValueError, match="two parameters"):
        HeatmapDisplay.from_search(search, "maxnrcdt__n_angles", "maxnrcdt__n_angles")
    with pytest.raises(ValueError, match=r"score='f1'.*mean_test_score"):
        HeatmapDisplay.from_search(
            search, "maxnrcdt__n_angles", "maxnrcdt__n_quantiles", score="f1"
        )


# Without matplotlib

WITHOUT = """
import sys
sys.modules["matplotlib"] = sys.modules["matplotlib.pyplot"] = None
import numpy as np
import sklearn_nrcdt, sklearn_nrcdt.datasets
from sklearn_nrcdt.display import *
X = np.ones((2, 8, 8))
calls = [
    lambda: QuantileDisplay([0.5], [[1.0]]).plot(),
    lambda: QuantileDisplay.from_features([[1.0]]),
    lambda: QuantileDisplay.from_estimator(sklearn_nrcdt.MaxNRCDT().fit(X), X),
    lambda: SinogramDisplay(X[0], X[0], X[0], X[0]).plot(),
    lambda: SinogramDisplay.from_image(X[0]),
    lambda: SinogramDisplay.from_estimator(sklearn_nrcdt.MaxNRCDT().fit(X), X[0]),
    lambda: TemplateMatchDisplay(X, X, [[0], [1]], [[0.0], [0.0]]).plot(),
    lambda: TemplateMatchDisplay.from_distances(np.eye(2), X, templates=X),
    lambda: TemplateMatchDisplay.from_estimator(None, X, templates=X),
    lambda: HeatmapDisplay([[1.0]], [0], [0]).plot(),
    lambda: HeatmapDisplay.from_values([[1.0]], [0], [0]),
    lambda: HeatmapDisplay.from_search(None, "a", "b"),
]
for call in calls:
    try:
        call()
    except ImportError as error:
        assert "Display." in str(error) and "sklearn-nrcdt[plot]" in str(error), error
    else:
        raise AssertionError("drawn without matplotlib")
print(len(calls), "errors")
"""


def test_without_matplotlib():
    command = [sys.executable, "-W", "error", "-c", WITHOUT]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.stdout == "12 errors\n", result.stderr


def test_import_leaves_matplotlib_alone():
    code = "import sys, sklearn_nrcdt.display; print('matplotlib' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "False\n", result.stderr
