"""Features written batch by batch: the same numbers, bounded memory, no half-written files."""

import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

from sklearn_nrcdt import NRCDT, MaxNRCDT, transform_to_npy


@pytest.fixture
def images(rng):
    return rng.integers(0, 255, (50, 12, 12), dtype=np.uint8)


@pytest.mark.parametrize("batch_size", [1, 7, 1000])
def test_file_equals_the_call_in_memory(images, tmp_path, batch_size):
    transformer = MaxNRCDT(8).fit(images[:1])
    path = tmp_path / "features.npy"
    mapped = transform_to_npy(transformer, images, path, batch_size=batch_size)
    np.testing.assert_array_equal(mapped, transformer.transform(images))
    np.testing.assert_array_equal(np.load(path), mapped)
    assert [p.name for p in tmp_path.iterdir()] == ["features.npy"]


def test_memory_maps_and_generators(images, tmp_path):
    np.save(tmp_path / "images.npy", images)
    source = np.load(tmp_path / "images.npy", mmap_mode="r")
    transformer = NRCDT(4).fit(source)
    from_map = transform_to_npy(transformer, source, tmp_path / "a.npy")
    batches = (images[start : start + 9] for start in range(0, 50, 9))
    from_batches = transform_to_npy(transformer, batches, str(tmp_path / "b.npy"))
    np.testing.assert_array_equal(from_map, from_batches)
    float32 = transform_to_npy(transformer, images.astype(np.float32), tmp_path / "c.npy")
    assert float32.dtype == np.float32


def test_peak_memory_does_not_grow_with_the_number_of_images(tmp_path):
    transformer = MaxNRCDT(8).fit(np.ones((1, 16, 16)))

    def batches(n):
        return (np.ones((64, 16, 16)) for _ in range(n))

    peaks = []
    for n in (4, 64):
        tracemalloc.start()
        transform_to_npy(transformer, batches(n), tmp_path / "features.npy")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_transform_of_a_memory_map_holds_little_more_than_the_features(rng, tmp_path, dtype):
    np.save(tmp_path / "images.npy", rng.integers(0, 255, (1024, 64, 64)).astype(dtype))
    images = np.load(tmp_path / "images.npy", mmap_mode="r")
    transformer = MaxNRCDT(8, n_quantiles=4).fit(images[:1])
    peaks = []
    for n in (256, 1024):
        tracemalloc.start()
        features = transformer.transform(images[:n])
        peaks.append(tracemalloc.get_traced_memory()[1] - features.nbytes)
        tracemalloc.stop()
        np.testing.assert_array_equal(
            features[-9:], transformer.transform(np.array(images[n - 9 : n]))
        )
    assert peaks[1] < 1.2 * peaks[0]


def test_read_only_maps_give_their_pages_back(rng, tmp_path):
    smaps = Path("/proc/self/smaps")
    if not smaps.exists():
        pytest.skip("this system does not tell which pages are resident")

    def resident(path):
        """Kilobytes of a mapped file that are in the memory of this process."""
        found, here = 0, False
        for line in smaps.read_text().splitlines():
            if "-" in line.split()[0]:
                here = line.endswith(str(path))
            elif here and line.startswith("Rss:"):
                found += int(line.split()[1])
        return found

    path = tmp_path / "images.npy"
    np.save(path, rng.integers(0, 255, (64, 256, 256), dtype=np.uint8))
    images = np.load(path, mmap_mode="r")
    transformer = MaxNRCDT(4, n_radii=51).fit(images[:1])
    expected = transformer.transform(images)
    assert resident(path) == pytest.approx(4096, rel=0.02)
    written = transform_to_npy(transformer, images, tmp_path / "features.npy", batch_size=8)
    assert resident(path) < 1024
    np.testing.assert_array_equal(written, expected)


def test_changes_to_a_private_map_are_not_lost(images, tmp_path):
    np.save(tmp_path / "images.npy", images)
    private = np.load(tmp_path / "images.npy", mmap_mode="c")
    private[:] = images[::-1]
    transformer = MaxNRCDT(8).fit(images)
    written = transform_to_npy(transformer, private, tmp_path / "features.npy", batch_size=10)
    np.testing.assert_array_equal(written, transformer.transform(images[::-1]))
    np.testing.assert_array_equal(private, images[::-1])


