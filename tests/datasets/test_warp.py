"""Deformations against closed forms: exact maps, moments, ranges, lost mass."""

import warnings

import numpy as np
import pytest
from scipy import ndimage

from sklearn_nrcdt.datasets import (
    affine,
    load_symbols,
    make_symbols,
    random_affine,
    random_elastic,
    random_wave,
    stack_images,
)
from sklearn_nrcdt.datasets._affine import check_affine, random_affine_of
from sklearn_nrcdt.datasets._bending import random_wave_of
from sklearn_nrcdt.datasets._draw import circle_depth, fill

QUARTER_TURN = [[0, -1], [1, 0]]
PAPER_RANGES = [
    {"scale": 1, "shear": 0},
    {"scale": (0.75, 1.0), "shear": (-15, 15)},
    {"scale": (0.75, 1.25), "shear": (-35, 35)},
]


@pytest.fixture(scope="module")
def symbols():
    return load_symbols().images


@pytest.fixture
def noise():
    # Bright up to the border: nothing may be lost there.
    return np.random.RandomState(0).uniform(size=(3, 20, 20))


def disc(size, center, radius):
    axis = np.arange(size) - (size - 1) / 2
    return fill(circle_depth((axis[None, :], -axis[:, None]), center, radius))


def moments(image):
    """Mass, mean and covariance in (x, y) about the centre, y up."""
    h, w = image.shape
    rows, columns = np.indices(image.shape)
    places = np.stack([columns - (w - 1) / 2, (h - 1) / 2 - rows]).reshape(2, -1)
    weights = image.ravel() / image.sum()
    mean = places @ weights
    centred = places - mean[:, None]
    return image.sum(), mean, (weights * centred) @ centred.T


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (QUARTER_TURN, lambda x: np.rot90(x, axes=(1, 2))),
        ([[0, 1], [-1, 0]], lambda x: np.rot90(x, -1, axes=(1, 2))),
        ([[-1, 0], [0, -1]], lambda x: x[:, ::-1, ::-1]),
        ([[-1, 0], [0, 1]], lambda x: x[:, :, ::-1]),
        ([[1, 0], [0, -1]], lambda x: x[:, ::-1]),
        ([[0, 1], [1, 0]], lambda x: np.rot90(x, 2, axes=(1, 2)).transpose(0, 2, 1)),
        ([[1, 0], [0, 1]], lambda x: x),
    ],
)
def test_turns_and_flips_are_exact(noise, matrix, expected):
    np.testing.assert_allclose(affine(noise, matrix), expected(noise), atol=1e-13)


def test_quarter_turns_are_exact_when_computed_by_cosines(noise):
    # cos(90 degrees) is not quite zero; the border must survive that.
    turned = random_affine(noise, scale=1, rotation=90, shear=0)
    np.testing.assert_allclose(turned, np.rot90(noise, axes=(1, 2)), atol=1e-13)


def test_half_turn_of_an_oblong_image_is_exact():
    images = np.random.RandomState(0).uniform(size=(2, 9, 14))
    np.testing.assert_allclose(affine(images, [[-1, 0], [0, -1]]), images[:, ::-1, ::-1])


@pytest.mark.parametrize("shift", [(3, 0), (0, 4), (-5, 2)])
def test_integer_shift_is_exact_to_the_right_and_up(symbols, shift):
    moved = affine(symbols, np.eye(2), shift)
    expected = np.roll(symbols, (-shift[1], shift[0]), axis=(1, 2))
    np.testing.assert_allclose(moved, expected, atol=1e-13)


