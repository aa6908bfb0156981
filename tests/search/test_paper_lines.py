"""Direction and distance of regular lines against waves that have them."""

import numpy as np
import pytest

from sklearn_nrcdt.search import make_drawings, make_paper_scans, paper_lines
from sklearn_nrcdt.search._kernels.paper_lines import chain_lines, regular_lines


def waves(shape, degrees, period, phase=0.0):
    """Lines in a direction, counted from the x axis to the y axis of the array."""
    rows, columns = np.indices(shape)
    angle = np.deg2rad(degrees)
    return np.cos(2 * np.pi * (rows * np.cos(angle) - columns * np.sin(angle)) / period + phase)


@pytest.mark.parametrize("degrees", [-89.5, -45, -20.3, 0, 0.4, 1.7, 60, 90])
def test_lines_are_found_within_a_tenth_of_a_degree_and_a_fifth_of_a_percent(rng, degrees):
    image = waves((220, 180), degrees, 5.3, 0.7) + 2 * rng.normal(size=(220, 180))
    direction, distance, strength = regular_lines(image)
    assert abs((np.rad2deg(direction) - degrees + 90) % 180 - 90) < 0.1
    assert distance == pytest.approx(5.3, rel=0.002)
    assert strength > 100


def test_without_lines_there_is_no_direction(rng):
    assert regular_lines(rng.normal(size=(200, 200)))[2] < 25
    assert np.isnan(regular_lines(np.full((50, 50), 3.0))[0])
    assert regular_lines(rng.random((1, 2)))[2] < 25
    # Waves that are too long or too short are none of the lines looked for.
    assert regular_lines(waves((200, 200), 3, 30) + rng.normal(size=(200, 200)))[2] < 25


@pytest.mark.parametrize("degrees", [-30, 0, 1.5, 80])
def test_lines_across_are_found_at_their_distance(rng, degrees):
    """Thin lines, 71.3 pixels apart, perpendicular to a direction."""
    rows, columns = np.indices((400, 420))
    angle = np.deg2rad(degrees)
    across = columns * np.cos(angle) + rows * np.sin(angle)
    away = np.abs(across % 71.3 - 71.3 / 2)
    image = np.exp(-0.5 * (away / 1.5) ** 2) + rng.normal(size=across.shape)
    direction, distance, strength = chain_lines(image, angle)
    assert distance == pytest.approx(71.3, rel=0.01)
    assert abs((np.rad2deg(direction) - degrees) % 180 - 90) < 0.6
    assert strength > 0.5
    assert chain_lines(rng.normal(size=(400, 420)), angle)[2] < 0.45
    assert np.isnan(chain_lines(np.zeros((40, 40)), angle)[1])


@pytest.mark.parametrize("dpi", [100, 150])
def test_lines_of_simulated_paper(dpi):
    drawings = make_drawings(2, random_state=0).images
    params = {"snr": 1, "rotation": (-30, 30), "scale": dpi / 100, "random_state": 1}
    scans = make_paper_scans(drawings, shape=(5 * dpi, 4 * dpi), **params)
    found = paper_lines(scans.images, dpi=dpi)
    for kind in ("laid", "chain"):
        expected = scans.lines[f"{kind}_distance"] / dpi * 25.4
        np.testing.assert_allclose(found[f"{kind}_distance"], expected, rtol=0.02)
        turn = (found[f"{kind}_direction"] - scans.lines[f"{kind}_direction"] + 90) % 180 - 90
        assert np.abs(turn).max() < 1


def test_paper_without_lines_and_bad_input(rng):
    found = paper_lines([rng.normal(size=(200, 150)), np.ones((30, 30))])
    assert all(np.isnan(values).all() and values.shape == (2,) for values in found.values())
    with pytest.raises(ValueError, match=r"photos\[0\] must be a non-empty 2-D array"):
        paper_lines(np.ones((4, 4)))
    with pytest.raises(ValueError, match="dpi must be a number"):
        paper_lines([np.ones((4, 4))], dpi=-1)


def test_half_precision_and_wrong_resolutions_of_paper_were_faults_of_numpy(rng):
    paper = rng.normal(200, 4, (60, 50))
    for dtype in (np.float16, np.longdouble):
        assert np.isnan(paper_lines([paper.astype(dtype)]).laid_distance).all()
    for dpi in (1e-300, 0.001, 1e300, np.nan, "a", [100, 100], None):
        with pytest.raises(ValueError, match="dpi must be a number from 1 to 100,000"):
            paper_lines([paper], dpi=dpi)
    with pytest.raises(ValueError, match=r"photos 0 .* 5000 x 5000 pixels would be 127 x 127 m"):
        paper_lines([np.broadcast_to(paper[:1, :1], (5000, 5000))], dpi=1)
    for photos in ([], [np.ones((0, 4))]):
        with pytest.raises(ValueError, match="photos"):
            paper_lines(photos)
    with pytest.raises(ValueError, match="masked"):
        paper_lines([np.ma.array(paper, mask=paper > 200)])
