"""``nrcdt match``: the right templates, honest marks, a table and a page."""

import csv
import shutil

import numpy as np
import pytest
from drawings import font, put_on_paper

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


def test_finds_the_template_of_drawings_in_any_pose_and_size(catalogue, nrcdt, tmp_path):
    table = tmp_path / "answers.csv"
    folders = catalogue / "templates", catalogue / "queries"
    status, output, _ = nrcdt("match", *folders, "--csv", table)
    assert status == 0
    rows = read_csv(table)
    assert len(rows) == 200
    wrong = [row for row in rows if not row["picture"].startswith(row["class"] + "_")]
    assert len(wrong) <= 2  # 1 % of 200
    # Whoever looks at the marked ones finds all mistakes, and need not look at many.
    assert all(row["mark"] != "clear" for row in wrong)
    assert sum(row["mark"] == "clear" for row in rows) >= 190
    assert "200 pictures: dark on bright paper, inverted; background removed" in output
    assert "200 queries: " in output


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
    nrcdt("match", three / "templates", three / "queries", "--csv", three / "answers.csv")
    marks = {row["picture"]: row["mark"] for row in read_csv(three / "answers.csv")}
    assert marks == {"between.png": "doubtful", "cross.png": "unknown", "turned.png": "clear"}


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
    assert "1 clear, 0 doubtful" in output


def test_bright_drawings_on_dark_are_found_out_one_by_one(three, letters, nrcdt):
    put_on_paper(three / "queries" / "negative.png", letters[2], invert=False)
    nrcdt("match", three / "templates", three / "queries", "--csv", three / "a.csv")
    answers = {row["picture"]: row["class"] for row in read_csv(three / "a.csv")}
    assert answers == {"turned.png": "R", "negative.png": "A"}
    output = nrcdt("match", three / "templates", three / "queries")[1]
    assert "2 pictures: 1 dark on bright paper and inverted, 1 bright on dark" in output


def test_ink_can_be_stated(three, nrcdt):
    output = nrcdt("match", three / "templates", three / "queries", "--ink", "bright")[1]
    assert "3 pictures: bright on dark, taken as they are" in output


@pytest.mark.parametrize("feature", ["hog", "hog-similarity", "spectral"])
def test_mirror_images_are_the_same_if_asked(feature, three, letters, nrcdt):
    put_on_paper(three / "queries" / "mirrored.png", letters[1][:, ::-1])
    (three / "queries" / "turned.png").unlink()
    command = ["match", three / "templates", three / "queries", "--csv", three / "a.csv"]
    distances = []
    for option in [], ["--mirrored"]:
        assert nrcdt(*command, "--feature", feature, *option)[0] == 0
        [row] = read_csv(three / "a.csv")
        distances.append(float(row["distance_1"]))
    assert row["class"] == "L"
    assert distances[1] < 0.1 * distances[0]


@pytest.mark.parametrize("feature", ["hog-slant", "hog-scale", "max", "mean"])
def test_other_features_find_upright_letters(feature, three, letters, nrcdt):
    put_on_paper(three / "queries" / "turned.png", letters[0], 200)
    nrcdt(
        *("match", three / "templates", three / "queries"),
        *("--feature", feature, "--csv", three / "a.csv"),
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
    assert "http" not in text
    assert "src=x" not in text.partition('id="data"')[0]
    data = page_data(text)
    assert "<" not in text.partition('id="data">')[2].partition("</script>")[0]
    names = [name for name, *_ in data["pictures"]]
    assert names == ["A.png", "L.png", "R.png", evil]  # templates once
    [[picture, mark, answer, distance, nearest, truth, found]] = data["rows"]
    assert (picture, mark, answer, truth, found) == (3, "clear", "R", None, None)
    assert nearest[0] == [2, distance]
    assert [d for _, d in nearest] == sorted(d for _, d in nearest)


def test_many_answers_are_summed_up_on_the_screen(catalogue, nrcdt):
    output = nrcdt("match", catalogue / "templates", catalogue / "queries")[1]
    assert len(output.splitlines()) < 30
    assert "not listed here; --csv and --report have all of them" in output
