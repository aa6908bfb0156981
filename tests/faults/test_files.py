"""Image files that are broken, lie, or lead elsewhere: named in an error, or not touched."""

import gzip
import io
import lzma
import os
import re
import struct
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, features
from skimage.io import imsave

from sklearn_nrcdt.datasets import iter_image_folder, load_image_folder, make_linmnist

links = pytest.mark.skipif(os.name != "posix", reason="symbolic links, pipes and modes of POSIX")


@pytest.fixture
def folder(tmp_path):
    """A folder with one good image."""
    folder = tmp_path / "folder"
    folder.mkdir()
    figure = np.zeros((6, 8), np.uint8)
    figure[2:4, 3:6] = 255
    imsave(folder / "good.png", figure, check_contrast=False)
    return folder


def encoded(image, end, **options):
    buffer = io.BytesIO()
    image.save(buffer, end, **options)
    return buffer.getvalue()


def noise(size=40):
    return Image.fromarray(np.random.RandomState(0).randint(0, 255, (size, size), np.uint8))


def refused(folder, name):
    """The reason why a file of the folder is not read; without it, the good one is."""
    with pytest.raises(ValueError, match=name) as caught:
        load_image_folder(folder)
    skipping = load_image_folder(folder, errors="skip")
    assert skipping.filenames.tolist() == ["good.png"]
    assert list(skipping.skipped) == [name]
    assert "errors='skip'" in str(caught.value)
    return skipping.skipped[name]


ENDS = {"png": "PNG", "jpg": "JPEG", "tif": "TIFF", "bmp": "BMP", "gif": "GIF", "pgm": "PPM"}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("share", [0.0, 0.05, 0.5])
def test_truncated_files_are_named(folder, end, share):
    content = encoded(noise(), ENDS[end])
    (folder / f"cut.{end}").write_bytes(content[: int(share * len(content))])
    refused(folder, f"cut.{end}")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.png", b"<html></html>"),
        ("program.jpg", b"\x7fELF" + bytes(100)),
        ("zeros.tif", bytes(1000)),
        ("archive.webp", b"PK\x03\x04" + bytes(50)),
        ("pickle.gif", b"\x80\x04\x95" + bytes(30)),
    ],
)
def test_files_that_are_no_images_are_named(folder, name, content):
    (folder / name).write_bytes(content)
    refused(folder, name)


@links
def test_a_postscript_file_by_another_name_runs_no_ghostscript(folder, tmp_path, monkeypatch):
    (folder / "drawing.png").write_bytes(encoded(noise().convert("RGB"), "EPS"))
    program = tmp_path / "gs"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/it-ran'\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    refused(folder, "drawing.png")
    assert not (tmp_path / "it-ran").exists()


# --- files that lie about their size ------------------------------------------------------


def chunk(kind, data):
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check


def png_of(width, height):
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    data = chunk(b"IDAT", zlib.compress(bytes(1000)))
    return b"\x89PNG\r\n\x1a\n" + header + data + chunk(b"IEND", b"")


def tiff_of(width, height, bits, kind=3, compression=1, strips=(bytes(100),), **more):
    """A TIFF of floats (kind 3) or integers (1); Pillow does not know floats of 64 bits."""
    tags = {
        256: [width], 257: [height], 258: [bits], 259: [compression], 262: [1],
        273: [0] * len(strips), 277: [1], 278: [-(-height // len(strips))],
        279: [len(strip) for strip in strips], 339: [kind],
    }  # fmt: skip
    tags |= {int(tag.removeprefix("tag")): value for tag, value in more.items()}
    # Strips first, then the lists of their positions and lengths, then the tags.
    body, positions = bytearray(8), []
    for strip in strips:
        positions.append(len(body))
        body += strip
    tags[273] = positions
    entries = b""
    for tag, values in sorted(tags.items()):
        where = values[0]
        if len(values) > 1:
            where = len(body)
            body += struct.pack(f"<{len(values)}I", *values)
        entries += struct.pack("<HHII", tag, 4, len(values), where)
    body[:8] = b"II*\0" + struct.pack("<I", len(body))
    return bytes(body + struct.pack("<H", len(tags)) + entries + bytes(4))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bomb.png", png_of(100_000, 100_000)),
        ("bomb.tif", tiff_of(100_000, 100_000, 32)),
        ("bomb64.tif", tiff_of(100_000, 100_000, 64)),
    ],
)
def test_decompression_bombs_are_refused_before_they_take_memory(folder, name, content):
    (folder / name).write_bytes(content)
    tracemalloc.start()
    try:
        why = refused(folder, name)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "raise the limit PIL.Image.MAX_IMAGE_PIXELS" in why
    assert peak < 10e6


