"""Every transformer against the one that is written once more, on images of all kinds."""

import numpy as np
import pytest
import reference
from hypothesis import assume
from hypothesis import strategies as st
from strategies import law

from sklearn_nrcdt import NRCDT, MaxNRCDT, MeanNRCDT, RadonCDT, SpectralNRCDT


@st.composite
def small_images(draw, gaps=True):
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    image = rng.integers(1, 9, shape).astype(float)
    if gaps:
        image *= rng.random(shape) < draw(st.sampled_from([0.2, 0.6, 1]))
    assume(image.any())
    return image


even = st.sampled_from([6, 8, 12])
any_angles = st.sampled_from([1, 2, 3, 4, 5, 8])
radii = st.sampled_from([2, 3, 8, 21, 40])
levels = st.sampled_from([1, 2, 3, 5, 12])

EXPECTED = {
    "RadonCDT": (RadonCDT, {}, np.ravel),
    "NRCDT": (NRCDT, {}, lambda functions: reference.nrcdt(functions).ravel()),
    "MaxNRCDT": (MaxNRCDT, {}, reference.max_nrcdt),
    "MeanNRCDT": (MeanNRCDT, {}, lambda functions: reference.mean_nrcdt(functions, "uniform")),
    "MeanNRCDT, precision": (
        MeanNRCDT,
        {"weighting": "precision"},
        lambda functions: reference.mean_nrcdt(functions, "precision"),
    ),
}


def test_the_reference_knows_a_square():
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    assert reference.share_below(corners, (1, 0), 0.25) == pytest.approx(0.25)
    diagonal = (0.5**0.5, 0.5**0.5)
    assert reference.share_below(corners, diagonal, 0.5**0.5) == pytest.approx(0.5)
    assert reference.share_below(corners, diagonal, 0.5**0.5 / 2) == pytest.approx(1 / 8)
    # Uniform on [-1, 1]: Q(t) = 2 t - 1.
    edges = [-1.0, 0.0, 1.0]
    assert reference.cell_mean([0, 0.5, 1], edges, 0.2, 0.8) == pytest.approx(0)
    assert reference.cell_mean([0, 0.5, 1], edges, 0.5, 1) == pytest.approx(0.5)
    assert reference.point([0, 0.5, 1], edges, 0.75) == pytest.approx(0.5)


@pytest.mark.parametrize("name", EXPECTED)
@law(image=small_images(), n_angles=any_angles, n_radii=radii, n_quantiles=levels)
def test_transformers_agree_with_the_reference(name, image, n_angles, n_radii, n_quantiles):
    transformer, params, pool = EXPECTED[name]
    assume(n_quantiles > 1 or not params)
    ours = transformer(n_angles, n_radii, n_quantiles, **params).fit_transform(image[None])[0]
    functions = reference.rcdt(image, n_angles, n_radii, n_quantiles, "means")
    np.testing.assert_allclose(ours, pool(functions), atol=1e-9)


@pytest.mark.parametrize("name", EXPECTED)
@law(image=small_images(gaps=False), n_angles=any_angles, n_radii=radii, n_quantiles=levels)
def test_points_agree_with_the_reference(name, image, n_angles, n_radii, n_quantiles):
    transformer, params, pool = EXPECTED[name]
    assume(n_quantiles > 1 or not params)
    ours = transformer(n_angles, n_radii, n_quantiles, quantiles="points", **params)
    functions = reference.rcdt(image, n_angles, n_radii, n_quantiles, "points")
    np.testing.assert_allclose(ours.fit_transform(image[None])[0], pool(functions), atol=1e-7)


@pytest.mark.parametrize("reflection", ["distinguish", "ignore"])
@law(image=small_images(), n_angles=even, n_radii=radii, n_quantiles=levels)
def test_the_spectrum_agrees_with_the_reference(reflection, image, n_angles, n_radii, n_quantiles):
    assume(n_quantiles > 1 and n_radii > 3)
    ours = SpectralNRCDT(n_angles, n_radii, n_quantiles, n_harmonics=4, reflection=reflection)
    functions = reference.rcdt(image, n_angles, n_radii, n_quantiles, "means")
    expected = reference.spectrum(functions, 4, reflection == "distinguish")
    assume(expected is not None)
    np.testing.assert_allclose(ours.fit_transform(image[None])[0], expected, atol=1e-7)
