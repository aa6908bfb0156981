"""InvariantHOG: what does not change it, what does, and images at the edge of the sensible."""

import numpy as np
import pytest
import scipy.sparse as sp
from figures import gaussian_mixture
from skimage.feature import hog
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import InvariantHOG, NearestTemplateClassifier, aligned_pairwise_distances
from sklearn_nrcdt.datasets import affine, load_symbols, make_symbols

READOUTS = [
    InvariantHOG(),
    InvariantHOG(reflection="ignore"),
    InvariantHOG("similarity"),
    InvariantHOG("similarity", reflection="ignore"),
]
readouts = pytest.mark.parametrize("transformer", READOUTS, ids=repr)
UPRIGHT = [InvariantHOG("slant"), InvariantHOG("scale")]


def turn(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


MEANS = 1.4 * np.array([[0.0, 0.0], [0.14, 0.05], [-0.05, 0.16]])
COVARIANCES = 1.96 * np.array(
    [np.diag([0.06, 0.045]) ** 2, np.eye(2) * 0.05**2, np.eye(2) * 0.045**2]
)
WEIGHTS = np.array([1.0, 0.6, 0.8])


def blobs(size, matrix, stretch=1.0, weights=WEIGHTS):
    """A mixture under a map, evaluated exactly, not warped."""
    means = (MEANS * stretch) @ matrix.T + 0.02
    return gaussian_mixture((size, size), means, matrix @ COVARIANCES @ matrix.T, weights)


def other_blobs(size):
    small = 0.75 * np.eye(2)
    return np.array(
        [
            blobs(size, small, stretch=np.array([1.3, -0.5])),
            blobs(size, small, weights=np.array([0.3, 1.0, 1.0])),
            blobs(size, small, stretch=np.array([0.2, 1.2])),
        ]
    )


def group(invariance, rng):
    """Random maps of a group, with condition numbers up to 5."""
    if invariance == "affine":
        ratio = np.sqrt(rng.choice([1, 2, 5, 5]))
        return turn(rng.uniform(0, 6)) @ np.diag([ratio, 1 / ratio]) @ turn(rng.uniform(0, 6))
    if invariance == "similarity":
        return rng.uniform(0.7, 1.3) * turn(rng.uniform(0, 6))
    if invariance == "slant":
        return np.array(
            [[rng.uniform(0.7, 1.5), rng.uniform(-0.7, 0.7)], [0, rng.uniform(0.7, 1.5)]]
        )
    return rng.uniform(0.6, 1.4) * np.eye(2)


def relative_change(transform, size, maps):
    """Largest change under maps, relative to the smallest distance of another shape."""
    features = transform(np.array([blobs(size, 0.75 * m) for m in [np.eye(2), *maps]]))
    others = transform(other_blobs(size))
    change = np.linalg.norm(features[1:] - features[0], axis=1).max()
    return change / np.linalg.norm(others - features[0], axis=1).min()


@pytest.mark.parametrize(
    ("invariance", "size", "bound"),
    [
        ("affine", 128, 0.025),
        ("affine", 256, 0.015),
        ("similarity", 128, 0.025),
        ("slant", 128, 0.025),
        ("scale", 128, 0.025),
    ],
)
def test_features_are_invariant_under_their_group(invariance, size, bound):
    rng = np.random.default_rng(0)
    maps = [group(invariance, rng) for _ in range(6)]
    transformer = InvariantHOG(invariance)
    assert relative_change(transformer.fit_transform, size, maps) < bound

    def plain(images):
        return np.array([hog(image) for image in images])

    assert relative_change(plain, size, maps) > 10 * bound


@pytest.mark.parametrize(
    ("invariance", "matrix"),
    [
        ("similarity", np.diag([1.5, 1.0])),
        ("slant", turn(0.5)),
        ("scale", np.array([[1.0, 0.4], [0.0, 1.0]])),
    ],
)
def test_what_is_not_in_the_group_changes_the_features(invariance, matrix):
    assert relative_change(InvariantHOG(invariance).fit_transform, 128, [matrix]) > 0.3


@pytest.fixture(scope="module")
def symbols():
    """Three symbols, and a letter F, which differs from its mirror image."""
    images = load_symbols(size=96).images[[0, 3, 5, 9]]
    images[3] = 0
    images[3, 20:80, 30:38] = images[3, 20:28, 30:64] = images[3, 44:52, 30:56] = 1
    return images


@readouts
def test_quarter_turns_change_nothing(symbols, transformer):
    expected = transformer.fit_transform(symbols)
    scale = np.linalg.norm(expected, axis=1).min()
    for k in (1, 2, 3):
        turned = transformer.transform(np.rot90(symbols, k, axes=(1, 2)))
        np.testing.assert_allclose(turned, expected, atol=2e-4 * scale)


def test_mirror_images_are_told_apart_or_not(symbols):
    for transformer in READOUTS:
        features = transformer.fit_transform(symbols)
        change = np.abs(transformer.transform(symbols[:, :, ::-1]) - features).max(axis=1)
        scale = np.abs(features).max(axis=1)
        if transformer.reflection == "ignore":
            assert (change < 1e-3 * scale).all()
        else:
            assert change[3] > 0.02 * scale[3]


@pytest.mark.parametrize("invariance", ["slant", "scale"])
def test_upright_features_may_ignore_left_and_right(symbols, invariance):
    transformer = InvariantHOG(invariance, reflection="ignore")
    features = transformer.fit_transform(symbols)
    flipped, upended = (transformer.transform(np.flip(symbols, a)) for a in (2, 1))
    np.testing.assert_allclose(flipped, features, atol=2e-4 * np.abs(features).max())
    assert np.abs(upended - features).max() > 0.05 * np.abs(features).max()


def test_circle_features_turn_with_the_image(symbols):
    transformer = InvariantHOG(keep="circle")
    X = transformer.fit_transform(symbols)
    Y = transformer.transform(np.rot90(symbols, axes=(1, 2)))
    assert np.linalg.norm(X - Y, axis=1).min() > 0.1
    assert np.diag(aligned_pairwise_distances(X, Y)).max() < 1e-2
    mirrored = transformer.transform(symbols[:, ::-1])
    assert np.diag(aligned_pairwise_distances(X, mirrored, reflection="ignore")).max() < 1e-2


@pytest.mark.parametrize("transformer", [*READOUTS, *UPRIGHT], ids=repr)
def test_canvas_place_and_neighbours_change_nothing(symbols, transformer):
    features = transformer.fit_transform(symbols)
    padded = np.pad(symbols, ((0, 0), (3, 40), (17, 0)))
    np.testing.assert_array_equal(transformer.fit_transform(padded), features)
    np.testing.assert_allclose(
        transformer.transform(padded[1:2])[0], features[1], atol=1e-6 * np.abs(features).max()
    )


@pytest.mark.parametrize("transformer", [*READOUTS, *UPRIGHT], ids=repr)
def test_sparse_float32_and_scaled_images_agree(symbols, transformer):
    features = transformer.fit_transform(symbols.astype(float))
    size = np.abs(features).max()
    single = transformer.fit_transform(symbols.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, features, atol=1e-4 * size)
    sparse = transformer.fit_transform(sp.csr_array(symbols.reshape(4, -1).astype(float)))
    np.testing.assert_allclose(sparse, features, atol=1e-4 * size)
    for factor in (1e-300, 1e300):
        scaled = transformer.fit_transform(symbols.astype(float) * factor)
        np.testing.assert_allclose(scaled, features, atol=1e-4 * size)


def test_large_images_have_the_features_of_small_ones():
    def rings(size):
        y, x = (np.mgrid[:size, :size] - (size - 1) / 2) / size
        distance = [np.abs(np.hypot(1.3 * (x - 0.02 * k), y) - r) for k, r in enumerate((0.2, 0.3))]
        return np.clip(0.75 / 256 * size + 0.5 - np.min(distance, axis=0) * size, 0, 1)

    features = InvariantHOG().fit_transform([rings(1024), rings(256)])
    assert np.linalg.norm(features[0] - features[1]) < 0.04 * np.linalg.norm(features[0])


def degenerate_images():
    rng = np.random.default_rng(0)
    images = [np.ones(shape) for shape in ((1, 1), (1, 9), (30, 1), (8, 8), (2, 2), (1, 5000))]
    diagonal, far = np.eye(50), np.zeros((60, 60))
    far[0, 0] = far[-1, -1] = 1
    return [*images, diagonal, far, rng.random((8, 8)), rng.random((3, 200))]


@pytest.mark.parametrize("transformer", [*READOUTS, *UPRIGHT, InvariantHOG(n_cells=16)], ids=repr)
def test_degenerate_images_give_finite_and_stable_features(transformer):
    images = degenerate_images()
    features = transformer.fit_transform(images)
    assert np.isfinite(features).all()
    assert features.any(axis=1).all()
    rng = np.random.default_rng(0)
    disturbed = [image * (1 + 1e-6 * rng.random(image.shape)) for image in images]
    change = np.abs(transformer.transform(disturbed) - features).max(axis=1)
    assert (change < 1e-2 * np.abs(features).max(axis=1)).all()


@pytest.mark.parametrize(
    ("transformer", "n_features"),
    [
        (InvariantHOG(), 3393),
        (InvariantHOG(reflection="ignore"), 29 + 4 * 435),
        (InvariantHOG(n_harmonics=1), 29),
        (InvariantHOG(n_harmonics=8), 29 + 7 * 841),
        (InvariantHOG(keep="circle"), 464),
        (InvariantHOG("slant"), 464 - 29),
    ],
    ids=repr,
)
def test_features_have_the_documented_number_and_names(symbols, transformer, n_features):
    assert transformer.fit_transform(symbols[:1]).shape == (1, n_features)
    names = transformer.get_feature_names_out()
    assert len(set(names)) == n_features
    assert all(name.startswith("invarianthog_") for name in names)


def test_norm_of_the_spectrum_is_that_of_its_harmonics(symbols):
    # The squared norm is |C_0|^2 + 2 (|C_1|^2 + ... + |C_4|^2), from the circle's own rows.
    circle = InvariantHOG(keep="circle").fit_transform(symbols).reshape(4, 8, -1)
    expected = np.square(circle[:, :5]).sum(axis=(1, 2))
    spectrum = InvariantHOG().fit_transform(symbols)
    np.testing.assert_allclose(np.square(spectrum).sum(axis=1), expected, rtol=1e-5)


def test_elastic_symbols_are_recognised_with_one_template():
    symbols = make_symbols(3, random_state=1)
    for transformer, metric in (
        (InvariantHOG(), "euclidean"),
        (InvariantHOG(keep="circle"), "aligned"),
    ):
        model = make_pipeline(transformer, NearestTemplateClassifier(metric))
        model.fit(symbols.templates, symbols.template_target)
        assert model.score(symbols.images, symbols.target) == 1


def test_similarity_keeps_the_aspect_ratio():
    square, long = np.zeros((2, 64, 64))
    square[22:42, 22:42] = 1
    long[27:37, 12:52] = 1
    images = np.stack([square, long])
    apart = {}
    for invariance in ("affine", "similarity"):
        features = InvariantHOG(invariance).fit_transform(images)
        apart[invariance] = np.linalg.norm(features[0] - features[1])
    assert apart["affine"] < 0.1
    assert apart["similarity"] > 0.5


def test_affine_maps_of_pixels_stay_near():
    templates = load_symbols(size=128).images
    moved = affine(templates, [[0.9, 0.4], [-0.3, 0.7]])
    transformer = InvariantHOG().fit(templates)
    X, Y = transformer.transform(templates), transformer.transform(moved)
    distances = np.linalg.norm(X[:, None] - Y[None], axis=2)
    own = np.diag(distances).copy()
    np.fill_diagonal(distances, np.inf)
    assert (own < 0.5 * distances.min(axis=0)).all()


@pytest.mark.parametrize("invariance", ["slant", "scale"])
def test_upright_shapes_were_put_on_the_circle(symbols, invariance):
    with pytest.raises(ValueError, match=f'invariance="{invariance}" keeps shapes upright'):
        InvariantHOG(invariance, keep="circle").fit(symbols)


def comb(scale, seed, height=40):
    """A row of bars of random places and heights, drawn exactly: 700 pixels long at scale 1."""
    rng = np.random.default_rng(seed)
    starts = np.cumsum(rng.uniform(8, 30, 36)) * scale
    stops, tops = starts + 3 * scale, rng.uniform(0.3, 1, 36) * height * scale
    x, y = np.arange(0, 1000 * scale), np.arange(0, (height + 5) * scale)

    def coverage(grid, low, high):
        return np.clip(np.minimum(grid + 1, high) - np.maximum(grid, low), 0, 1)

    bars = zip(starts, stops, tops, strict=True)
    return sum(np.outer(coverage(y, 2, 2 + top), coverage(x, a, b)) for a, b, top in bars)


@pytest.mark.parametrize("invariance", ["affine", "slant"])
def test_long_shapes_one_percent_larger_stay_near(invariance):
    images = [comb(1, 0), comb(1.01, 0), comb(1.3, 0), comb(1, 1)]
    features = InvariantHOG(invariance).fit_transform(images)
    same, larger, other = np.linalg.norm(features[1:] - features[0], axis=1)
    assert max(same, larger) < 0.05 * other


@pytest.mark.parametrize("invariance", ["affine", "similarity", "slant", "scale"])
@pytest.mark.parametrize("n_cells", [16, 64])
def test_long_sparse_shapes_have_features(invariance, n_cells, rng):
    images = [np.zeros((9, 600)), np.zeros((2000, 3)), *np.zeros((2, 5, 1500))]
    images[0][:, [0, -1]] = 1
    images[1][[0, 700, -1]] = 1
    images[2][rng.integers(5, size=6), rng.integers(1500, size=6)] = 1
    images[3][2] = 1
    turned = np.zeros((400, 400))
    turned[np.arange(0, 400, 57), np.arange(0, 400, 57)] = 1
    features = InvariantHOG(invariance, n_cells=n_cells).fit_transform([*images, turned])
    assert np.isfinite(features).all()
    assert features.any(axis=1).all()


def test_turned_and_flipped_long_shapes_are_the_same_up_to_rounding():
    image = comb(1, 0)
    transformer = InvariantHOG(reflection="ignore").fit(image[None])
    features = transformer.transform([image, np.rot90(image), image[::-1], image[:, ::-1]])
    np.testing.assert_allclose(features, np.broadcast_to(features[0], features.shape), atol=1e-4)


@pytest.mark.parametrize("width", [0.005, 1e200])
def test_widths_that_leave_nothing_are_refused(width):
    with pytest.raises(ValueError, match="width"):
        InvariantHOG(width=width).fit(np.ones((1, 8, 8)))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float16, np.float32])
def test_features_are_no_wider_than_the_work(symbols, dtype):
    """Took twice the memory for digits that are float32 in accuracy."""
    images = (255 * symbols).astype(dtype)
    transformer = InvariantHOG().fit(images)
    assert transformer.transform(images).dtype == np.float32
    assert transformer.transform(list(images)).dtype == np.float32
    assert transformer.transform(symbols.astype(np.float64)).dtype == np.float64


@pytest.mark.parametrize("transformer", [*READOUTS, *UPRIGHT], ids=repr)
def test_features_do_not_depend_on_the_batch_not_even_in_their_rounding(transformer, rng):
    images = rng.random((40, 30, 30)) * (rng.random((40, 30, 30)) < 0.3)
    expected = transformer.fit_transform(images)
    for size in (1, 7):
        batches = [transformer.transform(images[i : i + size]) for i in range(0, 40, size)]
        np.testing.assert_array_equal(np.concatenate(batches), expected)
