"""``nrcdt catalogue``, and catalogues where other commands take folders."""

import json
import re

import pytest
from drawings import put_on_paper

from sklearn_nrcdt._commands.cli import _parser
from sklearn_nrcdt._commands.folder import Folder
from sklearn_nrcdt.catalogue import Catalogue
from sklearn_nrcdt.datasets import affine, load_symbols


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Eight drawings in four classes; three pictures to be found."""
    symbols = load_symbols(size=96).images
    for k, image in enumerate(symbols[:8]):
        put_on_paper(tmp_path / "drawings" / f"class {k % 4}" / f"{k}.png", image)
    turned = affine(symbols[[1, 4, 6]], [[0.6, -0.8], [0.8, 0.6]])
    for k, image in zip("abc", turned, strict=True):
        put_on_paper(tmp_path / "queries" / f"{k}.png", image)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_says_what_has_changed(place, nrcdt):
    command = "catalogue", "drawings", "kept"
    assert nrcdt(*command) == (0, "8 drawings, 4 classes: 8 new.\n", "")
    assert nrcdt(*command)[1] == "8 drawings, 4 classes: nothing has changed.\n"
    (place / "drawings" / "class 1" / "5.png").unlink()
    (place / "drawings" / "class 1" / "text.png").write_text("no image")
    put_on_paper(place / "drawings" / "alone.png", load_symbols(size=96).images[9])
    status, output, errors = nrcdt(*command)
    assert (status, errors) == (0, "")
    assert output == (
        "8 drawings, 5 classes: 1 new, 1 deleted.\n"
        "1 left out: class 1/text.png (not an image, or of an unknown format).\n"
    )
    (place / "kept" / "strength.rows").write_bytes(b"")
    status, _, errors = nrcdt("match", "kept", "queries")
    assert status == 2
    assert "strength.rows' is missing or damaged" in errors
    status, output, _ = nrcdt(*command)
    assert status == 0
    assert "strength.rows' is missing or damaged" in output
    assert "8 drawings, 5 classes: 8 new." in output


def test_damage_that_is_found_while_matching_is_one_line(place, nrcdt):
    assert nrcdt("catalogue", "drawings", "kept")[0] == 0
    file = place / "kept" / "strength.rows"
    file.write_bytes(bytes(255 - byte for byte in file.read_bytes()))
    status, _, errors = nrcdt("match", "kept", "queries")
    assert (status, errors.count("\n")) == (2, 1)
    assert "missing or damaged" in errors


def test_match_answers_as_from_the_folder(place, nrcdt):
    assert nrcdt("catalogue", "drawings", "kept", "--mirrored")[0] == 0
    outputs, numbers = [], re.compile(r"\d+\.\d+")
    for known in ("drawings", "kept"):
        files = "--csv", f"{known}.csv", "--report", f"{known}.html"
        status, output, _ = nrcdt("match", known, "queries", "--mirrored", "--top", "2", *files)
        assert status == 0
        outputs.append(output.partition("\n\n")[2].replace(known, ""))
    assert "8 drawings of a catalogue; 4 classes" in output
    outputs += [(place / f"{known}.csv").read_text() for known in ("drawings", "kept")]
    for expected, found in (outputs[:2], outputs[2:]):
        assert numbers.sub("#", found) == numbers.sub("#", expected)
        costs = [[float(cost) for cost in numbers.findall(text)] for text in (expected, found)]
        assert costs[1] == pytest.approx(costs[0], abs=2e-3)
    page = (place / "kept.html").read_text("utf-8")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    assert len(data["pictures"]) <= 3 + 3 * 2  # only what is shown
    assert all(picture[2] for picture in data["pictures"])
    for more, why in (
        (["--invariance", "scale"], "built with --invariance affine"),
        (["--templates-ink", "dark"], "with --ink, or leave --templates-ink out"),
    ):
        status, _, errors = nrcdt("match", "kept", "queries", *more)
        assert status == 2
        assert why in errors
    assert nrcdt("match", "kept", "queries", "--quiet")[0] == 0  # mirrored, as it was built


def test_classify_takes_the_drawings_of_a_catalogue(place, nrcdt):
    assert nrcdt("catalogue", "drawings", "kept")[0] == 0
    facts = [nrcdt("classify", known)[1] for known in ("drawings", "kept")]
    assert facts[0] == facts[1]
    assert "4 classes" in facts[0]


def test_find_takes_files_and_classes_of_a_catalogue(place):
    # Below one folder, the names that it gives say nothing of the class.
    kept = Catalogue.build(place / "drawings", place / "kept")
    kept.remove([name for name in kept.names if not name.startswith("class 2")])
    kept.close()
    args = _parser().parse_args(["find", "kept", "queries"])
    [(names, classes, images)] = Folder("kept", args).images()
    assert (names, classes, len(images)) == (["2.png", "6.png"], ["class 2"] * 2, 2)
