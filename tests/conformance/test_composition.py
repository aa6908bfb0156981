"""The estimators inside scikit-learn: pipelines, searches, workers, pickles, names, callbacks."""

import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
import sklearn
from processes import printed
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.fixes import parse_version

import sklearn_nrcdt._estimators.base as base
from sklearn_nrcdt import (
    NRCDT,
    BlankImageWarning,
    MaxNRCDT,
    MeanNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    RadonCDT,
    SpectralNRCDT,
)

ALL = [RadonCDT, NRCDT, MaxNRCDT, MeanNRCDT, SpectralNRCDT]


@pytest.fixture
def turned(shapes):
    """The six figures in eight positions each: turns and flips, moved."""
    images, labels = [], []
    for label, shape in enumerate(shapes):
        for k in range(8):
            figure = np.rot90(shape if k < 4 else shape.T, k)
            images.append(np.roll(figure, (k - 4, 2 * k - 7), axis=(0, 1)))
            labels.append(label)
    return np.array(images), np.array(labels)


FORMS = {
    "stack": lambda x: x,
    "rows": lambda x: x.reshape(len(x), -1),
    "sparse": lambda x: sp.csr_array(x.reshape(len(x), -1)),
}
forms = pytest.mark.parametrize("form", FORMS)


@forms
def test_one_template_per_class_is_enough(shapes, turned, form):
    model = make_pipeline(MaxNRCDT(n_angles=32), NearestTemplateClassifier())
    model.fit(FORMS[form](shapes), list("LTDRVH"))
    images, labels = turned
    assert model.score(FORMS[form](images), np.array(list("LTDRVH"))[labels]) == 1


@forms
def test_pipeline_of_the_forms_gives_the_same_numbers(shapes, turned, form):
    union = FeatureUnion([("max", MaxNRCDT(16)), ("mean", MeanNRCDT(16, n_quantiles=8))])
    model = make_pipeline(union, NearestTemplateClassifier("manhattan"))
    images, _labels = turned
    expected = model.fit(shapes, range(6)).decision_function(images)
    result = model.fit(FORMS[form](shapes), range(6)).decision_function(FORMS[form](images))
    np.testing.assert_allclose(result, expected, atol=1e-10)


@pytest.mark.parametrize("form", ["stack", "rows", "sparse"])
def test_grid_search_over_angles(turned, form):
    images, labels = turned
    model = make_pipeline(MaxNRCDT(), NearestTemplateClassifier())
    grid = {"maxnrcdt__n_angles": [1, 4, 32]}
    search = GridSearchCV(model, grid, cv=4, error_score="raise")
    search.fit(FORMS[form](images), labels)
    # With one angle, turned figures look different: the number of angles must matter.
    scores = dict(zip([1, 4, 32], search.cv_results_["mean_test_score"], strict=True))
    assert scores[1] < scores[32] == 1
    assert search.best_estimator_[0].angles_.shape in [(4,), (32,)]


def test_set_params_rebuilds_the_geometry(shapes):
    transformer = RadonCDT(16).fit(shapes)
    assert transformer.transform(shapes).shape == (6, 16 * 64)
    transformer.set_params(n_angles=5, n_quantiles=3)
    expected = RadonCDT(5, n_quantiles=3).fit_transform(shapes)
    np.testing.assert_array_equal(transformer.fit_transform(shapes), expected)
    np.testing.assert_array_equal(clone(transformer).fit_transform(shapes), expected)


def test_refitting_forgets_shape_and_labels(shapes):
    transformer = MaxNRCDT(16).fit(shapes)
    small = shapes[:, :40, :32]
    np.testing.assert_array_equal(
        transformer.fit(small).transform(small), MaxNRCDT(16).fit_transform(small)
    )
    assert transformer.image_shape_ == (40, 32)
    X = transformer.transform(shapes)
    model = NearestTemplateClassifier().fit(X, [0, 0, 0, 1, 1, 1]).fit(X, [1, 1, 1, 0, 0, 0])
    np.testing.assert_array_equal(model.predict(X), [1, 1, 1, 0, 0, 0])


def test_changed_parameters_do_not_disturb_a_fitted_transformer(shapes):
    transformer = MaxNRCDT(16).fit(shapes)
    expected = transformer.transform(shapes)
    transformer.set_params(n_angles=40)
    np.testing.assert_array_equal(transformer.transform(shapes), expected)


def test_cross_validation(turned):
    images, labels = turned
    model = make_pipeline(MeanNRCDT(32), NearestTemplateClassifier())
    assert cross_val_score(model, images, labels, cv=4).mean() == 1


def test_workers_and_batches_change_nothing(shapes, monkeypatch):
    """Workers of loky: tests/faults/test_processes.py; those of dask: test_cluster.py."""
    expected = MaxNRCDT(12).fit_transform(shapes)
    monkeypatch.setattr(base, "BATCH_ELEMENTS", 1)
    np.testing.assert_array_equal(MaxNRCDT(12).fit_transform(shapes), expected)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        np.testing.assert_array_equal(MaxNRCDT(12, n_jobs=2).fit_transform(shapes), expected)
        np.testing.assert_array_equal(MaxNRCDT(12).fit(shapes).transform(shapes), expected)


