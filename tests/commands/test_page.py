"""The page in a real browser: sorting, search, filters, keys, sizes and colours."""

import shutil

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is part of the test extra")
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.wait import WebDriverWait  # noqa: E402

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update"
)


@pytest.fixture(scope="module")
def browser():
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("chromium and chromium-driver (Debian's packages) are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS.split():
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield browser
    browser.quit()


@pytest.fixture(scope="module")
def match_page(catalogue, tmp_path_factory):
    from sklearn_nrcdt._commands.cli import main

    page = tmp_path_factory.mktemp("page") / "match.html"
    folders = [str(catalogue / name) for name in ("templates", "queries")]
    assert main(["match", *folders, "--report", str(page), "--n-jobs", "1"]) == 0
    return page


def view(browser, page, width=1400, scheme="light"):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    browser.get(page.as_uri())


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


def press(browser, *keys):
    webdriver.ActionChains(browser).send_keys(*keys).perform()


def test_rows_are_drawn_when_they_come_into_sight(browser, match_page):
    view(browser, match_page)
    assert browser.get_log("browser") == []
    assert shown(browser) == "200 of 200 shown"
    assert len(column(browser, 1)) == 40
    browser.execute_script("scrollTo(0, document.body.scrollHeight)")
    WebDriverWait(browser, 10).until(lambda b: len(column(b, 1)) > 40)
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
    names = column(browser, 1)
    # As people count: _9 before _10.
    assert names.index("letterA_64.png") < names.index("letterB_65.png")
    assert head(browser, "Distance").get_attribute("aria-sort") == "none"


def test_search_and_filters(browser, match_page):
    view(browser, match_page)
    browser.find_element(By.ID, "search").send_keys("LETTERQ_")
    assert shown(browser) == "5 of 200 shown"
    assert all(name.startswith("letterQ_") for name in column(browser, 1))
    browser.find_element(By.ID, "search").send_keys(" nothing like that")
    assert shown(browser) == "0 of 200 shown"
    press(browser, Keys.ESCAPE)
    assert shown(browser) == "200 of 200 shown"
    counts = {}
    for mark in ("clear", "doubtful", "unknown"):
        button = browser.find_element(By.CSS_SELECTOR, f"#filters button[data-mark={mark}]")
        button.click()
        assert button.get_attribute("aria-pressed") == "true"
        counts[mark] = int(shown(browser).split()[0])
        assert counts[mark] == int(button.text.split()[-1])
        assert all(mark in text for text in column(browser, 4))
    assert sum(counts.values()) == 200
    assert counts["clear"] >= 190


def test_keys(browser, match_page):
    view(browser, match_page)
    focused = "return document.activeElement.id || document.activeElement.dataset.row"
    press(browser, "/")
    assert browser.execute_script(focused) == "search"
    press(browser, "letterB_", Keys.ARROW_DOWN)
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
    assert shown(browser) == "200 of 200 shown"
    # Beyond what is drawn.
    press(browser, Keys.ARROW_DOWN, *[Keys.ARROW_DOWN] * 45)
    assert browser.execute_script(focused) == "45"
    # Everything can be reached by Tab: filters, search, heads of columns, rows.
    browser.execute_script("document.activeElement.blur(); scrollTo(0, 0)")
    seen = set()
    for _ in range(12):
        press(browser, Keys.TAB)
        element = browser.switch_to.active_element
        seen.add(element.get_attribute("id") or element.text.split("\n")[0])
    assert {"All 200", "search", "Picture", "Answer", "Distance", "Mark"} <= seen


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_the_screen_in_light_and_dark(width, scheme, browser, match_page):
    view(browser, match_page, width, scheme)
    overflow = "return document.documentElement.scrollWidth - innerWidth"
    assert browser.execute_script(overflow) <= 0
    colours = browser.execute_script(
        "const style = getComputedStyle(document.body);"
        "return [style.color, style.backgroundColor].map((c) => c.match(/\\d+/g).map(Number))"
    )
    ink, paper = (sum(colour[:3]) for colour in colours)
    assert (ink < 150 < 600 < paper) if scheme == "light" else (paper < 150 < 600 < ink)


@pytest.fixture(scope="module")
def find_page(paper, tmp_path_factory):
    from sklearn_nrcdt._commands.cli import main

    page = tmp_path_factory.mktemp("page") / "find.html"
    folders = [str(paper / name) for name in ("drawings", "photos")]
    options = ["--turned", "quarter", "--report", str(page), "--n-jobs", "1"]
    assert main(["find", *folders, *options]) == 0
    return page


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_strokes_lie_on_the_photograph(width, scheme, browser, find_page):
    view(browser, find_page, width, scheme)
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0
    for click in (False, True):
        row = browser.find_elements(By.CSS_SELECTOR, "#answers tbody tr")[0]
        before = row.size["height"]
        if click:
            row.click()
            assert row.size["height"] > before + 50
        photo, strokes = row.find_elements(By.CSS_SELECTOR, ".found:first-child img")
        plain = row.find_element(By.CSS_SELECTOR, ".found:nth-child(2) img")
        assert strokes.rect == photo.rect
        assert plain.size == photo.size
        # Photographs are not inverted, whatever the colours of the page.
        assert {i.value_of_css_property("filter") for i in (photo, strokes, plain)} == {"none"}
    # Nothing lies over the text beside it.
    picture = row.find_element(By.CSS_SELECTOR, "td:nth-child(1) .picture").rect
    answer = row.find_element(By.CSS_SELECTOR, "td:nth-child(2)").rect
    assert picture["x"] + picture["width"] <= answer["x"]


def test_photographs_are_sorted_and_filtered_like_pictures(browser, find_page):
    view(browser, find_page)
    head(browser, "Score").find_element(By.TAG_NAME, "button").click()
    assert column(browser, 1)[0] == "other.png"
    browser.find_element(By.CSS_SELECTOR, "#filters button[data-mark='not found']").click()
    assert shown(browser) == "1 of 3 shown"
    assert "not found" in column(browser, 4)[0]


def test_confusion_matrix_leads_to_the_pictures(browser, classes, nrcdt, tmp_path):
    folder = tmp_path / "classes"
    shutil.copytree(classes, folder)
    # Two R that are said to be L.
    for number in (8, 9):
        shutil.move(folder / "R" / f"{number}.png", folder / "L" / f"{number}.png")
    page = tmp_path / "classify.html"
    nrcdt("classify", folder, "--report", page)
    view(browser, page)
    assert browser.get_log("browser") == []
    wrong = browser.find_element(By.CSS_SELECTOR, "#filters button[data-mark=wrong]")
    assert wrong.get_attribute("aria-pressed") == "true"  # mistakes are shown first
    assert all("should be" in text for text in column(browser, 2))
    right = "//table[@class='matrix']//button[@title='A, answered A']"
    browser.find_element(By.XPATH, right).click()
    assert shown(browser) == "4 of 12 shown: A, answered A"
    assert column(browser, 2) == ["A"] * 4
