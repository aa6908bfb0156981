"""Images from elsewhere: stacks of different sizes, MNIST files, fonts, folders."""

import os
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from PIL import Image

from sklearn_nrcdt import MaxNRCDT
from sklearn_nrcdt.datasets import (
    _linmnist,
    load_image_folder,
    make_glyphs,
    make_linmnist,
    make_symbols,
    stack_images,
)

# --- stack_images -----------------------------------------------------------------


def test_stack_centres_without_scaling():
    images = [np.arange(1.0, 7).reshape(2, 3), np.ones((4, 1)), np.ones((5, 6))]
    stack = stack_images(images)
    assert stack.shape == (3, 5, 6)
    np.testing.assert_array_equal(stack[0, 1:3, 1:4], images[0])
    np.testing.assert_array_equal(stack.sum(axis=(1, 2)), [21, 4, 30])


def test_stack_keeps_what_it_can():
    assert stack_images([np.ones((2, 2), np.uint8)]).dtype == np.uint8
    assert stack_images([np.ones((2, 2), np.uint8), np.ones((1, 1), np.float32)]).dtype == "f4"
    assert stack_images(np.ones((3, 2, 2)), shape=(4, 5)).shape == (3, 4, 5)
    assert stack_images([np.ones((2, 2), np.float32)] * 500).dtype == np.float32


def test_stack_changes_no_normalized_feature():
    image = np.random.RandomState(0).uniform(size=(9, 12))
    wide = stack_images([image], shape=(30, 31))
    np.testing.assert_allclose(
        MaxNRCDT(n_angles=8).fit_transform(wide),
        MaxNRCDT(n_angles=8).fit_transform(image[None]),
        atol=0.1,
    )


@pytest.mark.parametrize(
    ("images", "shape", "message"),
    [
        ([], None, "images is empty"),
        ([np.ones((2, 2, 3))], None, r"images\[0\] .*rgb2gray"),
        ([np.ones((9, 9, 1))], None, r"images\[0\] .*X\[\.\.\., 0\]"),
        ([np.ones((2, 2)), np.ones(3)], None, r"images\[1\] must be a non-empty 2-D"),
        ([np.ones((0, 2))], None, "non-empty"),
        ([np.array([["a"]])], None, "real numbers"),
        ([np.ones((2, 2)), np.ones((5, 3))], (4, 4), r"images\[1\] of shape \(5, 3\) does not fit"),
        ([np.ones((2, 2)), np.ones((3, 5))], (4, 4), r"images\[1\] of shape \(3, 5\) does not fit"),
        ([np.ones((2, 2))], 4, "shape must be a pair"),
        ([np.ones((2, 2))], (4, 4.5), "shape must be a pair of whole numbers"),
    ],
)
def test_bad_stacks(images, shape, message):
    with pytest.raises(ValueError, match=message):
        stack_images(images, shape=shape)


# --- make_linmnist ----------------------------------------------------------------

STILL = {"scale": 1, "rotation": 0, "shift": 0}


@pytest.fixture
def digits():
    rng = np.random.RandomState(0)
    images = np.zeros((60, 28, 28), dtype=np.uint8)
    images[:, 6:22, 8:20] = rng.randint(1, 256, size=(60, 16, 12))
    labels = np.concatenate([np.arange(10), rng.permutation(np.repeat(np.arange(10), 5))])
    return images, labels.astype(np.uint8)


def test_linmnist_takes_the_first_of_each_class(digits):
    images, labels = digits
    made = make_linmnist(images, labels, n_samples_per_class=3, random_state=0)
    assert made.images.shape == (30, 128, 128)
    assert made.images.dtype == np.float32
    assert (np.diff(made.indices) > 0).all()
    np.testing.assert_array_equal(made.target, labels[made.indices])
    for digit in range(10):
        np.testing.assert_array_equal(
            made.indices[made.target == digit], np.flatnonzero(labels == digit)[:3]
        )
    np.testing.assert_array_equal(made.target_names, np.arange(10))
    everything = make_linmnist(images, labels, n_samples_per_class=None, random_state=0)
    assert len(everything.images) == 60