def test_doubling_of_a_pixel_grid_keeps_the_samples():
    # An odd canvas has a centre pixel, and every second pixel of the result is a sample.
    image = np.zeros((1, 41, 41))
    image[0, 15:26, 15:26] = np.random.RandomState(0).uniform(size=(11, 11))
    doubled = affine(image, 2 * np.eye(2))
    np.testing.assert_allclose(doubled[0, 10:32:2, 10:32:2], image[0, 15:26, 15:26], atol=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_warped_disc_has_the_moments_of_the_matrix(seed):
    rng = np.random.RandomState(seed)
    matrix, shift = rng.uniform(-1, 1, (2, 2)) + np.eye(2), rng.uniform(-10, 10, 2)
    source = disc(255, (9.3, -5.2), 20.4)
    mass, mean, covariance = moments(source)
    moved_mass, moved_mean, moved_covariance = moments(affine(source[None], matrix, shift)[0])
    assert moved_mass == pytest.approx(abs(np.linalg.det(matrix)) * mass, rel=5e-3)
    np.testing.assert_allclose(moved_mean, matrix @ mean + shift, atol=0.02)
    expected = matrix @ covariance @ matrix.T
    np.testing.assert_allclose(moved_covariance, expected, atol=0.01 * np.trace(expected))


def test_moments_get_better_with_resolution():
    matrix = np.array([[0.8, 0.5], [-0.3, 0.9]])

    def error(size):
        source = disc(size, (0, 0), size / 6)
        _, _, before = moments(source)
        _, _, after = moments(affine(source[None], matrix)[0])
        return np.abs(after / (matrix @ before @ matrix.T) - 1).max()

    assert error(192) < error(48) / 4


def test_affine_agrees_with_scipy_on_the_support(symbols):
    images = symbols[:2]
    matrix = np.array([[0.9, 0.3], [-0.2, 0.8]])
    ours = affine(images, matrix)[1]
    flip = np.array([[0, 1], [-1, 0]])
    backward = np.linalg.inv(flip.T @ matrix @ flip)
    center = np.full(2, 127.5)
    theirs = ndimage.affine_transform(
        images[1], backward, center - backward @ center, order=2, mode="constant"
    )
    bright = ours > 0
    np.testing.assert_allclose(ours[bright], theirs[bright], atol=1e-7)
    # What is left out is ringing far from the lines.
    assert theirs[~bright].max() < 0.03
    assert bright.mean() < 0.05 < (theirs > 0).mean()


def test_one_map_per_image(symbols):
    matrices = np.array([QUARTER_TURN, np.eye(2)])
    moved = affine(symbols[:2], matrices, [[0, 0], [2, 0]])
    np.testing.assert_array_equal(moved[0], affine(symbols[:1], QUARTER_TURN)[0])
    np.testing.assert_allclose(moved[1], np.roll(symbols[1], 2, axis=1), atol=1e-13)


def test_no_negative_values(symbols):
    assert random_affine(symbols, random_state=0).min() == 0
    assert random_wave(symbols, random_state=0).min() == 0
    assert random_elastic(symbols, random_state=0).min() == 0


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.uint8, np.float64),
        (np.int64, np.float64),
        (bool, np.float64),
        (np.float16, np.float64),
    ],
)
@pytest.mark.parametrize("deform", [random_affine, random_elastic, random_wave])
def test_dtype_and_input_left_alone(deform, dtype, expected):
    images = (load_symbols(size=64).images * (1 if dtype is bool else 100)).astype(dtype)
    images.setflags(write=False)
    before = images.copy()
    moved = deform(images, random_state=0)
    assert moved.dtype == expected
    np.testing.assert_array_equal(images, before)
    reference = deform(images.astype(np.float64), random_state=0)
    np.testing.assert_allclose(moved, reference, rtol=1e-6, atol=1e-4)


@pytest.mark.parametrize("deform", [random_affine, random_elastic, random_wave])
def test_random_state(symbols, deform):
    same = np.stack([symbols[4]] * 4)
    moved = deform(same, random_state=0)
    # Different images get different draws, more images do not change the first ones.
    for i in range(3):
        assert np.abs(moved[i] - moved[i + 1]).max() > 0.1
    np.testing.assert_array_equal(deform(same[:2], random_state=0), moved[:2])
    assert np.abs(deform(same, random_state=1) - moved).max() > 0.1