BOMB = 2**27  # bytes


def lzw_of_zeros():
    tifffile = pytest.importorskip("tifffile")
    side = 2 * int((BOMB / 4) ** 0.5)
    file = encoded(Image.new("L", (side, side)), "TIFF", compression="tiff_lzw", strip_size=BOMB)
    with tifffile.TiffFile(io.BytesIO(file)) as tiff:
        [start], [length] = tiff.pages[0].dataoffsets, tiff.pages[0].databytecounts
    return file[start : start + length]


@pytest.fixture(scope="module")
def inflating_files():
    """Files of 16 x 16 pixels whose parts inflate to 128 MB."""
    deflated, packed = zlib.compress(bytes(BOMB), 9), lzma.compress(bytes(BOMB))
    runs = b"\x81\0" * 2**19  # 128 bytes each, which a list of Python holds as 8 times as many
    small = zlib.compress(bytes(17 * 16))
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 0, 0, 0, 0))

    def png(*chunks):
        return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + chunk(b"IEND", b"")

    return {
        "deflate.tif": tiff_of(16, 16, 8, 1, 8, [deflated]),
        "adobe.tif": tiff_of(16, 16, 8, 1, 32946, [deflated]),
        "double.tif": tiff_of(16, 16, 64, 3, 8, [deflated]),
        "strips.tif": tiff_of(16, 16, 8, 1, 8, [deflated] * 4),
        "double_strips.tif": tiff_of(16, 16, 64, 3, 8, [deflated] * 4),
        "one_strip.tif": tiff_of(16, 16, 8, 1, 8, [deflated], tag278=[2**31]),
        "channels.tif": tiff_of(16, 16, 8, 1, 8, [deflated], tag277=[1000]),
        "tile.tif": tiff_of(
            16, 16, 64, 3, 8, [deflated],
            tag322=[2**14], tag323=[2**14], tag324=[8], tag325=[len(deflated)],
        ),
        "lzma.tif": tiff_of(16, 16, 8, 1, 34925, [packed]),
        "double_lzma.tif": tiff_of(16, 16, 64, 3, 34925, [packed]),
        "lzw.tif": tiff_of(16, 16, 8, 1, 5, [lzw_of_zeros()]),
        "runs.tif": tiff_of(16, 16, 8, 1, 32773, [runs]),
        "double_runs.tif": tiff_of(16, 16, 64, 3, 32773, [runs]),
        "jpeg.tif": tiff_of(16, 16, 64, 3, 7, [deflated]),
        "data.png": png(chunk(b"IDAT", deflated)),
        "text.png": png(chunk(b"zTXt", b"a\0\0" + deflated), chunk(b"IDAT", small)),
        "utf8.png": png(chunk(b"iTXt", b"a\0\1\0\0\0" + deflated), chunk(b"IDAT", small)),
        "colours.png": png(chunk(b"iCCP", b"a\0\0" + deflated), chunk(b"IDAT", small)),
    }  # fmt: skip


