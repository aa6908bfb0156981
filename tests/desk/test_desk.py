"""What the desk answers, keeps, takes back and exports."""

import csv
import io
import json
import re
from contextlib import closing

import numpy as np
import pytest
from desks import NAMES, answered, make_desk, png
from drawings import put_on_paper

from sklearn_nrcdt._commands.console import Problem

# They are for programmers, and the command line silences them.
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_nrcdt.BrightBorderWarning")


def table(desk, separator=","):
    text = desk.csv(separator).decode("utf-8-sig")
    return {row["picture"]: row for row in csv.DictReader(io.StringIO(text), delimiter=separator)}


def test_drawings_are_recognized_and_photographs_searched(open_desk, turned, photo):
    desk = open_desk()
    for k in range(len(NAMES)):
        desk.add(f"{k}.png", turned(k, 40 * k), "recognise")
    desk.add("7.png", photo, "search")
    found = answered(desk, 7)
    for k, name in enumerate(NAMES):
        assert found[f"{k}.png"]["answer"]["label"] == name
        assert found[f"{k}.png"]["answer"]["mark"] == "clear"
    answer = found["7.png"]["answer"]
    assert (answer["label"], answer["mark"]) == (NAMES[1], "clear")
    # Every candidate has its strokes and its place, the first one where the figure is.
    for place, candidate in enumerate(answer["candidates"]):
        left, top, right, bottom = candidate["box"]
        assert 0 <= left < right <= 1
        assert 0 <= top < bottom <= 1
        detail, strokes = desk.journal.overlay(7, place)
        assert detail.startswith(b"\xff\xd8")
        assert strokes.startswith(b"\x89PNG")
        assert desk.image("drawing", 7, place).startswith(b"\x89PNG")
    left, top, right, bottom = answer["candidates"][0]["box"]
    assert left < 40 / 150 < 110 / 150 < right
    assert top < 60 / 180 < 150 / 180 < bottom


def test_decisions_are_undone_one_by_one_and_kept(open_desk, turned):
    desk = open_desk()
    for k in range(2):
        desk.add(f"{k}.png", turned(k, 10), "recognise")
    answered(desk, 2)
    desk.decide(1, "accepted", f"{NAMES[2]}.png")
    desk.note(1, "back\\slash\x1b\udc80")
    desk.decide(2, "rejected", "")
    decisions = lambda: [  # noqa: E731
        (p["decision"], p["drawing"], p["note"]) for p in desk.state()["pictures"]
    ]
    kept = [("accepted", f"{NAMES[2]}.png", "back\\slash  "), ("rejected", "", "")]
    assert decisions() == kept
    desk.close()
    desk = open_desk()
    assert decisions() == kept
    for expected in [
        [kept[0], ("", "", "")],
        [("accepted", f"{NAMES[2]}.png", ""), ("", "", "")],
        [("", "", ""), ("", "", "")],
    ]:
        desk.undo()
        assert decisions() == expected
    with pytest.raises(Problem, match="nothing to undo"):
        desk.undo()
    with pytest.raises(Problem, match="not among the answers"):
        desk.decide(1, "accepted", "../../etc/passwd")
    with pytest.raises(Problem, match="A decision is"):
        desk.decide(1, "maybe", "")
    with pytest.raises(LookupError):
        desk.decide(3, "rejected", "")


def test_a_new_reference_is_found_and_undo_takes_it_back(open_desk, turned, figures):
    desk = open_desk()
    desk.add("unknown.png", turned(6, 0), "recognise")
    desk.add("the same.png", turned(6, 120), "recognise")
    assert answered(desk, 2)["the same.png"]["answer"]["label"] != "seventh"
    n_before = len(desk.catalogue.names)
    # A frame with nothing in it, and one around nothing but the figure.
    with pytest.raises(Problem, match="nothing in this part"):
        desk.add_reference(1, [0, 0, 0.04, 0.04], "seventh")
    for box in ([0, 0, 1], [0, 0, 1, "1"], [0, 0, 1, None]):
        with pytest.raises(Problem, match="four edges"):
            desk.add_reference(1, box, "seventh")
    with pytest.raises(Problem, match="a name"):
        desk.add_reference(1, [0, 0, 1, 1], " ")
    desk.add_reference(1, [0, 0, 1, 1], "seventh")
    found = answered(desk, 2)
    assert found["the same.png"]["answer"]["label"] == "seventh"
    assert found["the same.png"]["answer"]["candidates"][0]["score"] < 0.2
    assert found["unknown.png"]["decision"] == "new reference"
    assert table(desk)["unknown.png"]["drawing"] == "seventh"
    with pytest.raises(Problem, match="already"):
        desk.add_reference(1, [0, 0, 1, 1], "seventh")
    desk.undo()
    assert len(desk.catalogue.names) == n_before
    assert answered(desk, 2)["the same.png"]["answer"]["label"] != "seventh"


