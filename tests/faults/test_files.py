"""Image files that are broken, lie, or lead elsewhere: named in an error, or not touched."""

import io
import lzma
import os
import re
import struct
import tempfile
import tracemalloc
import zlib
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, features
from processes import printed, unprivileged
from skimage.io import imsave

from sklearn_nrcdt._commands.cli import main
from sklearn_nrcdt.catalogue import Catalogue
from sklearn_nrcdt.datasets import (
    UnreadableImagesError,
    iter_image_folder,
    load_image_folder,
)

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


def test_other_formats_by_the_name_of_a_usual_one_are_not_opened(folder):
    (folder / "icon.png").write_bytes(encoded(noise(32), "ICO"))
    assert refused(folder, "icon.png") == "not an image, or of an unknown format"


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
    """A TIFF of floats (kind 3) or integers (1)."""
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
    assert "raise PIL.Image.MAX_IMAGE_PIXELS" in why
    assert peak < 10e6


@pytest.mark.parametrize(
    ("end", "before", "form"),
    [
        ("jp2", b"\xff\x51\0\x29\0\0", ">II"),  # the size of the code stream
        ("avif", b"ispe\0\0\0\0", ">II"),
        ("gif", b"GIF87a", "<HH"),
        ("bmp", b"\x28\0\0\0", "<ii"),
    ],
)
def test_headers_that_announce_too_many_pixels_take_no_memory(folder, end, before, form):
    name = {"jp2": "JPEG2000"}.get(end, end.upper())
    if {"jp2": "jpg_2000", "avif": "avif"}.get(end, "zlib") not in features.get_supported():
        pytest.skip(f"this Pillow knows no {name}")
    content = encoded(noise(64), name)
    start = content.index(before) + len(before)
    size = struct.pack(form, 60_000, 60_000)
    content = content[:start] + size + content[start + len(size) :]
    (folder / f"bomb.{end}").write_bytes(content)
    tracemalloc.start()
    try:
        refused(folder, f"bomb.{end}")
        assert tracemalloc.get_traced_memory()[1] < 10e6
    finally:
        tracemalloc.stop()