PEAK = """
import sys
from pathlib import Path
from sklearn_nrcdt.datasets import load_image_folder

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

load_image_folder(sys.argv[1], extensions=["bmp"])
before = peak()
folder = load_image_folder(sys.argv[1], errors="skip")
print(len(folder.images), len(folder.skipped), peak() - before)
"""


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow's, about what it leaves out
def test_small_files_that_inflate_cost_no_memory(folder, inflating_files):
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not tell how much memory a process took")
    for name, content in inflating_files.items():
        assert len(content) < 4e6
        (folder / name).write_bytes(content)
    noise(16).save(folder / "first.bmp")
    run = [sys.executable, "-c", PEAK, str(folder)]
    out = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    n_images, n_skipped, kilobytes = map(int, out.split())
    assert n_images + n_skipped == len(inflating_files) + 2
    assert kilobytes < 60e3


def test_files_that_inflate_are_read_as_far_as_their_pixels_go_or_named(folder, inflating_files):
    for name in ("double.tif", "double_runs.tif", "double_lzma.tif", "double_strips.tif"):
        (folder / name).write_bytes(inflating_files[name])
        assert "more than the" in refused(folder, name)
        (folder / name).unlink()
    (folder / "tile.tif").write_bytes(inflating_files["tile.tif"])
    assert refused(folder, "tile.tif") == "tiles of 16384 x 16384 pixels"
    (folder / "tile.tif").unlink()
    (folder / "deflate.tif").write_bytes(inflating_files["deflate.tif"])
    assert load_image_folder(folder).filenames.tolist() == ["deflate.tif", "good.png"]


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg"])
def test_compressed_tiff_files_are_read(tmp_path, compression):
    pixels = np.asarray(noise())
    options = {"quality": 95} if compression == "jpeg" else {}
    Image.fromarray(pixels).save(tmp_path / "a.tif", compression=compression, **options)
    image = load_image_folder(tmp_path).images[0]
    atol = 0.1 if compression == "jpeg" else 1e-6
    np.testing.assert_allclose(image, pixels / 255, atol=atol)


@pytest.mark.parametrize("compression", ["zlib", "lzma", "packbits", None])
@pytest.mark.parametrize("dtype", ["float64", "uint32", "uint16"])
def test_compressed_tiff_files_that_pillow_does_not_know_are_read(tmp_path, compression, dtype):
    tifffile = pytest.importorskip("tifffile")
    largest = 1 if dtype == "float64" else np.iinfo(dtype).max
    pixels = np.random.default_rng(0).random((40, 30, 3))
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.tif").touch()
    if compression == "packbits":  # no encoder: runs of one
        raw = np.array(pixels[..., 0] * largest, dtype=dtype)
        runs = b"".join(b"\0" + bytes([byte]) for byte in raw.tobytes())
        bits, kind = 8 * raw.itemsize, 3 if dtype == "float64" else 1
        (tmp_path / "plain" / "a.tif").write_bytes(tiff_of(30, 40, bits, kind, 32773, [runs]))
        expected = pixels[..., 0]
    else:
        planes = "separate" if dtype == "uint32" else "contig"
        stored = np.array(pixels * largest, dtype=dtype)
        stored = np.moveaxis(stored, 2, 0) if planes == "separate" else stored
        tifffile.imwrite(
            tmp_path / "plain" / "a.tif", stored, compression=compression, rowsperstrip=7,
            photometric="rgb", planarconfig=planes,
        )  # fmt: skip
        expected = pixels @ [0.2125, 0.7154, 0.0721]
    image = load_image_folder(tmp_path / "plain").images[0]
    np.testing.assert_allclose(image, expected, atol=1e-4)


def test_palettes_and_white_zeros_of_tiff_are_grey_values(tmp_path):
    palette = Image.fromarray(np.array([[0, 1]], np.uint8), "P")
    palette.putpalette([255, 255, 255, 0, 0, 0])
    palette.save(tmp_path / "palette.tif")
    (tmp_path / "white_is_zero.tif").write_bytes(
        tiff_of(2, 1, 8, 1, 1, [bytes([0, 255])], tag262=[0])
    )
    np.testing.assert_array_equal(load_image_folder(tmp_path).images, [[[1, 0]]] * 2)