def test_drawings_for_the_catalogue_come_first_and_twice_is_a_problem(open_desk, turned):
    desk = open_desk()
    desk.add("later.png", turned(6, 0), "drawing")
    desk.add("asked.png", turned(6, 70), "recognise")
    found = answered(desk, 1)
    assert found["asked.png"]["answer"]["label"] == "later"
    desk.add("later.png", turned(6, 0), "drawing")
    found = answered(desk, 2)
    assert "in the catalogue already" in found["later.png"]["answer"]["problem"]
    assert len(desk.catalogue.names) == len(NAMES) + 1
    desk.forget(found["later.png"]["id"])
    assert list(answered(desk, 1)) == ["asked.png"]


def test_a_note_on_its_way_was_lost_by_the_decision_after_it(open_desk, turned):
    desk = open_desk()
    desk.add("0.png", turned(0, 20), "recognise")
    answered(desk, 1)
    read_before = desk.journal.picture(1)
    desk.note(1, "sure")
    desk.journal.write(read_before, "rejected 0.png", decision="rejected")
    assert desk.journal.picture(1)["note"] == "sure"


def test_a_drawing_that_was_dropped_is_taken_out_by_undo(open_desk, turned):
    desk = open_desk()
    desk.add("the = sign.png", turned(6, 0), "drawing")
    desk.add("asked.png", turned(6, 70), "recognise")
    assert answered(desk, 1)["asked.png"]["answer"]["label"] == "the = sign"
    assert "the = sign" in desk.state()["undo"]
    desk.undo()
    assert len(desk.catalogue.names) == len(NAMES)
    assert answered(desk, 1)["asked.png"]["answer"]["label"] != "the = sign"


def test_a_drawing_that_cannot_be_taken_does_not_stop_the_others(open_desk, turned):
    desk = open_desk()
    names = ["first.png", "no name at its end .png", "\u7d19" * 90 + ".png", "last.png"]
    for k, name in enumerate(names):
        desk.add(name, turned(k, 50), "drawing")
    desk.add("asked last.png", turned(0, 0), "recognise")
    found = answered(desk, 3)
    del found["asked last.png"]
    assert set(found) == set(names[1:3])
    assert all("cannot be a name" in picture["answer"]["problem"] for picture in found.values())
    assert {"added/first.png", "added/last.png"} < set(desk.catalogue.names)


def test_what_is_removed_comes_back_until_the_desk_is_closed(open_desk, turned):
    desk = open_desk()
    for k in range(3):
        desk.add(f"{k}.png", turned(k, 20), "recognise")
    answered(desk, 3)
    desk.note(1, "the first")
    desk.note(2, "the second")
    desk.decide(3, "rejected", "")
    with pytest.raises(Problem, match="Undo that first"):
        desk.forget(3)
    desk.undo()
    desk.forget(2)
    assert list(answered(desk, 2)) == list(table(desk)) == ["0.png", "2.png"]
    desk.undo()
    assert answered(desk, 3)["1.png"]["note"] == "the second"
    desk.forget(2)
    desk.close()
    desk = open_desk()
    desk.undo()
    with pytest.raises(Problem, match="nothing to undo"):
        desk.undo()
    assert [p["note"] for p in answered(desk, 2).values()] == ["", ""]
    assert len(list(desk.folder.glob("*.picture"))) == 2


def test_photographs_are_asked_again_if_the_search_has_other_options(open_desk, photo, turned):
    desk = open_desk("--dpi", "300")
    desk.add("sheet.png", photo, "search")
    desk.add("drawn.png", turned(0, 20), "recognise")
    assert answered(desk, 2)["sheet.png"]["answer"]["mark"] == "not found"
    assert desk.state()["search"].endswith("upright, with sizes up to 5 % off. At 300 dpi.")
    desk.close()
    desk = open_desk()
    assert "dpi" not in desk.state()["search"]
    found = answered(desk, 2)
    assert found["sheet.png"]["answer"]["label"] == NAMES[1]
    assert [found[name]["version"] for name in ("sheet.png", "drawn.png")] == [2, 1]


def test_open_pictures_are_asked_again_if_the_drawings_changed_meanwhile(
    open_desk, turned, drawings
):
    desk = open_desk()
    for k in range(2):
        desk.add(f"{k}.png", turned(k, 20), "recognise")
    before = answered(desk, 2)
    desk.decide(1, "accepted", f"{NAMES[0]}.png")
    desk.close()
    for k in range(2):
        (drawings / f"{NAMES[k]}.png").unlink()
    after = answered(open_desk(), 2)
    assert after["0.png"]["answer"] == before["0.png"]["answer"]  # it was decided
    assert after["1.png"]["answer"]["label"] != NAMES[1] == before["1.png"]["answer"]["label"]


def test_a_drawing_that_was_drawn_anew_is_asked_again(open_desk, turned, figures, drawings):
    desk = open_desk()
    desk.add("0.png", turned(0, 20), "recognise")
    before = answered(desk, 1)["0.png"]["answer"]
    desk.close()
    put_on_paper(drawings / f"{NAMES[0]}.png", np.pad(figures[6], 8))
    desk = open_desk()
    after = answered(desk, 1)["0.png"]
    assert (after["version"], before["label"]) == (2, NAMES[0])
    assert after["answer"] != before
    desk.close()
    assert answered(open_desk(), 1)["0.png"]["version"] == 2  # nothing is new