def draw_affine(
    images, scale=(0.75, 1.0), rotation=(0.0, 360.0), shear=(-5.0, 5.0), shift=(0, 0), cut="warn"
):
    """What `random_affine` returns with random_state=0, and what was drawn."""
    ranges = check_affine(scale, rotation, shear, shift)
    rng = np.random.RandomState(0)
    return random_affine_of(images, np.arange(len(images)), ranges, cut=cut, rng=rng)


def draw_wave(images, amplitude=(2.5, 7.5), frequency=(0.5, 2.0), cut="warn"):
    """What `random_wave` returns with random_state=0, and what was drawn."""
    rng = np.random.RandomState(0)
    return random_wave_of(images, np.arange(len(images)), (amplitude, frequency), cut=cut, rng=rng)


def test_affine_ranges_are_respected_and_used():
    images = np.zeros((2000, 1, 1))
    images[:, 0, 0] = 1
    _, drawn = draw_affine(images, (0.5, 1.25), (10, 50), (-45, 40), (-3, 2), cut="ignore")
    for name, low, high in [("scale", 0.5, 1.25), ("rotation", 10, 50), ("shear", -45, 40)]:
        values = drawn[name]
        span = high - low
        # The extremes of 2000 uniform draws are close to the ends, their mean to the middle.
        assert low <= values.min() < low + span / 50
        assert high - span / 50 < values.max() <= high
        np.testing.assert_allclose(values.mean(axis=0), (low + high) / 2, atol=span / 30)
    values, counts = np.unique(drawn.shift, return_counts=True)
    np.testing.assert_array_equal(values, np.arange(-3, 3))
    assert counts.min() > 4000 / 6 * 0.85
    # All draws are independent.
    columns = np.column_stack([drawn.scale, drawn.rotation, drawn.shear, drawn.shift])
    correlation = np.corrcoef(columns.T) - np.eye(7)
    assert np.abs(correlation).max() < 0.1


def test_matrix_is_scale_then_rotation_then_shears():
    _, drawn = draw_affine(np.ones((5, 1, 1)), shear=(-45, 45), cut="ignore")
    for i in range(5):
        t = np.deg2rad(drawn.rotation[i])
        a, b = np.tan(np.deg2rad(drawn.shear[i]))
        rotation = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
        expected = (
            np.array([[1, 0], [b, 1]])
            @ np.array([[1, a], [0, 1]])
            @ rotation
            @ np.diag(drawn.scale[i])
        )
        np.testing.assert_allclose(drawn.matrix[i], expected)


def test_drawn_maps_reproduce_the_images(symbols):
    moved, drawn = draw_affine(symbols, shift=(-20, 20))
    np.testing.assert_array_equal(affine(symbols, drawn.matrix, drawn.shift), moved)
    np.testing.assert_array_equal(random_affine(symbols, shift=(-20, 20), random_state=0), moved)


def test_wave_ranges_are_respected_and_used():
    images = np.ones((1000, 1, 1))
    _, drawn = draw_wave(images, cut="ignore")
    for name, low, high in [("amplitude", 2.5, 7.5), ("frequency", 0.5, 2)]:
        assert drawn[name].shape == (1000, 2)
        assert low <= drawn[name].min() < low + (high - low) / 50
        assert high - (high - low) / 50 < drawn[name].max() <= high


def test_wave_of_frequency_zero_is_a_shift(symbols):
    # sin(0) = 0 leaves the rows, cos(0) = 1 takes the value of the third pixel to the right.
    bent = random_wave(symbols, amplitude=3, frequency=0)
    np.testing.assert_allclose(bent, np.roll(symbols, -3, axis=2), atol=1e-13)


def test_wave_of_amplitude_zero_changes_nothing(symbols):
    np.testing.assert_allclose(random_wave(symbols, amplitude=0), symbols, atol=1e-13)


