"""A small figure on a large canvas: features and cost are those of the figure."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from sklearn_nrcdt import NRCDT, MaxNRCDT, MeanNRCDT, RadonCDT, SpectralNRCDT
from sklearn_nrcdt._support.canvases import on_canvases
from sklearn_nrcdt.datasets import load_symbols

INVARIANT = [NRCDT(), MaxNRCDT(), MeanNRCDT(), MeanNRCDT(weighting="precision"), SpectralNRCDT()]


@pytest.fixture(scope="module")
def figures():
    return load_symbols(size=64).images[[0, 4, 9]]


@pytest.fixture(scope="module")
def canvases(figures):
    canvases = np.zeros((4, 1400, 1100))
    for canvas, figure, (top, left) in zip(
        canvases, figures, [(0, 0), (1336, 500), (700, 1036)], strict=False
    ):
        canvas[top : top + 64, left : left + 64] = figure
    return canvases  # the last one is blank


@pytest.mark.parametrize("one_canvas", [True, False])
def test_sparse_and_dense_images_lie_on_the_same_canvases(canvases, one_canvas):
    def placed(images):
        found = {}
        for positions, canvas, content in on_canvases(images, canvases.shape[1:], one_canvas):
            assert content.shape[1:] == canvas
            found |= dict(zip(np.arange(4)[positions].tolist(), content, strict=True))
        return {i: image for i, image in found.items() if image.any()}

    dense, sparse = placed(canvases), placed(sp.csr_array(canvases.reshape(4, -1)))
    assert dense.keys() == sparse.keys() == {0, 1, 2}
    for i in range(3):
        np.testing.assert_array_equal(sparse[i], dense[i])
        np.testing.assert_allclose(dense[i].sum(), canvases[i].sum())


def test_few_pixels_of_a_huge_canvas_stay_a_list():
    place = np.array([7, 20_000**2 - 1])
    rows = sp.csr_array((np.array([1.0, 2.0]), ([0, 0], place)), shape=(1, 20_000**2))
    for one_canvas in (True, False):
        [(positions, canvas, (places, greys))] = on_canvases(rows, (20_000, 20_000), one_canvas)
        assert positions == [0]
        assert canvas[0] == canvas[1] >= 20_000
        assert np.ptp(places) == 19_999 * canvas[0] + 19_999 - 7
        assert greys.tolist() == [1, 2]


@pytest.mark.filterwarnings("ignore::sklearn_nrcdt.BlankImageWarning")
@pytest.mark.parametrize("transformer", INVARIANT)
def test_the_canvas_does_not_matter(transformer, canvases, figures):
    features = transformer.fit_transform(canvases)
    rows = sp.csr_array(canvases.reshape(4, -1))
    transformer.set_params(image_shape=canvases.shape[1:])
    np.testing.assert_allclose(transformer.fit_transform(rows), features, atol=1e-12)
    transformer.set_params(image_shape=None)
    np.testing.assert_array_equal(transformer.fit_transform(canvases[1:2]), features[1:2])
    assert not features[3].any()
    small = transformer.fit_transform(figures)
    apart = np.linalg.norm(small[0] - small[1])
    assert np.linalg.norm(features[:3] - small, axis=1).max() < 0.1 * apart


@pytest.mark.parametrize("transformer", [MaxNRCDT(16), RadonCDT(16), SpectralNRCDT(16)])
@pytest.mark.parametrize("spread", [40, 12_000])
def test_fifty_pixels_of_a_huge_canvas(transformer, spread, rng):
    """Took 3.3 GB and half a minute."""
    r, c = rng.integers(spread, size=(2, 50))
    index = np.unique(r * 12_000 + c)
    rows = sp.csr_array((rng.random(len(index)), ([0] * len(index), index)), shape=(1, 12_000**2))
    tracemalloc.start()
    features = transformer.fit_transform(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert features.any()
    assert peak < 5e7
