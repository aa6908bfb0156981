"""Drawings hidden in made-up paper: found, located, in every form, and what is refused."""

import pickle

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from backends import PicklingBackend
from scipy import ndimage
from sheets import random_drawings, sheet
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import sklearn_nrcdt.search._coarse_to_fine as coarse_to_fine
import sklearn_nrcdt.search._kernels.correlation as correlation
import sklearn_nrcdt.search._kernels.segments as segments
from sklearn_nrcdt.search import DrawingSearch

N = 12
SHAPE = (200, 230)

# The noise of these checks has empty drawings in it, which are refused by their number.
EMPTY_DRAWINGS = ("check_estimators_dtypes", "check_fit2d_1feature")


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
    [DrawingSearch(polarity="dark", n_candidates=1)]
)
@pytest.mark.filterwarnings("ignore:Rows of .* pixels are not square images:UserWarning")
@pytest.mark.filterwarnings("ignore:.* uniform, so there:UserWarning")
@pytest.mark.filterwarnings("ignore:.* bright in more than half:UserWarning")
def test_common_checks(estimator, check, few_blobs, monkeypatch):
    # The photographs of the checks are a few pixels large: one coarse search is enough.
    monkeypatch.setattr(correlation, "WHITENING_RANGE", 16.0)
    monkeypatch.setattr(coarse_to_fine, "MAX_POINTS", 0)
    if "array_api" in repr(check):
        pytest.skip("NumPy's arrays under another name, which the other checks pass, too")
    if check.func.__name__ in EMPTY_DRAWINGS:
        with pytest.raises((ValueError, AssertionError), match="without strokes"):
            check(estimator)
    else:
        check(estimator)


