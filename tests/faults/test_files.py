"""Image files that are broken, lie, or lead elsewhere: named in an error, or not touched."""

import gzip
import io
import os
import re
import struct
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, features
from skimage.io import imsave

from sklearn_nrcdt.datasets import load_image_folder, make_linmnist

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


def tiff_of(width, height, bits):
    """A TIFF of floats; Pillow does not know those of 64 bits."""
    tags = [
        (256, width), (257, height), (258, bits), (259, 1), (262, 1),
        (273, 200), (277, 1), (278, height), (279, 100), (339, 3),
    ]  # fmt: skip
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    head = b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + bytes(4)
    return head.ljust(300, b"\0")


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


@pytest.mark.parametrize("end", ["GIF", "PNG", "WEBP", "TIFF"])
def test_films_are_refused_before_their_frames_are_decoded(folder, end):
    if end == "WEBP" and not features.check("webp"):
        pytest.skip("this Pillow knows no WebP")
    frames = [Image.fromarray(np.full((400, 400), i, np.uint8)) for i in range(80)]
    film = encoded(frames[0], end, save_all=True, append_images=frames[1:])
    name = f"film.{end.lower().replace('tiff', 'tif')}"
    (folder / name).write_bytes(film)
    # A TIFF of few pixels is read, and then found to be a film.
    why = "of shape" if end == "TIFF" else "frames"
    assert re.match(f"no single .* but .*{why}", refused(folder, name))


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
