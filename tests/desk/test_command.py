"""`nrcdt desk` in a process of its own: in a browser, killed, without its packages."""

import base64
import csv
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from argparse import Namespace
from contextlib import closing, suppress
from http.client import HTTPException
from pathlib import Path

import pytest
from browsing import (
    ActionChains,
    By,
    Keys,
    check_colors,
    find,
    look,
    press,
    view,
    wait,
)
from desks import NAMES, Client, answered
from processes import start_command

from sklearn_nrcdt._commands import cli
from sklearn_nrcdt._commands import desk as command
from sklearn_nrcdt.catalogue import Catalogue

N = 14


class Process:
    """A desk in a process; `with` ends it."""

    def __init__(self, *words, **environment):
        with tempfile.NamedTemporaryFile(delete=False) as file:
            self.output = Path(file.name)
        words = ["desk", *map(str, words), "--no-browser"]
        self.process = start_command(words, self.output, environment)
        while "http://" not in (printed := self.output.read_text("utf-8")):
            assert self.process.is_alive(), printed
            time.sleep(0.02)
        self.lines = printed.splitlines()
        self.address = re.search(r"http://127\.0\.0\.1:\d+/\S+", printed)[0]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.is_alive():
            os.kill(self.process.pid, signal.SIGINT)
        self.process.join(60)
        self.status = self.process.exitcode
        self.rest = self.output.read_text("utf-8").partition(self.address)[2]
        self.output.unlink()


@pytest.fixture
def pictures(turned):
    """Two pictures of each drawing, and two of a figure that is in no catalogue."""
    return {f"picture {k:02d}.png": turned(k % 7, 17 * k) for k in range(N)}


DROP = """
const dataTransfer = new DataTransfer(), options = {dataTransfer, bubbles: true, cancelable: true};
for (const [name, code] of Object.entries(arguments[0]))
  dataTransfer.items.add(new File([Uint8Array.from(atob(code), (c) => c.charCodeAt(0))], name));
for (const kind of ["dragover", "drop"]) document.body.dispatchEvent(new DragEvent(kind, options));
"""


def drop(browser, files):
    """Drop files on the page."""
    browser.execute_script(DROP, {n: base64.b64encode(d).decode() for n, d in files.items()})


def rows(browser):
    """The texts of all pictures in the list, in sight or not."""
    return browser.execute_script(
        "return [...document.querySelectorAll('#list button')]"
        ".map((b) => [...b.querySelectorAll('span span')].map((span) => span.textContent))"
    )


def is_ready(browser, n):
    found = rows(browser)
    return len(found) == n and all("waiting" not in row for row in found)