def test_wave_agrees_with_the_formula():
    images = np.stack([disc(96, (4, 3), 17.0)[:, :80]] * 2)
    bent, drawn = draw_wave(images)
    np.testing.assert_array_equal(random_wave(images, random_state=0), bent)
    j, k = np.indices((96, 80))
    (a1, a2), (f1, f2) = drawn.amplitude[1], drawn.frequency[1]
    places = [
        j + a1 * np.sin(2 * np.pi * f1 / 80 * k),
        k + a2 * np.cos(2 * np.pi * f2 / 96 * j),
    ]
    expected = ndimage.map_coordinates(images[1], places, order=2)
    bright = bent[1] > 0
    np.testing.assert_allclose(bent[1][bright], expected[bright], atol=1e-7)
    assert expected[~bright].max() < 0.03


def elastic_displacements(n, displacement, width, size):
    """Displacements, down and across, of the pixels of squares: bent ramps show them."""
    rows, columns = np.indices((size, size)) + 1.0  # no pixel is black, so the box is the square
    moved = random_elastic(
        np.stack([rows, columns] * n),
        displacement=displacement,
        width=width,
        cut="ignore",
        random_state=RepeatedSeeds(n),
    )
    # Away from the edges, where ramps end.
    inside = slice(size // 4, -(size // 4))
    shifted = moved.reshape(n, 2, size, size) - [rows, columns]
    return shifted[:, :, inside, inside]


class RepeatedSeeds(np.random.RandomState):
    """Gives both ramps of a pair the same seed, hence the same field."""

    def __init__(self, n):
        super().__init__(0)
        self.n = n

    def randint(self, high, size):
        return np.repeat(super().randint(high, size=self.n), 2)


def test_elastic_displacement_and_width_are_what_they_say():
    # White noise smoothed by a Gaussian of width w has the correlation exp(-d^2 / (4 w^2)).
    displacement, width, size = 0.03, 0.1, 61
    field = elastic_displacements(300, displacement, width, size)
    rms = np.sqrt(np.square(field).sum(axis=1).mean())
    assert rms == pytest.approx(displacement * size, rel=0.05)
    assert abs(field.mean()) < 0.1
    apart = 8
    for first, second in (
        (field[..., :-apart], field[..., apart:]),
        (field[:, :, :-apart], field[:, :, apart:]),
    ):
        correlation = np.mean(first * second) / np.mean(np.square(field))
        expected = np.exp(-(apart**2) / (2 * width * size) ** 2)
        assert correlation == pytest.approx(expected, abs=0.05)
    across = np.mean(field[:, 0] * field[:, 1]) / np.mean(np.square(field))
    assert abs(across) < 0.05


def test_elastic_displacement_zero_changes_nothing(symbols):
    np.testing.assert_allclose(random_elastic(symbols, displacement=0), symbols, atol=1e-13)


def test_elastic_maps_depend_on_the_figure_not_on_its_canvas(symbols):
    box = symbols[3][60:200, 60:200]
    small = stack_images([box], shape=(220, 220))
    large = stack_images([box], shape=(300, 320))
    bent = random_elastic(small, random_state=0)
    np.testing.assert_allclose(
        stack_images(bent, shape=(300, 320)), random_elastic(large, random_state=0), atol=1e-12
    )
    # Twice as large, it bends in the same way.
    double = random_elastic(small.repeat(2, axis=1).repeat(2, axis=2), random_state=0)
    halved = double.reshape(220, 2, 220, 2).mean(axis=(1, 3))
    assert np.corrcoef(halved.ravel(), bent.ravel())[0, 1] > 0.95


def test_lost_mass_is_reported_with_index_and_share():
    images = np.zeros((3, 9, 9))
    images[0, 4, 4] = 1
    images[1, 4, [3, 8]] = 1, 3
    images[2, 4, [3, 8]] = 1, 1
    with pytest.warns(UserWarning, match=r"2 of 3 images.* 1 \(75\.0%\), 2 \(50\.0%\)") as caught:
        moved = affine(images, np.eye(2), (1, 0))
    assert len(caught) == 1
    assert caught[0].filename == __file__
    np.testing.assert_allclose(moved.sum(axis=(1, 2)), [1, 1, 1], atol=1e-12)


def test_random_functions_warn_at_the_callers_line(symbols):
    with pytest.warns(UserWarning, match="12 of 12 images lost mass") as caught:
        random_affine(symbols, shift=200)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="12 of 12 images lost mass") as caught:
        random_wave(symbols, amplitude=130, frequency=0)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="1 of 1 images lost mass") as caught:
        random_elastic(np.ones((1, 20, 20)), random_state=0)
    assert caught[0].filename == __file__