def test_a_tiff_with_a_preview_is_no_film(folder):
    tifffile = pytest.importorskip("tifffile")
    with tifffile.TiffWriter(folder / "page.tif") as tiff:
        tiff.write(np.asarray(noise(30)), compression="zlib")
        tiff.write(np.asarray(noise(10)), compression="zlib")
    assert load_image_folder(folder).images.shape == (2, 30, 30)


# --- images that would not fit into memory -------------------------------------------------


@pytest.fixture
def absurd(folder):
    """The folder with many good images, and one of 89,000,000 x 1 pixels."""
    for i in range(20):
        (folder / f"good{i}.png").write_bytes((folder / "good.png").read_bytes())
    Image.new("L", (89_000_000, 1)).save(folder / "absurd.png")
    return folder


def test_one_absurd_canvas_is_no_memory_error_but_the_name_of_its_file(absurd):
    with pytest.raises(ValueError, match=r"1 of 22 files[\s\S]*absurd.png: 1 x 89000000 pixels"):
        load_image_folder(absurd)
    loaded = load_image_folder(absurd, errors="skip")
    assert loaded.images.shape == (21, 6, 8)
    assert "22 images on a canvas of 6 x 89000000 pixels take 47 GB" in loaded.skipped["absurd.png"]
    assert "shape='own'" in loaded.skipped["absurd.png"]


def test_an_absurd_image_is_not_decoded(absurd):
    tracemalloc.start()
    try:
        load_image_folder(absurd, errors="skip")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 10e6


def test_of_high_and_wide_images_those_go_that_make_the_canvas_large(folder):
    for i in range(40):
        (folder / f"good{i}.png").write_bytes((folder / "good.png").read_bytes())
    Image.new("L", (10_000, 2)).save(folder / "wide.png")
    Image.new("L", (2, 10_000)).save(folder / "high.png")
    loaded = load_image_folder(folder, errors="skip", max_bytes=2 * 4 * 43 * 10_000)
    assert sorted(loaded.skipped) == ["high.png", "wide.png"]
    assert loaded.images.shape == (41, 6, 8)
    # One of the two may stay if memory suffices: the higher canvas is the narrower one.
    loaded = load_image_folder(folder, errors="skip", max_bytes=8 * 4 * 42 * 10_000)
    assert len(loaded.skipped) == 1
    with pytest.raises(ValueError, match=r"take 17.2 GB, more than max_bytes=4294967296"):
        load_image_folder(folder, shape=(10_000, 10_000))


def test_a_folder_larger_than_memory_is_refused_before_it_is_read(folder):
    for i in range(30):
        (folder / f"good{i}.png").write_bytes((folder / "good.png").read_bytes())
    for errors in ("raise", "skip"):
        with pytest.raises(
            ValueError, match="31 images on a canvas of 6 x 8 pixels take"
        ) as caught:
            load_image_folder(folder, errors=errors, max_bytes=31 * 6 * 8 * 4 - 1)
        assert "iter_image_folder" in str(caught.value)
    with pytest.raises(ValueError, match="31 images take"):
        load_image_folder(folder, shape="own", max_bytes=31 * 6 * 8 * 4 - 1)
    assert len(load_image_folder(folder, max_bytes=31 * 6 * 8 * 4).images) == 31