def test_pickles_are_small_and_work_elsewhere(shapes, tmp_path):
    fitted = [kind(128).fit(shapes) for kind in ALL]
    dumped = pickle.dumps(fitted)
    assert len(dumped) < 50_000
    (tmp_path / "fitted.pickle").write_bytes(dumped)
    np.save(tmp_path / "images.npy", shapes)
    code = (
        "import os, pickle, sys, numpy as np\n"
        "os.chdir(sys.argv[1])\n"
        "images = np.load('images.npy')\n"
        "fitted = pickle.load(open('fitted.pickle', 'rb'))\n"
        "np.savez('features.npz', *[transformer.transform(images) for transformer in fitted])"
    )
    printed(code, str(tmp_path))
    with np.load(tmp_path / "features.npz") as features:
        for transformer, name in zip(fitted, features, strict=True):
            np.testing.assert_array_equal(features[name], transformer.transform(shapes))


def test_names_tell_angle_and_level(shapes):
    names = RadonCDT(8, n_quantiles=3).fit(shapes).get_feature_names_out()
    assert list(names[:4]) == [
        "radoncdt_angle0.0_q0.30",
        "radoncdt_angle0.0_q0.50",
        "radoncdt_angle0.0_q0.70",
        "radoncdt_angle45.0_q0.30",
    ]
    assert list(MaxNRCDT(n_quantiles=4).fit(shapes).get_feature_names_out()) == [
        f"maxnrcdt_q0.{j}" for j in (25, 42, 58, 75)
    ]


@pytest.mark.parametrize(("n_angles", "n_quantiles"), [(1, 1), (128, 64), (1000, 7), (3, 9999)])
def test_names_are_different(shapes, n_angles, n_quantiles):
    names = RadonCDT(n_angles, n_quantiles=n_quantiles).fit(shapes).get_feature_names_out()
    assert len(set(names)) == n_angles * n_quantiles


def test_pandas_output(shapes):
    frame = MeanNRCDT(8, n_quantiles=5).set_output(transform="pandas").fit_transform(shapes)
    assert next(iter(frame.columns)) == "meannrcdt_q0.21"
    assert frame.shape == (6, 5)


def test_html_view_shows_parameters(shapes):
    html = make_pipeline(MaxNRCDT(32), NearestTemplateClassifier())._repr_html_()
    assert "MaxNRCDT" in html
    assert "n_angles" in html


def test_swaps_into_a_pipeline_that_flattens(shapes, turned):
    images, labels = turned
    flatten = FunctionTransformer(lambda x: x.reshape(len(x), -1))
    model = make_pipeline(flatten, make_union(MaxNRCDT(32)), NearestTemplateClassifier())
    assert model.fit(shapes, range(6)).score(images, labels) == 1


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"),
    reason="callbacks came with scikit-learn 1.9",
)
class TestCallbacks:
    class Recorder:
        def __init__(self):
            self.events = []

        def setup(self, estimator, context):
            self.events.append("setup")

        def on_fit_task_begin(self, estimator, context):
            self.events.append(f"begin {context.task_name}")

        def on_fit_task_end(self, estimator, context):
            self.events.append(f"end {context.task_name}")

        def teardown(self, estimator, context):
            self.events.append("teardown")

    def test_fit_transform_reports_every_batch(self, shapes, monkeypatch):
        monkeypatch.setattr(base, "BATCH_ELEMENTS", 1)
        recorder = self.Recorder()
        MaxNRCDT(8).set_callbacks(recorder).fit_transform(shapes)
        batches = ["begin batch", "end batch"] * 6
        assert recorder.events == ["setup", "begin fit", *batches, "end fit", "teardown"]

    def test_a_failing_fit_is_torn_down(self, shapes):
        recorder = self.Recorder()
        transformer = MaxNRCDT(8).set_callbacks(recorder)
        # Warnings are errors in our tests.
        with pytest.raises(BlankImageWarning, match="no mass"):
            transformer.fit_transform(0 * shapes)
        assert recorder.events[-1] == "teardown"

    def test_progress_bar_in_a_pipeline(self, shapes, capsys):
        pytest.importorskip("rich", reason="scikit-learn's progress bar needs rich")
        from sklearn.callback import ProgressBar

        model = make_pipeline(MaxNRCDT(8), NearestSubspaceClassifier())
        model.set_callbacks(ProgressBar(max_propagation_depth=None)).fit(shapes, range(6))
        assert "MaxNRCDT" in capsys.readouterr().out


def test_verbose_counted_batches_instead_of_images(shapes, capfd):
    MaxNRCDT(8).fit(shapes).transform(shapes)
    assert capfd.readouterr() == ("", "")
    MaxNRCDT(8, verbose=1, n_jobs=2).fit(shapes).transform(shapes)
    captured = capfd.readouterr()
    assert "6 of 6 images" in captured.out
    assert captured.err == ""
