"""NearestSubspaceClassifier: closed forms, enrichment, ties, rounding, memory."""

import tracemalloc

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import NearestSubspaceClassifier, RadonCDT


@pytest.fixture
def problem(rng):
    """Three classes of 12 samples in random 3-dimensional subspaces of 30 dimensions."""
    spans = rng.normal(size=(3, 3, 30))
    X = np.concatenate([rng.normal(size=(12, 3)) @ span for span in spans])
    return spans, X, np.repeat(["b", "c", "a"], 12)


def residual(samples, vectors):
    """Distances from the span of vectors, by least squares."""
    coefficients = np.linalg.lstsq(vectors.T, samples.T, rcond=None)[0]
    return np.linalg.norm(samples.T - vectors.T @ coefficients, axis=0)


def test_orthogonal_axes():
    # Distances from coordinate planes are the other coordinates.
    X = np.eye(6)
    model = NearestSubspaceClassifier().fit(X, [0, 0, 1, 1, 2, 2])
    samples = np.array([[1.0, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1], [0, 0, 7, 0, 0, 0]])
    squares = samples**2
    outside = [squares[:, 2:].sum(1), squares[:, [0, 1, 4, 5]].sum(1), squares[:, :4].sum(1)]
    np.testing.assert_allclose(-model.decision_function(samples), np.sqrt(outside).T, atol=1e-12)
    assert list(model.predict(samples)) == [2, 0, 1]


def test_distances_agree_with_least_squares(problem, rng):
    spans, X, y = problem
    model = NearestSubspaceClassifier(None).fit(X, y)
    samples = rng.normal(size=(20, 30))
    expected = np.transpose([residual(samples, span) for span in spans[[2, 0, 1]]])
    np.testing.assert_allclose(-model.decision_function(samples), expected, rtol=1e-10)
    np.testing.assert_array_equal(model.predict(samples), model.classes_[expected.argmin(axis=1)])
    assert list(model.n_components_) == [3, 3, 3]


def test_the_span_of_a_class_is_at_distance_zero(problem, rng):
    spans, X, y = problem
    model = NearestSubspaceClassifier().fit(X, y)
    inside = rng.normal(size=(50, 3)) @ spans[1] * 1e3
    distances = -model.decision_function(inside)
    # From the difference of squared norms, rounding would leave 1e-8 of the norm.
    assert (distances[:, 2] < 1e-13 * np.linalg.norm(inside, axis=1)).all()
    assert set(model.predict(inside)) == {"c"}
    # Multiples, negative ones too, are in the same subspaces.
    np.testing.assert_array_equal(model.predict(-0.01 * X), y)


def test_small_distances_keep_their_digits(rng):
    axes = np.eye(40)
    model = NearestSubspaceClassifier().fit(axes[:4], [0, 0, 1, 1])
    for offset in (1e-1, 1e-3, 1e-6, 1e-9):
        sample = (1000 * axes[0] + offset * axes[20])[None]
        score = model.decision_function(sample)[0]
        far = np.hypot(1000, offset)
        expected = (offset - far) / (offset + far)
        assert score == pytest.approx(expected, rel=1e-12)
    model = NearestSubspaceClassifier().fit(axes[:6], [0, 0, 1, 1, 2, 2])
    for offset in (1e-1, 1e-3, 1e-6, 1e-9):
        sample = (1000 * axes[0] + offset * axes[20])[None]
        assert -model.decision_function(sample)[0, 0] == pytest.approx(offset, rel=1e-3)


def test_samples_are_not_centred(rng):
    # One direction each: centred samples would have no direction left.
    X = np.array([[1.0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 3, 0]])
    model = NearestSubspaceClassifier().fit(X, [0, 0, 1, 1])
    assert list(model.n_components_) == [1, 1]
    np.testing.assert_array_equal(model.predict([[9.0, 1, 0], [1, 9, 5]]), [0, 1])


def test_n_components(rng):
    # Singular values 4, 2, 1: energy shares 16, 20 and 21 of 21.
    basis = np.linalg.qr(rng.normal(size=(10, 10)))[0]
    X = np.diag([4.0, 2, 1]) @ basis[:3]
    for n_components, expected in [
        (1, 1),
        (2, 2),
        (99, 3),
        (None, 3),
        (0.5, 1),
        (0.76, 1),
        (0.77, 2),
        (0.95, 2),
        (0.96, 3),
        (1.0, 3),
    ]:
        model = NearestSubspaceClassifier(n_components).fit(X, ["x"] * 3)
        assert list(model.n_components_) == [expected], n_components
        np.testing.assert_allclose(
            np.abs(model.components_ @ basis[:expected].T), np.eye(expected), atol=1e-12
        )


def test_tall_and_wide_classes_give_the_same_subspace(rng):
    # 500 samples of 6 features with 2 large directions, more samples than features.
    X = rng.normal(size=(500, 6)) * [5, 4, 0.1, 0.1, 0.1, 0.1]
    model = NearestSubspaceClassifier(2).fit(X, np.zeros(500))
    reference = np.linalg.svd(X, full_matrices=False)[2][:2]
    np.testing.assert_allclose(
        model.components_.T @ model.components_, reference.T @ reference, atol=1e-12
    )


