"""``nrcdt find``: the right drawings, honest marks, a table, a page, and what goes wrong."""

import base64
import csv
import io
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from drawings import put_on_paper
from PIL import Image

from sklearn_nrcdt._commands.find import mark
from sklearn_nrcdt._commands.pictures import found_pictures, photo_picture
from sklearn_nrcdt.search import DrawingSearch

# Their median is 6.
OTHERS = [8, 6.6, 6.4, 6.2, 6, 5.8, 5.6, 5.4, 5.2]
UNKNOWN = float("nan")


@pytest.fixture
def place(paper, tmp_path, monkeypatch):
    """A copy of the folders, to work in, with the bell alone."""
    shutil.copytree(paper, tmp_path, dirs_exist_ok=True)
    for name in ("other.png", "turned eagle.png"):
        (tmp_path / "photos" / name).unlink()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read_csv(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        return {row["photograph"]: row for row in csv.DictReader(file)}


def test_finds_drawings_and_says_where_they_are(paper, place, nrcdt, page_data):
    status, output, errors = nrcdt(
        *("find", "drawings", paper / "photos", "--turned", "quarter", "--top", 2),
        *("--csv", "a.csv", "--report", "a.html"),
    )
    assert (status, errors) == (0, "")
    assert "Drawings: 5 pictures: 3 dark on bright paper and inverted, 2 bright on dark" in output
    assert "Photographs: 3 pictures, usually 150 x 180 pixels: 3.8 x 4.6 cm of paper" in output
    assert "3 photographs: 2 clear, 0 doubtful" in output
    assert re.search(r"\nother\.png +none \(\w+\.png\) ", output)
    rows = read_csv("a.csv")
    assert {name: (row["mark"], row["class"]) for name, row in rows.items()} == {
        "bell.jpg": ("clear", "bell"),
        "turned eagle.png": ("clear", "eagle"),
        "other.png": ("not found", rows["other.png"]["class"]),
    }
    bell, eagle = rows["bell.jpg"], rows["turned eagle.png"]
    assert list(bell)[3:9] == [
        *("drawing_1", "class_1", "score_1"),
        *("drawing_2", "class_2", "score_2"),
    ]
    # Drawings of 90 x 70 pixels with their first pixel at (60, 40).
    assert (int(bell["row"]), int(bell["column"])) == pytest.approx((104, 74), abs=3)
    assert (bell["strokes"], eagle["strokes"]) == ("dark", "bright")
    assert int(bell["turned_left"]) == pytest.approx(0, abs=3)
    assert int(eagle["turned_left"]) == pytest.approx(90, abs=3)
    # Laid lines of 5.3 pixels.
    assert float(bell["laid_lines_mm"]) == pytest.approx(5.3 / 100 * 25.4, rel=0.01)
    assert abs(float(eagle["laid_lines_turned_left"])) == pytest.approx(90, abs=1)
    assert bell["chain_lines_mm"] == ""

    text = Path("a.html").read_text("utf-8")
    assert "://" not in text
    data = page_data(text)
    assert data["score"] == "Score"
    picture, _, answer, score, nearest, truth, [overlay] = data["rows"][0]
    part, strokes, (left, top, right, bottom), pose = overlay
    assert (data["pictures"][picture][0], answer, truth) == ("bell.jpg", "bell", None)
    assert score == nearest[0][1] > nearest[1][1]
    assert pose.startswith("dark strokes")
    # The drawing of 90 x 70 pixels is at row 60 and column 40 of 180 x 150, within a margin.
    assert 0.05 < left < 40 / 150 < 110 / 150 < right < 0.95
    assert 0.05 < top < 60 / 180 < 150 / 180 < bottom < 0.98
    # Strokes lie over the part of the photograph where it is dark.
    part, strokes = (Image.open(io.BytesIO(base64.b64decode(code))) for code in (part, strokes))
    assert part.format == "JPEG"
    assert part.width / part.height == pytest.approx(strokes.width / strokes.height, rel=0.01)
    alpha = np.asarray(strokes.resize(part.size).convert("RGBA"))[..., 3] > 0
    assert 0.01 < alpha.mean() < 0.2
    grey = np.asarray(part, float)
    assert grey[alpha].mean() < grey[~alpha].mean() - 20


def test_turned_and_mirrored_paper_is_found_by_itself_or_if_asked(place, nrcdt):
    mirrored = np.rot90(np.asarray(Image.open("photos/bell.jpg"))[:, ::-1])
    Image.fromarray(mirrored).save("photos/bell.jpg", quality=95)
    command = ["find", "drawings", "photos", "--strokes", "dark", "--csv", "a.csv"]
    status, output, _ = nrcdt(*command)
    assert status == 0
    assert "1 photograph lies on another side or mirrored, which was tried" in output
    for options in ([], ["--mirrored", "--turned", "quarter"]):
        nrcdt(*command, *options)
        row = read_csv("a.csv")["bell.jpg"]
        assert (row["mark"], row["class"], row["mirrored"]) == ("clear", "bell", "yes")


def test_files_say_how_much_paper_a_pixel_is(place, nrcdt):
    for file in [*Path("drawings").iterdir(), *Path("photos").iterdir()]:
        image, dpi = Image.open(file), 150 if "photos" in file.parts else 200
        size = [round(side * dpi / 100) for side in image.size]
        image.resize(size, Image.Resampling.BICUBIC).save(file, dpi=(dpi, dpi))
    command = ["find", "drawings", "photos", "--strokes", "dark", "--csv", "a.csv"]
    output = nrcdt(*command)[1]
    assert "200 dpi as the files say" in output
    assert "3.8 x 4.6 cm of paper; 150 dpi as the files say" in output
    row = read_csv("a.csv")["bell.jpg"]
    assert (row["mark"], row["class"]) == ("clear", "bell")
    assert float(row["scale"]) == pytest.approx(0.75, rel=0.01)
    assert (int(row["row"]), int(row["column"])) == pytest.approx((156, 111), abs=4)
    # Options are right even if files say something else.
    output = nrcdt(*command, "--dpi", 450, "--drawings-dpi", 200)[1]
    assert "450 dpi by --dpi" in output
    assert "you may try --size any" in output
    assert read_csv("a.csv")["bell.jpg"]["mark"] == "not found"


def test_an_unknown_scale_can_be_asked_for(place, nrcdt):
    image = Image.open("photos/bell.jpg")
    image.resize([2 * side for side in image.size]).save("photos/bell.jpg")
    nrcdt("find", "drawings", "photos", "--strokes", "dark", "--size", "any", "--csv", "a.csv")
    row = read_csv("a.csv")["bell.jpg"]
    assert (row["mark"], row["class"]) == ("clear", "bell")
    assert float(row["scale"]) == pytest.approx(2, rel=0.06)


def test_a_photograph_that_disappears_costs_no_other(place, paper, nrcdt, monkeypatch):
    shutil.copy(paper / "photos" / "other.png", place / "photos")
    fit = DrawingSearch.fit

    def fit_and_lose(self, *args, **kwargs):
        (place / "photos" / "other.png").unlink()
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(DrawingSearch, "fit", fit_and_lose)
    status, output, _ = nrcdt("find", "drawings", "photos", "--strokes", "dark")
    assert status == 0
    assert "1 photograph could no longer be read: other.png" in output
    assert "1 photograph: 1 clear" in output


def test_resolutions_may_differ(place, nrcdt):
    """Drawings at 200 dpi, photographs at 100 dpi, in which they are 12 % larger than that."""
    for file in [*Path("drawings").iterdir(), *Path("photos").iterdir()]:
        image = Image.open(file)
        size = [round(side * (1.12 if "photos" in file.parts else 2)) for side in image.size]
        image.resize(size, Image.Resampling.BICUBIC).save(file)
    command = ["find", "drawings", "photos", "--strokes", "dark", "--csv", "a.csv"]
    nrcdt(*command)
    assert read_csv("a.csv")["bell.jpg"]["mark"] == "not found"
    nrcdt(*command, "--drawings-dpi", 200, "--size", 15)
    row = read_csv("a.csv")["bell.jpg"]
    assert (row["mark"], row["class"]) == ("clear", "bell")
    assert float(row["scale"]) == pytest.approx(0.56, rel=0.03)


def test_subfolders_are_classes_and_right_answers(place, nrcdt):
    for name in ("anchor", "bell", "crown", "dove", "eagle"):
        target = Path("drawings") / ("animals" if name in ("dove", "eagle") else "things")
        target.mkdir(exist_ok=True)
        shutil.move(f"drawings/{name}.png", target)
    Path("photos/things").mkdir()
    shutil.move("photos/bell.jpg", "photos/things")
    output = nrcdt("find", "drawings", "photos", "--strokes", "dark")[1]
    assert "2 classes" in output
    assert "1 of 1 answers (100.0%) are the class that the photograph's subfolder names" in output


def test_colour_is_grey_and_photographs_are_turned_as_the_camera_says(place, nrcdt):
    grey = np.asarray(Image.open("photos/bell.jpg"))
    exif = Image.Exif()
    exif[274] = 6  # to be turned to the right
    lying = Image.fromarray(np.rot90(np.stack([grey, grey * 0.9, grey * 0.7], -1).astype(np.uint8)))
    lying.save("photos/bell.jpg", exif=exif, quality=95)
    nrcdt("find", "drawings", "photos", "--strokes", "dark", "--csv", "a.csv")
    assert read_csv("a.csv")["bell.jpg"]["mark"] == "clear"


def test_pictures_of_any_photograph_take_little_room():
    noise = np.random.default_rng(0).random((3000, 2000), dtype=np.float32)
    strokes = np.argwhere(np.eye(1000, dtype=bool)) + 500.0
    part, lines, _ = found_pictures(noise, strokes)
    # Two drawings in a doubtful row, in base64.
    assert 4 / 3 * (len(photo_picture(noise)) + 2 * (len(part) + len(lines))) < 300_000


@pytest.mark.parametrize(
    ("scores", "classes", "chance", "answer"),
    [
        ([20, 8], "ab", UNKNOWN, "clear"),
        ([20, 19, 8], "aab", UNKNOWN, "clear"),  # drawings of one class are no doubt
        ([20, 19, 8], "abc", UNKNOWN, "doubtful"),
        ([11, 7], "ab", 5, "clear"),
        ([9.9, 5], "ab", 3, "not found"),
        ([14], "a", UNKNOWN, "doubtful"),  # nothing to compare it with
        ([16], "a", UNKNOWN, "clear"),
        # With enough others, a lower score may be found, if they are lower still.
        ([12, *OTHERS], "abcdefghij", 3, "clear"),
        ([9.1, *OTHERS], "abcdefghij", 3, "doubtful"),
        ([8.9, *OTHERS], "abcdefghij", 3, "not found"),
        ([8.6, *np.array(OTHERS) - 2], "abcdefghij", 3, "doubtful"),
        ([8.4, *np.array(OTHERS) - 2], "abcdefghij", 3, "not found"),
        ([18.1, *np.array(OTHERS) + 6], "abcdefghij", 3, "doubtful"),
        ([17.9, *np.array(OTHERS) + 6], "abcdefghij", 3, "not found"),
        # Lines of that kind are everywhere: its own mirror images fit, too.
        ([20, 8], "ab", 10.1, "not found"),
        ([20, *OTHERS], "abcdefghij", 10.1, "not found"),
        # It looks the same in a mirror, so nobody knows what is chance.
        ([13, *OTHERS], "abcdefghij", UNKNOWN, "not found"),
        ([13.3, *OTHERS], "abcdefghij", UNKNOWN, "clear"),
        # A variant of the figure scores as high; all others are far below.
        ([20, 19, *OTHERS], "abcdefghijk", 3, "doubtful"),
    ],
)
def test_marks(scores, classes, chance, answer):
    assert mark(scores, classes, chance) == answer


def test_what_is_found_on_a_side_that_nobody_asked_for_must_stand_out_more():
    scores, classes = [14, *OTHERS], "abcdefghij"
    assert mark(scores, classes, 3) == "clear"
    assert mark(scores, classes, 3, again=True) == "not found"
    assert mark([16, *OTHERS], classes, 3, again=True) == "clear"


# --- what goes wrong ------------------------------------------------------------------------------


@pytest.fixture
def no_work(monkeypatch):
    """Nothing must be looked for."""

    def work(*args):
        raise AssertionError("work was done")

    monkeypatch.setattr(DrawingSearch, "fit", work)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("find nowhere photos", "There is no file or folder 'nowhere'."),
        ("find drawings nowhere", "There is no file or folder 'nowhere'."),
        ("find drawings empty", "The folder 'empty' has no pictures."),
        ("find drawings drawings", "'drawings' is given twice"),
        ("find drawings photos/../drawings", "is given twice"),
        ("find drawings photos --dpi 5", "--dpi must be from 25 to 4800"),
        ("find drawings photos --dpi nan", "--dpi must be from 25 to 4800"),
        ("find drawings photos --drawings-dpi 1e9", "--drawings-dpi must be from 25 to 4800"),
        ("find drawings photos --dpi 1200", "only 0.3 x 0.4 cm of paper: give the right --dpi"),
        ("find drawings photos --size 80", "--size must be from 0 to 50 percent, or any."),
        ("find drawings photos --size much", "--size must be from 0 to 50 percent, or any."),
        ("find drawings photos --top 0", "--top must be at least 1."),
        ("find drawings photos --csv a.txt", "--csv: the name 'a.txt' must end in .csv."),
        ("find drawings photos --report a", "must end in .html or .htm"),
        ("find blank photos", "blank/white.png"),
        ("find drawings plain", "grey.png (uniform, so there is nothing to find in it)"),
        ("find drawings broken", "text.png ("),
    ],
)
def test_one_line_before_any_work(command, message, place, nrcdt, no_work):
    Path("empty").mkdir()
    shutil.copytree("drawings", "blank")
    put_on_paper(place / "blank" / "white.png", np.zeros((50, 50)))
    shutil.copytree("photos", "plain")
    put_on_paper(place / "plain" / "grey.png", np.full((90, 90), 0.5))
    shutil.copytree("photos", "broken")
    Path("broken/text.png").write_text("no picture")
    before = set(place.rglob("*"))
    status, output, errors = nrcdt(*command.split())
    assert (status, output) == (2, "")
    assert message.replace("blank/", "") in errors
    assert errors.count("\n") == 1
    assert set(place.rglob("*")) == before