def test_from_dropped_pictures_to_a_decided_list(browser, drawings, pictures, downloads):
    with Process(drawings, "--n-jobs", "1") as desk:
        view(browser, desk.address)
        wait(browser, lambda: f"{len(NAMES)} drawings" in find(browser, "h1").text)
        drop(browser, pictures)
        wait(browser, lambda: is_ready(browser, N))
        found = rows(browser)
        for k in (*range(6), *range(7, 13)):
            assert found[k] == [f"picture {k:02d}.png", "clear", NAMES[k % 7]]
        assert [row[0] for row in found] == [*pictures]
        # All by keyboard: accept, look at the second and accept it, reject with a note, undo.
        press(browser, "a2")  # the next picture is looked at before the desk has answered
        wait(browser, lambda: rows(browser)[0][-1] == f"\u2713 {NAMES[0]}")
        second = find(browser, "#candidates [aria-pressed=true]").get_attribute("title")
        press(browser, "a")
        wait(browser, lambda: rows(browser)[1][-1] == f"\u2713 {second.removesuffix('.png')}")
        press(browser, "n", "=not; sure", Keys.ENTER, "r")
        wait(browser, lambda: rows(browser)[2][-1] == "\u2715 rejected")
        press(browser, "r")
        wait(browser, lambda: rows(browser)[3][-1] == "\u2715 rejected")
        press(browser, "u")
        wait(browser, lambda: rows(browser)[3][-1] == NAMES[3])
        # The seventh figure becomes a reference, and its other pictures get it as an answer.
        find(browser, "#list li:nth-child(7) button").click()
        press(browser, "c")
        wait(browser, lambda: find(browser, "#crop").is_displayed())
        name = find(browser, "#reference-name")
        name.clear()
        name.send_keys("the seventh", Keys.ENTER)
        wait(browser, lambda: rows(browser)[6][-1].startswith("+ "))
        wait(browser, lambda: rows(browser)[13][-1] == "the seventh")
        wait(browser, lambda: f"{len(NAMES) + 1} drawings" in find(browser, "h1").text)
        drop(browser, {"again.png": pictures["picture 13.png"]})
        wait(browser, lambda: is_ready(browser, N + 1))
        assert rows(browser)[N][-1] == "the seventh"
        # Filters.
        find(browser, "#by-decision option:nth-child(4)").click()
        assert [row[0] for row in rows(browser)] == ["picture 02.png"]
        find(browser, "#by-decision option:nth-child(1)").click()
        find(browser, "#by-mark option:nth-child(2)").click()
        assert {row[1] for row in rows(browser)} == {"clear"}
        before = [row[-1] for row in rows(browser)]
        assert browser.get_log("browser") == []
        browser.get("about:blank")  # or the page would miss the desk
    assert desk.status == 0
    assert "Everything is kept" in desk.rest
    with Process(f"{drawings}-catalogue", "--n-jobs", "1") as desk:
        view(browser, desk.address)
        wait(browser, lambda: is_ready(browser, N + 1))
        for width in (1400, 390):
            for scheme in ("light", "dark"):
                look(browser, width, scheme)
                check_colors(browser, scheme)
        find(browser, "#by-mark option:nth-child(2)").click()
        assert [row[-1] for row in rows(browser)] == before
        find(browser, "#list li:nth-child(3) button").click()
        assert find(browser, "#note").get_attribute("value") == "=not; sure"
        find(browser, "#export summary").click()
        find(browser, "a[href*='%3B']").click()
        wait(browser, (downloads / "decisions.csv").exists)
        with open(downloads / "decisions.csv", newline="", encoding="utf-8-sig") as lines:
            table = [*csv.DictReader(lines, delimiter=";")]
        assert [row["picture"] for row in table] == [*pictures, "again.png"]
        decided = [(r["decision"], r["drawing"], r["note"]) for r in table if r["decision"]]
        assert decided == [
            ("accepted", f"{NAMES[0]}.png", ""),
            ("accepted", second, ""),
            ("rejected", "", "'=not; sure"),
            ("new reference", "the seventh", ""),
        ]
        assert all(re.fullmatch(r"\d+(,\d+)?(e-\d+)?", row["score"]) for row in table)
        assert browser.get_log("browser") == []
        browser.get("about:blank")


