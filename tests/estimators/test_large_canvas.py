"""A small figure on a large canvas: features and cost are those of the figure."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from sklearn_nrcdt import NRCDT, MaxNRCDT, MeanNRCDT, RadonCDT, SpectralNRCDT
from sklearn_nrcdt._kernels.windows import dense_stack, filled_windows, sparse_rows, sparse_windows
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


def test_sparse_and_dense_windows_are_the_same(canvases):
    dense = [w for w in filled_windows(canvases) if w is not None]
    rows = sp.csr_array(canvases.reshape(4, -1))
    sparse = [w for w in sparse_windows(rows, canvases.shape[1:]) if w is not None]
    assert len(dense) == len(sparse) == 3
    stack = dense_stack(dense, 80)
    np.testing.assert_array_equal(sparse_rows(sparse, 80).toarray(), stack.reshape(3, -1))
    np.testing.assert_allclose(stack.sum(axis=(1, 2)), canvases[:3].sum(axis=(1, 2)))


@pytest.mark.parametrize("transformer", INVARIANT)
def test_the_canvas_does_not_matter(transformer, canvases, figures):
    transformer.set_params(on_blank="ignore")
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
