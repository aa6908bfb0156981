"""``nrcdt match``: the right templates, honest marks, a table and a page."""

import csv
import shutil

import numpy as np
import pytest
from drawings import font, put_on_paper

from sklearn_nrcdt._commands.console import print_table, shortened
from sklearn_nrcdt.datasets import affine, make_glyphs


def read_csv(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def letters():
    """R, L and A on a canvas with room."""
    return make_glyphs("RLA", font(), canvas=128).images


@pytest.fixture
def three(tmp_path, letters):
    """Templates R, L, A; a turned R to be found."""
    for name, image in zip("RLA", letters, strict=True):
        put_on_paper(tmp_path / "templates" / f"{name}.png", image)
    turned = affine(letters[:1], [[0.6, -0.8], [0.8, 0.6]])[0]
    put_on_paper(tmp_path / "queries" / "turned.png", turned, 200)
    return tmp_path


def test_finds_the_template_of_drawings_in_any_pose_and_size(matched):
    output, table, _ = matched
    rows = read_csv(table)
    assert len(rows) == 50
    assert all(row["picture"].startswith(row["class"] + "_") for row in rows)
    assert sum(row["mark"] == "clear" for row in rows) >= 46
    assert "50 pictures: dark on bright paper, inverted; background removed" in output
    assert "50 queries: " in output
    # Too many for the screen are summed up.
    assert len(output.splitlines()) < 20
    assert "not listed here; --csv and --report have all of them" in output


def test_marks_what_is_in_no_template_and_what_is_in_two(three, letters, nrcdt):
    cross = np.zeros((128, 128))
    cross[30:98, 60:68] = cross[60:68, 30:98] = 1
    put_on_paper(three / "queries" / "cross.png", cross)
    # An L whose foot is as long as in the middle between two templates.
    for name, length in {
        "templates/short": 20,
        "templates/long": 24,
        "queries/between": 22,
    }.items():
        longer = letters[1].copy()
        longer[82:87, 70 : 78 + length] = 1
        put_on_paper(three / f"{name}.png", longer)
    (three / "templates" / "L.png").unlink()
    output = nrcdt("match", three / "templates", three / "queries", "--csv", three / "answers.csv")[
        1
    ]
    assert "Some have a near-twin in another class" in output
    marks = {row["picture"]: row["mark"] for row in read_csv(three / "answers.csv")}
    assert marks == {"turned.png": "clear", "between.png": "doubtful", "cross.png": "unknown"}


def test_table_has_the_nearest_templates_in_order(three, nrcdt):
    table = three / "answers.csv"
    nrcdt("match", three / "templates", three / "queries", "--csv", table, "--top", 2)
    [row] = read_csv(table)
    assert list(row) == [
        *("picture", "mark", "class"),
        *("template_1", "class_1", "distance_1"),
        *("template_2", "class_2", "distance_2"),
    ]
    assert (row["picture"], row["class"], row["template_1"]) == ("turned.png", "R", "R.png")
    assert float(row["distance_1"]) < float(row["distance_2"])


def test_more_templates_asked_for_than_there_are(three, nrcdt):
    status, output, _ = nrcdt("match", three / "templates", three / "queries", "--top", 50)
    assert status == 0
    assert "turned.png" in output


def test_single_template_is_the_answer_to_everything(three, nrcdt):
    for name in "LA":
        (three / "templates" / f"{name}.png").unlink()
    status, output, _ = nrcdt("match", three / "templates", three / "queries")
    assert status == 0
    assert "1 clear, 0 likely, 0 doubtful" in output


def test_bright_drawings_on_dark_are_found_out_one_by_one(three, letters, nrcdt):
    put_on_paper(three / "queries" / "negative.png", letters[2], invert=False)
    nrcdt("match", three / "templates", three / "queries", "--csv", three / "a.csv")
    answers = {row["picture"]: row["class"] for row in read_csv(three / "a.csv")}
    assert answers == {"turned.png": "R", "negative.png": "A"}
    output = nrcdt("match", three / "templates", three / "queries")[1]
    assert "2 pictures: 1 dark on bright paper and inverted, 1 bright on dark" in output


def test_pictures_against_the_majority_are_named(three, letters, nrcdt):
    for k, size in enumerate((90, 110, 130)):
        put_on_paper(three / "queries" / f"plain{k}.png", letters[0], size)
    put_on_paper(three / "queries" / "negative.png", letters[2], invert=False)
    output = nrcdt("match", three / "templates", three / "queries")[1]
    assert "4 dark on bright paper and inverted, 1 bright on dark (negative.png)" in output


def test_dark_figures_at_the_border_are_right_in_a_folder_of_bright_ones(three, letters, nrcdt):
    # Each is decided alone: a folder of bright figures does not make dark ones bright.
    (three / "queries" / "turned.png").unlink()
    for k in range(9):
        put_on_paper(three / "queries" / f"bright{k}.png", letters[k % 3], 100 + k, invert=False)
    for name, letter in zip("RLA", letters, strict=True):
        rows, columns = (np.flatnonzero(letter.any(axis=axis)) for axis in (1, 0))
        tight = letter[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        put_on_paper(three / "queries" / f"tight {name}.png", np.pad(tight, [(6, 6), (0, 0)]))
    nrcdt("match", three / "templates", three / "queries", "--csv", three / "a.csv")
    answers = {row["picture"]: row["class"] for row in read_csv(three / "a.csv")}
    assert {name: answers[f"tight {name}.png"] for name in "RLA"} == {c: c for c in "RLA"}


def test_ink_can_be_stated(three, nrcdt):
    output = nrcdt("match", three / "templates", three / "queries", "--ink", "bright")[1]
    assert "3 pictures: bright on dark, taken as they are" in output
    assert "1 picture: bright on dark, taken as they are" in output
    options = ["--ink", "dark", "--templates-ink", "bright"]
    output = nrcdt("match", three / "templates", three / "queries", *options)[1]
    assert "Templates: 3 pictures: bright on dark" in output
    assert "Queries: 1 picture: dark on bright paper" in output


def test_files_instead_of_a_folder_of_queries(three, letters, nrcdt):
    put_on_paper(three / "else" / "where.png", letters[2])
    files = [three / "queries" / "turned.png", three / "else" / "where.png"]
    for given in (files[:1], files):
        assert nrcdt("match", three / "templates", *given, "--csv", three / "a.csv")[0] == 0
        rows = read_csv(three / "a.csv")
        assert [row["class"] for row in rows] == ["R", "A"][: len(given)]
    assert [row["picture"] for row in rows] == ["queries/turned.png", "else/where.png"]


def test_names_that_share_their_ends_are_told_apart_in_a_narrow_terminal(
    three, letters, nrcdt, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "80")
    for k in range(5):
        name = f"GSA_25-Handschriften_und_Drucke_Signatur_{k}_Blatt_00.jpg"
        put_on_paper(three / "scans" / name, letters[k % 3], 100 + k)
    output = nrcdt("match", three / "templates", three / "scans")[1]
    for k in range(5):
        assert f"\n...{k}_Blatt_00.jpg  " in output
    assert max(map(len, output.partition("\n\n")[2].partition("\n\n")[0].splitlines())) <= 80


def test_shortened_names_may_stand_in_brackets_or_be_missing():
    cells = [
        "GSA_25-Signatur_1_a.jpg",
        "none (GSA_25-Signatur_2_a.jpg)",
        "",
        "GSA_25-Signatur_(3)_a.jpg",
    ]
    assert shortened(cells, 15) == ["...1...", "none (...2...)", "", "...(3)..."]
    short = ["...1_a.jpg", "none (...2_a.jpg)", "", "...(3)_a.jpg"]
    assert shortened(cells, 20) == short  # no more than it takes
    assert shortened(cells, 30) == cells


def test_pictures_do_not_lose_their_names_to_those_of_drawings(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    heads = ["picture", "answer", "distance", "next", "distance", "mark"]
    pictures = [f"Pause {k:02d} (Mappe M).png" for k in range(3)]
    drawings = ["bull's head with a ring and a cross", "lily with stamens in a lozenge", "knot"]
    rows = [[p, d, "0.039", d, "0.386", "clear"] for p, d in zip(pictures, drawings, strict=True)]
    print_table(heads, rows, right=(2, 4), names=[[0], [1, 3]])
    lines = capsys.readouterr().out.splitlines()
    assert [line[:10] for line in lines[1:]] == ["Pause 00..", "Pause 01..", "Pause 02.."]
    assert max(map(len, lines)) <= 80


def test_spreadsheets_that_want_semicolons(three, nrcdt):
    table = three / "a.csv"
    nrcdt("match", three / "templates", three / "queries", "--csv", table, "--semicolons")
    head, line = table.read_text("utf-8-sig").splitlines()
    assert head.startswith("picture;mark;class;template_1;class_1;distance_1;")
    assert line.startswith("turned.png;clear;R;R.png;R;0,0")
    assert "." not in line.replace(".png", "")


@pytest.mark.parametrize("invariance", ["affine", "scale"])
def test_mirror_images_are_the_same_if_asked(invariance, three, letters, nrcdt):
    put_on_paper(three / "queries" / "mirrored.png", letters[1][:, ::-1])
    (three / "queries" / "turned.png").unlink()
    command = ["match", three / "templates", three / "queries", "--csv", three / "a.csv"]
    distances = []
    for option in [], ["--mirrored"]:
        assert nrcdt(*command, "--invariance", invariance, *option)[0] == 0
        [row] = read_csv(three / "a.csv")
        distances.append(float(row["distance_1"]))
    assert row["class"] == "L"
    assert distances[1] < 0.1 * distances[0]


@pytest.mark.parametrize("invariance", ["similarity", "slant", "scale"])
def test_upright_letters_are_found(invariance, three, letters, nrcdt):
    put_on_paper(three / "queries" / "turned.png", letters[0], 200)
    nrcdt(
        *("match", three / "templates", three / "queries"),
        *("--invariance", invariance, "--csv", three / "a.csv"),
    )
    assert read_csv(three / "a.csv")[0]["class"] == "R"


def test_subfolders_are_classes_and_right_answers(three, nrcdt, page_data):
    for folder, files in {"templates": "RLA", "queries": ["turned"]}.items():
        for name in files:
            label = "R" if name == "turned" else name
            target = three / folder / f"letter {label}"
            target.mkdir()
            shutil.move(three / folder / f"{name}.png", target / "1.png")
    command = ["match", three / "templates", three / "queries", "--report", three / "a.html"]
    output = nrcdt(*command)[1]
    assert "3 classes" in output
    assert "1 of 1 answers (100.0%) are the class" in output
    # Subfolders with other names are no answers.
    (three / "queries" / "letter R").rename(three / "queries" / "monday")
    assert "answers (" not in nrcdt(*command)[1]
    [row] = page_data((three / "a.html").read_text("utf-8"))["rows"]
    assert row[2] == "letter R"
    assert row[5] is None


def test_page_needs_nothing_but_itself_and_trusts_no_name(three, nrcdt, page_data):
    evil = "<\u0131mg src=x onerror=alert(1)>.png"
    (three / "queries" / "turned.png").rename(three / "queries" / evil)
    page = three / "answers.html"
    nrcdt("match", three / "templates", three / "queries", "--report", page)
    text = page.read_text("utf-8")
    assert "://" not in text
    assert "src=x" not in text.partition('id="data"')[0]
    data = page_data(text)
    assert "<" not in text.partition('id="data">')[2].partition("</script>")[0]
    names = [name for name, *_ in data["pictures"]]
    assert names == ["A.png", "L.png", "R.png", evil]  # templates once
    [[picture, mark, answer, distance, nearest, truth, found]] = data["rows"]
    assert (picture, mark, answer, truth, found) == (3, "clear", "R", None, None)
    assert nearest[0] == [2, distance]
    assert [d for _, d in nearest] == sorted(d for _, d in nearest)