def test_what_cannot_be_used_is_left_out_if_asked(place, nrcdt):
    put_on_paper(place / "drawings" / "white.png", np.zeros((50, 50)))
    put_on_paper(place / "photos" / "grey.png", np.full((90, 90), 0.5))
    status, output, _ = nrcdt("find", "drawings", "photos", "--skip-broken", "--strokes", "dark")
    assert status == 0
    assert "1 left out: white.png (nothing is drawn on it)" in output
    assert "1 left out: grey.png (uniform, so there is nothing to find in it)" in output
    assert "1 photograph: 1 clear" in output


def test_drawings_larger_than_all_photographs_are_named(place, nrcdt):
    image = Image.open("drawings/bell.png")
    image.resize([3 * side for side in image.size]).save("drawings/bell.png")
    status, output, _ = nrcdt("find", "drawings", "photos", "--strokes", "dark")
    assert status == 0
    assert "1 drawing is larger than every photograph: bell.png." in output
    assert "--drawings-dpi" in output


def test_paper_too_large_to_be_true(place, nrcdt, no_work):
    put_on_paper(place / "photos" / "huge.png", np.tile(np.linspace(0, 1, 250), (2200, 8)))
    status, _, errors = nrcdt("find", "drawings", "photos", "--dpi", 25)
    assert status == 2
    assert "huge.png (at 25 dpi 203 x 224 cm of paper: give the right --dpi)" in errors
