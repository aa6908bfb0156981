"""Features that are affine-invariant exactly: proofs are in the docs, numbers are here."""

import numpy as np
import pytest
from figures import gaussian_mixture
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

from sklearn_nrcdt import (
    NRCDT,
    InvariantHOG,
    MaxNRCDT,
    MeanNRCDT,
    NearestTemplateClassifier,
    RadonCDT,
    SpectralNRCDT,
    aligned_pairwise_distances,
)
from sklearn_nrcdt._kernels.circle import covariances, whitened_angles
from sklearn_nrcdt._kernels.normalize import precision_weights
from sklearn_nrcdt.datasets import load_symbols, make_symbols

SIZE = 256
MEANS = 1.4 * np.array([[0.0, 0.0], [0.14, 0.05], [-0.05, 0.16]])
COVARIANCES = 1.96 * np.array(
    [np.diag([0.06, 0.045]) ** 2, np.eye(2) * 0.05**2, np.eye(2) * 0.045**2]
)
WEIGHTS = np.array([1.0, 0.6, 0.8])


def turn(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def blobs(matrix, shift=0.0, stretch=1.0, weights=WEIGHTS):
    means = (MEANS * stretch) @ matrix.T + shift
    return gaussian_mixture((SIZE, SIZE), means, matrix @ COVARIANCES @ matrix.T, weights)


@pytest.fixture(scope="module")
def maps():
    """Maps with condition numbers up to 5, every other one with a reflection."""
    rng = np.random.default_rng(0)
    matrices = []
    for i, condition in enumerate([1, 1, 2, 2, 5, 5, 5, 5]):
        stretch = np.diag([np.sqrt(condition), (-1) ** i / np.sqrt(condition)])
        matrices.append(0.75 * turn(rng.uniform(0, 6)) @ stretch @ turn(rng.uniform(0, 6)))
    return matrices


@pytest.fixture(scope="module")
def mapped(maps):
    """The same shape under all maps, evaluated exactly, not warped."""
    return np.array([blobs(0.75 * np.eye(2)), *(blobs(matrix, 0.02) for matrix in maps)])


@pytest.fixture(scope="module")
def others():
    """Different shapes."""
    small = 0.75 * np.eye(2)
    return np.array(
        [
            blobs(small, stretch=np.array([1.3, -0.5])),
            blobs(small, weights=np.array([0.3, 1.0, 1.0])),
            blobs(small, stretch=np.array([0.2, 1.2])),
        ]
    )


def largest_change(transformer, images):
    features = transformer.fit_transform(images)
    return np.abs(features[1:] - features[0]).max()


def test_precision_mean_is_invariant_and_the_plain_mean_is_not(mapped):
    exact = largest_change(MeanNRCDT(weighting="precision"), mapped)
    plain = largest_change(MeanNRCDT(), mapped)
    assert exact < 2e-3
    assert plain > 10 * exact


def test_precision_mean_is_a_weighted_mean_of_all_angles(shapes):
    for n_angles in (7, 16):
        normalized = NRCDT(n_angles).fit_transform(shapes).reshape(6, n_angles, -1)
        spread = RadonCDT(n_angles).fit_transform(shapes).reshape(6, n_angles, -1).var(axis=2)
        weights = (1 / spread) / (1 / spread).sum(axis=1, keepdims=True)
        expected = (weights[:, :, None] * normalized).sum(axis=1)
        result = MeanNRCDT(n_angles, weighting="precision").fit_transform(shapes)
        np.testing.assert_allclose(result, expected, atol=1e-12)


@pytest.mark.parametrize("reflection", ["distinguish", "ignore"])
def test_spectrum_is_invariant(mapped, maps, others, reflection):
    transformer = SpectralNRCDT(reflection=reflection)
    features = transformer.fit_transform(mapped)
    change = np.linalg.norm(features[1:] - features[0], axis=1)
    reflected = np.array([np.linalg.det(matrix) < 0 for matrix in maps])
    apart = np.linalg.norm(transformer.transform(others) - features[0], axis=1).min()
    assert change[~reflected].max() < 0.05 * apart
    if reflection == "ignore":
        assert change[reflected].max() < 0.05 * apart
    else:
        # This shape differs from its mirror image.
        assert change[reflected].min() > 0.1 * apart


def test_aligned_distance_is_invariant(mapped, maps, others):
    transformer = SpectralNRCDT(keep="circle", n_quantiles=32)
    features, different = transformer.fit_transform(mapped), transformer.transform(others)
    reflected = np.array([np.linalg.det(matrix) < 0 for matrix in maps])
    apart = aligned_pairwise_distances(features[:1], different, reflection="ignore").min()
    strict = aligned_pairwise_distances(features[:1], features[1:])[0]
    loose = aligned_pairwise_distances(features[:1], features[1:], reflection="ignore")[0]
    assert strict[~reflected].max() < 0.15 * apart
    assert loose.max() < 0.15 * apart
    assert strict[reflected].min() > 0.3 * apart
    assert (loose <= strict).all()


def test_aligned_distances_of_bytes_do_not_overflow(rng):
    x = rng.integers(1, 255, (4, 32), dtype=np.uint8)
    x[:, 2:4] = 0
    expected = aligned_pairwise_distances(x.astype(float))
    np.testing.assert_array_equal(aligned_pairwise_distances(x), expected)


@pytest.mark.parametrize(
    "shapes", [SpectralNRCDT(64, keep="circle"), InvariantHOG(keep="circle")], ids=repr
)
def test_aligned_distance_works_in_classifiers(shapes):
    symbols = make_symbols(2, random_state=0)
    params = {"reflection": "ignore"}
    nearest = NearestTemplateClassifier("aligned", metric_params=params)
    model = make_pipeline(shapes, nearest).fit(symbols.templates, symbols.template_target)
    assert model.score(symbols.images, symbols.target) == 1
    X, Y = shapes.transform(symbols.templates), shapes.transform(symbols.images)
    neighbours = KNeighborsClassifier(1, metric="precomputed")
    neighbours.fit(aligned_pairwise_distances(X, **params), symbols.template_target)
    predicted = neighbours.predict(aligned_pairwise_distances(Y, X, **params))
    np.testing.assert_array_equal(predicted, model.predict(symbols.images))


def test_unsuitable_arguments_of_the_aligned_distance(rng):
    circles = np.pad(rng.normal(size=(2, 30)), ((0, 0), (2, 0)))[:, [2, 3, 0, 1, *range(4, 32)]]
    aligned_pairwise_distances(circles)
    longer = np.insert(circles, [2] * 8 + [4] * 8, 0, axis=1)
    with pytest.raises(ValueError, match=r"X has 32 features and Y has 48"):
        aligned_pairwise_distances(circles, longer)
    with pytest.raises(ValueError, match="The 'reflection' parameter of"):
        aligned_pairwise_distances(circles, reflection="no")
    with pytest.raises(ValueError, match="Input X contains NaN"):
        aligned_pairwise_distances(circles * np.nan)


@pytest.mark.parametrize(
    "transformer",
    [
        FunctionTransformer(lambda images: images.reshape(len(images), -1)),
        FunctionTransformer(lambda images: np.pad(images, 24).reshape(len(images) + 48, -1)),
        MaxNRCDT(32),
        MaxNRCDT(32, n_quantiles=60),
        NRCDT(32),
        SpectralNRCDT(32, n_harmonics=1, n_quantiles=63),
        InvariantHOG(),
        InvariantHOG("slant"),
        InvariantHOG("scale", reflection="ignore"),
        make_pipeline(InvariantHOG(keep="circle"), PCA(0.999, svd_solver="full")),
        make_pipeline(SpectralNRCDT(32, keep="circle"), Normalizer(), PCA(8)),
    ],
    ids=repr,
)
def test_the_aligned_distance_took_what_is_no_circle(transformer):
    images = load_symbols(size=64).images
    X = transformer.fit_transform(images)
    with pytest.raises(ValueError, match=r"does not hold functions on a circle. Pass the features"):
        NearestTemplateClassifier("aligned").fit(X, np.arange(len(X)) % 3)


@pytest.mark.parametrize("transformer", [InvariantHOG(keep="circle"), SpectralNRCDT(keep="circle")])
def test_blank_images_are_on_the_circle(shapes, transformer):
    shapes[2] = 0
    with pytest.warns(UserWarning, match="no mass"):
        X = transformer.fit_transform(shapes)
    assert np.isfinite(aligned_pairwise_distances(X)).all()


def test_hardest_affine_symbols_are_recognised():
    symbols = make_symbols(5, random_state=0)
    scores = {}
    for name, transformer in {
        "mean": MeanNRCDT(),
        "precision": MeanNRCDT(weighting="precision"),
        "spectrum": SpectralNRCDT(),
    }.items():
        model = make_pipeline(transformer, NearestTemplateClassifier())
        model.fit(symbols.templates, symbols.template_target)
        scores[name] = model.score(symbols.images, symbols.target)
    assert scores["precision"] >= 0.98
    assert scores["spectrum"] >= 0.98
    assert scores["mean"] < 0.95


def degenerate_images():
    images = np.zeros((7, 40, 40))
    images[0, 13, 7] = 1  # a pixel
    images[1, 20, 5:35] = 1  # a line
    images[2] = np.eye(40)  # a diagonal
    x, y = np.meshgrid(np.arange(40) - 19.5, np.arange(40) - 19.5)
    images[3] = np.hypot(x, y) < 12  # covariance a multiple of the identity
    images[4, 10:30, 10:30] = 1  # the same, with corners
    images[5, 10:30, 15:25] = images[5, 10:14, 8:32] = 1  # mirror-symmetric
    images[6] = 1
    return images


@pytest.mark.parametrize(
    "transformer",
    [
        MeanNRCDT(weighting="precision"),
        SpectralNRCDT(),
        SpectralNRCDT(n_angles=5, n_quantiles=3, n_harmonics=4),
        SpectralNRCDT(n_angles=1, n_quantiles=1, n_harmonics=1),
        SpectralNRCDT(keep="circle"),
    ],
    ids=repr,
)
def test_degenerate_images_give_finite_and_stable_features(transformer):
    images = degenerate_images()
    features = transformer.fit_transform(images)
    assert np.isfinite(features).all()
    disturbed = images * (1 + 1e-9 * np.random.default_rng(0).random(images.shape))
    assert np.abs(transformer.transform(disturbed) - features).max() < 1e-4


def test_spectrum_has_the_documented_size_and_names(shapes):
    for n_quantiles, n_harmonics in ((16, 8), (7, 3), (1, 1)):
        levels = (n_quantiles + 1) // 2
        real = n_harmonics * levels * (levels + 1) // 2
        imaginary = (n_harmonics - 1) * levels * (levels - 1) // 2
        both = SpectralNRCDT(8, n_quantiles=n_quantiles, n_harmonics=n_harmonics)
        assert both.fit_transform(shapes).shape == (6, real + imaginary)
        assert len(set(both.get_feature_names_out())) == real + imaginary
        one = both.set_params(reflection="ignore")
        assert one.fit_transform(shapes).shape == (6, real) == (6, len(one.get_feature_names_out()))
    names = SpectralNRCDT(8).fit(shapes).get_feature_names_out()
    assert names[1] == "spectralnrcdt_re0_q0.083_q0.139"
    assert names[-1] == "spectralnrcdt_im7_q0.417_q0.472"


def test_mirror_images_are_told_apart_on_request(shapes):
    shapes[0] = 0
    shapes[0, 10:38, 16:21] = shapes[0, 10:15, 16:32] = shapes[0, 22:27, 16:27] = 1  # F
    mirrored = shapes[:, :, ::-1]
    both = SpectralNRCDT(64).fit_transform(np.concatenate([shapes, mirrored]))
    change = np.linalg.norm(both[:6] - both[6:], axis=1)
    assert change[0] > 0.01  # the F is not symmetric
    assert change[1] < 1e-6  # the T is
    ignoring = SpectralNRCDT(64, reflection="ignore")
    np.testing.assert_allclose(
        ignoring.fit_transform(shapes), ignoring.transform(mirrored), atol=1e-9
    )


def test_weights_and_covariances_of_a_known_ellipse():
    # Projections of a Gaussian have variance d' C d and equal shape.
    covariance = np.array([[2.0, 0.7], [0.7, 0.5]])
    angles = np.pi * np.arange(12) / 12
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    variances = np.einsum("ki,ij,kj->k", directions, covariance, directions)
    np.testing.assert_allclose(covariances(variances[None], angles)[0], covariance)
    quantiles = np.sqrt(variances)[None, :, None] * np.linspace(-1, 1, 9)
    weights = precision_weights(quantiles)[0]
    np.testing.assert_allclose(weights * variances, weights[0] * variances[0])
    np.testing.assert_allclose(weights.sum(), 1)
    root = np.linalg.cholesky(covariance)  # any root differs from ours by a rotation
    seen = directions @ root
    expected = np.unwrap(np.arctan2(seen[:, 1], seen[:, 0]))
    result = np.unwrap(whitened_angles(quantiles, angles)[0])
    np.testing.assert_allclose(np.diff(result), np.diff(expected), atol=1e-9)
