"""Drawings hidden in made-up paper: found, located, in every form, and what is refused."""

import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from scipy import ndimage
from sheets import random_drawings, sheet
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import sklearn_nrcdt.search._catalogue as catalogue
import sklearn_nrcdt.search._levels as levels
from sklearn_nrcdt.search import DrawingSearch

N = 12
SHAPE = (200, 230)

NOISE = "its noise has empty drawings in it, which are refused by their number"
NOT_FOR_PICTURES = {
    "check_estimators_dtypes": NOISE,
    "check_estimator_sparse_tag": NOISE,
    "check_estimator_sparse_array": NOISE,
    "check_estimator_sparse_matrix": NOISE,
    "check_fit2d_1feature": NOISE,
}


@pytest.fixture(scope="module")
def drawings():
    return random_drawings(N, np.random.default_rng(0))


@pytest.fixture(scope="module")
def corners():
    return np.random.default_rng(1).integers(10, 100, (N, 2))


@pytest.fixture(scope="module")
def photos(drawings, corners):
    rng = np.random.default_rng(2)
    return np.array([sheet(d, SHAPE, c, rng) for d, c in zip(drawings, corners, strict=True)])


@pytest.fixture(scope="module")
def fitted(drawings):
    return DrawingSearch(polarity="dark").fit(drawings, np.arange(N) // 2)


@parametrize_with_checks(
    # What is slow about it is looked at below.
    [DrawingSearch(polarity="dark", n_candidates=1)],
    expected_failed_checks=lambda estimator: NOT_FOR_PICTURES,
)
@pytest.mark.filterwarnings("ignore:Rows of .* pixels are not square images:UserWarning")
@pytest.mark.filterwarnings("ignore:.* of one colour:UserWarning")
@pytest.mark.filterwarnings("ignore:.* bright in more than half:UserWarning")
def test_common_checks(estimator, check):
    check(estimator)


def test_the_right_drawing_is_found_where_it_is(fitted, drawings, photos, corners):
    scores, indices = fitted.kneighbors(photos, 3)
    np.testing.assert_array_equal(indices[:, 0], np.arange(N))
    assert (np.diff(scores) <= 0).all()
    assert (scores[:, 0] > 1.5 * scores[:, 1]).all()
    found = fitted.locate(photos)
    np.testing.assert_allclose(found.maps[:, 0, :, :2], np.tile(np.eye(2), (N, 1, 1)))
    np.testing.assert_allclose(found.maps[:, 0, :, 2], corners, atol=1.5)
    assert (found.polarities == "dark").all()
    # Most of what is drawn over the photograph lies on a stroke.
    for strokes, drawing, corner in zip(found.strokes, drawings, corners, strict=True):
        away = ndimage.distance_transform_edt(~np.pad(drawing, 5))
        places = np.clip((strokes[0] - corner + 5).round().astype(int), 0, [99, 79])
        assert np.mean(away[tuple(places.T)] <= 2) > 0.95


def test_bright_marks_are_found_by_auto_only(drawings, corners, rng):
    bright = [sheet(drawings[k], SHAPE, corners[k], rng, sign=1) for k in range(4)]
    found = DrawingSearch().fit(drawings).locate(bright)
    np.testing.assert_array_equal(found.indices[:, 0], np.arange(4))
    assert (found.polarities == "bright").all()
    dark = DrawingSearch(polarity="dark").fit(drawings).locate(bright)
    assert (dark.scores < found.scores / 1.5).all()


@pytest.mark.parametrize("mirror", [False, True])
def test_poses_are_found_between_those_given(drawings, photos, mirror, rng):
    turns = rng.uniform(0, 360, 4)
    turned = [
        ndimage.rotate(photo, turn, reshape=True, order=1, mode="constant", cval=np.median(photo))
        for photo, turn in zip(photos, turns, strict=False)
    ]
    seen = [photo[:, ::-1] for photo in turned] if mirror else turned
    search = DrawingSearch(polarity="dark", rotations=range(0, 360, 8), mirror=mirror)
    found = search.fit(drawings).locate(seen)
    np.testing.assert_array_equal(found.indices[:, 0], np.arange(4))
    assert (found.mirrored == mirror).all()
    # Seen in a mirror, a rotation is one in the other direction.
    error = found.rotations[:, 0] - (-turns if mirror else turns)
    assert np.abs((error + 180) % 360 - 180).max() < 3


def test_scales_and_stroke_widths(drawings, photos, corners):
    large = [ndimage.zoom(photo, 1.5, order=1) for photo in photos[:3]]
    search = DrawingSearch(6.0, polarity="dark", scales=[1.35, 1.5, 1.65]).fit(drawings)
    found = search.locate(large)
    np.testing.assert_array_equal(found.indices[:, 0], np.arange(3))
    np.testing.assert_allclose(found.scales[:, 0], 1.5, rtol=0.06)
    middle = found.maps[:, 0, :, :2] @ np.array([45, 35]) + found.maps[:, 0, :, 2]
    np.testing.assert_allclose(middle, 1.5 * (corners[:3] + np.array([45, 35])), atol=4)


def test_labels(fitted, photos):
    labels = np.arange(N) // 2
    np.testing.assert_array_equal(fitted.predict(photos), labels)
    assert fitted.score(photos, labels) == 1
    decision = fitted.decision_function(photos)
    assert decision.shape == (N, N // 2)
    np.testing.assert_array_equal(decision.argmax(axis=1), labels)
    np.testing.assert_allclose(decision.max(axis=1), fitted.kneighbors(photos, 1)[0][:, 0])


def test_two_labels_have_one_decision(drawings, photos):
    search = DrawingSearch(polarity="dark").fit(drawings[:2], ["b", "a"])
    decision = search.decision_function(photos[:2])
    assert decision.shape == (2,)
    assert decision[0] > 0 > decision[1]


def test_without_labels_there_is_nothing_to_predict(drawings, photos):
    search = DrawingSearch().fit(drawings)
    with pytest.raises(ValueError, match=r"without labels.*kneighbors"):
        search.predict(photos[:1])
    with pytest.raises(NotFittedError):
        DrawingSearch().kneighbors(photos[:1])
    search.fit(drawings, np.arange(N))
    search.fit(drawings)
    assert not hasattr(search, "classes_")


def test_forms_of_drawings_and_photos(fitted, drawings, photos):
    expected = fitted.kneighbors(photos[:2], 2)[0]
    framed = [np.pad(d, ((k, 3), (2 * k, 0))) for k, d in enumerate(drawings)]
    rows = drawings.reshape(N, -1)
    for form, shape in [
        (framed, None),
        (drawings.astype(np.uint8) * 255, None),
        (rows, drawings.shape[1:]),
        (sp.csr_array(rows.astype(float)), drawings.shape[1:]),
    ]:
        search = DrawingSearch(polarity="dark", image_shape=shape).fit(form)
        given = list(photos[:2]) if shape is None else photos[:2]
        np.testing.assert_allclose(search.kneighbors(given, 2)[0], expected, rtol=1e-5)
    # A photograph of each size of its own.
    cut = [photos[0], photos[1][:180, :200]]
    np.testing.assert_array_equal(fitted.kneighbors(cut, 1)[1][:, 0], [0, 1])


def test_strokes_of_drawings_may_have_any_width(fitted, drawings, photos):
    thick = ndimage.binary_dilation(np.pad(drawings, ((0, 0), (4, 4), (4, 4))), np.ones((1, 3, 3)))
    scores = DrawingSearch(polarity="dark").fit(thick).kneighbors(photos[:3], 1)
    np.testing.assert_array_equal(scores[1][:, 0], range(3))
    np.testing.assert_allclose(scores[0], fitted.kneighbors(photos[:3], 1)[0], rtol=0.3)


def test_results_depend_on_nothing_else(fitted, drawings, photos, tmp_path, monkeypatch):
    expected = fitted.kneighbors(photos[:3], N)
    for change in ({"n_jobs": 2}, {"verbose": 1}):
        other = clone(fitted).set_params(**change).fit(drawings)
        np.testing.assert_allclose(other.kneighbors(photos[:3], N)[0], expected[0], rtol=1e-6)
    one = clone(fitted).set_params(n_jobs=2).fit(drawings)
    np.testing.assert_allclose(one.kneighbors(photos[:1], N)[0], expected[0][:1], rtol=1e-6)
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_allclose(again.kneighbors(photos[:1], N)[0], expected[0][:1], rtol=1e-6)
    with joblib.parallel_config(backend="loky"):
        np.testing.assert_allclose(one.kneighbors(photos[:1], N)[0], expected[0][:1], rtol=1e-6)
    # No room for spectra in memory: computed each time, in batches, or kept on disk.
    monkeypatch.setattr(catalogue, "KEPT_BYTES", 0)
    monkeypatch.setattr(catalogue, "BATCH_BYTES", 2**19)
    monkeypatch.setattr(catalogue, "PART", 5)
    monkeypatch.setattr(levels, "POSE_BYTES", 2**18)
    for folder in (None, tmp_path):
        poor = clone(fitted).set_params(cache=folder).fit(drawings)
        for _ in range(2):
            np.testing.assert_allclose(poor.kneighbors(photos[:3], N)[0], expected[0], rtol=1e-6)
    files = list(tmp_path.iterdir())
    assert len(files) == 3
    again = pickle.loads(pickle.dumps(poor))
    np.testing.assert_allclose(again.kneighbors(photos[:3], N)[0], expected[0], rtol=1e-6)
    assert sorted(tmp_path.iterdir()) == sorted(files)


def test_workers_that_share_photographs_have_no_workers_of_their_own(drawings, photos, monkeypatch):
    search = DrawingSearch(polarity="dark", n_jobs=2).fit(drawings)
    expected = search.kneighbors(photos[:1])[1]
    monkeypatch.setattr(levels, "Parallel", None)
    np.testing.assert_array_equal(search.kneighbors(photos[:2])[1][:1], expected)
    with pytest.raises(TypeError):
        search.kneighbors(photos[:1])


def test_spectra_stay_within_bounds(drawings, photos, monkeypatch):
    search = DrawingSearch(polarity="dark").fit(drawings)
    [part] = search._catalogue
    search.kneighbors(photos[:1], 1)
    [size] = [kept.nbytes for kept in part._kept.values()]
    part.kept_bytes = size + size // 2
    search.kneighbors([photos[0][:90, :90], photos[0]], 1)
    search.kneighbors([photos[0].T], 1)
    assert part._bytes() <= part.kept_bytes
    assert part._kept


def test_few_candidates_rank_before_the_rest(drawings, photos):
    search = DrawingSearch(polarity="dark", n_candidates=2).fit(drawings, np.arange(N))
    assert search.score(photos, np.arange(N)) == 1
    decision = search.decision_function(photos)
    scores, indices = search.kneighbors(photos, N)
    assert sorted(indices[0]) == list(range(N))
    assert (decision.max(axis=1) > np.sort(decision, axis=1)[:, -2]).all()
    assert (np.diff(scores) <= 0).all()


def test_large_scans_are_cut_to_windows(fitted, drawings, rng, monkeypatch):
    photo = sheet(drawings[7], (400, 500), (230, 310), rng)
    whole = fitted.locate([photo])
    monkeypatch.setattr(levels, "WINDOW", 60)
    part = fitted.locate([photo])
    assert whole.indices[0, 0] == part.indices[0, 0] == 7
    np.testing.assert_allclose(part.maps[0, 0, :, 2], [230, 310], atol=1.5)
    np.testing.assert_array_equal(part.centres, whole.centres)


def test_a_drawing_may_be_larger_than_the_photograph(fitted, photos, corners):
    parts = [photos[k][c[0] + 12 : c[0] + 77, c[1] + 8 : c[1] + 62] for k, c in enumerate(corners)]
    found = fitted.locate(parts)
    right = found.indices[:, 0] == np.arange(N)
    assert right.mean() > 0.8
    np.testing.assert_allclose(found.maps[right, 0, :, 2], [[-12, -8]] * right.sum(), atol=2)


def test_a_single_drawing(drawings, photos):
    found = DrawingSearch(rotations=[0, 90]).fit(drawings[3:4]).locate(photos[3:4])
    assert found.indices.tolist() == [[0]]
    assert found.rotations[0, 0] == pytest.approx(0, abs=3)


def test_photographs_of_one_colour_are_named(fitted, photos):
    with pytest.warns(UserWarning, match=r"photographs 1, 2 are of one colour.*scores are 0"):
        scores, _ = fitted.kneighbors([photos[0], np.full(SHAPE, 7), np.zeros((5, 5))], 2)
    assert scores[0].min() > 0
    assert not scores[1:].any()


def test_empty_and_inverted_drawings_are_named(drawings):
    drawings = [*drawings[:4], np.zeros((20, 20))]
    with pytest.raises(ValueError, match=r"drawing 4 is without strokes"):
        DrawingSearch().fit(drawings)
    with pytest.warns(UserWarning, match=r"drawings 0, 1 are bright in more than half.*Invert"):
        DrawingSearch().fit([~d for d in drawings[:2]])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rotations": []}, "rotations must be a list of degrees"),
        ({"rotations": [[0]]}, "rotations must be a list of degrees"),
        ({"rotations": ["a"]}, "rotations must be a list of degrees"),
        ({"scales": [1, 0]}, "scales must be a list of positive factors"),
        ({"scales": [np.inf]}, "scales must be a list of positive factors"),
        ({"cache": "no/such/folder"}, "is no folder"),
        ({"stroke_width": 0}, "stroke_width"),
        ({"n_candidates": 0}, "n_candidates"),
        ({"polarity": "grey"}, "polarity"),
    ],
)
def test_bad_parameters(drawings, params, message):
    with pytest.raises(ValueError, match=message):
        DrawingSearch(**params).fit(drawings)


