"""Thinned drawings: where their elements are, and what poses do to them."""

import numpy as np
import pytest
from skimage.draw import line

from sklearn_nrcdt.search._kernels.line_elements import (
    draw_elements,
    line_elements,
    pose_elements,
    pose_matrix,
)


@pytest.mark.parametrize("degrees", [0, 20, 45, 90, 135, 160])
def test_a_stroke_becomes_elements_along_its_middle(degrees):
    drawing = np.zeros((101, 121))
    angle = np.deg2rad(degrees)
    reach = 40 * np.array([np.sin(angle), np.cos(angle)])
    start, end = (
        (np.array([50, 60]) - reach).round().astype(int),
        (np.array([50, 60]) + reach).round().astype(int),
    )
    drawing[line(*start, *end)] = 1
    elements, center = line_elements(drawing)
    np.testing.assert_allclose(center, [50.5, 60.5], atol=1)
    offset = elements[:, 0] * np.cos(angle) - elements[:, 1] * np.sin(angle)
    assert np.abs(offset).max() < 1.2
    middle = np.hypot(elements[:, 0], elements[:, 1]) < 30
    turn = (elements[middle, 2] - angle + np.pi / 2) % np.pi - np.pi / 2
    assert np.abs(np.rad2deg(turn)).max() < 6


def test_thick_strokes_are_thinned_and_empty_drawings_have_no_elements():
    thick = np.zeros((40, 60))
    thick[15:22, 10:50] = 200
    elements, center = line_elements(thick)
    assert len(elements) <= 40
    np.testing.assert_allclose(center, [18.5, 30], atol=1)
    assert len(line_elements(np.zeros((8, 9)))[0]) == 0


def test_poses_are_maps_of_the_plane():
    # A quarter turn counterclockwise takes what is on the right to the top.
    right, top = np.array([0, 1]), np.array([-1, 0])
    np.testing.assert_allclose(pose_matrix(90, 1, False) @ right, top, atol=1e-12)
    np.testing.assert_allclose(pose_matrix(0, 2, True) @ right, -2 * right, atol=1e-12)
    np.testing.assert_allclose(pose_matrix(90, 1, True) @ right, -top, atol=1e-12)


@pytest.mark.parametrize("pose", [(0, 1, False), (90, 1, False), (180, 1, True), (270, 1, True)])
def test_posed_elements_are_the_elements_of_the_posed_drawing(pose, rng):
    drawing = np.zeros((64, 64), bool)
    drawing[line(5, 8, 40, 60)] = drawing[line(40, 60, 60, 20)] = True
    elements, _ = line_elements(drawing)
    image = drawing[:, ::-1] if pose[2] else drawing
    expected, _ = line_elements(np.rot90(image, pose[0] // 90))
    posed = pose_elements(elements, pose_matrix(*pose))
    planes = [draw_elements(e, 4, 4, (32, 32)) for e in (posed, expected)]
    # Thinning is not quite the same for a turned drawing.
    assert np.abs(planes[0] - planes[1]).sum() < 0.2 * len(elements)


def test_elements_are_shared_among_neighbours():
    element = np.array([[4.0, -6.0, np.pi / 8]], np.float32)
    planes = draw_elements(element, 4, 4, (8, 8))
    # y = 1, x = -1.5, halfway between the first two directions.
    assert planes.sum() == pytest.approx(1)
    for k, x in [(0, -1), (0, -2), (1, -1), (1, -2)]:
        assert planes[k, 1, x] == pytest.approx(0.25)
    last = np.array([[0.0, 0.0, np.pi - np.pi / 16]], np.float32)
    planes = draw_elements(last, 4, 1, (4, 4))
    np.testing.assert_allclose(planes[:, 0, 0], [0.75, 0, 0, 0.25], atol=1e-6)