def test_all_mass_may_leave_the_canvas(symbols):
    with pytest.warns(UserWarning, match=r"0 \(100\.0%\)"):
        assert affine(symbols[:1], np.eye(2), (500, 0)).max() == 0
    with pytest.warns(UserWarning, match=r"0 \(100\.0%\)"):
        assert random_wave(symbols[:1], amplitude=500, frequency=0).max() == 0


@pytest.mark.parametrize("ranges", PAPER_RANGES)
def test_papers_ranges_lose_no_mass(symbols, ranges):
    # Warnings are errors here. The total shows that the check behind them is right.
    images = np.repeat(symbols, 10, axis=0).astype(np.float32)
    moved, drawn = draw_affine(images, shift=(-20, 20), **ranges)
    expected = np.abs(np.linalg.det(drawn.matrix)) * images.sum(axis=(1, 2))
    np.testing.assert_allclose(moved.sum(axis=(1, 2)) / expected, 1, atol=0.05)


def test_papers_waves_lose_no_mass(symbols):
    random_wave(symbols, amplitude=(8, 13), frequency=(0.5, 4), random_state=0)
    random_wave(symbols, amplitude=(0, 20), frequency=(0, 2), random_state=0)


def test_redraw_keeps_all_mass_on_the_canvas(symbols):
    images = np.repeat(symbols[9:], 20, axis=0)
    hard = {"scale": (1.0, 1.5), "shear": (-45, 45), "shift": (-20, 20)}
    with pytest.warns(UserWarning, match="images lost mass"):
        first, before = draw_affine(images, **hard)
    moved, drawn = draw_affine(images, cut="redraw", **hard)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        affine(images, drawn.matrix, drawn.shift)
    # Only the maps that had lost mass are new.
    kept = (drawn.matrix == before.matrix).all(axis=(1, 2))
    assert 0.3 < kept.mean() < 1
    np.testing.assert_array_equal(moved[kept], first[kept])
    assert (drawn.scale >= 1).all()
    assert (drawn.scale <= 1.5).all()


def test_redraw_gives_up_on_hopeless_ranges():
    with pytest.raises(ValueError, match="All 1000 maps drawn for image 0"):
        random_affine(np.ones((2, 8, 8)), scale=(2, 3), cut="redraw", random_state=0)


def test_full_canvas_without_loss_gives_no_warning(noise):
    affine(noise, QUARTER_TURN)
    affine(noise, 0.7 * np.eye(2))


def test_ignore_is_silent(symbols):
    random_affine(symbols, shift=(100, 120), cut="ignore", random_state=0)
    affine(symbols, np.eye(2), (500, 0), cut="ignore")
    random_wave(symbols, amplitude=200, cut="ignore", random_state=0)
    random_elastic(np.ones((1, 20, 20)), cut="ignore", random_state=0)


def test_blank_images_stay_blank():
    blank = np.zeros((2, 16, 16))
    assert random_affine(blank, shift=(-20, 20)).max() == 0
    assert random_wave(blank).max() == 0
    assert random_elastic(blank).max() == 0
    assert affine(blank, QUARTER_TURN).max() == 0