def test_linmnist_is_enlarged_and_centred(digits):
    images, labels = digits
    made = make_linmnist(images, labels, n_samples_per_class=1, **STILL)
    rows = np.flatnonzero(made.images.any(axis=(0, 2)))
    columns = np.flatnonzero(made.images.any(axis=(0, 1)))
    # Rows 6 to 21 of 28, doubled and centred, and up to 1.5 * 2 pixels of interpolation.
    assert 64 - 2 * 8 - 3 <= rows[0] <= 64 - 2 * 8 + 1
    assert 64 + 2 * 8 - 2 <= rows[-1] <= 64 + 2 * 8 + 2
    assert 64 - 2 * 6 - 3 <= columns[0] <= 64 - 2 * 6 + 1
    assert 64 + 2 * 6 - 2 <= columns[-1] <= 64 + 2 * 6 + 2
    ratio = made.images.sum(axis=(1, 2)) / (4 * images[made.indices].sum(axis=(1, 2)))
    np.testing.assert_allclose(ratio, 1, atol=0.05)
    plain = make_linmnist(images, labels, n_samples_per_class=1, zoom=1, size=28, **STILL)
    np.testing.assert_allclose(plain.images, images[plain.indices], atol=1e-4)


def test_linmnist_ranges_and_bits(digits):
    made = make_linmnist(*digits, n_samples_per_class=5, random_state=0)
    drawn = made.params
    assert drawn.scale.min() >= 0.75
    assert drawn.scale.max() <= 1
    assert drawn.rotation.max() > 300
    assert (drawn.shear == 0).all()
    assert np.abs(drawn.shift).max() == 20
    again = make_linmnist(*digits, n_samples_per_class=5, random_state=0)
    np.testing.assert_array_equal(again.images, made.images)


def test_linmnist_from_rows(digits):
    images, labels = digits
    made = make_linmnist(images.reshape(60, 784), labels, n_samples_per_class=1, random_state=0)
    expected = make_linmnist(images, labels, n_samples_per_class=1, random_state=0)
    np.testing.assert_array_equal(made.images, expected.images)


def test_linmnist_from_openml(digits, monkeypatch):
    images, labels = digits

    def fetch(name, *, as_frame, return_X_y, **_):
        assert (name, as_frame, return_X_y) == ("mnist_784", False, True)
        return images.reshape(60, 784).astype(float), labels.astype(str).astype(object)

    monkeypatch.setattr(_linmnist, "fetch_openml", fetch)
    made = make_linmnist(n_samples_per_class=2, random_state=0)
    expected = make_linmnist(images, labels, n_samples_per_class=2, random_state=0)
    np.testing.assert_array_equal(made.images, expected.images)
    np.testing.assert_array_equal(made.target, expected.target)
    assert made.target.dtype.kind == "i"


def test_linmnist_without_network_and_cache(monkeypatch):
    def fetch(*_, **__):
        raise URLError("no route")

    monkeypatch.setattr(_linmnist, "fetch_openml", fetch)
    with pytest.raises(OSError, match=r"not in scikit-learn's cache .*no route.* Pass the digits"):
        make_linmnist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": None}, "one of them is missing"),
        ({"images": None}, "one of them is missing"),
        ({"labels": [1, 2, 3]}, "one label for each of the 60 images"),
        ({"images": np.ones((60, 5))}, "rows of square images"),
        ({"n_samples_per_class": 7}, "only 6 images of class 0"),
        ({"n_samples_per_class": 0}, "'n_samples_per_class' parameter"),
        ({"zoom": 0}, "'zoom' parameter"),
        ({"size": 20, "n_samples_per_class": 1}, "size=20 is smaller than the images"),
        ({"scale": (1, 0.5)}, "scale .* first exceeds"),
        ({"cut": "off"}, "'cut' parameter"),
    ],
)
def test_bad_linmnist_arguments(digits, change, message):
    images, labels = digits
    with pytest.raises(ValueError, match=message):
        make_linmnist(**{"images": images, "labels": labels, **change})


# --- make_glyphs ------------------------------------------------------------------


@pytest.fixture(scope="module")
def font():
    matplotlib = pytest.importorskip("matplotlib")
    return Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")


