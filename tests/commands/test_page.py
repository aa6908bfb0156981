"""The page in a real browser: sorting, search, filters, keys, sizes and colours."""

import csv
import json
import os
import re
import shutil
from contextlib import suppress

import hostile
import psutil
import pytest
from browsing import By, Keys, check_colors, find, look, press, wait
from browsing import view as view_address
from PIL import Image


@pytest.fixture(scope="module")
def match_page(matched):
    return matched[2]


@pytest.fixture(scope="module")
def short_page(match_page, tmp_path_factory):
    """The same with ten rows, the last of a picture that is in no template."""
    before, data, after = re.split(
        r'(?<=id="data">)(.*?)(?=</script>)', match_page.read_text("utf-8")
    )
    data = json.loads(data)
    data["rows"] = data["rows"][:10]
    data["rows"][-1][1] = "unknown"
    page = tmp_path_factory.mktemp("short") / "match.html"
    page.write_text(before + json.dumps(data).replace("<", "\\u003c") + after, "utf-8")
    return page


def view(browser, page, *args, **options):
    view_address(browser, page.as_uri(), *args, **options)


def column(browser, number):
    """The texts of a column, in the rows that are drawn."""
    return browser.execute_script(
        "return [...document.querySelectorAll("
        f"'#answers tbody tr > td:nth-child({number})')].map((cell) => cell.innerText.trim())"
    )


def shown(browser):
    return browser.find_element(By.ID, "shown").text


def head(browser, name):
    xpath = f"//table[@id='answers']//th[button[text()='{name}']]"
    return browser.find_element(By.XPATH, xpath)


def test_rows_are_drawn_when_they_come_into_sight(browser, match_page):
    view(browser, match_page)
    assert browser.get_log("browser") == []
    assert shown(browser) == "50 of 50 shown"
    assert len(column(browser, 1)) == 40
    browser.execute_script("scrollTo(0, document.body.scrollHeight)")
    wait(browser, lambda: len(column(browser, 1)) == 50)
    broken = "return [...document.images].filter((i) => i.complete && !i.naturalWidth).length"
    assert browser.execute_script(broken) == 0


def test_sorting(browser, match_page):
    view(browser, match_page)
    assert head(browser, "Distance").get_attribute("aria-sort") == "none"
    head(browser, "Distance").find_element(By.TAG_NAME, "button").click()
    distances = [float(text) for text in column(browser, 3)]
    assert head(browser, "Distance").get_attribute("aria-sort") == "ascending"
    assert distances == sorted(distances)
    head(browser, "Distance").find_element(By.TAG_NAME, "button").click()
    farthest = [float(text) for text in column(browser, 3)]
    assert head(browser, "Distance").get_attribute("aria-sort") == "descending"
    assert farthest == sorted(farthest, reverse=True)
    assert farthest[0] > distances[-1]
    head(browser, "Picture").find_element(By.TAG_NAME, "button").click()
    # As people count: _9 before _10.
    assert column(browser, 1)[5:10] == [f"letterA_{k}.png" for k in range(7, 12)]
    assert head(browser, "Distance").get_attribute("aria-sort") == "none"


def test_search_and_filters(browser, match_page):
    view(browser, match_page)
    browser.find_element(By.ID, "search").send_keys("RS_")
    assert shown(browser) == "5 of 50 shown"
    assert all(name.startswith("letterS_") for name in column(browser, 1))
    browser.find_element(By.ID, "search").send_keys(" qq")
    assert shown(browser) == "0 of 50 shown"
    press(browser, Keys.ESCAPE)
    assert shown(browser) == "50 of 50 shown"
    counts = {}
    for mark in ("clear", "likely", "doubtful", "unknown"):
        button = browser.find_element(By.CSS_SELECTOR, f"#filters button[data-mark={mark}]")
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        counts[mark] = int(shown(browser).split()[0])
        assert counts[mark] == int(button.text.split()[-1])
        assert all(mark in text for text in column(browser, 4))
    assert sum(counts.values()) == 50
    assert counts["clear"] >= 46