def test_repeated_templates_equal_a_repeated_stack(symbols):
    ranges = {"scale": (0.75, 1.0), "shear": (-5, 5), "shift": (-20, 20), "random_state": 0}
    repeated = np.repeat(symbols.astype(np.float32), 3, axis=0)
    made = make_symbols(3, **ranges)
    np.testing.assert_array_equal(made.images, random_affine(repeated, **ranges))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scale": (1.25, 0.5)}, r"scale .* first exceeds the second. Pass \(0.5, 1.25\)"),
        ({"scale": (0, 1)}, r"scale must be a pair .* in the range \(0.0, inf\)"),
        ({"scale": (-1, 1)}, r"scale must be a pair .* in the range \(0.0, inf\)"),
        ({"scale": 0}, r"scale must be a pair .* in the range \(0.0, inf\)"),
        ({"scale": "big"}, "scale must be a pair"),
        ({"scale": "12"}, "scale must be a pair"),
        ({"scale": (1, 2, 3)}, "scale must be a pair"),
        ({"scale": None}, "scale must be a pair"),
        ({"rotation": (0, np.nan)}, "rotation must be a pair"),
        ({"rotation": (0, np.inf)}, "rotation must be a pair"),
        ({"shear": (-90, 0)}, r"shear must .* in the range \(-90.0, 90.0\)"),
        ({"shear": (0, 100)}, r"shear must .* in the range \(-90.0, 90.0\)"),
        ({"shift": (-1.5, 2)}, "shift must be a pair .* an int"),
        ({"shift": (5, -5)}, "shift .* first exceeds"),
        ({"cut": "crop"}, "'cut' parameter of random_affine"),
        ({"random_state": "seed"}, "'random_state' parameter"),
    ],
)
def test_bad_affine_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        random_affine(np.ones((1, 4, 4)), **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"amplitude": (7.5, 2.5)}, "amplitude .* first exceeds"),
        ({"amplitude": (-1, 1)}, r"amplitude .* in the range \[0.0, 1000.0\]"),
        ({"frequency": "high"}, "frequency must be a pair"),
        ({"cut": "redraw"}, "'cut' parameter"),
    ],
)
def test_bad_wave_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        random_wave(np.ones((1, 4, 4)), **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"displacement": -0.1}, r"'displacement' .* in the range \[0.0, 1.0\]"),
        ({"displacement": 5}, r"'displacement' .* in the range \[0.0, 1.0\]"),
        ({"displacement": (0.1, 0.2)}, "'displacement' .* must be a float"),
        ({"width": 0}, r"'width' .* in the range \[0.02, 1000.0\]"),
        ({"width": np.nan}, "'width' parameter"),
        ({"cut": "redraw"}, "'cut' parameter"),
    ],
)
def test_bad_elastic_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        random_elastic(np.ones((1, 4, 4)), **arguments)


@pytest.mark.parametrize(
    ("matrix", "shift", "message"),
    [
        ([[1, 1], [1, 1]], (0, 0), "matrix must be invertible"),
        (np.zeros((2, 2)), (0, 0), "matrix must be invertible"),
        (np.eye(3), (0, 0), "matrix must hold finite numbers in shape"),
        (np.full((2, 2), np.nan), (0, 0), "matrix must hold finite numbers"),
        (np.stack([np.eye(2)] * 4), (0, 0), "each of the 3 images"),
        ("turn", (0, 0), "matrix must hold finite numbers"),
        (np.eye(2), (1, 2, 3), "shift must hold finite numbers in shape"),
    ],
)
def test_bad_maps(noise, matrix, shift, message):
    with pytest.raises(ValueError, match=message):
        affine(noise, matrix, shift)


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (np.ones((4, 4)), r"Pass a single image as image\[None\]"),
        (np.ones((1, 4, 4, 3)), "rgb2gray"),
        (np.ones((2, 1, 4, 4)), r"X\[:, 0\]"),
        (np.full((1, 4, 4), 1e306), "too large to add up"),
        (np.ones(4), "non-empty stack"),
        (np.ones((0, 4, 4)), "non-empty stack"),
        (-np.ones((1, 4, 4)), "negative values"),
        (np.full((1, 4, 4), np.nan), "NaN, infinity"),
        (np.ones((1, 4, 4), dtype=complex), "real numbers"),
        ([np.ones((4, 4)), np.ones((5, 5))], "stack_images"),
        ("image", "images holds names of files"),
    ],
)
@pytest.mark.parametrize(
    "function", [random_affine, random_elastic, random_wave, lambda x: affine(x, np.eye(2))]
)
def test_bad_images(function, images, message):
    with pytest.raises(ValueError, match=message):
        function(images)
