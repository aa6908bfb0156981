"""The page on the desk: screenshots of a headless Chromium, with made-up drawings and paper."""

import argparse
import io
import shutil
import tempfile
import threading
import time
import warnings
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.data import MissingData
from sklearn_nrcdt.search import make_drawings, make_paper_scans

WIDTH, HEIGHT = 1180, 760
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run")


def write_pictures(root):
    """Write twelve drawings, ten scans of which one shows something else, and two photographs."""
    drawings = make_drawings(13, random_state=0).images
    photos = make_paper_scans(drawings[[4, 9]], snr=2, dtype=np.uint8, random_state=3).images
    for folder in ("watermarks", "scans", "photos"):
        (root / folder).mkdir()
    for k in range(12):
        paper = Image.fromarray(np.uint8(255 * (1 - drawings[k])))
        paper.save(root / "watermarks" / f"mark {k + 1:02d}.png")
    for place, k in enumerate([3, 12, 0, 5, 7, 1, 10, 6, 9, 11]):
        paper = Image.fromarray(np.uint8(255 * (1 - drawings[k])))
        turned = paper.rotate(37 * place + 8, Image.Resampling.BICUBIC, True, fillcolor=255)
        turned.save(root / "scans" / f"scan {place + 1:02d}.png")
    for k, photo in enumerate(photos):
        Image.fromarray(photo).save(root / "photos" / f"sheet {k + 1}.png")


@contextmanager
def opened(root):
    """Yield the address of a desk."""
    from sklearn_nrcdt._commands import cli
    from sklearn_nrcdt._desk.app import Server
    from sklearn_nrcdt._desk.desk import Desk
    from sklearn_nrcdt.catalogue import Catalogue

    args: argparse.Namespace = cli._parser().parse_args(["desk", "--n-jobs", "1"])
    with closing(Desk(Catalogue.build(root / "watermarks"), args)) as desk:
        server = Server(desk)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            yield desk, server.address
        finally:
            server.stop()
            thread.join()


def answered(desk, n):
    while len(pictures := desk.state()["pictures"]) < n or any(p["waiting"] for p in pictures):
        time.sleep(0.1)
    time.sleep(1.5)  # until the page has heard of it, and loaded its pictures


def save(browser, file):
    picture = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    picture.quantize(128, dither=Image.Dither.NONE).save(file, optimize=True)
    print(file)


def run(args):
    from selenium import webdriver

    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        raise MissingData("chromium and chromedriver")
    warnings.simplefilter("ignore")  # as the command line does
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--window-size={WIDTH},{HEIGHT}"):
        options.add_argument(flag)
    folder = args.docs / "images"
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write_pictures(root)
        browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        try:
            with opened(root) as (desk, address):
                take_all(browser, desk, address, root, folder)
        finally:
            browser.quit()


def take_all(browser, desk, address, root, folder):
    from selenium.webdriver import ActionChains

    size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(address)
    files = browser.find_element("id", "files")
    scans = sorted((root / "scans").iterdir())
    files.send_keys("\n".join(map(str, scans)))
    answered(desk, len(scans))
    ActionChains(browser).send_keys("a").perform()
    time.sleep(1)
    save(browser, folder / "desk.png")
    ActionChains(browser).send_keys("c").perform()
    name = browser.find_element("id", "reference-name")
    name.clear()
    name.send_keys("mark 13")
    time.sleep(0.5)
    save(browser, folder / "desk_reference.png")
    browser.find_element("id", "cancel").click()
    browser.find_element("css selector", "#kind option:nth-child(2)").click()
    files.send_keys("\n".join(map(str, sorted((root / "photos").iterdir()))))
    answered(desk, len(scans) + 2)
    browser.find_element("css selector", f"#list li:nth-child({len(scans) + 1}) button").click()
    time.sleep(1)
    save(browser, folder / "desk_photo.png")