def test_blank_images_are_counted_over_all_batches(images, tmp_path):
    images[[3, 40]] = 0
    transformer = MaxNRCDT(8).fit(images)
    with pytest.warns(UserWarning, match="2 of the images.*samples 3, 40"):
        transform_to_npy(transformer, images, tmp_path / "features.npy", batch_size=10)


def test_an_error_names_the_batch_and_leaves_no_file(images, tmp_path):
    broken = images.astype(float)
    broken[25] = np.nan
    transformer = MaxNRCDT(8).fit(images)
    with pytest.raises(ValueError, match="NaN") as caught:
        transform_to_npy(transformer, broken, tmp_path / "features.npy", batch_size=10)
    assert "starts at image 20" in caught.value.__notes__[0]
    assert not list(tmp_path.iterdir())


def test_an_existing_file_survives_a_failure(images, tmp_path):
    path = tmp_path / "features.npy"
    np.save(path, np.zeros(3))
    with pytest.raises(ValueError, match="no images"):
        transform_to_npy(MaxNRCDT(8).fit(images), iter([]), path)
    np.testing.assert_array_equal(np.load(path), np.zeros(3))


def test_batches_must_agree(images, tmp_path):
    transformer = MaxNRCDT(8).fit(images)
    batches = [images, images.astype(np.float32)]
    with pytest.raises(ValueError, match="starts at image 50 gave 64 features of float32"):
        transform_to_npy(transformer, batches, tmp_path / "features.npy")


def test_progress_is_shown_on_request(images, tmp_path, capsys):
    transformer = MaxNRCDT(8).fit(images)
    transform_to_npy(transformer, images, tmp_path / "features.npy")
    assert capsys.readouterr().out == ""
    transform_to_npy(transformer, images, tmp_path / "features.npy", verbose=1)
    assert f"[{'#' * 20}] 100 % 50 of 50 images" in capsys.readouterr().out


def test_progress_of_an_iterable_is_the_number_of_images_so_far(images, tmp_path, capsys):
    transformer = MaxNRCDT(8).fit(images)
    transform_to_npy(transformer, iter([images, images[:7]]), tmp_path / "a.npy", verbose=1)
    assert re.fullmatch(r"57 images, \d+ per second\n", capsys.readouterr().out)


def test_a_list_of_images_is_no_list_of_batches(images, tmp_path, capsys):
    transformer = MaxNRCDT(8).fit(images)
    path = tmp_path / "features.npy"
    written = transform_to_npy(transformer, list(images), path, batch_size=20, verbose=1)
    np.testing.assert_array_equal(written, transformer.transform(images))
    assert "50 of 50 images" in capsys.readouterr().out


class Areas(TransformerMixin, BaseEstimator):
    """Takes images of any size."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.array([[image.size, image.sum()] for image in X], dtype=float)


def test_batches_of_images_of_different_sizes(tmp_path):
    images = [np.ones((i + 1, 3)) for i in range(10)]
    expected = [[3 * i, 3 * i] for i in range(1, 11)]
    for batches in (iter([images[:4], images[4:]]), images, tuple(images)):
        written = transform_to_npy(Areas(), batches, tmp_path / "a.npy", batch_size=3)
        np.testing.assert_array_equal(written, expected)


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("features", ValueError, r"must end in '\.npy'"),
        ("features.csv", ValueError, r"must end in '\.npy'"),
        ("missing/features.npy", FileNotFoundError, "folder that does not exist. Make .*missing"),
        (".", IsADirectoryError, "is a folder"),
    ],
)
def test_a_path_that_cannot_be_written_is_refused_before_any_work(tmp_path, name, error, message):
    def batches():
        raise AssertionError("too late")
        yield

    with pytest.raises(error, match=message):
        transform_to_npy(Areas(), batches(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_path_in_place_of_images_is_not_read_letter_by_letter(tmp_path):
    for images in ("scans", tmp_path):
        with pytest.raises(TypeError, match="iter_image_folder"):
            transform_to_npy(Areas(), images, tmp_path / "features.npy")