def test_glyphs_are_centred_white_on_black(font):
    glyphs = make_glyphs("Ag.█", font, canvas=101, size=40)
    assert glyphs.images.shape == (4, 101, 101)
    np.testing.assert_array_equal(glyphs.target, np.arange(4))
    np.testing.assert_array_equal(glyphs.target_names, ["A", "g", ".", "█"])
    assert (glyphs.images.max(axis=(1, 2)) > 0.9).all()
    assert glyphs.images.max() <= 1
    for image in glyphs.images:
        for axis in (0, 1):
            inked = np.flatnonzero(image.any(axis=axis))
            assert abs(inked[0] - (100 - inked[-1])) <= 1


def test_glyphs_grow_with_the_size_of_the_font(font):
    small, large = (make_glyphs("B", font, size=size).images for size in (40, 80))
    assert large.sum() / small.sum() == pytest.approx(4, rel=0.1)


def test_glyphs_serve_as_templates(font):
    glyphs = make_glyphs(["A", "B", "e\u0301"], font)
    made = make_symbols(2, templates=glyphs, shear=(-25, 25), random_state=0)
    np.testing.assert_array_equal(made.target, [0, 0, 1, 1, 2, 2])
    assert list(made.target_names) == ["A", "B", "e\u0301"]


def test_glyphs_that_the_font_lacks(font):
    with pytest.raises(ValueError, match=r"2 of 3 characters: '丁', ' '"):
        make_glyphs("A丁 ", font)
    glyphs = make_glyphs("A丁 ", font, errors="skip")
    assert glyphs.target_names.tolist() == ["A"]
    assert glyphs.skipped == ["丁", " "]
    with pytest.raises(ValueError, match="2 of 2 characters"):
        make_glyphs("丁 ", font, errors="skip")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"characters": ""}, "non-empty string or sequence"),
        ({"characters": 5}, "non-empty string or sequence"),
        ({"characters": ["a", 1]}, "non-empty string or sequence"),
        ({"characters": "aba"}, r"these occur twice: 'a'"),
        ({"canvas": 0}, "'canvas' parameter"),
        ({"size": 500}, "more than canvas=128"),
        ({"size": -1}, "'size' parameter"),
        ({"errors": "ignore"}, "'errors' parameter"),
        ({"font": 3}, "font=3 could not be read"),
    ],
)
def test_bad_glyph_arguments(font, arguments, message):
    with pytest.raises(ValueError, match=message):
        make_glyphs(**{"characters": "ab", "font": font, **arguments})


def test_font_not_found_or_no_font(tmp_path):
    with pytest.raises(ValueError, match=r"no_such_font\.ttf' could not be read"):
        make_glyphs("a", "no_such_font.ttf")
    (tmp_path / "text.ttf").write_text("no font")
    with pytest.raises(ValueError, match=r"text\.ttf.* could not be read"):
        make_glyphs("a", tmp_path / "text.ttf")


# --- load_image_folder ------------------------------------------------------------


def write(file, array):
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(array).save(file)


