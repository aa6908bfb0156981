"""What goes wrong is said in one line, before any work, with exit status 2."""

import csv
import io
import os
import shutil
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from drawings import put_on_paper
from processes import unprivileged

from sklearn_nrcdt import InvariantHOG, ShapeClassifier, __version__
from sklearn_nrcdt._commands.cli import COMMANDS, main
from sklearn_nrcdt._commands.console import Problem, check_output, whole_file


@pytest.fixture
def no_work(monkeypatch):
    """Features must not be computed."""

    def work(*args):
        raise AssertionError("work was done")

    monkeypatch.setattr(InvariantHOG, "transform", work)
    monkeypatch.setattr("sklearn_nrcdt._commands.demo.make_symbols", work)


@pytest.fixture
def place(tmp_path, classes, monkeypatch):
    """A working directory with good folders and bad ones."""
    shutil.copytree(classes, tmp_path / "good")
    shutil.copytree(classes / "A", tmp_path / "flat")
    shutil.copytree(classes, tmp_path / "mixed")
    shutil.copy(tmp_path / "flat" / "0.png", tmp_path / "mixed")
    shutil.copytree(classes / "A", tmp_path / "broken")
    data = (tmp_path / "broken" / "3.png").read_bytes()
    (tmp_path / "broken" / "3.png").write_bytes(data[: len(data) // 2])
    (tmp_path / "broken" / "4.png").write_text("no picture")
    shutil.copytree(tmp_path / "broken", tmp_path / "broken classes" / "B")
    shutil.copytree(classes / "L", tmp_path / "broken classes" / "L")
    (tmp_path / "empty").mkdir()
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "notes.txt").write_text("no picture")
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "folder.names.json").mkdir()
    (tmp_path / "one" / "class").mkdir(parents=True)
    shutil.copy(tmp_path / "flat" / "0.png", tmp_path / "one" / "class")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("match nowhere flat", "There is no file or folder 'nowhere'."),
        ("match flat nowhere", "There is no file or folder 'nowhere'."),
        ("match flat flat/0.png nowhere.png", "There is no file or folder 'nowhere.png'."),
        ("match flat flat flat/0.png", "Give one folder, or one or more files."),
        ("match flat/0.png flat", "'flat/0.png' is a file. Give a folder."),
        ("match empty flat", "The folder 'empty' has no pictures."),
        ("match flat texts", "The folder 'texts' has no pictures, only notes.txt."),
        ("match mixed flat", "pictures as well as subfolders with pictures"),
        ("match broken flat", "2 files in 'broken' cannot be used: 3.png ("),
        ("match flat flat --csv nowhere/a.csv", "--csv: there is no folder 'nowhere'"),
        ("match flat flat --csv a.txt", "--csv: the name 'a.txt' must end in .csv."),
        ("match flat flat --csv folder.csv", "--csv: 'folder.csv' is a folder"),
        ("match flat flat --report nowhere/a.html", "--report: there is no folder 'nowhere'"),
        ("match flat flat --report a", "must end in .html or .htm"),
        ("match flat flat --top 0", "--top must be at least 1."),
        ("match flat flat --n-jobs 0", "--n-jobs must be from 1 to 1000"),
        ("classify nowhere", "There is no file or folder 'nowhere'."),
        ("classify flat", "no pictures in subfolders, one for each class"),
        ("classify one", "There is only one class, 'class'."),
        ("classify broken\u00a0classes", "2 files in 'broken classes' cannot be used"),
        ("classify good --report a.pdf", "must end in .html or .htm"),
        ("features nowhere a.csv", "There is no file or folder 'nowhere'."),
        ("features good folder.npy", "'folder.names.json' is a folder"),
        (f"features good {'a' * 300}.csv", "cannot be written: File name too long"),
        ("features good nowhere/a.csv", "OUTPUT: there is no folder 'nowhere'"),
        ("features good a.xlsx", "must end in .npy or .csv or .parquet"),
        ("features broken a.npy", "Remove them, or add --skip-broken."),
        ("features broken a.csv", "4.png ("),
        ("demo --samples 0", "must be from 1 to 10000"),
        ("demo --seed -1", "--seed must be from 0 to 4294967295"),
    ],
)
def test_one_line_before_any_work(command, message, place, no_work, capsys):
    before = set(place.rglob("*"))
    arguments = [word.replace("\u00a0", " ") for word in command.split(" ")]
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("nrcdt ")
    assert not captured.out
    assert set(place.rglob("*")) == before