# It is for programmers, and the command line silences it.
@pytest.mark.filterwarnings("ignore::sklearn_nrcdt.BrightBorderWarning")
def test_a_long_list_stays_where_it_is_and_letters_decide(
    browser, open_desk, drawings, pictures, turned
):
    name = "the longest name, which is " + 20 * "long, " + "and ends in 1748.png"
    with closing(open_desk()) as desk:
        for each, data in (pictures | {name: turned(0, 30)}).items():
            desk.add(each, data, "recognise")
        answered(desk, N + 1)
    with Process(drawings, "--n-jobs", "1") as desk:
        view(browser, desk.address)
        wait(browser, lambda: is_ready(browser, N + 1))
        # Pictures out of sight keep their height, so a decision does not move the list.
        heights = browser.execute_script(
            "return [...document.querySelectorAll('#list li')].map((each) => each.offsetHeight)"
        )
        assert min(heights) > 60
        find(browser, "#list li:nth-child(13) button").click()
        find(browser, "#kind").send_keys("S")
        assert find(browser, "#kind").get_property("value") == "search"
        press(browser, "a")
        wait(browser, lambda: rows(browser)[12][-1] == f"\u2713 {NAMES[5]}")
        assert find(browser, "#kind").get_property("value") == "search"
        assert browser.execute_script("return document.getElementById('list').scrollTop") > 100
        # The last one is taken off; then the one before it is looked at, and undo works.
        find(browser, "#list li:last-child button").click()
        press(browser, Keys.DELETE)
        wait(browser, lambda: len(rows(browser)) == N)
        assert find(browser, "#name").text == f"picture {N - 1:02d}.png"
        press(browser, "u")
        wait(browser, lambda: is_ready(browser, N + 1))
        find(browser, "#list li:last-child button").click()
        # A note that is typed is kept when the page is left; what is chosen stays chosen.
        find(browser, "#note").send_keys("half a note")
        find(browser, "#by-decision option:nth-child(2)").click()
        view(browser, desk.address)
        wait(browser, lambda: is_ready(browser, N))
        assert find(browser, "#name").text == name
        wait(browser, lambda: find(browser, "#note").get_property("value") == "half a note")
        assert find(browser, "#kind").get_property("value") == "search"
        for width in (1400, 390):
            look(browser, width)
            check_colors(browser, "light")
            # Picture and drawing stand side by side, however long their names are.
            tops = [
                find(browser, f"#{one}").location["y"] for one in ("picture", "drawing", "accept")
            ]
            assert abs(tops[0] - tops[1]) < 30
            assert tops[2] < 900
            find(browser, "#export summary").click()
            check_colors(browser, "light")
            find(browser, "#export summary").click()
        browser.get("about:blank")


def draw_frame(browser, image):
    quarter = image.size["width"] / 4, image.size["height"] / 4
    mouse = ActionChains(browser).move_to_element_with_offset(image, *(round(-q) for q in quarter))
    mouse.click_and_hold().move_by_offset(*(round(2 * q) for q in quarter)).release().perform()


PLACES = """return ['part', 'strokes', 'picture', 'frame'].map((id) => {
  const {x, y, width, height} = document.getElementById(id).getBoundingClientRect();
  return [x, y, width, height];
})"""
LOADED = "return ['part', 'strokes'].every((id) => document.getElementById(id).complete)"


def test_strokes_of_any_candidate_lie_on_the_photograph(browser, drawings, photo):
    with Process(drawings, "--n-jobs", "1") as desk:
        view(browser, desk.address)
        find(browser, "#kind option:nth-child(2)").click()
        drop(browser, {"notes.txt": b"no picture", "sheet.png": photo})
        wait(browser, lambda: is_ready(browser, 1))
        wait(browser, lambda: "notes.txt: It cannot be read" in find(browser, "#problem").text)
        for width in (1400, 390):
            look(browser, width)
            seen = set()
            for k in range(1, 6):
                press(browser, str(k))
                wait(browser, lambda: browser.execute_script(LOADED))
                seen.add(find(browser, "#strokes").get_attribute("src"))
                part, strokes, sheet, frame = browser.execute_script(PLACES)
                assert strokes == part
                assert part[2] > 100
                assert sheet[0] - 3 <= frame[0]
                assert frame[0] + frame[2] <= sheet[0] + sheet[2] + 3
            assert len(seen) == 5
            press(browser, "s")
            assert not find(browser, "#strokes").is_displayed()
            press(browser, "s")
            # A frame is drawn by mouse from a quarter to three quarters of the picture.
            press(browser, "c")
            wait(browser, lambda: browser.execute_script(LOADED.replace("part", "crop-picture")))
            draw_frame(browser, find(browser, "#crop-picture"))
            edges = browser.find_elements(By.CSS_SELECTOR, "#crop input[type=number]")
            values = [float(edge.get_attribute("value")) for edge in edges]
            assert values == pytest.approx([25, 25, 75, 75], abs=1.5)
            find(browser, "#cancel").click()
        browser.get("about:blank")


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_killed_at_any_moment_nothing_decided_is_lost(drawings, turned):
    rng, n = random.Random(0), 4
    told, names = {key: {} for key in range(1, n + 1)}, {}

    def change_something(client):
        key = rng.randint(1, n)
        decision = {"decision": "accepted", "drawing": rng.choice(names[key])}
        path, changes = rng.choice([("note", {"note": f"{rng.random()}"}), ("decide", decision)])
        for name in changes:  # until it is told, nobody knows
            told[key].pop(name, None)
        assert client(path, {"picture": key, **changes})[0] == 200
        told[key] |= changes

    for attempt in range(3):
        desk = Process(drawings, "--n-jobs", "1")
        client = Client(desk.address)
        if attempt == 0:
            for k in range(n):
                assert client.send(f"{k}.png", turned(k, 30))[0] == 200
        for picture in answered(client, n).values():
            assert told[picture["id"]].items() <= picture.items()
            names[picture["id"]] = [found["name"] for found in picture["answer"]["candidates"]]
        change_something(client)
        threading.Timer(rng.uniform(0.02, 0.4), desk.process.kill).start()
        with suppress(OSError, HTTPException):
            while True:
                change_something(client)
        desk.process.join()
        desk.output.unlink()