def test_keys(browser, match_page):
    view(browser, match_page)
    focused = "return document.activeElement.id || document.activeElement.dataset.row"
    press(browser, "/")
    assert browser.execute_script(focused) == "search"
    press(browser, "rs_", Keys.ARROW_DOWN)
    first = browser.execute_script(focused)
    press(browser, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert int(browser.execute_script(focused)) == int(first) + 2
    row = browser.switch_to.active_element
    small = row.size["height"]
    press(browser, Keys.ENTER)
    assert row.size["height"] > small
    press(browser, Keys.ENTER)
    assert row.size["height"] == small
    press(browser, Keys.END)
    assert int(browser.execute_script(focused)) == int(first) + 4
    press(browser, Keys.HOME, Keys.ARROW_UP)
    assert browser.execute_script(focused) == "search"
    press(browser, Keys.ESCAPE)
    assert shown(browser) == "50 of 50 shown"
    # Beyond what is drawn.
    browser.execute_script("document.querySelector('#answers tr[data-row=\"35\"]').focus()")
    press(browser, *[Keys.ARROW_DOWN] * 6)
    assert browser.execute_script(focused) == "41"
    # Everything can be reached by Tab: filters, search, heads of columns, rows.
    browser.execute_script(
        "window.seen = []; addEventListener('focusin', ({target}) => "
        "seen.push(target.id || target.innerText.split('\\n')[0]));"
        "document.querySelector('#filters button').focus()"
    )
    press(browser, *[Keys.TAB] * 14)
    seen = set(browser.execute_script("return seen"))
    assert {"All 50", "search", "Picture", "Answer", "Distance", "Mark"} <= seen


def test_the_first_key_selects_the_first_row_in_sight(browser, match_page):
    view(browser, match_page)
    browser.execute_script("Date.now = () => 1e12")  # what is done within a millisecond
    focused = "return document.activeElement.dataset.row"
    press(browser, "r")  # about no row
    assert browser.execute_script(focused) is None
    assert not any(decisions(browser))
    press(browser, Keys.ARROW_DOWN)
    assert browser.execute_script(focused) == "0"
    press(browser, "r")
    assert decisions(browser)[:2] == ["\u2715 rejected", ""]
    press(browser, "r")
    view(browser, match_page)
    assert not any(decisions(browser))
    browser.execute_script("document.querySelectorAll('#answers tbody tr')[9].scrollIntoView()")
    press(browser, Keys.ARROW_DOWN)
    assert browser.execute_script(focused) == "9"
    # Where arrows have another meaning, they keep it.
    browser.execute_script("document.getElementById('decided').focus()")
    press(browser, Keys.ARROW_DOWN)
    assert browser.execute_script(focused) is None


def test_fits_the_screen_in_light_and_dark(browser, short_page):
    view(browser, short_page)
    for width in (1400, 390):
        for scheme in ("light", "dark"):
            look(browser, width, scheme)
            check_colors(browser, scheme)


@pytest.fixture(scope="module")
def find_page(paper, tmp_path_factory):
    from sklearn_nrcdt._commands.cli import main

    page = tmp_path_factory.mktemp("page") / "find.html"
    folders = [str(paper / name) for name in ("drawings", "photos")]
    options = ["--turned", "quarter", "--report", str(page), "--n-jobs", "1"]
    assert main(["find", *folders, *options]) == 0
    return page


@pytest.fixture(scope="module")
def doubtful_page(paper, tmp_path_factory):
    """The same with a drawing that is almost the bell."""
    from sklearn_nrcdt._commands.cli import main

    root = tmp_path_factory.mktemp("doubtful")
    shutil.copytree(paper, root, dirs_exist_ok=True)
    with Image.open(root / "drawings" / "bell.png") as bell:
        bell.paste(bell.getpixel((0, 0)), (0, 0, bell.width, 25))
        bell.save(root / "drawings" / "club.png")
    page, folders = root / "find.html", [str(root / name) for name in ("drawings", "photos")]
    assert main(["find", *folders, "--report", str(page), "--n-jobs", "1"]) == 0
    return page


LONG = "of the paper mill at the long river, with the short bridge and the tower, 1402"


@pytest.fixture(params=["short_page", "find_page", "doubtful_page"])
def long_names(request, tmp_path):
    """A page where the name of every drawing, and so every answer, is long."""
    text = request.getfixturevalue(request.param).read_text("utf-8")
    drawings = r'"((?:anchor|bell|crown|dove|eagle|club|letter[A-Z0-9]|symbol\d+)(?:\.png)?)"'
    page = tmp_path / "long.html"
    page.write_text(re.sub(drawings, rf'"{LONG} \1"', text), "utf-8")
    return page


OVERHANG = "return document.documentElement.scrollWidth - innerWidth"
SHAPES = """return [...document.querySelectorAll('#answers tbody tr')].slice(0, 10).map((row) =>
  [...row.querySelectorAll('.near figure:not(.found)')].map((figure) => {
    const name = figure.querySelector('.name'), score = figure.querySelector('figcaption > span');
    return {top: figure.offsetTop, title: name.title, score: score.innerText, lines:
      name.offsetHeight / parseFloat(getComputedStyle(name).lineHeight), outside:
      score.getBoundingClientRect().bottom > figure.getBoundingClientRect().bottom + 1,
      shown: figure.checkVisibility(), height: score.offsetHeight};
  }))"""


def check_drawings(browser):
    """Five drawings of each row are seen with their scores, and names end after two lines."""
    rows = browser.execute_script(SHAPES)
    for row in rows:
        assert len(row) >= 5
        for drawing in row[:5]:
            assert drawing["title"].startswith(LONG)
            assert drawing["lines"] < 2.1
            assert float(drawing["score"]) >= 0
            assert drawing["shown"]
            assert drawing["height"] > 5
            assert not drawing["outside"]
    return rows


def test_five_drawings_stand_on_one_line(browser, long_names):
    view(browser, long_names)
    for width in (1280, 1400, 1600, 1920):
        look(browser, width)
        assert browser.execute_script("return innerWidth") == width
        for row in check_drawings(browser):
            assert len({drawing["top"] for drawing in row[:5]}) == 1
        assert browser.execute_script(OVERHANG) <= 0


def test_a_drawing_that_was_not_found_is_no_answer(browser, find_page, short_page):
    view(browser, find_page)
    for answer, mark in zip(column(browser, 2), column(browser, 4), strict=True):
        assert answer.startswith("none of them\n(") == ("not found" in mark)
    view(browser, short_page)
    browser.find_element(By.CSS_SELECTOR, "#filters button[data-mark=unknown]").click()
    [answer] = column(browser, 2)
    assert answer.startswith("none of them\n(")


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (390, "dark")])
def test_strokes_lie_on_the_photograph(width, scheme, browser, find_page):
    view(browser, find_page, width, scheme)
    assert browser.get_log("browser") == []
    assert browser.execute_script(OVERHANG) <= 0
    for click in (False, True):
        row = browser.find_elements(By.CSS_SELECTOR, "#answers tbody tr")[0]
        before = row.size["height"]
        if click:
            row.find_element(By.CSS_SELECTOR, "td:nth-child(1)").click()
            assert row.size["height"] > before + 50
        photo, strokes = row.find_elements(By.CSS_SELECTOR, ".found:first-child img")
        plain = row.find_element(By.CSS_SELECTOR, ".found:nth-child(2) img")
        assert strokes.rect == photo.rect
        assert plain.is_displayed() == (click or width > 500)  # drawings come first on a phone
        assert plain.size == photo.size or not plain.is_displayed()
        # Photographs are not inverted, whatever the colours of the page.
        assert {i.value_of_css_property("filter") for i in (photo, strokes, plain)} == {"none"}
    # Nothing lies over the text beside it.
    picture = row.find_element(By.CSS_SELECTOR, "td:nth-child(1) .picture").rect
    answer = row.find_element(By.CSS_SELECTOR, "td:nth-child(2)").rect
    assert picture["x"] + picture["width"] <= answer["x"]