def test_an_image_turned_at_the_end_of_its_file_is_counted_as_it_is(folder):
    exif = Image.Exif()
    exif[274] = 6
    for i in range(30):
        (folder / f"good{i}.png").write_bytes((folder / "good.png").read_bytes())
    for name in ("a.png", "b.png"):
        Image.new("L", (1000, 1)).save(folder / name)
    plain = (folder / "b.png").read_bytes()
    late = plain[:-12] + chunk(b"eXIf", exif.tobytes().removeprefix(b"Exif\0\0")) + plain[-12:]
    (folder / "b.png").write_bytes(late)
    whole = load_image_folder(folder)
    assert whole.images.shape == (33, 1000, 1000)
    bound = load_image_folder(folder, max_bytes=33 * 8 * 1000 * 4, errors="skip")
    assert len(bound.skipped) == 1


def test_a_file_that_does_not_fit_into_a_batch_is_named(folder):
    Image.new("L", (100, 1)).save(folder / "wide.png")
    with pytest.raises(ValueError, match=r"wide.png: 1 x 100 pixels, which does not fit into"):
        list(iter_image_folder(folder, shape=(10, 10)))
    [batch] = iter_image_folder(folder, shape=(10, 10), errors="skip")
    assert batch.images.shape == (1, 10, 10)
    assert list(batch.skipped) == ["wide.png"]


# --- films --------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["GIF", "PNG", "WEBP", "TIFF"])
def test_films_are_refused_before_their_frames_are_decoded(folder, end):
    if end == "WEBP" and not features.check("webp"):
        pytest.skip("this Pillow knows no WebP")
    frames = [Image.fromarray(np.full((400, 400), i, np.uint8)) for i in range(80)]
    film = encoded(frames[0], end, save_all=True, append_images=frames[1:])
    name = f"film.{end.lower().replace('tiff', 'tif')}"
    (folder / name).write_bytes(film)
    why = "of shape" if end == "TIFF" else "frames"
    assert re.match(f"not a single .* but .*{why}", refused(folder, name))


def test_photos_with_a_preview_are_no_films(folder):
    photo, preview = noise(30).convert("RGB"), noise(10).convert("RGB")
    (folder / "photo.jpg").write_bytes(
        encoded(photo, "MPO", save_all=True, append_images=[preview])
    )
    assert load_image_folder(folder).images.shape == (2, 30, 30)


# --- files of digits ----------------------------------------------------------------------


def idx(array):
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.tobytes()