def test_without_an_argument_it_begins_empty_in_the_users_own_folder(tmp_path, turned):
    with Process("--n-jobs", "1", HOME=str(tmp_path), USERPROFILE=str(tmp_path)) as desk:
        assert desk.lines[0].endswith("0 drawings")
        client = Client(desk.address)
        assert client.send("one.png", turned(0, 0), "drawing")[0] == 200
        assert client.send("two.png", turned(1, 0), "drawing")[0] == 200
        assert client.send("asked.png", turned(1, 50))[0] == 200
        [picture] = answered(client, 1).values()
        assert picture["answer"]["label"] == "two"
    assert (tmp_path / "nrcdt desk" / "catalogue").is_dir()


def test_files_that_are_not_read_are_named(drawings):
    (drawings / "IMG_1.HEIC").touch()
    (drawings / "broken.png").touch()
    shutil.rmtree(f"{drawings}-catalogue")
    for _ in range(2):  # a folder, then its catalogue
        with Process(drawings, "--n-jobs", "1") as desk:
            assert desk.lines[0].startswith("1 left out: broken.png (")
            assert desk.lines[1].startswith("1 other file not read: IMG_1.HEIC. Save ")


def test_problems_are_one_line(drawings, tmp_path, capsys, monkeypatch):
    def problem(*words):
        assert cli.main(["desk", *map(str, words)]) == 2
        [line] = capsys.readouterr().err.splitlines()
        return line

    assert "nowhere" in problem(tmp_path / "nowhere")
    assert "--size" in problem(drawings, "--size", "huge")
    assert "--port" in problem(drawings, "--port", "70000")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "sklearn_nrcdt._desk.app", raising=False)
    assert "pip install 'sklearn-nrcdt[desk]'" in problem(drawings)


def test_a_folder_of_its_own_that_is_none_was_a_traceback(drawings, capsys):
    kept = drawings.with_name("drawings-catalogue")
    Catalogue.build(drawings, kept).close()
    (kept / "desk").write_text("")
    assert cli.main(["desk", str(kept)]) == 2
    assert re.match(r"nrcdt desk: '.*desk\.sqlite' cannot be opened: ", capsys.readouterr().err)
    (kept / "desk").unlink()
    (kept / "desk" / "desk.sqlite").mkdir(parents=True)
    assert cli.main(["desk", str(kept)]) == 2
    assert re.match(r"nrcdt desk: '.*desk\.sqlite' cannot be opened: ", capsys.readouterr().err)


def test_the_catalogue_of_the_working_directory_had_no_name(drawings, monkeypatch):
    (drawings / "sub").mkdir()
    monkeypatch.chdir(drawings / "sub")
    for place in ("..", drawings, "../../drawings"):
        catalogue = command._open(Namespace(place=place, n_jobs=1))
        assert catalogue.path == drawings.with_name("drawings-catalogue")
        catalogue.close()