def test_a_reference_that_cannot_be_written_down_stayed_in_the_catalogue(
    open_desk, turned, monkeypatch
):
    def full(*args, **changes):
        raise OSError(28, "No space left")

    desk = open_desk()
    desk.add("0.png", turned(6, 20), "recognise")
    answered(desk, 1)
    with monkeypatch.context() as patch:
        patch.setattr(desk.journal, "write", full)
        with pytest.raises(OSError, match="No space"):
            desk.add_reference(1, [0, 0, 1, 1], "new")
    assert len(desk.catalogue.names) == len(NAMES)
    desk.add_reference(1, [0, 0, 1, 1], "new")
    assert desk.state()["pictures"][0]["decision"] == "new reference"


def test_an_empty_catalogue_begins_with_a_reference(tmp_path, turned):
    (tmp_path / "nothing").mkdir()
    with closing(make_desk(tmp_path / "nothing")) as desk:
        for name, degrees in {"first.png": 0, "second.png": 50}.items():
            desk.add(name, turned(0, degrees), "recognise")
        assert "empty" in answered(desk, 2)["first.png"]["answer"]["problem"]
        desk.add_reference(1, [0, 0, 1, 1], "one")
        assert answered(desk, 2)["second.png"]["answer"]["label"] == "one"
        # A page has no row for what has no answer, and says so.
        assert "1 picture: first.png (new reference)." in desk.html().decode()


def test_a_drawing_whose_file_has_gone_stops_nothing(open_desk, turned, photo, drawings):
    desk = open_desk()
    desk.add("0.png", turned(0, 20), "recognise")
    answered(desk, 1)
    (drawings / f"{NAMES[0]}.png").unlink()
    desk.add("sheet.png", photo, "search")
    assert answered(desk, 2)["sheet.png"]["answer"]["label"] == NAMES[1]
    assert desk.image("drawing", 1, 0) == b""
    assert b"sheet.png" in desk.html()


def test_an_answer_that_cannot_be_kept_is_tried_again(open_desk, turned, monkeypatch):
    desk = open_desk()
    monkeypatch.setattr("sklearn_nrcdt._desk.desk.PATIENCE", 0.3)
    keep, calls = desk.journal.answer, []

    def full_at_first(*args):
        calls.append(desk.state()["busy"])
        if len(calls) == 1:
            raise OSError(28, "No space left")
        keep(*args)

    monkeypatch.setattr(desk.journal, "answer", full_at_first)
    desk.add("0.png", turned(0, 20), "recognise")
    assert answered(desk, 1)["0.png"]["answer"]["label"] == NAMES[0]
    assert len(calls) == 2


def test_what_cannot_be_answered_says_why(open_desk, photo):
    desk = open_desk("--dpi", "2400")
    desk.add("small.png", photo, "search")
    assert "give the right --dpi" in answered(desk, 1)["small.png"]["answer"]["problem"]
    with pytest.raises(Problem, match="nothing in this picture"):
        desk.add("blank.png", png(np.ones((40, 40))), "recognise")
    with pytest.raises(Problem, match="cannot be read"):
        desk.add("evil.png", b"<svg onload=alert(1)>", "recognise")
    assert len(list(desk.folder.glob("*.picture"))) == 1


def test_tables_are_safe_and_the_page_has_the_decisions(open_desk, turned, photo):
    desk = open_desk()
    desk.add("=1+1.png", turned(0, 10), "recognise")
    desk.add("a;b.png", photo, "search")
    answered(desk, 2)
    desk.note(1, "@SUM(A1)")
    desk.decide(2, "accepted", f"{NAMES[1]}.png")
    for separator in (",", ";", "\t"):
        rows = table(desk, separator)
        assert rows["'=1+1.png"]["note"] == "'@SUM(A1)"
        assert rows["a;b.png"]["drawing"] == f"{NAMES[1]}.png"
        assert (rows["a;b.png"]["decision"], rows["a;b.png"]["mark"]) == ("accepted", "clear")
        assert ("," in rows["a;b.png"]["score"]) == (separator == ";")
        assert float(rows["a;b.png"]["score"].replace(",", ".")) > 10
    with pytest.raises(Problem, match="separator"):
        desk.csv("|")
    page = desk.html().decode()
    data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    assert [d["decision"] for d in data["decisions"]] == ["", "accepted"]
    assert [row[1] for row in data["rows"]] == ["clear", "clear"]
    assert data["rows"][1][6][0][0].startswith("/9j/")


def test_one_desk_at_a_time(open_desk):
    open_desk()
    with pytest.raises(Problem, match="Close the other desk"):
        open_desk()


def test_a_damaged_journal_is_named(open_desk):
    desk = open_desk()
    desk.close()
    (desk.folder / "desk.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(Problem, match=r"desk\.sqlite' cannot be opened: .* Move it away"):
        open_desk()