@pytest.mark.parametrize("width", [1400, 390])
def test_a_doubtful_row_shows_the_second_drawing_too_and_frames_on_the_sheet(
    width, browser, doubtful_page
):
    view(browser, doubtful_page, width)
    row = browser.find_element(By.CSS_SELECTOR, "#answers tbody tr")
    assert "doubtful" in row.text
    first, second = row.find_elements(By.CSS_SELECTOR, ".found .strokes")
    assert "bell.png" in first.get_attribute("alt")
    assert "club.png" in second.get_attribute("alt")
    sheet = row.find_element(By.CSS_SELECTOR, ".sheet img").rect
    frame, _ = [each.rect for each in row.find_elements(By.CSS_SELECTOR, ".sheet i")]
    # The figure of 90 x 70 pixels is at row 60 and column 40 of 180 x 150.
    left, right = ((40 + side - 75) / 150 + 0.5 for side in (0, 70))
    assert frame["x"] < sheet["x"] + left * sheet["width"]
    assert frame["x"] + frame["width"] > sheet["x"] + right * sheet["width"]
    assert 0.4 < frame["height"] / sheet["height"] < 1
    # All drawings are in sight.
    for drawing in row.find_elements(By.CSS_SELECTOR, ".near figure:not(.spare, .plain)"):
        rect = drawing.rect
        assert 0 <= rect["x"] < rect["x"] + rect["width"] <= width


