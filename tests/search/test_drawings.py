"""The made-up drawings: thin, whole, and no two alike."""

import numpy as np
import pytest
from scipy import ndimage
from skimage.morphology import skeletonize

from sklearn_nrcdt.search import make_drawings
from sklearn_nrcdt.search._motifs import draw_letters, draw_motif, motif_names


@pytest.fixture(scope="module")
def drawings():
    return make_drawings(40, random_state=3)


def test_bunch_in_scikit_learns_manner(drawings):
    assert drawings.images.shape == (40, 192, 192)
    assert drawings.images.dtype == np.float32
    np.testing.assert_array_equal(drawings.target, np.arange(40))


def test_first_drawings_do_not_depend_on_how_many_follow(drawings):
    few = make_drawings(5, random_state=3)
    np.testing.assert_array_equal(few.images, drawings.images[:5])
    other = make_drawings(5, random_state=4)
    assert not set(other.target_names) <= set(few.target_names)


def test_bright_strokes_of_one_width_on_black_within_the_canvas(drawings):
    images = drawings.images
    assert images.min() == 0
    assert (images.max(axis=(1, 2)) == 1).all()
    assert not images[:, [0, -1]].any()
    assert not images[:, :, [0, -1]].any()
    # Nowhere further than a stroke's half width from black; crossings are wider.
    depth = [ndimage.distance_transform_edt(image > 0.5) for image in images]
    assert np.mean([np.percentile(d[d > 0], 90) for d in depth]) < 1.5
    wide = make_drawings(10, line_width=4, random_state=3).images
    assert wide.sum() / images[:10].sum() == pytest.approx(2, rel=0.1)


def test_no_two_are_alike(drawings):
    names = make_drawings(160, size=32, line_width=1, random_state=0).target_names
    assert len(set(names)) == 160
    # The share of one's strokes that lie within three pixels of another's, both ways.
    strokes = np.array([skeletonize(image > 0.4) for image in drawings.images])
    near = np.array([ndimage.distance_transform_edt(~stroke) <= 3 for stroke in strokes])
    share = strokes.reshape(40, -1).astype(float) @ near.reshape(40, -1).T
    share /= strokes.sum(axis=(1, 2))[:, None]
    both_ways = np.minimum(share, share.T)[~np.eye(40, dtype=bool)]
    assert both_ways.max() < 0.97


@pytest.mark.parametrize("motif", motif_names())
def test_every_form_of_every_motif_stays_near_its_box(motif):
    shown = {}
    for seed in range(20):
        name, curves = draw_motif(motif, np.random.default_rng(seed))
        bands = [curve[0] if isinstance(curve, tuple) else [curve] for curve in curves]
        points = np.concatenate([points for band in bands for points in band])
        assert np.isfinite(points).all()
        assert np.abs(points).max() < 1.25
        assert (np.ptp(points, axis=0) > 0.3).any()
        shown.setdefault(name, points)
    assert len(shown) > 1
    # Forms of different names look different.
    assert len({points.tobytes() for points in shown.values()}) == len(shown)


def test_letters_keep_to_their_places():
    """The k-th of n letters lies within the k-th part of the row."""

    class Signs:
        def choice(self, options, n):
            return ["A", "M"]

        def random(self):
            return 1.0  # no outlines

    name, curves = draw_letters(Signs(), 2)
    assert name == "AM"
    # A has two strokes, M one.
    assert np.concatenate(curves[:2])[:, 0].max() < 0 < curves[2][:, 0].min()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_drawings": 0}, "n_drawings"),
        ({"size": 8}, "'size' parameter .* must be an int in the range"),
        ({"line_width": 0}, "'line_width' parameter .* must be a float in the range"),
        ({"line_width": 100}, "line_width must be at most"),
    ],
)
def test_bad_input(params, message):
    with pytest.raises(ValueError, match=message):
        make_drawings(**{"n_drawings": 1} | params)
