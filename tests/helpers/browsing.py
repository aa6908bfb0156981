"""A headless Chromium, and what a user does with a page."""

import shutil

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is part of the test extra")
from selenium.common import StaleElementReferenceException  # noqa: E402
from selenium.webdriver import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402, F401
from selenium.webdriver.support.wait import WebDriverWait  # noqa: E402

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --disable-extensions "
    "--disable-default-apps --disable-features=Translate,OptimizationHints,MediaRouter"
)


def open_browser(downloads=None):
    """Return a browser that saves files in a folder; skip the test where there is none."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("chromium and chromium-driver (Debian's packages) are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in FLAGS.split():
        options.add_argument(flag)
    if downloads:
        options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def view(browser, address, width=1400, scheme="light", media=""):
    """Show a page in a window of a width, in light or dark colors, as on screen or in print."""
    look(browser, width, scheme, media)
    browser.get(address)


def look(browser, width=1400, scheme="light", media=""):
    """Show the page that is open in another window, or in other colors."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features, "media": media})


def check_colors(browser, scheme):
    """The page is no wider than its window, and dark on bright or bright on dark."""
    assert browser.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0
    colors = browser.execute_script(
        "const style = getComputedStyle(document.body);"
        "return [style.color, style.backgroundColor].map((c) => c.match(/\\d+/g).map(Number))"
    )
    ink, paper = (sum(color[:3]) for color in colors)
    assert (ink < 150 < 600 < paper) if scheme == "light" else (paper < 150 < 600 < ink)


def press(browser, *keys):
    """Type keys."""
    ActionChains(browser).send_keys(*keys).perform()


def find(browser, selector):
    """Return the first element."""
    return browser.find_element(By.CSS_SELECTOR, selector)


def wait(browser, condition, seconds=60):
    """Wait until a condition is true, and return it; the page may be drawn anew meanwhile."""
    waiting = WebDriverWait(browser, seconds, 0.1, [StaleElementReferenceException])
    return waiting.until(lambda _: condition())
