"""Windows: the same shape wherever and on whatever canvas it was."""

import numpy as np
import pytest
import scipy.sparse as sp

from sklearn_nrcdt._kernels.windows import window_side, windows_of_images, windows_of_rows


@pytest.mark.parametrize(
    ("extent", "side"),
    [(1, 16), (16, 16), (17, 24), (24, 24), (25, 32), (33, 48), (9_000, 12_288)],
)
def test_sides_are_powers_of_two_or_halfway(extent, side):
    assert window_side(extent) == side


def test_what_lies_around_makes_no_difference(rng):
    shape = rng.random((20, 9))
    images = [shape, np.pad(shape, ((3, 40), (0, 7))), np.zeros((5, 5)), rng.random((70, 3))]
    windows = windows_of_images(images)
    assert list(windows) == [24, 96]
    rows, stack = windows[24]
    np.testing.assert_array_equal(rows, [0, 1])
    np.testing.assert_array_equal(stack[0], stack[1])
    np.testing.assert_array_equal(stack[0, 2:22, 7:16], shape)
    assert stack[0].sum() == shape.sum()
    assert windows[96][1].shape == (1, 96, 96)


def test_sparse_rows_come_into_the_same_windows(rng):
    images = np.zeros((4, 60, 50), np.float32)
    images[0, 50:59, 3:30] = rng.random((9, 27))
    images[1, 2, 2] = images[1, 59, 49] = 1
    images[3, 30, 30] = 7
    rows = sp.csr_array(images.reshape(4, -1))
    rows.data[0] = 0  # stored, but black
    images[0, 50, 3] = 0
    dense, sparse = windows_of_images(images), windows_of_rows(rows, (60, 50))
    assert list(dense) == list(sparse) == [16, 32, 64]
    for side, (index, stack) in dense.items():
        np.testing.assert_array_equal(sparse[side][0], index)
        np.testing.assert_array_equal(sparse[side][1].toarray(), stack.reshape(len(index), -1))