# A4 and US Letter with margins of 12 mm: 186 x 273 and 192 x 255 mm.
PRINTED = round(186 / 25.4 * 96)


def test_six_rows_fit_on_a_printed_page(browser, long_names):
    view(browser, long_names, PRINTED, media="print")
    heights = browser.execute_script(
        "return [...document.querySelectorAll('#answers tbody tr')].map((row) => row.offsetHeight)"
    )
    assert 60 < max(heights) <= 255 / 25.4 * 96 / 6
    check_drawings(browser)
    assert browser.execute_script(OVERHANG) <= 0
    assert not browser.execute_script(
        "return [...document.querySelectorAll('main *')].filter((e) => "
        "['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && e.checkVisibility()).length"
    )


def test_heads_of_columns_are_printed_on_every_page(browser, short_page):
    view(browser, short_page, PRINTED, media="print")
    heads = browser.find_elements(By.CSS_SELECTOR, "#answers th")
    assert [each.text for each in heads[:4]] == ["Picture", "Answer", "Distance", "Mark"]
    # Chromium repeats no buttons.
    buttons = browser.find_elements(By.CSS_SELECTOR, "#answers th button")
    assert {each.value_of_css_property("display") for each in buttons} == {"contents"}
    rooms = browser.execute_script(
        "return [...document.querySelectorAll('#answers th')].map((head) => {"
        "  const range = document.createRange(); range.selectNodeContents(head);"
        "  return head.getBoundingClientRect().right - range.getBoundingClientRect().right})"
    )
    assert min(rooms) > 3


def test_notes_are_printed_whole(browser, short_page):
    note = "Compare it with sheet 27 recto; ask about the ring of the bull's head. " * 3
    view(browser, short_page)
    press(browser, Keys.ARROW_DOWN, "n")
    browser.execute_cdp_cmd("Input.insertText", {"text": note})  # and not left yet
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    cell = find(browser, "#answers tbody td:nth-child(4)")
    assert note.strip() in cell.text
    assert not cell.find_element(By.TAG_NAME, "input").is_displayed()
    written = cell.find_element(By.CLASS_NAME, "written")
    assert written.size["height"] > 40
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert not written.is_displayed()


def decisions(browser):
    """The decisions as the page shows them, row by row."""
    return browser.execute_script(
        "return [...document.querySelectorAll('.decision')].map((each) => each.innerText)"
    )