BOMB = 2**26  # bytes


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
    deflated, packed = zlib.compress(bytes(BOMB), 9), lzma.compress(bytes(BOMB), preset=0)
    runs = b"\x81\0" * 2**19  # 128 bytes each, which a list of Python holds as 8 times as many
    small = zlib.compress(bytes(17 * 16))
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 0, 0, 0, 0))

    def png(*chunks):
        return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + chunk(b"IEND", b"")

    return {
        "deflate.tif": tiff_of(16, 16, 8, 1, 8, [deflated]),
        "adobe.tif": tiff_of(16, 16, 8, 1, 32946, [deflated]),
        "float.tif": tiff_of(16, 16, 32, 3, 8, [deflated]),
        "strips.tif": tiff_of(16, 16, 8, 1, 8, [deflated] * 4),
        "one_strip.tif": tiff_of(16, 16, 8, 1, 8, [deflated], tag278=[2**31]),
        "channels.tif": tiff_of(16, 16, 8, 1, 8, [deflated], tag277=[1000]),
        "tile.tif": tiff_of(
            16, 16, 32, 3, 8, [deflated],
            tag322=[2**14], tag323=[2**14], tag324=[8], tag325=[len(deflated)],
        ),
        "lzma.tif": tiff_of(16, 16, 8, 1, 34925, [packed]),
        "lzw.tif": tiff_of(16, 16, 8, 1, 5, [lzw_of_zeros()]),
        "runs.tif": tiff_of(16, 16, 8, 1, 32773, [runs]),
        "jpeg.tif": tiff_of(16, 16, 8, 1, 7, [deflated]),
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

load_image_folder(sys.argv[1] + "/first")
before = peak()
folder = load_image_folder(sys.argv[1], errors="skip", layout="flat")
print(len(folder.images), len(folder.skipped), peak() - before)
"""


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow's, about what it leaves out
def test_small_files_that_inflate_cost_no_memory(folder, inflating_files):
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not tell how much memory a process took")
    for name, content in inflating_files.items():
        assert len(content) < 4e6
        (folder / name).write_bytes(content)
    (folder / "first").mkdir()
    noise(16).save(folder / "first" / "first.bmp")
    n_images, n_skipped, kilobytes = map(int, printed(PEAK, str(folder)).split())
    assert n_images + n_skipped == len(inflating_files) + 1
    assert kilobytes < 30e3


def test_files_that_inflate_are_read_as_far_as_their_pixels_go_or_named(folder, inflating_files):
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


@pytest.mark.parametrize("planes", ["contig", "separate"])
@pytest.mark.parametrize("compression", ["zlib", None])
@pytest.mark.parametrize(
    "dtype", ["uint8", "uint16", "float32", "float64", "uint32", "int16", "int8"]
)
def test_tiff_files_are_read_right_or_named(folder, compression, dtype, planes):
    tifffile = pytest.importorskip("tifffile")
    largest = 1 if dtype.startswith("f") else np.iinfo(dtype).max
    pixels = np.random.default_rng(0).random((40, 30, 3))
    for color in (False, True):
        stored = np.array((pixels if color else pixels[..., 0]) * largest, dtype=dtype)
        options = {"compression": compression, "rowsperstrip": 7, "photometric": "minisblack"}
        if color:
            stored = np.moveaxis(stored, 2, 0) if planes == "separate" else stored
            options |= {"photometric": "rgb", "planarconfig": planes}
        tifffile.imwrite(folder / "a.tif", stored, **options)
        loaded = load_image_folder(folder, errors="skip", shape="own")
        usual = dtype in ("uint8", "uint16") or (dtype == "float32" and not color)
        assert ("a.tif" in loaded.skipped) <= (not usual or planes == "separate")
        if "a.tif" not in loaded.skipped:
            expected = pixels @ [0.2125, 0.7154, 0.0721] if color else pixels[..., 0]
            atol = 1e-4 if dtype in ("uint16", "float32") and not color else 1 / 255
            np.testing.assert_allclose(loaded.images[0], expected, atol=atol)


def test_palettes_and_white_zeros_of_tiff_are_grey_values(tmp_path):
    palette = Image.fromarray(np.array([[0, 1]], np.uint8))
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
    message = r"22 images on a canvas of 6 x 89000000 pixels take 47 GB[\s\S]*absurd.png \(1 x 8900"
    for errors in ("raise", "skip"):
        with pytest.raises(ValueError, match=message):
            load_image_folder(absurd, errors=errors)


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
    with pytest.raises(ValueError, match=r"canvas of 1000 x 1000 pixels[\s\S]*b.png"):
        load_image_folder(folder, max_bytes=33 * 8 * 1000 * 4)


# --- films --------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["GIF", "PNG", "WEBP", "TIFF"])
def test_films_are_refused_before_their_frames_are_decoded(folder, end):
    if end == "WEBP" and not features.check("webp"):
        pytest.skip("this Pillow knows no WebP")
    frames = [Image.fromarray(np.full((400, 400), i, np.uint8)) for i in range(80)]
    film = encoded(frames[0], end, save_all=True, append_images=frames[1:])
    name = f"film.{end.lower().replace('tiff', 'tif')}"
    (folder / name).write_bytes(film)
    assert re.match("not a single image, but [0-9]+ (frames|pages)", refused(folder, name))


def test_photos_with_a_preview_are_no_films(folder):
    photo, preview = noise(30).convert("RGB"), noise(10).convert("RGB")
    (folder / "photo.jpg").write_bytes(
        encoded(photo, "MPO", save_all=True, append_images=[preview])
    )
    assert load_image_folder(folder).images.shape == (2, 30, 30)


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


@links
def test_a_folder_given_by_a_link_is_the_folder(folder, tmp_path):
    (tmp_path / "alias").symlink_to(folder, target_is_directory=True)
    assert load_image_folder(tmp_path / "alias").filenames.tolist() == ["good.png"]


@links
def test_pipes_and_devices_by_the_names_of_images_do_not_block(folder):
    os.mkfifo(folder / "pipe.png")
    (folder / "endless.png").symlink_to("/dev/zero")
    loaded = load_image_folder(folder)
    assert loaded.filenames.tolist() == ["good.png"]
    assert loaded.ignored == ["endless.png", "pipe.png"]


@links
def test_links_to_nowhere_are_named(folder):
    (folder / "gone.png").symlink_to("nowhere.png")
    assert "FileNotFoundError" in refused(folder, "gone.png")


@pytest.fixture
def three_classes():
    """A folder that other users may read; pytest's own are private."""
    if os.name != "posix":
        pytest.skip("modes of POSIX")
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        for label in "abc":
            (Path(root) / label).mkdir()
            noise(8).save(Path(root) / label / "1.png")
        yield Path(root)
        (Path(root) / "b").chmod(0o755)


@pytest.mark.parametrize("mode", [0o700, 0o744], ids=["closed", "listed, but not open"])
def test_an_unreadable_subfolder_does_not_vanish_with_its_class(three_classes, mode, capsys):
    root = three_classes
    # The superuser's folder is to others what the last digit says, one's own what the first says.
    (root / "b").chmod(mode if os.geteuid() == 0 else (mode & 7) << 6)
    with unprivileged(root):
        for read in (load_image_folder, lambda path: list(iter_image_folder(path))):
            with pytest.raises(UnreadableImagesError, match=r"b(/1.png)?: PermissionError"):
                read(root)
        loaded = load_image_folder(root, errors="skip")
        assert loaded.target_names.tolist() == ["a", "c"]
        assert list(loaded.skipped) == ["b" if mode == 0o700 else "b/1.png"]
        with pytest.raises(UnreadableImagesError, match="PermissionError"):
            load_image_folder(root / "b")
        assert main(["classify", str(root), "--n-jobs", "1"]) == 2
        assert re.search(
            r"1 file in '.*' cannot be used: b(/1.png)? \(Perm", capsys.readouterr().err
        )


@pytest.mark.parametrize("mode", [0o700, 0o744], ids=["closed", "listed, but not open"])
def test_a_catalogue_forgot_what_it_could_not_look_at(three_classes, tmp_path, mode):
    root, mine = three_classes, os.geteuid() != 0
    (root / "gone.png").symlink_to("nowhere.png")
    with closing(Catalogue.build(root, tmp_path / "kept")) as kept:  # loads what others may not
        assert kept.skipped == {"gone.png": "FileNotFoundError: No such file or directory"}
    (root / "gone.png").unlink()
    (root / "kept").mkdir()
    (root / "kept").chmod(0o777)

    def let(folder, mode):
        if not mine:
            os.seteuid(0)
        folder.chmod((mode & 7) << 6 if mine else mode)
        if not mine:
            os.seteuid(65534)

    with unprivileged(root):
        let(root / "b", mode)
        with closing(Catalogue.build(root, root / "kept")) as kept:
            assert kept.labels == ["a", "c"]
            [(hidden, why)] = kept.skipped.items()
            assert hidden == ("b" if mode == 0o700 else "b/1.png")
            assert why.startswith("PermissionError")
            let(root / "b", 0o755)
            assert kept.update().new == ["b/1.png"]
            assert kept.skipped == {}
            # What is known of a drawing stays while nobody can say that it has gone.
            for folder, shut, out_of_sight in [(root / "b", mode, hidden), (root, 0o711, ".")]:
                let(folder, shut)
                changes = kept.update()
                let(folder, 0o755)
                assert not any(changes.values())
                assert list(kept.skipped) == [out_of_sight]
                assert sorted(kept.labels) == ["a", "b", "c"]
            assert not any(kept.update().values())
            assert kept.skipped == {}


def test_a_catalogue_that_cannot_be_written_is_told_before_any_work(three_classes, capsys):
    (three_classes / "kept").mkdir()
    before = sorted(three_classes.rglob("*"))
    for folder in (three_classes, three_classes / "kept"):
        folder.chmod(0o555)
    with unprivileged(three_classes):
        for path in ("kept", "new", "a/1.png/below"):
            words = ["catalogue", str(three_classes / "a"), str(three_classes / path)]
            assert main([*words, "--n-jobs", "1"]) == 2
            assert re.fullmatch(
                r"nrcdt catalogue: (Permission denied|Not a directory): '.*'\.\n",
                capsys.readouterr().err,
            )
    for folder in (three_classes, three_classes / "kept"):
        folder.chmod(0o755)
    assert sorted(three_classes.rglob("*")) == before


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