def test_the_right_drawing_is_found_where_it_is(fitted, drawings, photos, corners):
    found = fitted.locate(photos, 3)
    np.testing.assert_array_equal(found.indices[:, 0], np.arange(N))
    assert (np.diff(found.scores) <= 0).all()
    assert (found.scores[:, 0] > 1.5 * found.scores[:, 1]).all()
    scores, indices = fitted.kneighbors(photos[:2], 3)
    np.testing.assert_array_equal(scores, found.scores[:2])
    np.testing.assert_array_equal(indices, found.indices[:2])
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
    turns = rng.uniform(0, 360, 2)
    turned = [
        ndimage.rotate(photo, turn, reshape=True, order=1, mode="constant", cval=np.median(photo))
        for photo, turn in zip(photos, turns, strict=False)
    ]
    seen = [photo[:, ::-1] for photo in turned] if mirror else turned
    search = DrawingSearch(polarity="dark", rotations=range(0, 360, 8), mirror=mirror)
    found = search.fit(drawings).locate(seen)
    np.testing.assert_array_equal(found.indices[:, 0], np.arange(2))
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
    photos, labels = photos[::5], np.arange(N)[::5] // 2
    np.testing.assert_array_equal(fitted.predict(photos), labels)
    assert fitted.score(photos, labels) == 1
    decision = fitted.decision_function(photos)
    assert decision.shape == (3, N // 2)
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


def test_results_depend_on_nothing_else(fitted, drawings, photos, monkeypatch):
    expected = fitted.kneighbors(photos[:3], N)
    for change in ({"n_jobs": 2}, {"verbose": 1}):
        other = clone(fitted).set_params(**change).fit(drawings)
        np.testing.assert_allclose(other.kneighbors(photos[:3], N)[0], expected[0], rtol=1e-6)
    one = clone(fitted).set_params(n_jobs=2).fit(drawings)
    np.testing.assert_allclose(one.kneighbors(photos[:1], N)[0], expected[0][:1], rtol=1e-6)
    again = pickle.loads(pickle.dumps(one))
    np.testing.assert_allclose(again.kneighbors(photos[:1], N)[0], expected[0][:1], rtol=1e-6)
    with joblib.parallel_config(PicklingBackend()):
        np.testing.assert_allclose(one.kneighbors(photos[:1], N)[0], expected[0][:1], rtol=1e-6)
    # Other parts of the catalogue.
    monkeypatch.setattr(segments, "PART", 5)
    other = clone(fitted).fit(drawings)
    np.testing.assert_allclose(other.kneighbors(photos[:3], N)[0], expected[0], rtol=1e-6)


def test_workers_that_share_photographs_have_no_workers_of_their_own(drawings, photos, monkeypatch):
    search = DrawingSearch(polarity="dark", n_jobs=2).fit(drawings)
    workers, run = set(), coarse_to_fine.run_batches

    def spy(function, batches, n_jobs):
        workers.add(n_jobs)
        return run(function, batches, n_jobs)

    monkeypatch.setattr(coarse_to_fine, "run_batches", spy)
    shared = search.kneighbors(photos[:2])[1]
    assert workers == {1}
    np.testing.assert_array_equal(search.kneighbors(photos[:1])[1], shared[:1])
    assert workers == {1, 2}


def test_few_candidates_rank_before_the_rest(drawings, photos):
    search = DrawingSearch(polarity="dark", n_candidates=2).fit(drawings, np.arange(N))
    photos = photos[:3]
    np.testing.assert_array_equal(search.predict(photos), np.arange(3))
    decision = search.decision_function(photos)
    scores, indices = search.kneighbors(photos, N)
    assert sorted(indices[0]) == list(range(N))
    assert (decision.max(axis=1) > np.sort(decision, axis=1)[:, -2]).all()
    assert (np.diff(scores) <= 0).all()


def test_what_was_not_compared_finely_ranks_behind_whatever_its_coarse_score():
    scores = coarse_to_fine._first(np.array([9.0, 1, 7]), np.array([1, 2]), np.array([3.0, 5]))
    np.testing.assert_array_equal(scores[1:], [3, 5])
    assert scores[0] < 3


def test_large_scans_are_cut_to_windows(fitted, drawings, rng, monkeypatch):
    photo = sheet(drawings[7], (400, 500), (230, 310), rng)
    whole = fitted.locate([photo])
    monkeypatch.setattr(coarse_to_fine, "WINDOW", 60)
    part = fitted.locate([photo])
    assert whole.indices[0, 0] == part.indices[0, 0] == 7
    np.testing.assert_allclose(part.maps[0, 0, :, 2], [230, 310], atol=1.5)
    np.testing.assert_array_equal(part.centers, whole.centers)


def test_a_drawing_may_be_larger_than_the_photograph(fitted, photos, corners):
    parts = [photos[k][c[0] + 12 : c[0] + 77, c[1] + 8 : c[1] + 62] for k, c in enumerate(corners)]
    found = fitted.locate(parts)
    right = found.indices[:, 0] == np.arange(N)
    assert right.mean() > 0.8
    np.testing.assert_allclose(found.maps[right, 0, :, 2], [[-12, -8]] * right.sum(), atol=2)


def test_mirror_images_say_what_is_chance(drawings, photos, rng):
    """They fit much worse if the drawing is there, and as well if it is not."""
    tau, circle = np.zeros((2, 80, 80), bool)
    tau[10, 10:70] = tau[10:70, 40] = True
    y, x = np.indices(circle.shape) - 40
    circle[np.abs(np.hypot(y, x) - 30) < 1] = True
    folded = rng.normal(200, 4, (150, 180))
    folded[70:74] -= 8
    folded[:, 90:94] -= 8
    paper = [photos[1], sheet(circle, SHAPE, (50, 60), rng), folded]
    search = DrawingSearch(polarity="dark").fit([drawings[1], circle, tau])
    found = search.locate(paper)
    np.testing.assert_array_equal(found.indices[:, 0], [0, 1, 2])
    assert found.chance[0] < found.scores[0, 0] / 2.5
    assert np.isnan(found.chance[1])
    assert found.chance[2] > found.scores[2, 0] / 2
    # Pose and workers make no difference; in any size, it is that of the best one.
    turned = DrawingSearch(polarity="dark", rotations=[0, 90], n_jobs=2).fit([drawings[1]])
    again = turned.locate([np.rot90(photos[1])])
    assert again.chance[0] == pytest.approx(found.chance[0], abs=1.5)


@pytest.mark.parametrize("share", [0.5, 0.35])
def test_fragments_are_found_by_what_is_visible(drawings, photos, corners, share):
    """The lower part of each drawing, at the upper edge of the photograph."""
    parts, n, corners = [], N // 2, corners[: N // 2]
    for drawing, photo, corner in zip(drawings, photos, corners, strict=False):
        rows = np.flatnonzero(np.cumsum(drawing.sum(axis=1)) >= (1 - share) * drawing.sum())
        parts.append(photo[corner[0] + rows[0] :])
    found = DrawingSearch(polarity="dark", fragments=True).fit(drawings).locate(parts)
    right = found.indices[:, 0] == np.arange(n)
    assert right.mean() > (0.9 if share == 0.5 else 0.7)
    cut = [part.shape[0] - SHAPE[0] for part in parts]
    expected = corners + np.column_stack([cut, np.zeros(n, int)])
    np.testing.assert_allclose(found.maps[right, 0, :, 2], expected[right], atol=2)
    # Without the option, the center has to be inside.
    whole = DrawingSearch(polarity="dark").fit(drawings).kneighbors(parts, 1)[1][:, 0]
    assert np.mean(whole == np.arange(n)) < right.mean()


def test_resolutions_of_each_drawing_and_photograph(drawings, photos, corners):
    dpi = np.array([100, 200, 100, 1200] * (N // 4))
    large = [d.repeat(k // 100, 0).repeat(k // 100, 1) for d, k in zip(drawings, dpi, strict=True)]
    seen = [photos[0], ndimage.zoom(photos[1], 1.5, order=1), photos[3]]
    search = DrawingSearch(polarity="dark").fit(large, dpi=dpi)
    found = search.locate(seen, dpi=[100, 150, 100])
    np.testing.assert_array_equal(found.indices[:, 0], [0, 1, 3])
    np.testing.assert_allclose(found.scales[:, 0], [1, 0.75, 1 / 12])
    np.testing.assert_allclose(found.maps[0, 0, :, 2], corners[0], atol=1.5)
    np.testing.assert_allclose(found.maps[1, 0, :, 2], 1.5 * corners[1], atol=3)
    for bad in ([100, 100], 0, "high", np.nan):
        with pytest.raises(ValueError, match="dpi must be a number from 1 to 100,000"):
            search.locate(seen, dpi=bad)


@pytest.mark.parametrize("factor", [0.5, 2.4])
def test_any_scale(drawings, photos, factor):
    seen = [ndimage.zoom(photos[2][:120, :110], factor, order=1)]
    search = DrawingSearch(polarity="dark", scales="any", n_candidates=2).fit(drawings[:4])
    found = search.locate(seen)
    assert found.indices[0, 0] == 2
    assert found.scales[0, 0] == pytest.approx(factor, rel=0.07)


@pytest.mark.parametrize(("factor", "offset"), [(1e300, 0), (1e-300, 0), (1e-9, 0), (1, 1e9)])
def test_grey_values_of_any_scale(fitted, photos, factor, offset):
    scores = fitted.kneighbors(photos[:1] * factor + offset, 3)[0]
    np.testing.assert_allclose(scores, fitted.kneighbors(photos[:1], 3)[0], rtol=1e-3)


def test_a_fit_that_fails_changes_nothing(drawings, photos):
    search = DrawingSearch(polarity="dark").fit(drawings, np.arange(N))
    expected = search.kneighbors(photos[:1])
    for bad, labels in [(np.zeros((2, 30, 30)), None), (drawings[:3], [0, 1]), ("names", None)]:
        with pytest.raises(ValueError, match=r".+"):
            search.fit(bad, labels)
        np.testing.assert_array_equal(search.kneighbors(photos[:1]), expected)
        assert len(search.classes_) == N


def test_parameters_changed_after_fit_are_used_or_refused(drawings, photos):
    search = DrawingSearch(polarity="dark").fit(drawings)
    turned = [np.rot90(photos[0])]
    upright = search.kneighbors(turned, 1)[0]
    assert search.set_params(rotations=[0, 90]).kneighbors(turned, 1)[0] > 1.5 * upright
    with pytest.raises(ValueError, match="n_candidates"):
        search.set_params(n_candidates=0).kneighbors(turned, 1)
    search.set_params(n_candidates=40, stroke_width=5)
    with pytest.raises(ValueError, match=r"stroke_width has changed since fit.*4\.0"):
        search.kneighbors(turned, 1)


def test_what_cannot_be_visible_is_not_found_and_not_nan(drawings, photos):
    large = np.zeros((900, 900), bool)
    large[::30] = large[:, ::30] = True
    search = DrawingSearch(polarity="dark", fragments=True).fit([*drawings[:2], large])
    scores, indices = search.kneighbors([photos[0][:80, :80], photos[0]], 3)
    assert np.isfinite(scores).all()
    assert indices[1, 0] == 0


def test_a_single_drawing(drawings, photos):
    found = DrawingSearch(rotations=[0, 90]).fit(drawings[3:4]).locate(photos[3:4])
    assert found.indices.tolist() == [[0]]
    assert found.rotations[0, 0] == pytest.approx(0, abs=3)


def test_uniform_photographs_are_named(fitted, photos):
    with pytest.warns(UserWarning, match=r"photographs 1, 2 are uniform.*scores are 0"):
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
        ({"scales": [1e300]}, "scales must be a list of positive factors from 0.001 to 1000"),
        ({"stroke_width": 1e-3}, "stroke_width"),
        ({"stroke_width": 1e6}, "stroke_width"),
        ({"stroke_width": 0}, "stroke_width"),
        ({"n_candidates": 0}, "n_candidates"),
        ({"polarity": "grey"}, "polarity"),
    ],
)
def test_bad_parameters(drawings, params, message):
    with pytest.raises(ValueError, match=message):
        DrawingSearch(**params).fit(drawings)


def test_half_precision_and_wrong_resolutions_were_faults_of_numpy(fitted, drawings, photos):
    found = fitted.kneighbors(photos[:1].astype(np.float16), 2)[1]
    np.testing.assert_array_equal(found, fitted.kneighbors(photos[:1], 2)[1])
    for dpi in (1e-300, 0.1, 1e300):
        with pytest.raises(ValueError, match="dpi must be a number from 1 to 100,000"):
            fitted.kneighbors(photos[:1], dpi=dpi)
        with pytest.raises(ValueError, match="dpi must be a number from 1 to 100,000"):
            DrawingSearch().fit(drawings, dpi=dpi)
    with pytest.raises(ValueError, match=r"photographs 0 would be too much paper"):
        fitted.kneighbors(photos[:1], dpi=1)
    with pytest.raises(
        ValueError, match=r"drawings 1 would be too much paper.*dpi or stroke_width"
    ):
        DrawingSearch().fit(drawings[:2], dpi=[100, 1])


@pytest.mark.parametrize("n_neighbors", [0, N + 1, 1.5, None])
def test_bad_numbers_of_neighbours(fitted, photos, n_neighbors):
    with pytest.raises(ValueError, match=f"n_neighbors must be an integer from 1 .* {N}"):
        fitted.kneighbors(photos[:1], n_neighbors)


def test_bad_photographs(fitted, photos):
    with pytest.raises(TypeError, match=r"sparse.*toarray"):
        fitted.predict(sp.csr_array(photos[0]))
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