def test_broken_archives_of_digits_are_named_and_closed(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", x_train=np.eye(28)[None], y_train=[0])
    whole = (tmp_path / "a.npz").read_bytes()
    (tmp_path / "a.npz").write_bytes(whole[:-30])  # BadZipFile, of no other kind
    packed = gzip.compress(idx(np.random.RandomState(0).randint(0, 255, (9, 28, 28), np.uint8)))
    broken = packed[:500] + bytes(50) + packed[550:]  # a wrong checksum
    (tmp_path / "images.idx.gz").write_bytes(broken)
    (tmp_path / "cut.idx.gz").write_bytes(packed[:500])  # EOFError
    (tmp_path / "train-images.idx").write_bytes(idx(np.ones((2, 28, 28), np.uint8)))
    (tmp_path / "train-labels.idx").write_bytes(idx(np.arange(2, dtype=np.uint8))[:-1])
    for name, named in [
        ("a.npz", "a.npz"),
        ("images.idx.gz", "images.idx.gz"),
        ("cut.idx.gz", "cut.idx.gz"),
        ("train-images.idx", "train-labels.idx"),
    ]:
        with pytest.raises(ValueError, match=f"{named}.* could not be read as MNIST"):
            make_linmnist(path=tmp_path / name)


def test_an_array_that_announces_more_than_its_file_holds_takes_no_memory(tmp_path):
    file = tmp_path / "digits.npy"
    np.save(file, np.zeros((2, 28, 28), np.uint8))
    content = file.read_bytes()
    file.write_bytes(content.replace(b"(2, 28, 28), }        ", b"(9999999, 28, 28), }  "))
    assert file.read_bytes() != content
    with pytest.raises(ValueError, match=r"digits\.npy.* could not be read as MNIST"):
        make_linmnist(path=file, labels=[0, 1])


# --- paths --------------------------------------------------------------------------------


@links
def test_no_chain_of_links_leads_out_of_the_folder(folder, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.png").write_bytes((folder / "good.png").read_bytes())
    (folder / "a.png").symlink_to("b.png")
    (folder / "b.png").symlink_to("../outside/secret.png")
    (folder / "c.png").symlink_to(outside / "secret.png")
    (folder / "deep").mkdir()
    (folder / "deep" / "up").symlink_to("../..", target_is_directory=True)
    (folder / "through.png").symlink_to("deep/up/outside/secret.png")
    (folder / "within.png").symlink_to("good.png")
    # A neighbour whose path begins with that of the folder is outside, too.
    (tmp_path / "folder-2").mkdir()
    (tmp_path / "folder-2" / "near.png").write_bytes((folder / "good.png").read_bytes())
    (folder / "near.png").symlink_to(tmp_path / "folder-2" / "near.png")
    loaded = load_image_folder(folder, layout="flat")
    assert loaded.filenames.tolist() == ["good.png", "within.png"]
    kept_out = {"a.png", "b.png", "c.png", "through.png", "near.png", "deep/up"}
    assert kept_out == set(loaded.ignored)
    followed = load_image_folder(folder, layout="flat", follow_links=True)
    assert len(followed.images) == 7


@links
def test_a_folder_given_by_a_link_is_the_folder(folder, tmp_path):
    (tmp_path / "alias").symlink_to(folder, target_is_directory=True)
    assert load_image_folder(tmp_path / "alias").filenames.tolist() == ["good.png"]


@links
def test_pipes_and_devices_by_the_names_of_images_do_not_block(folder):
    os.mkfifo(folder / "pipe.png")
    (folder / "endless.png").symlink_to("/dev/zero")
    for follow_links in (False, True):
        loaded = load_image_folder(folder, follow_links=follow_links)
        assert loaded.filenames.tolist() == ["good.png"]
        assert loaded.ignored == ["endless.png", "pipe.png"]


@links
def test_links_to_nowhere_are_named(folder):
    (folder / "gone.png").symlink_to("nowhere.png")
    assert "FileNotFoundError" in refused(folder, "gone.png")


def test_a_tiff_that_names_other_files_reads_none_of_them(folder, tmp_path):
    tifffile = pytest.importorskip("tifffile")
    for name in ("first", "second"):
        tifffile.imwrite(tmp_path / f"{name}.tif", np.full((5, 5), 7, np.uint16))
    # The second plane is in a file outside of the folder.
    planes = "".join(
        f'<TiffData FirstT="{t}" IFD="0" PlaneCount="1">'
        f'<UUID FileName="{name}">urn:uuid:{t}</UUID></TiffData>'
        for t, name in enumerate(["mine.ome.tif", str(tmp_path / "second.tif")])
    )
    description = (
        '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" '
        'UUID="urn:uuid:0"><Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYCZT" '
        f'Type="uint16" SizeX="5" SizeY="5" SizeC="1" SizeZ="1" SizeT="2">{planes}'
        "</Pixels></Image></OME>"
    )
    file = folder / "mine.ome.tif"
    white = np.full((5, 5), 65535, np.uint16)
    tifffile.imwrite(file, white, description=description, metadata=None)
    with tifffile.TiffFile(file) as tiff:
        assert tiff.series[0].shape == (2, 5, 5)  # to others it leads out
    image = load_image_folder(folder).images[1]
    assert image[:, 1:6].max() == 1


def test_nothing_is_left_open(folder):
    (folder / "cut.png").write_bytes(encoded(noise(), "PNG")[:100])
    (folder / "text.tif").write_text("no image")
    before = _open_files()
    load_image_folder(folder, errors="skip")
    assert _open_files() == before


def _open_files():
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("this system does not tell which files are open")
    return len(list(descriptors.iterdir()))