@pytest.mark.parametrize(
    "command",
    ["match flat", "match flat flat --top x", "nonsense", "match flat flat --invariance x"],
)
def test_misspelt_commands_get_one_line_too(command, place, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(command.split())
    errors = capsys.readouterr().err
    assert errors.count("\n") == 1
    assert "--help explains" in errors


def test_a_writable_file_in_a_folder_that_must_not_be_written_to():
    root = Path(tempfile.mkdtemp())
    (root / "a.csv").touch()
    (root / "a.csv").chmod(0o666)
    root.chmod(0o555)
    message = r"--csv: '.*a\.csv' cannot be written: Permission denied"
    try:
        with unprivileged(root), pytest.raises(Problem, match=message):
            check_output("--csv", root / "a.csv", [".csv"])
    finally:
        root.chmod(0o755)
        shutil.rmtree(root)


@pytest.mark.parametrize("stem", ["a" * 245, "\u4e2d" * 80])
def test_output_with_a_long_name_is_written(stem, place, nrcdt):
    assert nrcdt("match", "flat", "flat", "--csv", f"{stem}.csv")[0] == 0
    assert Path(f"{stem}.csv").exists()


def test_broken_and_blank_files_are_left_out_if_asked(place, nrcdt):
    put_on_paper(place / "broken" / "white.png", np.zeros((30, 30)))
    status, _, errors = nrcdt("match", "flat", "broken")
    assert status == 2
    assert "white.png (nothing is drawn on it)" in errors  # all at once
    status, output, _ = nrcdt("match", "flat", "broken", "--skip-broken", "--csv", "a.csv")
    assert status == 0
    assert "3 left out: 3.png (" in output
    assert "white.png (nothing is drawn on it)" in output
    assert len(Path("a.csv").read_text("utf-8").splitlines()) == 1 + 3


def test_a_broken_file_given_by_name_is_named(place, nrcdt):
    status, _, errors = nrcdt("match", "flat", "file")
    assert status == 2
    assert "1 file cannot be used: file (not an image" in errors


def test_files_of_other_formats_are_counted_and_named(place, nrcdt):
    for name in ("a.heic", "b.pdf", "c.docx", "d.txt"):
        (place / "flat" / name).touch()
    line = "4 other files not read: a.heic, b.pdf, c.docx and 1 more. "
    line += "Save pictures of other formats as PNG, JPEG or TIFF."
    lines = nrcdt("match", "flat", "flat", "--report", "a.html")[1].splitlines()
    assert lines.count(line) == 2
    assert Path("a.html").read_text("utf-8").count(line) == 2
    shutil.copy(place / "broken" / "4.png", place / "flat")
    for command in (["catalogue", "flat", "kept"], ["features", "flat", "a.csv", "--skip-broken"]):
        lines = nrcdt(*command)[1].splitlines()
        assert line in lines
        assert "1 left out: 4.png (not an image, or of an unknown format)." in lines


def test_pictures_beside_subfolders_are_taken_if_asked(place, nrcdt):
    status, output, _ = nrcdt("match", "mixed", "mixed", "--nested", "--csv", "a.csv")
    assert status == 0
    assert "13 pictures" in output
    with open("a.csv", encoding="utf-8-sig", newline="") as file:
        classes = {row["picture"]: row["class"] for row in csv.DictReader(file)}
    assert classes["L/4.png"] == "L"
    assert classes["0.png"] in ("0", "A")  # both show the same
    output = nrcdt("classify", "mixed")[1]
    assert "1 other file not read: 0.png. " in output


def test_blank_pictures_are_named(place, nrcdt):
    for k in range(3):
        put_on_paper(place / "flat" / f"white{k}.png", np.zeros((30, 30)))
    status, _, errors = nrcdt("features", "flat", "a.csv")
    assert status == 2
    assert "3 files in 'flat' cannot be used: white0.png (nothing is drawn on it)" in errors
    assert not Path("a.csv").exists()


def test_nothing_but_blank_pictures(place, nrcdt):
    put_on_paper(place / "blank" / "white.png", np.zeros((30, 30)))
    status, _, errors = nrcdt("features", "blank", "a.csv", "--skip-broken")
    assert status == 2
    assert "No picture in 'blank' can be used." in errors


def test_no_file_can_be_read(place, nrcdt):
    for name in ("0.png", "1.png", "2.png"):
        (place / "broken" / name).unlink()
    status, _, errors = nrcdt("features", "broken", "a.csv", "--skip-broken")
    assert status == 2
    assert errors.count("\n") == 1
    assert "3.png" in errors
    assert "errors=" not in errors


def test_ctrl_c_while_matching_leaves_nothing(place, nrcdt, monkeypatch):
    def stop(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(ShapeClassifier, "identify", stop)
    before = set(place.rglob("*"))
    status, _, errors = nrcdt("match", "flat", "flat", "--csv", "a.csv", "--report", "a.html")
    assert status == 130
    assert errors.strip() == "nrcdt match: stopped."
    assert set(place.rglob("*")) == before


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError])
def test_files_are_whole_or_not_there(failure, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("old")

    def fail():
        with whole_file(path) as part:
            part.write_text("half")
            raise failure

    with pytest.raises(failure):
        fail()
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


def test_reader_of_the_output_that_leaves_early(place, capsys):
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", encoding="utf-8") as output, redirect_stdout(output):
        assert main(["match", "flat", "flat", "--n-jobs", "1"]) == 141
        print("what the end of the interpreter may still flush")
    assert capsys.readouterr().err == ""


def test_names_that_the_terminal_cannot_show(place):
    os.rename(place / "flat" / "0.png", place / "flat" / "\u00e4\u4e2d.png")
    os.rename(os.fsencode(place / "flat" / "1.png"), os.fsencode(place / "flat") + b"/\xff.png")
    terminal = io.TextIOWrapper(io.BytesIO(), "ascii")
    outputs = ["--csv", "a.csv", "--report", "a.html"]
    with redirect_stdout(terminal):
        assert main(["match", "flat", "flat", *outputs, "--n-jobs", "1"]) == 0
    assert b"??.png" in terminal.buffer.getvalue()
    assert "\u00e4\u4e2d.png" in Path("a.csv").read_text("utf-8")


def test_names_that_are_not_utf8_do_not_collide_or_fail_after_the_work(place, nrcdt, page_data):
    flat, good = os.fsencode(place / "flat"), os.fsencode(place / "good")
    for k, name in enumerate([b"\xff.png", b"\xfe.png", b"\\xff.png"]):
        os.rename(flat + b"/%d.png" % k, flat + b"/" + name)
    os.rename(good + b"/A", good + b"/cl\xffass")
    outputs = ["--csv", "a.csv", "--report", "a.html"]
    assert nrcdt("match", "good", "flat", *outputs)[0] == 0
    with open("a.csv", encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["picture"] for row in rows] == ["3.png", "\\\\xff.png", "\\xfe.png", "\\xff.png"]
    assert {row["class"] for row in rows} == {"cl\\xffass"}
    names = [name for name, *_ in page_data(Path("a.html").read_text("utf-8"))["pictures"]]
    assert len(set(names)) == len(names) >= 4
    assert set(names) >= {row["picture"] for row in rows}
    assert "cl\\xffass/0.png" in names
    assert nrcdt("features", "good", "a.npy")[0] == 0
    assert nrcdt("features", "good", "b.csv")[0] == 0
    assert nrcdt("classify", "good", "--report", "b.html")[0] == 0


def test_names_of_control_characters_and_formulas_are_neutralised(place, nrcdt):
    evil = ["=1+2.png", "+3.png", "-4.png", "@SUM.png", "red\x1b[31m.png", "two\nlines.png"]
    for name in evil:
        shutil.copy("flat/0.png", place / "flat" / name)
    status, output, _ = nrcdt("match", "good", "flat", "--csv", "a.csv")
    assert status == 0
    assert "\x1b" not in output
    assert "red\\x1b[31m.png" in output
    with open("a.csv", encoding="utf-8-sig", newline="") as file:
        names = {row["picture"] for row in csv.DictReader(file)}
    assert names >= {"'=1+2.png", "'+3.png", "'-4.png", "'@SUM.png", "red\\x1b[31m.png"}
    assert "two\\nlines.png" in names
    shutil.copytree("flat", place / "single" / "red\x1b[31m class")
    (place / "red\x1b[31m folder").mkdir()
    for words in (
        ["classify", "single"],
        ["match", "flat", "flat", "--csv", "red\x1b[31m folder/a.csv"],
    ):
        printed = "".join(nrcdt(*words)[1:])
        assert "red\\x1b[31m" in printed
        assert "\x1b" not in printed


def test_version_and_help(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"nrcdt {__version__}\n"
    for command, module in COMMANDS.items():
        with pytest.raises(SystemExit, match="0"):
            main([command, "--help"])
        output = capsys.readouterr().out
        assert f"example:\n  nrcdt {command} " in output
        assert module.EXAMPLE in output
        assert "--n-jobs" in output
