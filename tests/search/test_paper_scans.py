"""Photographs of paper: depth, pose and nuisances are what was asked for."""

import numpy as np
import pytest
from skimage.morphology import skeletonize
from skimage.transform import AffineTransform

from sklearn_nrcdt.search import make_drawings, make_paper_scans
from sklearn_nrcdt.search._paper_scans import PAPER

SMALL = {"shape": (160, 140), "random_state": 0}
# Nothing that is multiplied, nothing that is clipped: layers add up.
LAYERS = [name for name in PAPER if name != "light"]


@pytest.fixture(scope="module")
def drawings():
    return make_drawings(4, size=96, random_state=5).images


def wires(drawings, **params):
    """The lines alone, bright on black."""
    return 0.5 - make_paper_scans(drawings, nuisances=(), **SMALL | params).images


@pytest.mark.parametrize("snr", [0.5, 1.0, 2.0])
def test_depth_of_the_lines_over_deviation_of_the_grain(drawings, snr):
    with_line = make_paper_scans(drawings, snr=snr, nuisances="grain", dtype=float, **SMALL).images
    grain = make_paper_scans(drawings, snr=0, nuisances="grain", dtype=float, **SMALL).images
    depth = (grain - with_line).max(axis=(1, 2))
    np.testing.assert_allclose(depth / grain.std(axis=(1, 2)), snr, rtol=0.02)
    assert (with_line <= grain).all()


@pytest.mark.parametrize("scale", [1.0, 1.7])
def test_lines_have_one_width_at_all_scales(scale):
    drawing = np.zeros((60, 60))
    drawing[30, 10:50] = 1
    [image] = wires([drawing], warp=0, scale=scale, dtype=float)
    across = image[:, image.sum(axis=0).argmax()]
    places = np.flatnonzero(across > across.max() / 2)
    assert np.ptp(places) + 1 == pytest.approx(3.5, abs=1)
    # The integral of a Gaussian of this width at half height.
    assert across.sum() / across.max() == pytest.approx(3.5 * np.sqrt(np.pi / np.log(16)), rel=0.05)


def test_drawings_lie_wholly_within_the_photograph():
    drawing = np.zeros((50, 50))
    drawing[20, 15:35] = 1
    params = {"n_samples_per_drawing": 50, "warp": 0, "dtype": float}
    # Twenty pixels, four to each side, and room for nine places in x and one in y.
    close = wires([drawing], shape=(9, 36), **params).sum(axis=(1, 2))
    far = wires([drawing], shape=(90, 90), **params).sum(axis=(1, 2))
    np.testing.assert_allclose(close, far.mean(), rtol=1e-2)


def test_thick_strokes_are_thinned(drawings):
    thick = make_drawings(4, size=96, line_width=4, random_state=5).images
    ratio = wires(thick).sum() / wires(drawings).sum()
    assert ratio == pytest.approx(1, abs=0.1)


def test_polarity_turns_the_paper_but_not_the_lines_places(drawings):
    dark = wires(drawings)
    bright = wires(drawings, polarity="bright")
    np.testing.assert_allclose(bright, -dark, atol=1e-6)
    assert dark.max() > 0.05


@pytest.mark.parametrize(("polarity", "sign"), [("dark", 1), ("bright", -1)])
@pytest.mark.parametrize("name", ["writing", "folds", "chains"])
def test_ink_and_folds_are_the_opposite_of_wires(drawings, name, polarity, sign):
    params = {"snr": 0, "nuisances": [name], "polarity": polarity, "dtype": float}
    layer = sign * (make_paper_scans(drawings, **SMALL | params).images - 0.5)
    if name == "chains":
        layer = -layer
    assert layer.max() > 0.05
    assert layer.min() > -1e-9


def test_poses_are_true(drawings):
    """A drawing mapped by its pose, by other software, lies on the wire."""
    scans = make_paper_scans(
        drawings,
        3,
        shape=(240, 220),
        rotation=(-180, 180),
        scale=(0.7, 1.3),
        warp=0,
        nuisances=(),
        snr=2,
        random_state=1,
    )
    poses = scans.poses
    assert np.ptp(poses.rotation) > 90
    assert np.ptp(poses.scale) > 0.2
    depth = (0.5 - scans.images) / (0.5 - scans.images.min())
    for k, which in enumerate(scans.target):
        strokes = np.argwhere(skeletonize(drawings[which] > 0.4))
        # x to the right and y up, about the centre of the drawing.
        x, y = (strokes - 47.5).T[::-1] * [[1], [-1]]
        turn = AffineTransform(scale=poses.scale[k], rotation=np.deg2rad(poses.rotation[k]))
        x, y = turn(np.column_stack([x, y])).T
        rows = np.rint(poses.position[k, 0] - y).astype(int)
        columns = np.rint(poses.position[k, 1] + x).astype(int)
        assert depth[k, rows, columns].min() > 0.5
        # And there is no wire elsewhere.
        far = np.ones(depth.shape[1:], dtype=bool)
        for row in range(-5, 6):
            for column in range(-5, 6):
                far[np.clip(rows + row, 0, 239), np.clip(columns + column, 0, 219)] = False
        assert depth[k][far].max() < 0.05


def test_warp_moves_lines_by_its_deviation(drawings):
    straight = np.zeros((4, 300))
    straight[2, 5:-5] = 1
    params = {"shape": (100, 320), "random_state": 0}
    for warp in (1.0, 3.0):
        images = wires([straight], n_samples_per_drawing=30, warp=warp, **params)
        rows = images.argmax(axis=1)[:, 100:200]
        position = make_paper_scans(
            [straight], 30, nuisances=(), warp=warp, **params
        ).poses.position
        moved = rows - position[:, :1]
        assert np.sqrt(np.mean(moved**2)) == pytest.approx(warp, rel=0.3)


