"""Folders of images: upright, inverted if need be, in their own sizes, batch by batch."""

import tracemalloc

import numpy as np
import pytest
from PIL import Image, ImageOps, features

from sklearn_nrcdt import MaxNRCDT, transform_to_npy
from sklearn_nrcdt.datasets import (
    iter_image_folder,
    load_image_folder,
    load_symbols,
    stack_images,
)


def write(file, array, **options):
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(array).save(file, **options)


@pytest.fixture
def symbols():
    """Twelve drawings in sizes from 30 to 63 pixels, bright on black."""
    images = load_symbols(size=64).images[:, :, 8:]
    return [np.uint8(255 * image[: 30 + 3 * i].clip(0, 1)) for i, image in enumerate(images)]


@pytest.fixture
def folder(tmp_path, symbols):
    """Those in three classes of four."""
    for i, image in enumerate(symbols):
        write(tmp_path / "scans" / "abc"[i // 4] / f"{i:02}.png", image)
    return tmp_path / "scans"


# --- EXIF ---------------------------------------------------------------------------------


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("end", ["png", "tif", "jpg", "webp"])
def test_exif_orientation_is_honoured(tmp_path, end, orientation):
    if end == "webp" and not features.check("webp"):
        pytest.skip("this Pillow knows no WebP")
    exif = Image.Exif()
    exif[274] = orientation
    pixels = np.kron([[0, 80, 160], [40, 120, 250]], np.ones((16, 16))).astype(np.uint8)
    options = {"jpg": {"quality": 95}, "webp": {"lossless": True}}.get(end, {})
    image = Image.fromarray(pixels)
    image.convert("RGB" if end == "webp" else "L").save(tmp_path / f"a.{end}", exif=exif, **options)
    turned = image.copy()
    turned.getexif()[274] = orientation
    expected = np.asarray(ImageOps.exif_transpose(turned))  # Pillow's own reading of the number
    found = load_image_folder(tmp_path).images[0] * 255
    np.testing.assert_allclose(found, expected, atol=3 if end == "jpg" else 1e-4)
    assert (found.shape == (48, 32)) == (orientation > 4)


@pytest.mark.parametrize(
    ("name", "options", "dpi"),
    [
        ("a.jpg", {"dpi": (300, 300)}, 300),
        ("a.png", {"dpi": (300, 300)}, 300),
        ("a.tif", {"dpi": (300, 300)}, 300),
        # In centimetres.
        ("a.tif", {"resolution_unit": 3, "x_resolution": 118.11, "y_resolution": 118.11}, 300),
        *[(f"a.{end}", {}, np.nan) for end in ("jpg", "png", "tif")],
        # What programs write that know nothing, and what cannot be true.
        ("a.jpg", {"dpi": (72, 72)}, np.nan),
        ("a.png", {"dpi": (96, 96)}, np.nan),
        ("a.tif", {"dpi": (2, 2)}, np.nan),
    ],
)
def test_files_say_how_many_dots_an_inch_has(tmp_path, symbols, name, options, dpi):
    write(tmp_path / name, symbols[0], **options)
    np.testing.assert_allclose(load_image_folder(tmp_path).dpi, [dpi], rtol=1e-4)


def test_a_picture_with_broken_exif_is_a_picture(tmp_path):
    image = Image.new("L", (6, 4), 200)
    image.save(tmp_path / "a.jpg", exif=b"Exif\0\0II*\0\xff\xff\xff\xffnonsense")
    image.save(tmp_path / "b.jpg", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\x63\0\0")
    assert load_image_folder(tmp_path).images.shape == (2, 4, 6)


# --- own sizes ----------------------------------------------------------------------------


def test_images_in_their_own_sizes_are_those_of_the_stack(folder, symbols):
    own = load_image_folder(folder, shape="own")
    stack = load_image_folder(folder)
    assert isinstance(own.images, list)
    assert [image.shape for image in own.images] == [image.shape for image in symbols]
    assert own.images[0].dtype == np.float32
    np.testing.assert_array_equal(stack_images(own.images), stack.images)
    for name in ("target", "target_names", "filenames", "inverted"):
        np.testing.assert_array_equal(own[name], stack[name])
    assert own.data is None


# --- polarity -----------------------------------------------------------------------------


def test_dark_drawings_on_white_paper_are_not_loaded_without_a_word(tmp_path, symbols):
    for i, image in enumerate(symbols):
        write(tmp_path / f"{i:02}.png", 255 - image)
    with pytest.warns(UserWarning, match="12 of 12 images have a bright border") as caught:
        load_image_folder(tmp_path)
    assert [warning.filename for warning in caught] == [__file__]
    assert "pass invert=True or invert='auto'" in str(caught[0].message)
    with pytest.warns(UserWarning, match="bright border") as caught:
        for _ in iter_image_folder(tmp_path, batch_size=5):
            pass
    assert [warning.filename for warning in caught] == [__file__]
    for quiet in ({"invert": True}, {"invert": "auto"}):
        load_image_folder(tmp_path, **quiet)
        list(iter_image_folder(tmp_path, **quiet))


def test_bright_drawings_inverted_by_mistake_are_reported(folder):
    with pytest.warns(UserWarning, match="pass invert=False"):
        load_image_folder(folder, invert=True)


def test_auto_inverts_what_is_dark_on_bright(tmp_path, symbols):
    for i, image in enumerate(symbols):
        write(tmp_path / f"{i:02}.png", 255 - image if i % 3 else image)
    loaded = load_image_folder(tmp_path, invert="auto", shape="own")
    assert loaded.inverted.tolist() == [i % 3 > 0 for i in range(12)]
    for image, original in zip(loaded.images, symbols, strict=True):
        np.testing.assert_allclose(image * 255, original, atol=1e-3)
    batches = list(iter_image_folder(tmp_path, invert="auto", batch_size=5))
    np.testing.assert_array_equal(
        np.concatenate([batch.inverted for batch in batches]), loaded.inverted
    )


@pytest.mark.parametrize("ink", [20, 230])
def test_auto_finds_the_paper_of_transparent_drawings(tmp_path, symbols, ink):
    for i, image in enumerate(symbols):
        write(tmp_path / f"{i:02}.png", np.dstack([np.full_like(image, ink), image]))
    loaded = load_image_folder(tmp_path, invert="auto", shape="own")
    assert loaded.inverted.tolist() == [ink == 20] * 12
    strength = 255 - ink if ink == 20 else ink
    for image, original in zip(loaded.images, symbols, strict=True):
        np.testing.assert_allclose(image * 255, original / 255 * strength, atol=1e-3)


# --- batches ------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"invert": "auto", "background": "otsu"}])
@pytest.mark.parametrize("batch_size", [1, 5, 12, 100])
def test_batches_are_the_whole_folder_in_order(folder, batch_size, options):
    whole = load_image_folder(folder, shape="own", **options)
    batches = list(iter_image_folder(folder, batch_size=batch_size, **options))
    assert [len(batch.images) for batch in batches[:-1]] == [batch_size] * (len(batches) - 1)
    images = [image for batch in batches for image in batch.images]
    assert len(images) == 12
    for image, expected in zip(images, whole.images, strict=True):
        np.testing.assert_array_equal(image, expected)
        assert image.dtype == expected.dtype
    for name in ("target", "filenames", "inverted"):
        joined = np.concatenate([batch[name] for batch in batches])
        np.testing.assert_array_equal(joined, whole[name])
    for batch in batches:
        assert batch.target_names.tolist() == ["a", "b", "c"]


def test_batches_without_classes(folder):
    [batch] = iter_image_folder(folder / "a")
    assert batch.target is None
    assert batch.target_names is None


def test_batches_feed_transform_to_npy_with_the_names_of_their_files(folder, tmp_path):
    whole = load_image_folder(folder, shape="own")
    transformer = MaxNRCDT(8, n_quantiles=5).fit(whole.images)
    expected = transformer.transform(whole.images)
    names = []

    def images():
        for batch in iter_image_folder(folder, batch_size=5):
            names.extend(batch.filenames)
            yield batch.images

    for batches in (images(), iter_image_folder(folder, batch_size=5)):
        written = transform_to_npy(transformer, batches, tmp_path / "a.npy")
        np.testing.assert_allclose(written, expected, rtol=1e-5)
    assert names == whole.filenames.tolist()


def test_a_folder_of_any_number_of_files_takes_the_memory_of_one_batch(tmp_path):
    peaks = []
    for n in (6, 60):
        for i in range(n):
            write(tmp_path / f"{n}" / f"{i:02}.png", np.eye(300, dtype=np.uint8))
        tracemalloc.start()
        for _ in iter_image_folder(tmp_path / f"{n}", batch_size=3):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


def test_large_images_make_small_batches(tmp_path, monkeypatch):
    monkeypatch.setattr("sklearn_nrcdt.datasets._folder.BATCH_BYTES", 4 * 10 * 10 * 2)
    for i in range(5):
        write(tmp_path / f"{i}.png", np.eye(10, dtype=np.uint8))
    assert [len(batch.images) for batch in iter_image_folder(tmp_path)] == [2, 2, 1]


def test_broken_files_are_named_when_their_turn_comes_or_left_out(folder):
    (folder / "b" / "00.png").write_text("no image")
    (folder / "c" / "99.png").write_text("no image")
    batches = iter_image_folder(folder, batch_size=4)
    assert len(next(batches).images) == 4
    with pytest.raises(ValueError, match=r"b/00\.png[\s\S]*errors='skip'"):
        next(batches)
    *_, last = batches = list(iter_image_folder(folder, batch_size=4, errors="skip"))
    assert [len(batch.images) for batch in batches] == [4, 4, 4]
    assert list(last.skipped) == ["b/00.png", "c/99.png"]


def test_nothing_but_broken_files_is_no_empty_loop(tmp_path):
    (tmp_path / "a.png").write_text("no image")
    with pytest.raises(ValueError, match=r"a\.png"):
        list(iter_image_folder(tmp_path, errors="skip"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batch_size": 0}, "'batch_size' parameter"),
        ({"invert": 2}, "'invert' parameter"),
        ({"layout": "tree"}, "'layout' parameter"),
        ({"errors": "ignore"}, "'errors' parameter"),
        ({"verbose": -1}, "'verbose' parameter"),
    ],
)
def test_bad_arguments_are_refused_by_the_call_not_by_the_first_batch(folder, arguments, message):
    with pytest.raises(ValueError, match=message):
        iter_image_folder(folder, **arguments)
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        iter_image_folder(folder / "nowhere")


def test_progress_of_batches_knows_the_number_of_files(folder, capsys):
    list(iter_image_folder(folder, batch_size=5))
    assert capsys.readouterr().out == ""
    list(iter_image_folder(folder, batch_size=5, verbose=1))
    assert "100 % 12 of 12 files" in capsys.readouterr().out


def test_nested_takes_pictures_beside_subfolders(folder, symbols):
    write(folder / "beside.png", symbols[0])
    nested = load_image_folder(folder, layout="nested", shape="own")
    assert len(nested.images) == 13
    assert "beside.png" in nested.filenames
    assert nested.target is None
    classes = load_image_folder(folder, layout="classes")
    assert (len(classes.images), classes.ignored) == (12, ["beside.png"])
    flat = load_image_folder(folder, layout="flat")
    assert (len(flat.images), len(flat.ignored)) == (1, 12)


def test_files_may_be_given_instead_of_a_folder(folder, symbols):
    files = [folder / "b" / "05.png", str(folder / "a" / "00.png")]
    loaded = load_image_folder(files, shape="own")
    assert loaded.filenames.tolist() == ["b/05.png", "a/00.png"]
    assert loaded.target is None
    np.testing.assert_allclose(loaded.images[0] * 255, symbols[5], atol=1e-3)
    with pytest.raises(ValueError, match=r"gone\.png: FileNotFoundError"):
        load_image_folder([*files, folder / "gone.png"])
    with pytest.raises(ValueError, match="empty list"):
        load_image_folder([])