def end_storage(browser):
    """End the process that keeps what Chromium has not yet written to the disk."""
    for process in psutil.Process(browser.service.process.pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it has just ended by itself
            if "storage.mojom.StorageService" in " ".join(process.cmdline()):
                process.kill()


def test_decisions_are_kept_in_the_browser_and_exported(browser, doubtful_page, downloads):
    view(browser, doubtful_page)
    row = lambda number: find(browser, f"#answers tbody tr:nth-child({number})")  # noqa: E731
    row(1).find_element(By.CSS_SELECTOR, ".near figure:nth-child(6) button").click()
    assert decisions(browser)[0] == "\u2713 club.png"
    press(browser, Keys.ARROW_DOWN, "rn", "=1+1; who?", Keys.ENTER, Keys.ARROW_DOWN, "a1")
    decided = ["\u2713 club.png", "\u2715 rejected", ""]  # the same again takes it back
    assert decisions(browser) == decided
    find(browser, "#decided option:nth-child(4)").click()
    assert shown(browser) == "1 of 3 shown"
    end_storage(browser)  # as happens on busy machines; the last decisions are not lost
    browser.refresh()
    wait(browser, lambda: decisions(browser) == decided)
    assert find(browser, "#decided").get_attribute("value") == "any"
    assert row(2).find_element(By.TAG_NAME, "input").get_attribute("value") == "=1+1; who?"
    for button, separator, point in (("commas", ",", "."), ("semicolons", ";", ",")):
        find(browser, f"#{button}").click()
        file = downloads / "decisions.csv"
        wait(browser, file.exists)
        with open(file, newline="", encoding="utf-8-sig") as lines:
            table = [*csv.DictReader(lines, delimiter=separator)]
        file.unlink()
        assert [(r["picture"], r["decision"], r["drawing"], r["note"]) for r in table] == [
            ("bell.jpg", "accepted", "club.png", ""),
            ("other.png", "rejected", "", "'=1+1; who?"),
            ("turned eagle.png", "", "", ""),
        ]
        assert float(table[0]["score"].replace(point, ".")) > 10


def test_two_tabs_decide_about_the_same_row(browser, find_page):
    view(browser, find_page)
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    second = browser.current_window_handle
    view(browser, find_page)
    end_storage(browser)  # it would have told the other tab
    press(browser, "/", Keys.ARROW_DOWN, "r")
    browser.switch_to.window(first)
    wait(browser, lambda: decisions(browser)[0] == "\u2715 rejected")
    press(browser, "/", Keys.ARROW_DOWN, "n", "seen", Keys.ENTER)
    browser.switch_to.window(second)
    note = "#answers tbody tr:first-child input"
    wait(browser, lambda: find(browser, note).get_attribute("value") == "seen")
    browser.close()
    browser.switch_to.window(first)
    browser.refresh()
    wait(browser, lambda: decisions(browser) == ["\u2715 rejected", "", ""])
    assert find(browser, note).get_attribute("value") == "seen"


def test_the_policy_of_the_page_forbids_all_but_its_own_code(browser, short_page, tmp_path):
    text = short_page.read_text("utf-8")
    assert text.count("<script>") == text.count("<style>") == 1
    page = tmp_path / "page.html"
    evil = "<script>document.title = 'owned'</script><img src=x onerror='document.title = 1'>"
    page.write_text(text.replace("<main>", f"{evil}<main>"), "utf-8")
    view(browser, page)
    assert browser.title == "Nearest templates"
    assert shown(browser) == "10 of 10 shown"
    refused = [entry["message"] for entry in browser.get_log("browser")]
    assert len(refused) >= 3
    assert all("Content Security Policy" in message for message in refused)


def test_photographs_are_sorted_and_filtered_like_pictures(browser, find_page):
    view(browser, find_page)
    head(browser, "Score").find_element(By.TAG_NAME, "button").click()
    assert column(browser, 1)[0] == "other.png"
    browser.find_element(By.CSS_SELECTOR, "#filters button[data-mark='not found']").click()
    assert shown(browser) == "1 of 3 shown"
    assert "not found" in column(browser, 4)[0]


def test_confusion_matrix_leads_to_the_pictures(browser, classes, nrcdt, tmp_path):
    # Two R that are said to be L.
    folder, files = tmp_path / "classes", {"A": "A0 A1", "L": "L4 L5 R8 R9", "R": "R10 R11"}
    for label, known in files.items():
        (folder / label).mkdir(parents=True)
        for file in known.split():
            shutil.copy(classes / file[0] / f"{file[1:]}.png", folder / label)
    page = tmp_path / "classify.html"
    nrcdt("classify", folder, "--report", page)
    view(browser, page)
    assert browser.get_log("browser") == []
    wrong = browser.find_element(By.CSS_SELECTOR, "#filters button[data-mark=wrong]")
    assert wrong.get_attribute("aria-pressed") == "true"  # mistakes are shown first
    assert all("should be" in text for text in column(browser, 2))
    right = "//table[@class='matrix']//button[@title='A, answered A']"
    browser.find_element(By.XPATH, right).click()
    assert shown(browser) == "2 of 8 shown: A, answered A"
    assert column(browser, 2) == ["A"] * 2


@pytest.mark.skipif(os.name != "posix", reason="names that only POSIX allows")
@pytest.mark.parametrize("command", ["match", "classify"])
def test_hostile_names_are_shown_and_not_run(command, browser, nrcdt, tmp_path):
    """The title is what scripts in the names would change."""
    for k, name in enumerate(("plain", hostile.NAMES[5], hostile.NAMES[6])):
        folder = os.path.join(os.fsencode(tmp_path), b"classes", os.fsencode(name))
        hostile.write_pictures(folder, hostile.NAMES[4 + k : 13 : 3])
    hostile.write_pictures(tmp_path / "queries")
    queries = [tmp_path / "queries"] if command == "match" else []
    page = tmp_path / "page.html"
    assert nrcdt(command, tmp_path / "classes", *queries, "--report", page)[0] == 0
    view(browser, page)
    title = browser.title
    browser.execute_script(
        "document.querySelectorAll('#answers tbody tr').forEach((r) => r.click())"
    )
    for search in ("<", "&", "'"):
        browser.find_element(By.ID, "search").send_keys(search)
        press(browser, Keys.ESCAPE)
    assert browser.title == title != "owned"
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.querySelectorAll('#answers script').length") == 0
    names = column(browser, 1)
    assert any(hostile.NAMES[6] in name for name in names)
    assert len(set(names)) == len(names)
