"""The symbols, their noise, and the data sets made of them."""

import numpy as np
import pytest

from sklearn_nrcdt import MaxNRCDT, NearestTemplateClassifier
from sklearn_nrcdt.datasets import add_salt, load_symbols, make_symbols


@pytest.fixture(scope="module")
def symbols():
    return load_symbols()


def test_bunch_in_scikit_learns_manner(symbols):
    assert symbols.images.shape == (12, 256, 256)
    assert symbols.data.shape == (12, 65536)
    np.testing.assert_array_equal(symbols.target, np.arange(1, 13))
    assert len(set(symbols.target_names)) == 12


def test_symbols_are_white_on_black_and_inside_the_inner_half(symbols):
    images = symbols.images
    assert images.min() == 0
    assert (images.max(axis=(1, 2)) == 1).all()
    inner = images[:, 64:192, 64:192]
    np.testing.assert_allclose(inner.sum(), images.sum(), rtol=1e-12)
    # All are their own mirror images.
    np.testing.assert_allclose(images, images[:, :, ::-1], atol=1e-12)


def test_lines_have_the_area_of_their_length_and_width(symbols):
    # Symbol 1 in pixels, 64 per unit: the line from the ray's tip down to the orb's outline,
    # the outline, and the round end of the ray.
    line = 64 * (0.875 + 0.125) - 2
    circle = 64 * 2 * np.pi * 0.375
    area = 4 * (line + circle) + np.pi * 2**2 / 2
    assert symbols.images[0].sum() == pytest.approx(area, rel=5e-3)


def test_orb_hides_the_stem(symbols):
    # The row through the orbs' centres shows the outline only, not the stem.
    assert symbols.images[:6, 159:161, 120:136].max() == 0
    assert symbols.images[6:9, 156:162, 120:136].max() == 0


def test_number_of_rays(symbols):
    # Count the lines across a circle around the star's centre at row 127.5 - 32.
    angles = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    rows = np.rint(95.5 - 16 * np.cos(angles)).astype(int)
    columns = np.rint(127.5 + 16 * np.sin(angles)).astype(int)
    for image, expected in zip(symbols.images[:9], [2, 4, 8] * 3, strict=True):
        bright = image[rows, columns] > 0.5
        # The single ray points up; the stem is the second line.
        assert np.sum(bright & ~np.roll(bright, 1)) == expected


def test_shields_pass_through_the_points_of_the_outline(symbols):
    t = 0.5
    bezier = np.array([[-0.75, -0.5], [-0.75, 0.5], [0, 0.75], [0, 0.75]])
    middle = np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3]) @ bezier
    points = [(-0.75, -0.75), (0.75, -0.6), (0, -0.75), (0, 0.75), middle, middle * [-1, 1]]
    for image in symbols.images[9:]:
        for x, y in points:
            assert image[round(127.5 + 64 * y), round(127.5 + 64 * x)] > 0.9


@pytest.mark.parametrize("size", [64, 255, 300])
def test_symbols_at_any_size_are_the_same_drawing(size, symbols):
    images = load_symbols(size=size).images
    assert images.shape == (12, size, size)
    scaled = images.sum(axis=(1, 2)) / size**2
    reference = symbols.images.sum(axis=(1, 2)) / 256**2
    np.testing.assert_allclose(scaled, reference, rtol=0.03)


def test_dtype(symbols):
    assert symbols.images.dtype == np.float64
    assert make_symbols(1, n_discs=1).images.dtype == np.float32


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 4}, r"'size' .* in the range \[8, inf\)"),
        ({"size": 10.5}, "'size' .* must be an int"),
    ],
)
def test_bad_symbol_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        load_symbols(**arguments)


@pytest.mark.parametrize("strength", [1, 3, 9, 20])
@pytest.mark.parametrize("size", [64, 256])
def test_salt_has_the_area_of_its_discs(strength, size):
    # One disc each: they must not overlap. Fractions of a pixel count.
    salted = add_salt(np.zeros((50, size, size)), n_discs=1, strength=strength, random_state=0)
    area = np.pi / 4 * (strength * size / 768) ** 2
    np.testing.assert_allclose(salted.sum(axis=(1, 2)), area, rtol=0.01)


def test_salt_on_an_oblong_image_lies_everywhere():
    salted = add_salt(np.zeros((400, 12, 36)), n_discs=1, strength=100, random_state=0)
    mass = salted.sum(axis=(1, 2))
    rows = (salted.sum(axis=2) * np.arange(12)).sum(axis=1) / mass
    columns = (salted.sum(axis=1) * np.arange(36)).sum(axis=1) / mass
    half = 100 * 36 / 768 / 2
    for places, length in [(rows, 12), (columns, 36)]:
        low, high = half - 0.5, length - 0.5 - half
        assert low - 0.02 <= places.min() < low + 0.05 * (high - low)
        assert high - 0.05 * (high - low) < places.max() <= high + 0.02
        assert places.mean() == pytest.approx((low + high) / 2, abs=0.1 * (high - low))


def test_salt_takes_the_maximum_in_the_images_own_white():
    images = np.stack([np.full((32, 32), 0.25), np.full((32, 32), 100.0), np.zeros((32, 32))])
    images[0, 0, 0] = 0.5
    salted = add_salt(images, n_discs=3, strength=100, random_state=0)
    assert (salted >= images).all()
    assert salted.max(axis=(1, 2)).tolist() == [0.5, 100, 1]
    assert add_salt(images, white=300, n_discs=1, strength=100)[1].max() == 300