def test_enrichment_is_in_every_subspace(problem, rng):
    _, X, y = problem
    vectors = rng.normal(size=(2, 30))
    plain = NearestSubspaceClassifier().fit(X, y)
    enriched = NearestSubspaceClassifier(enrichment=vectors).fit(X, y)
    moved = X + 100 * rng.normal(size=(36, 2)) @ vectors
    assert plain.score(moved, y) < 0.6
    assert enriched.score(moved, y) == 1
    np.testing.assert_allclose(enriched.enrichment_ @ enriched.components_.T, 0, atol=1e-12)
    # What is orthogonal to the components and the enrichment counts in full.
    samples = rng.normal(size=(20, 30))
    shifted = samples + rng.normal(size=(20, 2)) @ vectors
    np.testing.assert_allclose(
        enriched.decision_function(shifted), enriched.decision_function(samples), atol=1e-10
    )


def test_enrichment_agrees_with_least_squares(problem, rng):
    spans, X, y = problem
    vectors = rng.normal(size=(2, 30))
    model = NearestSubspaceClassifier(enrichment=vectors).fit(X, y)
    samples = rng.normal(size=(20, 30))
    expected = [residual(samples, np.concatenate([span, vectors])) for span in spans[[2, 0, 1]]]
    np.testing.assert_allclose(-model.decision_function(samples), np.transpose(expected))


def test_dependent_enrichment_counts_once(problem, rng):
    _, X, y = problem
    vector = rng.normal(size=30)
    once = NearestSubspaceClassifier(enrichment=[vector]).fit(X, y)
    twice = NearestSubspaceClassifier(enrichment=[vector, -2 * vector, 0 * vector]).fit(X, y)
    assert twice.enrichment_.shape == (1, 30)
    samples = rng.normal(size=(5, 30))
    np.testing.assert_allclose(twice.decision_function(samples), once.decision_function(samples))


def test_class_inside_the_enrichment_has_no_components_of_its_own(rng):
    vectors = rng.normal(size=(2, 8)) * 1e6
    X = np.concatenate([rng.normal(size=(3, 2)) @ vectors, rng.normal(size=(2, 8))])
    model = NearestSubspaceClassifier(enrichment=vectors).fit(X, [0, 0, 0, 1, 1])
    assert list(model.n_components_) == [0, 2]
    assert np.isfinite(model.decision_function(X)).all()


def test_zero_samples_span_nothing():
    model = NearestSubspaceClassifier().fit([[0.0, 0, 0], [0, 1, 0]], ["blank", "line"])
    assert list(model.n_components_) == [0, 1]
    # At the same distance from both: the first.
    assert list(model.predict([[0.0, 5, 0], [1, 0, 0], [0, 0, 0]])) == ["line", "blank", "blank"]


@pytest.mark.parametrize("scaling", [None, "wasserstein"])
def test_translation_vectors_are_what_a_shift_adds(shapes, scaling):
    # More radii: what is left is the error of counting in bins.
    transformer = RadonCDT(24, 2001, scaling=scaling).fit(shapes)
    moved = np.roll(shapes, (5, -3), axis=(1, 2))
    difference = transformer.transform(moved) - transformer.transform(shapes)
    pixel = np.sqrt(2) / 48
    expected = pixel * np.array([-3, -5]) @ transformer.translation_vectors()
    scale = 1 if scaling is None else (24 * 64) ** -0.5
    np.testing.assert_allclose(
        difference, np.broadcast_to(expected, difference.shape), atol=2e-3 * scale
    )
    assert np.abs(expected).max() > 0.1 * scale


def test_translation_vectors_need_a_fit():
    with pytest.raises(sklearn.exceptions.NotFittedError):
        RadonCDT().translation_vectors()


def test_translated_images_are_recognised(shapes, rng):
    transformer = RadonCDT(32).fit(shapes)
    vectors = transformer.translation_vectors()
    moved, target = [], []
    for i, image in enumerate(shapes):
        for _ in range(5):
            moved.append(np.roll(image, rng.integers(-6, 7, 2), axis=(0, 1)))
            target.append(i)
    moved = np.array(moved)
    enriched = make_pipeline(transformer, NearestSubspaceClassifier(enrichment=vectors))
    plain = make_pipeline(transformer, NearestSubspaceClassifier())
    assert enriched.fit(shapes, range(6)).score(moved, target) == 1
    assert plain.fit(shapes, range(6)).score(moved, target) < 0.8
    features = transformer.transform(moved)
    distances = -enriched[-1].decision_function(features)
    own = distances[np.arange(30), target]
    assert (own < 0.01 * np.linalg.norm(features, axis=1)).all()
    distances[np.arange(30), target] = np.inf
    assert (own < 0.2 * distances.min(axis=1)).all()


def test_magnified_images_are_in_the_subspace(shapes):
    # The same figure of half the size, about the centre of the image.
    large = np.kron(shapes, np.ones((2, 2)))
    small = np.pad(shapes, ((0, 0), (24, 24), (24, 24)))
    transformer = RadonCDT(32, 1001).fit(small)
    model = NearestSubspaceClassifier().fit(transformer.transform(small), range(6))
    np.testing.assert_array_equal(model.predict(transformer.transform(large)), range(6))