def test_same_seed_same_bits(drawings):
    first = make_paper_scans(drawings, 2, **SMALL)
    again = make_paper_scans(drawings, 2, **SMALL)
    np.testing.assert_array_equal(first.images, again.images)
    other = make_paper_scans(drawings, 2, **SMALL | {"random_state": 1})
    assert not np.array_equal(first.images, other.images)
    # Photographs of one drawing differ.
    assert not np.array_equal(first.images[0], first.images[1])


def test_nuisances_do_not_depend_on_each_other(drawings):
    # Faint enough that nothing is clipped.
    def layer(nuisances):
        scans = make_paper_scans(drawings[:1], nuisances=nuisances, snr=0, dtype=float, **SMALL)
        return scans.images[0] - 0.5

    layers = {name: layer([name]) for name in ("grain", "laid", "chains", "stains")}
    for name, values in layers.items():
        assert values.std() > 0.001, name
    np.testing.assert_allclose(layer(list(layers)), sum(layers.values()), atol=1e-12)
    np.testing.assert_array_equal(layer(()), 0)


@pytest.mark.parametrize("name", PAPER)
def test_each_nuisance_alone(drawings, name):
    scans = make_paper_scans(drawings[:1], snr=0, nuisances=[name], dtype=float, **SMALL)
    assert scans.images.std() > 0.001
    assert scans.images.min() >= 0
    assert scans.images.max() <= 1


def test_light_multiplies(drawings):
    both = make_paper_scans(drawings, nuisances=["laid", "light"], dtype=float, **SMALL).images
    light = make_paper_scans(drawings, nuisances=["light"], snr=0, dtype=float, **SMALL).images
    laid = make_paper_scans(drawings, nuisances=["laid"], dtype=float, **SMALL).images
    np.testing.assert_allclose(both, np.minimum(laid * light / 0.5, 1), rtol=1e-9)


@pytest.mark.parametrize("angle", [0.0, 30.0, 90.0])
def test_laid_lines_turn_with_the_sheet(drawings, angle):
    scans = make_paper_scans(
        drawings, snr=0, nuisances="laid", rotation=angle, warp=0, shape=(256, 256), random_state=0
    )
    power = np.abs(np.fft.fft2(scans.images - 0.5)) ** 2
    frequency = np.fft.fftfreq(256)
    for spectrum in power:
        row, column = np.unravel_index(spectrum.argmax(), spectrum.shape)
        # Laid lines run along x: their wave vector points along y, and turns.
        found = np.rad2deg(np.arctan2(-frequency[row], frequency[column])) - 90
        assert abs((found - angle + 90) % 180 - 90) < 2
        assert 1 / 6 < np.hypot(frequency[row], frequency[column]) < 1 / 4


def test_types(drawings):
    exact = make_paper_scans(drawings, dtype=np.float64, **SMALL)
    assert exact.images.dtype == np.float64
    assert make_paper_scans(drawings, **SMALL).images.dtype == np.float32
    whole = make_paper_scans(drawings, dtype=np.uint8, **SMALL)
    assert whole.images.dtype == np.uint8
    np.testing.assert_allclose(whole.images, 255 * exact.images, atol=0.5 + 1e-9)


def test_drawings_of_different_sizes(drawings):
    several = [drawings[0] > 0.4, drawings[1][10:90], (255 * drawings[2]).astype(np.uint8)]
    scans = make_paper_scans(several, 2, snr=(0.5, 2), **SMALL)
    np.testing.assert_array_equal(scans.target, [0, 0, 1, 1, 2, 2])
    assert scans.images.shape == (6, 160, 140)
    assert scans.poses.position.shape == (6, 2)
    assert ((scans.snr >= 0.5) & (scans.snr <= 2)).all()
    assert np.ptp(scans.snr) > 0.1


@pytest.mark.parametrize(
    ("given", "params", "message"),
    [
        ([], {}, "drawings is empty"),
        (np.ones((4, 4)), {}, r"Pass a single image as \[image\]"),
        ([np.ones((4, 4, 3))], {}, r"drawings\[0\] must be a non-empty 2-D array"),
        ([np.eye(9), np.zeros((9, 9))], {}, r"drawings\[1\] .* neither blank"),
        ([np.full((9, 9), np.nan)], {}, r"drawings\[0\] .* NaN"),
        ([-np.eye(9)], {}, "negative"),
        ([np.eye(9)], {"snr": 9}, "snr must be a pair .* in the range"),
        ([np.eye(9)], {"snr": (2, 1)}, "snr must be a pair"),
        ([np.eye(9)], {"scale": 0}, "scale must be a pair .* in the range"),
        ([np.eye(9)], {"nuisances": ["rain"]}, "nuisances must be some of grain"),
        ([np.eye(9)], {"nuisances": "rain"}, "nuisances must be some of grain"),
        ([np.eye(9)], {"nuisances": 3}, "'nuisances' parameter"),
        ([np.eye(9)], {"polarity": "grey"}, "'polarity' parameter"),
        ([np.eye(9)], {"dtype": np.int64}, "dtype must be float32, float64 or uint8"),
        ([np.eye(9)], {"shape": 5}, "shape must be a pair"),
        ([np.eye(9)], {"warp": -1}, "'warp' parameter"),
        (
            [np.eye(9), np.eye(99)],
            {"shape": (80, 120)},
            r"drawings\[1\] does not fit .* \(107, 107\)",
        ),
    ],
)
def test_bad_input(given, params, message):
    with pytest.raises(ValueError, match=message):
        make_paper_scans(given, **{"shape": (40, 40), "random_state": 0} | params)