def test_number_of_discs_from_a_range():
    salted = add_salt(np.zeros((300, 128, 128)), n_discs=(1, 3), strength=9, random_state=0)
    counts = np.rint(salted.sum(axis=(1, 2)) / (np.pi * 0.75**2)).astype(int)
    values, frequency = np.unique(counts, return_counts=True)
    np.testing.assert_array_equal(values, [1, 2, 3])
    assert frequency.min() > 60
    assert add_salt(np.zeros((3, 128, 128)), n_discs=0).max() == 0


def test_sticks():
    sticks = add_salt(np.zeros((20, 96, 96)), n_discs=1, strength=24, shape="stick", random_state=0)
    # 3 pixels wide and 24 long, with round ends.
    expected = 3 * 21 + np.pi * 1.5**2
    np.testing.assert_allclose(sticks.sum(axis=(1, 2)), expected, rtol=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_discs": -1}, r"n_discs .* in the range \[0, inf\)"),
        ({"n_discs": (7, 4)}, "n_discs .* first exceeds"),
        ({"n_discs": 2.5}, "n_discs must be a pair .* an int"),
        ({"strength": 0}, "'strength' parameter"),
        ({"strength": "strong"}, "'strength' parameter"),
        ({"strength": 1000}, "larger than the images"),
        ({"strength": 200, "shape": "stick"}, "every stick larger than the images"),
        ({"shape": "pepper"}, "'shape' parameter of add_salt"),
        ({"white": -1}, "'white' parameter"),
    ],
)
def test_bad_salt_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        add_salt(np.zeros((1, 32, 32)), **arguments)


ALL_STEPS = {
    "classes": [1, 5, 12],
    "amplitude": (2.5, 7.5),
    "scale": (0.75, 1.0),
    "shear": (-5, 5),
    "n_discs": (4, 7),
}


def test_data_set_of_all_steps(symbols):
    made = make_symbols(4, random_state=0, **ALL_STEPS)
    assert made.images.shape == (12, 256, 256)
    assert made.images.dtype == np.float32
    np.testing.assert_array_equal(made.target, np.repeat([1, 5, 12], 4))
    np.testing.assert_array_equal(made.template_target, [1, 5, 12])
    np.testing.assert_array_equal(made.templates, symbols.images[[0, 4, 11]].astype("f4"))
    assert made.target_names[1] == "square orb, 4 rays"
    assert made.params.amplitude.shape == made.params.scale.shape == (12, 2)


def test_steps_are_in_order():
    # Salt comes last: it is not scaled. Affine maps come after waves: they move them.
    still = {"scale": 1, "rotation": 0, "shear": 0, "shift": 0}
    blank = np.zeros((1, 256, 256))
    blank[0, 127:129, 127:129] = 1
    tiny = make_symbols(
        1, templates=blank, n_discs=1, random_state=0, **{**still, "scale": 0.01}
    ).images
    assert tiny.sum() == pytest.approx(np.pi * 1.5**2, rel=0.05)
    moved = make_symbols(1, amplitude=5, frequency=1, **{**still, "rotation": 180}).images
    bent = make_symbols(1, amplitude=5, frequency=1, **still).images
    np.testing.assert_allclose(moved, bent[:, ::-1, ::-1], atol=1e-5)


def test_defaults_lose_no_mass():
    # The hardest ranges of the paper do move lines off the canvas now and then.
    with pytest.warns(UserWarning, match="images lost mass"):
        make_symbols(40, cut="warn", random_state=0, classes=[10, 11, 12])
    made = make_symbols(40, random_state=0, classes=[10, 11, 12])
    expected = np.abs(np.linalg.det(made.params.matrix)) * np.repeat(
        made.templates.sum(axis=(1, 2)), 40
    )
    np.testing.assert_allclose(made.images.sum(axis=(1, 2)) / expected, 1, atol=0.06)


def test_templates_of_ones_own():
    templates = np.zeros((2, 20, 30))
    templates[0, 8:12, 10:20] = templates[1, 9:11, 14:16] = 1
    mild = {"scale": 1, "shear": 0, "shift": (-1, 1), "random_state": 0}
    made = make_symbols(2, templates=templates, **mild)
    assert made.images.shape == (4, 20, 30)
    np.testing.assert_array_equal(made.target, [0, 0, 1, 1])
    named = {"images": templates, "target": ["a", "b"]}
    made = make_symbols(2, templates=named, classes=["b"], **mild)
    np.testing.assert_array_equal(made.target, ["b", "b"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples_per_class": 0}, "'n_samples_per_class' parameter"),
        ({"classes": [0, 1]}, r"classes must be different labels out of 1, ..., 12, got \[0, 1\]"),
        ({"classes": [1, 1]}, "classes must be different labels"),
        ({"classes": []}, "classes must be different labels"),
        ({"classes": "five"}, "classes must be different labels"),
        ({"templates": np.ones((4, 4))}, "templates must be a non-empty stack"),
        (
            {"templates": {"images": np.ones((2, 4, 4)), "target": [1, 1]}},
            "one image per class",
        ),
        ({"amplitude": (3, 1)}, "amplitude .* first exceeds"),
        ({"scale": (0, 1)}, "scale must be a pair"),
        ({"n_discs": "many"}, "n_discs must be a pair"),
        ({"cut": "maybe"}, "'cut' parameter"),
    ],
)
def test_bad_data_set_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_symbols(**arguments)


def test_nearest_template_on_the_papers_hardest_affine_data():
    # Table 2: accuracy 1 at 128 angles.
    made = make_symbols(3, random_state=0)
    features = MaxNRCDT().fit(made.templates)
    classifier = NearestTemplateClassifier()
    classifier.fit(features.transform(made.templates), made.template_target)
    assert classifier.score(features.transform(made.images), made.target) >= 0.95