def spot(height, width, grey=255):
    image = np.zeros((height, width), dtype=np.uint8)
    image[height // 2, width // 2] = grey
    return image


def test_folder_of_classes(tmp_path):
    write(tmp_path / "b" / "2.png", spot(10, 12))
    write(tmp_path / "b" / "deep" / "1.png", spot(8, 20))
    write(tmp_path / "a" / "x.PNG", spot(6, 6))
    (tmp_path / "a" / "notes.txt").write_text("no image")
    (tmp_path / "a" / ".hidden.png").write_text("no image")
    (tmp_path / "empty").mkdir()
    folder = load_image_folder(tmp_path)
    assert folder.images.shape == (3, 10, 20)
    assert folder.images.dtype == np.float32
    assert folder.filenames.tolist() == ["a/x.PNG", "b/2.png", "b/deep/1.png"]
    assert folder.target.tolist() == [0, 1, 1]
    assert folder.target_names.tolist() == ["a", "b"]
    assert folder.ignored == ["a/notes.txt"]
    np.testing.assert_array_equal(folder.images.sum(axis=(1, 2)), 1)
    assert folder.data.shape == (3, 200)


def test_flat_folder(tmp_path):
    for name in ("10.png", "2.png", "1.png"):
        write(tmp_path / name, spot(5, 5, grey=int(name.split(".")[0])))
    folder = load_image_folder(tmp_path)
    assert folder.images.shape == (3, 5, 5)
    assert folder.target is None
    assert folder.target_names is None
    np.testing.assert_allclose(folder.images.max(axis=(1, 2)) * 255, [1, 10, 2])


def test_mixed_folder_needs_a_layout(tmp_path):
    write(tmp_path / "a" / "1.png", spot(5, 5))
    write(tmp_path / "2.png", spot(5, 5))
    with pytest.raises(ValueError, match="Pass layout='classes'"):
        load_image_folder(tmp_path)
    assert load_image_folder(tmp_path, layout="flat").filenames.tolist() == ["2.png"]
    assert load_image_folder(tmp_path, layout="classes").filenames.tolist() == ["a/1.png"]


def test_grey_values_of_all_kinds(tmp_path):
    grey = spot(9, 11, 200)
    rgb = np.stack([grey] * 3, axis=-1)
    opaque = np.full_like(grey, 255)
    write(tmp_path / "grey.png", grey)
    write(tmp_path / "rgb.png", rgb)
    write(tmp_path / "rgba.png", np.dstack([rgb, opaque]))
    write(tmp_path / "grey.tif", grey)
    write(tmp_path / "sixteen.png", grey.astype(np.uint16) * 257)
    write(tmp_path / "float.tif", (grey / 255).astype(np.float32))
    write(tmp_path / "grey.pgm", grey)
    (tmp_path / "sixteen.pgm").write_bytes(
        b"P5 11 9 65535\n" + (grey.astype(">u2") * 257).tobytes()
    )
    Image.fromarray(grey).convert("P").save(tmp_path / "palette.png")
    Image.fromarray(grey).save(tmp_path / "transparent.png", transparency=0)
    write(tmp_path / "grey.gif", grey)
    Image.fromarray(rgb).convert("CMYK").save(tmp_path / "cmyk.tif")
    folder = load_image_folder(tmp_path)
    assert len(folder.images) == 12
    for image in folder.images:
        np.testing.assert_allclose(image, grey / 255, atol=1e-6)


def test_colour_becomes_luminance(tmp_path):
    colours = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255]]], dtype=np.uint8)
    write(tmp_path / "rgb.png", colours)
    np.testing.assert_allclose(
        load_image_folder(tmp_path).images[0, 0], [0.2125, 0.7154, 0.0721], atol=1e-4
    )


def test_transparent_pixels_are_background(tmp_path):
    image = np.full((4, 4, 4), 255, dtype=np.uint8)
    image[..., 3] = 0
    image[1, 1] = 51, 51, 51, 255
    write(tmp_path / "rgba.png", image)
    bright = load_image_folder(tmp_path).images[0]
    assert bright.sum() == pytest.approx(0.2)
    dark = load_image_folder(tmp_path, invert=True).images[0]
    assert dark.sum() == pytest.approx(0.8)


@pytest.mark.parametrize("mode", ["L", "RGB", "P"])
def test_a_transparent_colour_is_background(tmp_path, mode):
    image = np.full((4, 4), 255, dtype=np.uint8)
    image[1, 1] = 51
    key = (255, 255, 255) if mode == "RGB" else 255
    image = Image.fromarray(image)
    if mode == "P":
        image.putpalette([grey for grey in range(256) for _ in range(3)])
    image.convert(mode).save(tmp_path / "keyed.png", transparency=key)
    assert load_image_folder(tmp_path).images.sum() == pytest.approx(0.2)
    assert load_image_folder(tmp_path, invert=True).images.sum() == pytest.approx(0.8)


def test_invert_and_background(tmp_path):
    # A dark line on grey, shimmering paper; a smaller image is padded with black, not paper.
    rng = np.random.RandomState(0)
    for name, size in [("a.png", 20), ("b.png", 10)]:
        scan = rng.randint(200, 256, size=(size, size)).astype(np.uint8)
        scan[5, 2:8] = 10
        write(tmp_path / name, scan)
    plain = load_image_folder(tmp_path, invert=True).images
    assert plain[1].sum() == pytest.approx(6 * 245 / 255 + 94 * 27.5 / 255, rel=0.1)
    assert plain[1, :5].max() == 0
    for background in (0.3, "otsu"):
        clean = load_image_folder(tmp_path, invert=True, background=background).images
        np.testing.assert_allclose(clean.sum(axis=(1, 2)), 6 * 245 / 255, rtol=1e-5)


