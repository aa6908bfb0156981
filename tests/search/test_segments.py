"""Sums of shifted planes against sums written out, in NumPy and in compiled loops."""

import numpy as np
import pytest
from scipy import ndimage
from sheets import random_drawings

import sklearn_nrcdt.search._kernels.segments as kernel
from sklearn_nrcdt.search._kernels.line_elements import line_elements, pose_elements, pose_matrix
from sklearn_nrcdt.search._kernels.segments import (
    GROUP,
    LARGEST,
    N_DIRECTIONS,
    best_of_part,
    best_sums,
    best_sums_in_loops,
    compiled_sums,
    cover,
    pad_planes,
    parts_of,
    place_segments,
    segment_planes,
)

SHAPE = (11, 14)
FACTOR = 4
POSES = [pose_matrix(0, 1, False), pose_matrix(37, 0.9, True)]


@pytest.fixture
def planes(rng):
    return rng.integers(-LARGEST, LARGEST + 1, (N_DIRECTIONS, *SHAPE)).astype(np.int8)


@pytest.fixture(scope="module")
def elements():
    drawings = random_drawings(5, np.random.default_rng(0))
    return [line_elements(drawing[5:-5])[0] for drawing in drawings]


def parts_of_all(elements):
    return parts_of([cover(e) for e in elements], range(len(elements)))


def slow_surface(planes, segments, matrix, margin):
    """Return sums and visible segments of one drawing around all centers, one by one."""
    posed = pose_elements(segments * [1, 1, np.pi / N_DIRECTIONS], matrix)
    steps = np.rint(posed[:, :2].astype(np.float32) / FACTOR).astype(int)
    which = np.rint(posed[:, 2] * (N_DIRECTIONS / np.pi)).astype(int) % N_DIRECTIONS
    height, width = SHAPE
    sums, seen = np.zeros((2, height + 2 * margin, width + 2 * margin), int)
    for y, x in np.ndindex(sums.shape):
        for (dy, dx), k in zip(steps, which, strict=True):
            at = y - margin + dy, x - margin + dx
            if 0 <= at[0] < height and 0 <= at[1] < width:
                sums[y, x] += planes[k, *at]
                seen[y, x] += 1
    return sums, seen


def kernels():
    found = {"NumPy": best_sums, "loops": best_sums_in_loops}
    return found | ({"numba": compiled_sums()} if compiled_sums() else {})


@pytest.mark.parametrize("matrix", POSES, ids=["upright", "turned"])
@pytest.mark.parametrize("fragments", [False, True])
@pytest.mark.parametrize("name", kernels())
def test_sums_are_those_written_out(planes, elements, matrix, fragments, name):
    elements = elements[: 1 if name == "loops" else 2]  # in Python, seconds
    [part] = parts_of_all(elements)
    flat, grid = pad_planes(planes, part.reach / FACTOR, fragments)
    places, seen = place_segments(part.segments, matrix, grid, FACTOR)
    seen = seen if fragments else seen[:0]
    found = kernels()[name](flat, places, seen, part.starts, part.counts, grid)
    for i, (peak, place, square, area) in zip(part.indices, found, strict=True):
        segments = cover(elements[i])
        sums, visible = slow_surface(planes, segments, matrix, grid.margin)
        if fragments:
            weights = kernel.WEIGHTS[visible * kernel.SHARES // len(segments)]
            sums = sums * weights
        assert peak == sums.max()
        assert place == sums.argmax()
        assert square == np.square(sums).sum()
        assert area == (np.count_nonzero(weights) if fragments else sums.size)


def test_segments_cover_the_lines(elements):
    for drawing in elements:
        segments = cover(drawing)
        away = np.hypot(*(drawing[:, None, :2] - segments[None, :, :2]).transpose(2, 0, 1))
        turn = np.abs(drawing[:, None, 2] - segments[None, :, 2] * (np.pi / N_DIRECTIONS))
        alike = np.minimum(turn, np.pi - turn) <= np.pi / 3
        assert np.where(alike, away, np.inf).min(axis=1).max() <= 1.5 * kernel.SPACING
        assert len(segments) < len(drawing) / 5


def test_large_drawings_have_a_bounded_number_of_segments_and_a_part_of_their_own(elements):
    large = np.zeros((1500, 1500), bool)
    large[::20] = large[:, ::20] = True
    parts = parts_of_all([*elements, line_elements(large)[0]])
    assert [len(part.indices) for part in parts] == [len(elements), 1]
    assert parts[1].counts[0] == kernel.MAX_SEGMENTS
    assert parts[0].reach < 70
    assert all((part.starts % GROUP == 0).all() for part in parts)
    # The largest sum fits into 16 bits.
    assert kernel.MAX_SEGMENTS * LARGEST < 2**15
    assert GROUP * LARGEST < 2**7


def test_a_line_is_found_in_the_plane_of_its_direction():
    spectrum = np.zeros((6, 48, 64), np.float32)
    spectrum[2, 20, 10:30] = 1
    filtered = segment_planes(np.fft.rfft2(spectrum).astype(np.complex64), (48, 64), (40, 60), 4)
    assert filtered.shape == (N_DIRECTIONS, 40, 60)
    assert np.abs(filtered).max() <= LARGEST
    # Plane 2 of 6 is for 60 degrees, where a level line is seen through a short segment only.
    strength = filtered[:, 20, 20].astype(int)
    assert strength[4] == strength.max() > 0
    assert not strength[[0, 1, 2, 6, 7, 8, 9, 10, 11]].any()


def test_the_best_pose_and_center_are_found(elements, rng):
    drawing = elements[-1]
    planes = np.zeros((N_DIRECTIONS, 60, 70), np.int8)
    posed = pose_elements(drawing, pose_matrix(90, 1, False))
    at = np.floor(posed[:, :2] / FACTOR + [30, 40]).astype(int)
    which = np.rint(posed[:, 2] * (N_DIRECTIONS / np.pi)).astype(int) % N_DIRECTIONS
    planes[which, at[:, 0], at[:, 1]] = 1
    planes = ndimage.maximum_filter(planes, (1, 2, 2)) * LARGEST
    for fragments in (False, True):
        [part] = parts_of_all([drawing])
        matrices = [pose_matrix(turn, 1, mirror) for mirror in (0, 1) for turn in (0, 90, 180)]
        _, [pose], [center] = best_of_part(planes, part, matrices, FACTOR, fragments, False)
        assert pose == 1
        np.testing.assert_allclose(center, [120, 160], atol=1.5 * FACTOR)
        again = best_of_part(planes, part, matrices, FACTOR, fragments, True)
        np.testing.assert_array_equal(again[2], [center])
        each = [np.stack([matrix], axis=2) for matrix in matrices]
        other = best_of_part(planes, part, each, FACTOR, fragments, False)
        np.testing.assert_array_equal(other[2], [center])


def test_without_numba_nothing_is_compiled(monkeypatch):
    import sys

    compiled_sums.cache_clear()
    monkeypatch.setitem(sys.modules, "numba", None)
    assert compiled_sums() is None
    compiled_sums.cache_clear()