def test_one_sample_of_each_class(rng):
    X = rng.normal(size=(300, 40))
    model = NearestSubspaceClassifier().fit(X, range(300))
    np.testing.assert_array_equal(model.predict(3 * X), range(300))


def test_ties_go_to_the_first_class(rng):
    # The same subspace from other samples: equal up to rounding only.
    span = rng.normal(size=(3, 50))
    X = np.concatenate([rng.normal(size=(5, 3)) @ span for _ in range(3)])
    y = np.repeat([3, 1, 2], 5)
    model = NearestSubspaceClassifier().fit(X, y)
    samples = rng.normal(size=(200, 50))
    assert set(model.predict(samples)) == {1}
    assert set(model.predict(X)) == {1}
    scores = model.decision_function(samples)
    np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(samples))
    for i in range(20):
        assert model.predict(samples[i : i + 1]) == 1


def test_two_classes_follow_the_convention(problem, rng):
    _, X, y = problem
    model = NearestSubspaceClassifier().fit(X, y == "a")
    samples = rng.normal(size=(40, 30))
    scores = model.decision_function(samples)
    assert scores.shape == (40,)
    np.testing.assert_array_equal(scores > 0, model.predict(samples))
    np.testing.assert_array_equal(scores.argsort(), model.predict_proba(samples)[:, 1].argsort())


def test_one_class_is_allowed(problem):
    _, X, _ = problem
    model = NearestSubspaceClassifier().fit(X, ["only"] * 36)
    assert set(model.predict(X)) == {"only"}
    assert model.decision_function(X).shape == (36, 1)


def test_refitting_forgets(problem):
    # Appended subspaces make accuracy 0 elsewhere.
    _, X, y = problem
    model = NearestSubspaceClassifier(enrichment=np.ones((1, 30))).fit(X, y)
    swapped = np.roll(y, 12)
    model.fit(X, swapped)
    np.testing.assert_array_equal(model.predict(X), swapped)
    assert len(model.n_components_) == 3
    model.set_params(enrichment=None).fit(X[:24, :20], y[:24])
    assert model.components_.shape == (6, 20)
    assert list(model.classes_) == ["b", "c"]


def test_clone_and_cross_validation(problem):
    _, X, y = problem
    model = NearestSubspaceClassifier(enrichment=np.ones((1, 30)))
    assert cross_val_score(clone(model), X, y, cv=3).min() == 1


def test_float32_gives_what_float64_gives(problem):
    _, X, y = problem
    # The rounding of float32 must not span directions of its own.
    double = NearestSubspaceClassifier().fit(X, y).decision_function(X)
    single = NearestSubspaceClassifier().fit(X.astype(np.float32), y)
    np.testing.assert_allclose(single.decision_function(X.astype(np.float32)), double, atol=1e-4)
    # ... but a direction of a ten-thousandth is one.
    wide = np.zeros((2, 5000), np.float32)
    wide[0, 0], wide[1, :2] = 1, [1, 1e-4]
    assert list(NearestSubspaceClassifier().fit(wide, [0, 0]).n_components_) == [2]


def test_full_subspaces_are_reported(rng):
    X = rng.normal(size=(40, 5))
    with pytest.warns(
        UserWarning, match=r"2 of 2 classes fill.*5 features.*n_components"
    ) as record:
        NearestSubspaceClassifier().fit(X, np.arange(40) % 2)
    assert record[0].filename == __file__
    NearestSubspaceClassifier(4).fit(X, np.arange(40) % 2)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_components": 0}, "n_components"),
        ({"n_components": 1.5}, "n_components"),
        ({"n_components": 0.0}, "n_components"),
        ({"n_components": "all"}, "n_components"),
        ({"enrichment": np.ones((2, 7))}, "7 features.*30 features"),
        ({"enrichment": np.ones(30)}, "2D array"),
        ({"enrichment": np.full((1, 30), np.nan)}, "enrichment contains NaN"),
        ({"enrichment": 3}, "enrichment"),
    ],
)
def test_unsuitable_parameters_are_refused(problem, params, message):
    _, X, y = problem
    with pytest.raises(ValueError, match=message):
        NearestSubspaceClassifier(**params).fit(X, y)


def test_chunks_change_nothing(problem, rng):
    _, X, y = problem
    model = NearestSubspaceClassifier().fit(X, y)
    samples = rng.normal(size=(500, 30))
    expected = model.decision_function(samples)
    with sklearn.config_context(working_memory=0.01):
        np.testing.assert_allclose(model.decision_function(samples), expected, atol=1e-12)


def test_memory_is_bounded(rng):
    X = rng.normal(size=(500, 64)).astype(np.float32)
    samples = rng.normal(size=(50_000, 64)).astype(np.float32)
    model = NearestSubspaceClassifier().fit(X, range(500))
    with sklearn.config_context(working_memory=16):
        tracemalloc.start()
        model.predict(samples)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    # All distances at once would take 200 MB.
    assert peak < 60e6
