"""A catalogue answers like `ShapeClassifier`, reads only what changed, and names what is broken."""

import io
import shutil
import sqlite3
import struct
from contextlib import closing

import numpy as np
import pytest
from backends import PicklingBackend
from drawings import put_on_paper
from joblib import parallel_config
from PIL import Image

from sklearn_nrcdt import ShapeClassifier
from sklearn_nrcdt.catalogue import (
    BusyCatalogueError,
    Catalogue,
    CatalogueError,
    DamagedCatalogueError,
    OutdatedCatalogueError,
    _catalogue,
    _files,
    _store,
    is_catalogue,
)
from sklearn_nrcdt.datasets import affine, load_image_folder, load_symbols, random_elastic

TURN = [[0.6, -0.9], [0.8, 0.5]]


@pytest.fixture(scope="module")
def symbols():
    return load_symbols(size=64).images


@pytest.fixture(scope="module")
def built(tmp_path_factory, symbols):
    """Six drawings, each a class of its own, and their catalogue."""
    root = tmp_path_factory.mktemp("built")
    for k, image in enumerate(symbols[:6]):
        put_on_paper(root / "drawings" / f"symbol {k}.png", image)
    Catalogue.build(root / "drawings").close()
    return root


@pytest.fixture
def folder(tmp_path, built):
    """A copy of the drawings, and of the catalogue beside them."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    return tmp_path / "drawings"


@pytest.fixture
def kept(folder):
    catalogue = Catalogue.build(folder)
    assert not any(catalogue.changes.values())
    yield catalogue
    catalogue.close()


@pytest.fixture
def read(monkeypatch):
    """The names of the files that are read."""
    found, iterate = [], _files.iter_image_folder

    def note(files, **options):
        found.extend(file.replace("\\", "/").rpartition("/")[2] for file in files)
        return iterate(files, **options)

    monkeypatch.setattr(_files, "iter_image_folder", note)
    return found


def test_one_drawing_of_each_class_answers_like_the_classifier(folder, kept, symbols):
    images = load_image_folder(folder, invert=True, background="otsu").images
    model = ShapeClassifier().fit(images, kept.labels)
    queries = affine(symbols[:8], TURN)
    expected, found = model.identify(queries, 3), kept.identify(queries, 3)
    assert kept.names == [f"symbol {k}.png" for k in range(6)]
    assert kept.labels == [f"symbol {k}" for k in range(6)]
    for field in ("labels", "marks", "indices"):
        np.testing.assert_array_equal(found[field], expected[field])
    for field in ("costs", "right", "none"):
        np.testing.assert_allclose(found[field], expected[field], atol=1e-4)
    costs, names = kept.search(queries, 3)
    np.testing.assert_array_equal(costs, found.costs)
    assert names.tolist() == [[kept.names[k] for k in row] for row in expected.indices]
    assert kept.identify(queries, 100).names.shape == (8, 6)


def test_classes_of_several_drawings_answer_like_the_classifier(tmp_path, symbols):
    for seed in range(4):
        bent = random_elastic(symbols[:4], random_state=seed)
        for k, image in enumerate(bent):
            put_on_paper(tmp_path / "a" / f"class {k}" / f"{seed}.png", image)
    images = load_image_folder(tmp_path / "a", invert=True, background="otsu")
    model = ShapeClassifier().fit(images.images, images.target_names[images.target])
    queries = affine(symbols[:6], TURN)
    expected = model.identify(queries)
    path = tmp_path / "kept"
    Catalogue.build(tmp_path / "a", path).close()
    kept = Catalogue(path)  # as the next process would
    found = kept.identify(queries)
    assert kept.classifier.fusion_weights_ is not None
    assert found.marks.tolist() == expected.marks.tolist()
    np.testing.assert_allclose(found.costs, expected.costs, atol=1e-4)
    np.testing.assert_allclose(found.right, expected.right, atol=0.01)
    # A class less, and a class that discriminant analysis has never seen.
    kept.remove([f"class 1/{seed}.png" for seed in range(4)])
    assert kept.identify(queries).labels.tolist()[:4] != expected.labels.tolist()[:4]
    assert kept.classifier.fusion_weights_ is not None
    kept.add(symbols[5:6], ["new"], ["star"])
    assert kept.identify(queries).labels[5] == "star"
    assert kept.classifier.fusion_weights_ is not None
    kept.close()


def test_files_that_are_no_images_are_named(folder, symbols):
    (folder / "IMG 1.HEIC").touch()
    for _ in range(2):  # its own files in the same folder are others
        kept = Catalogue.build(folder, folder / "kept")
        assert kept.ignored == ["IMG 1.HEIC"]
        kept.add(symbols[9:10], [f"new {len(kept.names)}"])
        assert kept.ignored == ["IMG 1.HEIC"]
        kept.close()


def test_only_what_has_changed_is_read_again(folder, kept, symbols, read):
    path = kept.path
    kept.close()
    (folder / "symbol 1.png").unlink()
    put_on_paper(folder / "symbol 2.png", symbols[8], 80)
    put_on_paper(folder / "stars" / "nine.png", symbols[9])
    (folder / "text.png").write_text("no image")
    found = Catalogue.build(folder)
    assert dict(found.changes) == {
        "new": ["stars/nine.png"],
        "changed": ["symbol 2.png"],
        "deleted": ["symbol 1.png"],
    }
    assert found.rebuilt is None
    assert found.skipped == {"text.png": "not an image, or of an unknown format"}
    # Those three, and probes to learn from, as half of the drawings have changed.
    assert sorted(read[:3]) == ["nine.png", "symbol 2.png", "text.png"]
    assert found.labels[found.names.index("stars/nine.png")] == "stars"
    _, names = found.search(affine(symbols[[8, 9]], TURN), 1)
    assert names.ravel().tolist() == ["symbol 2.png", "stars/nine.png"]
    read.clear()
    assert not any(found.update().values())
    found.close()
    again = Catalogue(path)
    assert (len(again.names), again.skipped, read) == (6, found.skipped, [])
    again.close()


def test_drawings_are_added_and_removed(folder, kept, symbols, read):
    assert kept.add(symbols[7:9], ["a/b", "two"], [None, "symbol 3"]) == [
        "added/a%2Fb.png",
        "added/symbol 3/two.png",
    ]
    assert kept.labels[-2:] == ["a/b", "symbol 3"]
    found = kept.identify(affine(symbols[[7, 8, 2]], TURN), 1)
    assert found.labels.tolist() == ["a/b", "symbol 3", "symbol 2"]
    with Image.open(io.BytesIO(kept.thumbnail("added/a%2Fb.png"))) as picture:
        assert max(picture.size) <= _files.THUMBNAIL
    for name in ("a/b", "..", "", "a.", "x" * 300):
        with pytest.raises(ValueError, match=r"already|cannot be a name|must be a 2-D"):
            kept.add([symbols[7] if name else symbols], [name])
    with pytest.raises(ValueError, match="2-D array"):
        kept.add(np.zeros((1, 5, 5)), ["blank"])
    with pytest.raises(ValueError, match="no drawing 'symbol 9"):
        kept.remove(["symbol 9.png"])
    kept.remove(["symbol 2.png", "added/a%2Fb.png"])
    assert not (kept.path / "added" / "a%2Fb.png").exists()
    assert (folder / "symbol 2.png").exists()
    read.clear()
    again = Catalogue.build(folder, kept.path)
    assert "symbol 2.png" not in again.names
    assert len(again.names) == 6
    assert read == []
    # Even if all is read again.
    other = Catalogue.build(folder, kept.path, invariance="similarity")
    assert "other settings" in other.rebuilt
    assert sorted(other.names) == sorted(again.names)
    for catalogue in (again, other):
        catalogue.close()


def test_what_was_added_and_removed_leaves_no_trace(kept, symbols):
    strangers = affine(symbols[6:9], TURN)
    before = kept.identify(strangers)
    for name in "abc":  # all the same: each has twins
        kept.add(symbols[6:7], [name])
    kept.remove([f"added/{name}.png" for name in "abc"])
    after = kept.identify(strangers)
    np.testing.assert_allclose(after.costs, before.costs, rtol=1e-5)
    assert after.marks.tolist() == before.marks.tolist()


def test_what_was_killed_before_its_end_says_so(folder, tmp_path, symbols, monkeypatch):
    def killed(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Catalogue, "_learn", killed)
        with pytest.raises(KeyboardInterrupt):
            Catalogue.build(folder, tmp_path / "half")
    half = Catalogue(tmp_path / "half")
    assert len(half.names) == 6
    with pytest.raises(CatalogueError, match="not complete"):
        half.identify(symbols[:1])
    half.close()
    whole = Catalogue.build(folder, tmp_path / "half")
    assert whole.changes.new == []
    assert whole.identify(symbols[:1], 1).labels.tolist() == ["symbol 0"]
    whole.close()


def test_files_stay_below_the_folder_of_drawings(kept, folder):
    assert kept.file("symbol 1.png") == folder / "symbol 1.png"
    assert kept.file("added/x.png") == kept.path / "added/x.png"
    for name in ("../secret.png", "added/../../secret.png", "/etc/secret.png"):
        with pytest.raises(ValueError, match="leads out"):
            kept.file(name)


def test_thumbnails_are_made_when_first_shown(kept, folder, read):
    first = kept.thumbnail("symbol 1.png")
    read.clear()
    assert kept.thumbnail("symbol 1.png") == first
    assert read == []
    (folder / "symbol 2.png").unlink()
    assert kept.thumbnail("symbol 2.png") is None


def test_another_version_says_so_and_is_built_again(kept, folder, monkeypatch):
    kept.close()
    monkeypatch.setattr(_catalogue, "__version__", "99.0")
    with pytest.raises(OutdatedCatalogueError, match=r"this is 99\.0"):
        Catalogue(kept.path)
    again = Catalogue.build(folder)
    assert "this is 99.0" in again.rebuilt
    assert len(again.names) == 6
    again.close()


def damage(path, how):
    if how == "missing":
        path.unlink()
    elif how == "cut":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    else:
        data = bytearray(path.read_bytes())
        for k in range(0, len(data), 40):
            data[k] ^= 0xFF
        path.write_bytes(data)


@pytest.mark.parametrize("how", ["missing", "cut", "flipped"])
@pytest.mark.parametrize("file", ["harmonics.rows", "strength.rows", "catalogue.sqlite"])
def test_damaged_files_are_named_and_built_again(kept, folder, symbols, file, how):
    kept.close()
    damage(kept.path / file, how)
    with pytest.raises(DamagedCatalogueError, match=r"rows|sqlite"):
        Catalogue(kept.path).identify(symbols[:2])
    again = Catalogue.build(folder)
    assert (again.rebuilt is None) == ((file, how) == ("catalogue.sqlite", "missing"))
    assert len(again.changes.new) == 6
    assert again.identify(symbols[:2]).labels.tolist() == ["symbol 0", "symbol 1"]
    again.close()


def test_nothing_is_executed(kept, monkeypatch):
    kept.close()
    file = io.BytesIO()
    np.savez(file, probes=np.array([print], dtype=object), probe_costs=np.zeros(1))
    with sqlite3.connect(kept.path / "catalogue.sqlite") as facts:
        facts.execute("UPDATE settings SET value = ? WHERE key = 'learned'", (file.getvalue(),))
    facts.close()
    monkeypatch.setattr("pickle.load", lambda *_: pytest.fail("unpickled"))
    with pytest.raises(DamagedCatalogueError):
        Catalogue(kept.path)


def test_a_file_that_was_repaired_was_still_said_to_be_left_out(folder, kept, symbols):
    (folder / "7.png").write_text("no picture")
    kept.update()
    assert list(kept.skipped) == ["7.png"]
    put_on_paper(folder / "7.png", symbols[7])
    assert kept.update().new == ["7.png"]
    assert kept.skipped == {}


def test_three_drawings_that_are_alike_were_taken_for_the_channels_of_one(tmp_path, symbols):
    for k in range(3):
        put_on_paper(tmp_path / "drawings" / f"{k}.png", symbols[0])
    catalogue = Catalogue.build(tmp_path / "drawings")  # warnings are errors in our tests
    assert catalogue.search([symbols[0]], 3)[0].max() < 0.01
    catalogue.close()


def test_a_closed_catalogue_was_called_empty_or_damaged_and_took_drawings(kept, symbols):
    kept.close()
    for call in (
        lambda: kept.search(symbols[:1]),
        kept.update,
        lambda: kept.add(symbols[7:8], ["seven"]),
    ):
        with pytest.raises(CatalogueError, match="was closed"):
            call()
    assert not (kept.path / "added").exists()


def test_backends_of_processes_could_not_pickle_it(tmp_path, folder, symbols):
    with parallel_config(PicklingBackend(), n_jobs=2):
        catalogue = Catalogue.build(folder, tmp_path / "other")
        names = catalogue.search(symbols[:3], 1)[1]
    assert names.ravel().tolist() == catalogue.names[:3]
    catalogue.close()


def test_a_single_image_is_told_how_to_be_passed(kept, symbols):
    with pytest.raises(ValueError, match=r"a single image as X\[None\]"):
        kept.search(symbols[0])


@pytest.mark.parametrize("names", [["\udcff"], ["a\udcff"]])
def test_names_of_bytes_that_are_no_letters_are_no_names(kept, symbols, names):
    with pytest.raises(ValueError, match="cannot be a name"):
        kept.add(symbols[7:8], names)
    with pytest.raises(ValueError, match="cannot be a name"):
        kept.add(symbols[7:8], ["seven"], names)


def test_a_damaged_list_of_what_is_left_out_is_named(kept, folder):
    for content in ("{", "5"):
        (kept.path / "left_out.json").write_text(content)
        with pytest.raises(CatalogueError, match=r"left_out\.json' is damaged"):
            kept.update()
    (kept.path / "left_out.json").unlink()
    assert not any(kept.update().values())


def test_two_writers_at_once(kept, folder, symbols):
    with _store.writing(kept.path):
        for write in (
            lambda: kept.add(symbols[7:8], ["seven"]),
            lambda: kept.remove(["symbol 1.png"]),
            kept.update,
            lambda: Catalogue.build(folder),
        ):
            with pytest.raises(BusyCatalogueError, match="Another process is writing"):
                write()
        assert Catalogue(kept.path).search(symbols[1:2], 1)[1] == "symbol 1.png"  # readers may
    kept.add(symbols[7:8], ["seven"])
    assert len(kept.names) == 7


def test_a_catalogue_that_was_built_again_meanwhile_took_rows_of_the_old_one(kept, folder, symbols):
    with closing(Catalogue.build(folder, invariance="similarity")) as rebuilt:
        for write in (
            lambda: kept.add(symbols[7:8], ["seven"]),
            lambda: kept.remove(["symbol 1.png"]),
            kept.update,
        ):
            with pytest.raises(CatalogueError, match="Open it again"):
                write()
        assert kept.search(symbols[1:2], 1)[1] == "symbol 1.png"  # what was read answers still
        assert rebuilt.add(symbols[7:8], ["seven"]) == ["added/seven.png"]
    with closing(Catalogue.build(folder, invariance="similarity")) as again:
        assert again.rebuilt is None
        assert len(again.names) == 7


def test_a_catalogue_among_its_drawings_is_none_of_them(folder):
    with closing(Catalogue.build(folder, folder / "kept")) as kept:
        names = kept.names
        kept.add(load_symbols(size=48).images[9:], [*"abc"])
    (folder / "kept" / "picture.png").write_bytes((folder / names[0]).read_bytes())
    (folder / "kept of mine.png").write_bytes((folder / names[0]).read_bytes())
    with closing(Catalogue.build(folder, folder / "kept")) as kept:
        assert sorted(kept.names) == sorted(
            [*names, "kept of mine.png", "added/a.png", "added/b.png", "added/c.png"]
        )
        assert kept.ignored == []


def test_what_is_no_catalogue_is_left_alone(tmp_path, folder):
    assert not is_catalogue(folder)
    with pytest.raises(FileNotFoundError, match="not a catalogue"):
        Catalogue(folder)
    with pytest.raises(FileExistsError, match="not a catalogue"):
        Catalogue.build(folder, folder)
    with pytest.raises(FileNotFoundError, match="not a folder"):
        Catalogue.build(tmp_path / "nothing", tmp_path / "kept")
    with pytest.raises(ValueError, match="invariance"):
        Catalogue.build(folder, tmp_path / "kept", invariance="affin")
    with pytest.raises(ValueError, match="invert"):
        Catalogue.build(folder, tmp_path / "kept", invert="no")
    assert not (tmp_path / "kept").exists()


def test_an_empty_catalogue_can_be_filled(tmp_path, symbols):
    (tmp_path / "nothing").mkdir()
    kept = Catalogue.build(tmp_path / "nothing")
    assert kept.classifier is None
    with pytest.raises(ValueError, match="empty"):
        kept.search(symbols[:1])
    kept.add(symbols[:1], ["first"])
    assert kept.search(symbols[:1])[1].tolist() == [["added/first.png"]]
    kept.remove(kept.names)
    assert kept.names == []
    kept.close()


def test_rows_side_by_side_are_what_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(_store, "BLOCK", 4)
    fields = {"columns": ((2, 3), np.complex64), "rows": ((5,), np.int16)}
    store = _store.Store(tmp_path, fields, "1", {})
    rng, columns, rows = np.random.default_rng(0), [], []
    for start, n in ((0, 3), (3, 1), (4, 6), (10, 3)):
        columns.append(rng.normal(size=(n, 2, 3)).astype(np.complex64))
        rows.append(rng.integers(-9, 9, (n, 5)).astype(np.int16))
        drawings = [(f"{k}", "a", 1, 1) for k in range(start, start + n)]
        store.append(drawings, {"columns": columns[-1], "rows": rows[-1]})
        arrays, kept = store.arrays(), store.drawings()
        places = np.arange(start + n)
        found = arrays["columns"][places // 4, ..., places % 4]
        np.testing.assert_array_equal(found, np.concatenate(columns))
        np.testing.assert_array_equal(arrays["rows"], np.concatenate(rows))
        store.check(arrays, places, [drawing[-1] for drawing in kept])
    assert (tmp_path / "columns.rows").stat().st_size == 16 * 6 * 8
    store.remove(["3", "7"])
    store.append([("8", "b", 2, 2)], {"columns": columns[0][:1], "rows": rows[0][:1]})
    assert [drawing[:3] for drawing in store.drawings()[-2:]] == [(12, "12", "a"), (13, "8", "b")]
    assert len(store.drawings()) == 11
    store.close()


def test_drawings_that_were_replaced_do_not_pile_up(folder, kept, symbols, monkeypatch):
    monkeypatch.setattr(_catalogue, "WASTE", 1)
    for size in (70, 80):
        for k in range(6):
            put_on_paper(folder / f"symbol {k}.png", symbols[k], size)
        kept.update()
    kept.close()
    again = Catalogue.build(folder)
    assert "waste" in again.rebuilt
    assert (again.path / "squares.rows").stat().st_size == 6 * struct.calcsize("d")
    again.close()


def test_errors_are_value_errors():
    assert issubclass(CatalogueError, ValueError)