def test_broken_files_are_named_in_one_error(tmp_path):
    write(tmp_path / "good.png", spot(5, 5))
    (tmp_path / "text.png").write_text("no image")
    write(tmp_path / "cut.png", np.random.RandomState(0).randint(0, 255, (64, 64), np.uint8))
    whole = (tmp_path / "cut.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    frames = [Image.fromarray(spot(5, 5, grey)) for grey in (100, 200)]
    frames[0].save(tmp_path / "film.gif", save_all=True, append_images=frames[1:])
    with pytest.raises(ValueError, match=r"3 of 4 files") as caught:
        load_image_folder(tmp_path)
    for name in ("cut.png", "film.gif", "text.png", "errors='skip'"):
        assert name in str(caught.value)
    folder = load_image_folder(tmp_path, errors="skip")
    assert folder.filenames.tolist() == ["good.png"]
    assert sorted(folder.skipped) == ["cut.png", "film.gif", "text.png"]


def test_nothing_but_broken_files(tmp_path):
    for i in range(12):
        (tmp_path / f"{i:02}.png").write_text("no image")
    with pytest.raises(ValueError, match=r"12 of 12 files[\s\S]* and 2 more"):
        load_image_folder(tmp_path, errors="skip")


def test_decompression_bomb_is_refused(tmp_path, monkeypatch):
    write(tmp_path / "a.png", spot(40, 40))
    write(tmp_path / "b.png", spot(50, 50))
    write(tmp_path / "c.png", spot(90, 90))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1700)
    with pytest.raises(ValueError, match=r"2 of 3 files[\s\S]*b.png: more than 1700 pixels"):
        load_image_folder(tmp_path)


def test_empty_and_missing_folders(tmp_path):
    with pytest.raises(ValueError, match="has no image files"):
        load_image_folder(tmp_path)
    (tmp_path / "page.pdf").write_text("no image")
    with pytest.raises(ValueError, match=r"other files, such as 'page\.pdf'"):
        load_image_folder(tmp_path)
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        load_image_folder(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        load_image_folder(tmp_path / "page.pdf")
    (tmp_path / "0.png").write_text("no image")
    with pytest.raises(ValueError, match=r"1 of 1[\s\S]*0.png: not an image, or of an unk.*$"):
        load_image_folder(tmp_path, errors="skip")  # and no advice to skip what is all there is
    write(tmp_path / "1.png", spot(5, 5))
    with pytest.raises(ValueError, match="no image files in subfolders"):
        load_image_folder(tmp_path, layout="classes")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no symbolic links")
def test_links_out_of_the_folder(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    write(inside / "a" / "1.png", spot(5, 5))
    write(outside / "2.png", spot(5, 5))
    try:
        (inside / "a" / "link.png").symlink_to(outside / "2.png")
        (inside / "a" / "alias.png").symlink_to(inside / "a" / "1.png")
        (inside / "b").symlink_to(outside, target_is_directory=True)
        (inside / "a" / "loop").symlink_to(inside, target_is_directory=True)
    except OSError:
        pytest.skip("symbolic links are not allowed here")
    folder = load_image_folder(inside)
    assert folder.filenames.tolist() == ["a/1.png", "a/alias.png"]
    assert folder.ignored == ["a/link.png", "a/loop", "b"]


def test_progress(tmp_path, capsys):
    for i in range(25):
        write(tmp_path / f"{i}.png", spot(5, 5))
    load_image_folder(tmp_path)
    assert capsys.readouterr().out == ""
    load_image_folder(tmp_path, verbose=1)
    assert "100 % 25 of 25 files" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"layout": "tree"}, "'layout' parameter of load_image_folder"),
        ({"errors": "ignore"}, "'errors' parameter"),
        ({"background": "paper"}, "'background' parameter"),
        ({"background": -1}, "'background' parameter"),
        ({"shape": (2, 2)}, "'shape' parameter"),
        ({"invert": "yes"}, "'invert' parameter"),
        ({"max_bytes": 0}, "'max_bytes' parameter"),
        ({"verbose": -1}, "'verbose' parameter"),
    ],
)
def test_bad_folder_arguments(tmp_path, arguments, message):
    write(tmp_path / "a.png", spot(5, 5))
    with pytest.raises(ValueError, match=message):
        load_image_folder(tmp_path, **arguments)
