"""The documentation's pages: their Python blocks run, and print what the pages say."""

import re
import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from skimage.io import imsave

ROOT = Path(__file__).parents[2]
PAGES = [
    "quickstart.md",
    "guide.md",
    "invariance.md",
    "datasets.md",
    "guarantees.md",
    "preprocessing.md",
    "watermarks.md",
    "catalogue.md",
]
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with the files that the pages take for granted."""
    from sklearn_nrcdt.datasets import load_symbols

    images = load_symbols(size=32).images.astype(np.float32)
    for name in ("disc", "ring"):
        (tmp_path / "scans" / name).mkdir(parents=True)
        imsave(tmp_path / "scans" / name / "1.png", np.uint8(255 * (1 - images[0])))
    stamps = np.uint8(255 * (1 - load_symbols(size=96).images[2:4]))
    for folder, names in (("stamps", ("lion", "rose")), ("photographs", ("2", "1"))):
        (tmp_path / folder).mkdir()
        for name, stamp in zip(names, stamps, strict=True):
            stamp = np.rot90(stamp) if folder == "photographs" else stamp
            imsave(tmp_path / folder / f"{name}.png", stamp, check_contrast=False)
    matplotlib = pytest.importorskip("matplotlib")
    font = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")
    shutil.copy(font, tmp_path)
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_page(text):
    """Run the blocks of a page in one namespace; return pairs of printed and claimed text."""
    namespace, printed, pairs = {"__name__": "__main__"}, "", []
    for language, block in BLOCK.findall(text):
        if language == "text":
            # Output follows the code that printed it; other text stands alone.
            pairs += [(printed, block)] if printed else []
            printed = ""
        else:
            output = StringIO()
            with redirect_stdout(output):
                exec(compile(block, "<page>", "exec"), namespace)
            printed = output.getvalue()
    return pairs


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run_and_print_what_the_page_says(page, folder):
    if page == "quickstart.md":
        shutil.rmtree(folder / "scans")  # it makes its own
    if page == "guide.md":
        pytest.importorskip("dask.array")
        pytest.importorskip("skops")
    for printed, claimed in run_page((ROOT / "docs" / page).read_text(encoding="utf-8")):
        assert printed == claimed


def test_a_wrong_output_is_seen():
    page = "```python\nprint(2)\n```\n\n```text\n1\n```\n"
    assert run_page(page) == [("2\n", "1\n")]


def test_quick_start_begins_with_the_code_of_the_readme():
    first = [
        BLOCK.search((ROOT / file).read_text(encoding="utf-8")).group(2)
        for file in ("README.md", "docs/quickstart.md")
    ]
    assert first[0] == first[1]


def test_features_named_in_the_glossary_exist():
    import sklearn_nrcdt

    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:radoncdt|maxnrcdt|spectralnrcdt|invarianthog)_\S+)`", page)
    images = np.ones((1, 8, 8))
    names = {
        name
        for estimator in ("RadonCDT", "MaxNRCDT", "SpectralNRCDT", "InvariantHOG")
        for name in getattr(sklearn_nrcdt, estimator)().fit(images).get_feature_names_out()
    }
    assert len(named) == 1
    assert set(named) <= names


def test_citation_names_this_version():
    import sklearn_nrcdt

    citation = ROOT / "CITATION.cff"
    assert f"\nversion: {sklearn_nrcdt.__version__}\n" in citation.read_text(encoding="utf-8")


def test_the_page_of_clients_lists_what_is_tried():
    page = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
    modules = sorted((ROOT / "tests" / "clients").glob("test_*.py"))
    assert len(modules) >= 8
    for module in modules:
        packages, tried = module.read_text(encoding="utf-8").split('"""')[1].split(": ", 1)
        assert re.search(rf"^\| {packages} \| [\d.+cpu, ]+ \| {tried[:-1]} \|", page, re.MULTILINE)