@pytest.mark.parametrize("n_neighbors", [0, N + 1, 1.5, None])
def test_bad_numbers_of_neighbours(fitted, photos, n_neighbors):
    with pytest.raises(ValueError, match=f"n_neighbors must be an integer from 1 .* {N}"):
        fitted.kneighbors(photos[:1], n_neighbors)


def test_bad_photographs(fitted, photos):
    with pytest.raises(ValueError, match="NaN"):
        fitted.predict(np.where(photos[:1] > 150, photos[:1], np.nan))
    with pytest.raises(ValueError, match=r"X\[None\]"):
        fitted.predict(photos[0])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        DrawingSearch().fit(photos, [1, 2])


def test_grid_search_over_rotations(drawings, photos):
    images = [*drawings[:4].astype(float), *photos[:4]]
    grid = GridSearchCV(
        DrawingSearch(),
        {"rotations": [[90], [0]]},
        cv=[(np.arange(4), np.arange(4, 8))],
        refit=False,
    )
    grid.fit(images, np.arange(8) % 4)
    assert grid.best_params_ == {"rotations": [0]}


def test_progress_is_shown(drawings, photos, capsys):
    DrawingSearch(polarity="dark", verbose=1).fit(drawings).kneighbors(photos[:2], 1)
    shown = capsys.readouterr().out
    assert f"{N} of {N} drawings" in shown
    assert "2 of 2 photographs" in shown
