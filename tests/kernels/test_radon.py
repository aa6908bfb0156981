"""The projection against sums over single pixels, for all shapes, blocks and symmetries."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import quad

import sklearn_nrcdt._kernels.caches as caches
import sklearn_nrcdt._kernels.footprints as footprints
import sklearn_nrcdt._kernels.radon as radon
from sklearn_nrcdt._kernels.footprints import trapezoid_cdf
from sklearn_nrcdt._kernels.radon import Projector, projector


def project_pixel_by_pixel(image, n_directions, n_radii):
    h, w = image.shape
    side = np.sqrt(2) / max(h, w)
    edges = np.linspace(-1, 1, n_radii)
    masses = np.zeros((n_directions, n_radii - 1))
    for m in range(n_directions):
        cos, sin = np.cos(np.pi * m / n_directions), np.sin(np.pi * m / n_directions)
        short, long = sorted((abs(cos) * side, abs(sin) * side))
        for r, c in np.argwhere(image):
            center = (c - (w - 1) / 2) * side * cos + ((h - 1) / 2 - r) * side * sin
            masses[m] += image[r, c] * np.diff(trapezoid_cdf(edges - center, long, short))
    return masses


@pytest.mark.parametrize(("long", "short"), [(1, 1), (1, 0.3), (0.7, 1e-7), (2, 0)])
def test_trapezoid_cdf_is_the_integral_of_the_trapezoid(long, short):
    top, foot = (long - short) / 2, (long + short) / 2

    def density(s):
        return np.interp(abs(s), [top, foot], [1 / long, 0]) if short else (abs(s) < top) / long

    for z in np.linspace(-foot, foot, 9):
        expected = quad(density, -foot, z, points=[p for p in (-top, top) if p < z])[0]
        np.testing.assert_allclose(trapezoid_cdf(np.array(z), long, short), expected, atol=1e-7)


@pytest.mark.parametrize("short", [1.3, 1e-3, 1e-8, 1e-17])
def test_trapezoid_cdf_is_exact_up_to_rounding(short):
    """A difference of integrals, divided by a short side, would not be: guarantees count on it."""
    long = 2.7
    z = np.concatenate([np.linspace(-3, 3, 99), (long - short) / 2 + short * np.linspace(0, 1, 5)])

    def exact(z):
        z, a, b = map(Fraction, (z, long, short))
        slope = min(max((a + b) / 2 - abs(z), 0), b)
        beyond = slope * slope / (2 * a * b) + max((a - b) / 2 - abs(z), 0) / a
        return beyond if z < 0 else 1 - beyond

    for found, at in zip(trapezoid_cdf(z, long, short), z, strict=True):
        assert abs(Fraction(found) - exact(at)) < 1e-15


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (4, 4), (5, 5), (7, 4), (4, 7)])
@pytest.mark.parametrize("n_directions", [1, 2, 3, 6, 8])
@pytest.mark.parametrize("n_radii", [2, 40])
def test_masses_are_sums_over_pixels(shape, n_directions, n_radii, rng):
    image = rng.random(shape)
    image /= image.max()
    masses = Projector(shape, n_directions, n_radii, "float64").project(image[None])
    expected = project_pixel_by_pixel(image, n_directions, n_radii)
    np.testing.assert_allclose(masses[0], expected, atol=1e-12)


@pytest.mark.parametrize("shape", [(9, 9), (8, 8), (6, 11)])
@pytest.mark.parametrize("kept", [2**24, 0])
def test_small_blocks_change_nothing(shape, kept, rng, monkeypatch):
    images = rng.random((3, *shape))
    images[1] *= rng.random(shape) < 0.05  # one image goes the sparse way
    images[1, 2, 3] = 1
    whole = Projector(shape, 12, 30, "float64")
    monkeypatch.setattr(footprints, "BLOCK_ENTRIES", 100)
    monkeypatch.setattr(footprints, "KEPT_ENTRIES", kept)
    blocks = Projector(shape, 12, 30, "float64")
    assert blocks.table.block_pixels < whole.table.block_pixels
    assert (blocks.table.kept is None) == (kept == 0)
    np.testing.assert_allclose(blocks.project(images), whole.project(images), atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_filled", [1, 144])
def test_masses_are_of_the_precision_asked_for(dtype, n_filled):
    images = np.zeros((2, 144), dtype)
    images[:, :n_filled] = 1
    geometry = projector((12, 12), 4, 9, dtype)
    assert geometry.project(images).dtype == dtype
    assert {part.dtype for _, part in geometry.project_parts(images)} == {np.dtype(dtype)}


@pytest.mark.parametrize("density", [0.01, 0.3])
def test_neighbours_do_not_matter(density, rng):
    images = rng.random((5, 40, 40)) * (rng.random((5, 40, 40)) < density)
    images[:, 20, 20] = 1
    project = Projector((40, 40), 16, 61, "float64").project
    together = project(images)
    np.testing.assert_array_equal(project(images[2:3]), together[2:3])


def test_the_sparse_way_equals_the_dense_way(rng, monkeypatch):
    images = rng.random((4, 31, 31)) * (rng.random((4, 31, 31)) < 0.2)
    dense = Projector((31, 31), 16, 61, "float64").project(images)
    monkeypatch.setattr(radon, "SPARSE_DENSITY", 1.0)
    sparse = Projector((31, 31), 16, 61, "float64").project(images)
    np.testing.assert_allclose(sparse, dense, rtol=1e-13, atol=1e-15)


def test_corners_stay_inside_the_disc():
    image = np.zeros((1, 16, 16))
    image[0, 0, 0] = image[0, -1, -1] = 1
    masses = Projector((16, 16), 4, 201, "float64").project(image)
    # At 135 degrees the outer corners touch the ends of [-1, 1].
    assert masses[0, 3].nonzero()[0].min() == 0
    assert masses[0, 3].nonzero()[0].max() == 199


def test_equal_geometries_share_one_table():
    first = projector((64, 64), 16, 100, "float64")
    assert projector((64, 64), 16, 100, "float64") is first
    assert projector((64, 64), 16, 100, "float32") is not first


def test_memory_of_the_table_is_bounded_for_large_images():
    for size, n_radii in (1024, 850), (256, 5001):
        large = Projector((size, size), 64, n_radii, "float64")
        entries = [block.nnz for *_, block in large.table.blocks(len(large.table.pixels))]
        assert sum(entries) <= footprints.KEPT_ENTRIES
        assert 0.5 < max(entries) / footprints.BLOCK_ENTRIES < 1.1
    assert Projector((3000, 3000), 2, 850, "float32").table.kept is not None


@pytest.mark.parametrize("shape", [(22, 22), (23, 23), (14, 31), (31, 14)])
@pytest.mark.parametrize("density", [0.02, 1])
def test_what_lies_beyond_the_window_costs_and_changes_nothing(shape, density, rng):
    """Small objects first: the table grows, and each result is that of a full table."""
    h, w = shape
    r, c = np.mgrid[:h, :w]
    grown, full = (Projector(shape, 12, 90, "float64") for _ in range(2))
    full.project(np.ones((1, *shape)))
    for ring in range(0, max(shape), 3):
        inside = np.maximum(abs(2 * r - h + 1), abs(2 * c - w + 1)) <= ring
        image = rng.random(shape) * inside * (rng.random(shape) < density)
        image[h // 2, w // 2] = 1
        masses = grown.project(image[None])
        np.testing.assert_allclose(masses.sum(axis=2), image.sum())
        np.testing.assert_array_equal(masses, full.project(image[None]))
        if ring % 12 == 3:
            expected = project_pixel_by_pixel(image, 12, 90)
            np.testing.assert_allclose(masses[0], expected, atol=1e-11)
    small = Projector(shape, 12, 90, "float64")
    small.project(image[None] * (np.maximum(abs(2 * r - h + 1), abs(2 * c - w + 1)) < 5))
    assert sum(block.nnz for block in small.table.kept.values()) < 0.1 * sum(
        block.nnz for block in full.table.kept.values()
    )


def test_dense_images_of_small_and_large_windows_together(rng):
    images = np.zeros((5, 32, 32))
    for image, side in zip(images, [4, 32, 12, 24, 8], strict=True):
        margin = (32 - side) // 2
        image[margin : 32 - margin, margin : 32 - margin] = 1 + rng.random((side, side))
    geometry = projector((32, 32), 6, 40, "float64")
    masses = geometry.project(images)
    for image, together in zip(images, masses, strict=True):
        np.testing.assert_allclose(together, project_pixel_by_pixel(image, 6, 40), atol=1e-9)


@pytest.mark.parametrize("exponent", [-1000, 0, 933])  # the largest is 2.0**1023
def test_rows_of_very_different_size_keep_their_ratio(exponent):
    image = np.zeros((1, 6, 6))
    image[0, 1:5, 1:5] = 2.0 ** np.array([0, 30, 60, 90])[:, None]
    expected = project_pixel_by_pixel(image[0], 4, 9)
    masses = projector((6, 6), 4, 9, "float64").project(np.ldexp(image, exponent))[0]
    np.testing.assert_allclose(masses / masses.sum(), expected / expected.sum(), atol=1e-12)


def test_traces_beside_the_window_do_not_depend_on_the_neighbours():
    images = np.zeros((2, 15, 2))
    images[0, [2, 7, 11, 13], [1, 0, 1, 0]] = 1
    images[1, [8, 9, 11], 1] = 1
    project = Projector((15, 2), 3, 40, "float64").project
    np.testing.assert_array_equal(project(images)[1:], project(images[1:]))


def test_few_pixels_of_a_huge_image_cost_what_they_are(rng):
    """No table, and no list of all pixels: the masses are those of single pixels."""
    side, n_directions, n_radii = 20_000, 8, 61
    r, c = rng.integers(0, side, (2, 5))
    grey = rng.random(5)
    geometry = Projector((side, side), n_directions, n_radii, "float64")
    tracemalloc.start()
    masses = geometry.project_pixels(r * side + c, grey)[0]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20
    trimmed = (n_radii - 1 - masses.shape[1]) // 2
    edges = np.linspace(-1, 1, n_radii)[trimmed : n_radii - trimmed]
    pixel = np.sqrt(2) / side
    for m, angle in enumerate(np.pi * np.arange(n_directions) / n_directions):
        short, long = sorted((abs(np.cos(angle)) * pixel, abs(np.sin(angle)) * pixel))
        x, y = (c - (side - 1) / 2) * pixel, ((side - 1) / 2 - r) * pixel
        centers = (x * np.cos(angle) + y * np.sin(angle))[:, None]
        expected = grey @ np.diff(trapezoid_cdf(edges - centers, long, short), axis=1)
        np.testing.assert_allclose(masses[m], expected, atol=1e-9)


@pytest.mark.parametrize("shape", [(1, 1), (5, 8), (16, 16), (17, 17), (3, 40), (90, 31)])
def test_shells_hold_the_pixels_that_they_say(shape):
    table = Projector(shape, 4, 9, "float64").table
    shells = table.shell_of(*np.divmod(table.pixels, shape[1]))
    for shell, stop in enumerate(table.shell_stops):
        assert stop == (shells <= shell).sum()
    np.testing.assert_array_equal(table.pixels[table.positions], np.arange(len(table.pixels)))


def test_the_cache_is_bounded_by_bytes_and_keeps_what_was_used_last(monkeypatch):
    class Table:
        def __init__(self, nbytes):
            self.nbytes = nbytes

    tables = caches.bounded_cache(lambda name, nbytes: Table(nbytes))
    monkeypatch.setattr(caches, "CACHE_BYTES", 100)
    first, second = tables("a", 40), tables("b", 40)
    large = tables("d", 400)
    assert tables("a", 40) is first
    tables("c", 40)  # makes room by dropping b, which was used longest ago
    assert tables("a", 40) is first
    assert tables("b", 40) is not second
    assert tables("d", 400) is large  # one stays, however large, ...
    tables("e", 300)
    assert tables("d", 400) is not large  # ... until another takes its place ...
    user = Table(0)
    tables.used_by(user)
    large = tables("d", 400)
    del user
    assert tables("d", 400) is not large  # ... or its user is deleted


@pytest.mark.parametrize(("shape", "dtype"), [((40, 40), "float64"), ((31, 64), "float32")])
def test_the_size_of_a_table_is_known_beforehand(shape, dtype):
    table = Projector(shape, 16, 151, dtype).table
    blocks = [block for *_, block in table.blocks(len(table.pixels))]
    size = sum(b.data.nbytes + b.indices.nbytes + b.indptr.nbytes for b in blocks)
    size += table.pixels.nbytes + table.positions.nbytes
    assert 0.7 * table.most_bytes < size < 1.1 * table.most_bytes
