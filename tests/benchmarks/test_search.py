"""The benchmarks of the search: what they count, and what the pages make of their tables."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.accuracy import search, search_page
from benchmarks.performance import search as times
from benchmarks.performance import search_page as times_page
from benchmarks.tables import read_csv, write_csv
from sklearn_nrcdt.datasets import make_drawings, make_paper_scans

ROOT = Path(__file__).parents[2]


def test_scores_of_right_and_wrong_drawings():
    positions = np.array([[0, 5], [7, 1], [2, 9], [3, 8]])
    scores = np.array([[9.0, 5.0], [6.0, 5.0], [5.5, 4.0], [12.0, 6.0]])
    found = search.score_levels(scores, positions, [0, 1, 2, 3])
    assert found["score"] == 7.5
    assert 5.9 < found["wrong95"] <= 6
    assert found["sure"] == 0.5  # the second is wrong, the third below the limit
    assert search.top(positions, [0, 1, 2, 3]) == {"top1": 0.75, "top5": 1.0}


def accuracy_rows():
    """Rows as a full run has them, with shares that name their task, ratio and search."""
    names = [search.OURS, search_page.TEMPLATE, search_page.PEAK]
    rows = [
        search.row(task, name, ratio, {"top1": (k + ratio) / 4, "top5": 1}, 10, 0.25)
        | ({"score": "9.14", "wrong95": "6.26", "sure": "0.41"} if name == search.OURS else {})
        for task in search.TASKS
        for ratio in search.RATIOS[task]
        for k, name in enumerate(names[: 1 if ratio == 0 else 3])
    ]
    for task in search_page.REAL:
        rows += [search.row(task, n, "", {"top1": 0.9, "top5": 1}, 7, 1) for n in names]
    return rows


@pytest.fixture
def stored(tmp_path):
    write_csv(tmp_path / "search.csv", accuracy_rows())
    return read_csv(tmp_path / "search.csv")


def test_the_parts_of_the_page_come_from_the_table(stored):
    page = (ROOT / "docs" / "watermarks.md").read_text(encoding="utf-8")
    empty = search_page.fill(page, [])
    filled = search_page.fill(empty, stored)
    assert search_page.fill(filled, stored) == filled
    assert search_page.fill(filled, []) == empty
    words = " ".join(filled.split())
    assert "In 25 % of our simulated photographs" in words
    assert "against 50 % with OpenCV's template matching" in words
    assert "Of 7 real photographs" in words
    assert "| **DrawingSearch** | 0.12 | 0.17 | 0.25 | 0.50 | 0.25 |" in filled
    assert "| 1 | 9.1 | 6.3 | 0.41 |" in filled
    assert "| 0 | 9.1 | 6.3 | - |" in filled
    assert "| same sheet, any rotation | 7 | 0.90 | 0.90 | 0.90 |" in filled
    assert "| with folds | 0.12 | 0.17 | 0.25 | 0.38 | 0.42 | 0.50 |" in filled


def test_without_peers_and_real_photographs_the_page_says_less(stored):
    ours = [r for r in stored if r["search"] == search.OURS and r["snr"]]
    page = (ROOT / "docs" / "watermarks.md").read_text(encoding="utf-8")
    filled = search_page.fill(page, ours)
    assert "This run had no real photographs." in filled
    quick = [r for r in ours if r["task"] in search.MAIN and r["snr"] in ("0.0", "1.0")]
    assert "| **DrawingSearch** | 0.25 | 0.25 |" in search_page.fill(page, quick)
    assert "against" not in filled


def test_curves_are_drawn(stored, tmp_path):
    pytest.importorskip("matplotlib")
    search_page.draw(stored, tmp_path / "search.png")
    assert (tmp_path / "search.png").stat().st_size > 10_000


def test_the_stored_page_is_filled_from_the_stored_table():
    table = ROOT / "benchmarks" / "accuracy" / "results" / "search.csv"
    page = (ROOT / "docs" / "watermarks.md").read_text(encoding="utf-8")
    assert search_page.fill(page, read_csv(table) if table.is_file() else []) == page


def time_rows():
    """Rows as a full run has them: 0.5 s and 1/4 ms for a drawing and pose, more beyond memory."""
    rows = [{"measure": "machine", "name": "some"}]
    for n, poses, shape, levels, workers in times.POINTS:
        seconds = (0.5 + n * poses / 4000) / workers * {3: 0.3, 2: 1, 1: 4}[len(levels)]
        seconds *= shape[0] / 512 * (1.5 if n > 1000 else 1)
        point = {"drawings": n, "poses": poses, "photo": f"{shape[0]} x {shape[1]}"}
        point |= {"levels": str(levels), "workers": workers, "fit_s": n / 500}
        rows.append({"measure": "search"} | point | {"first_s": 2 * seconds, "further_s": seconds})
    rows += [{"measure": "matchTemplate", "factor": f, "ms": ms} for f, ms in ((1, 2.5), (4, 0.1))]
    rows += [
        {"measure": "losses", "levels": str(levels), "snr": snr, "top1": "0.8"}
        for levels in times.LEVELS
        for snr in (0.7, 1.0)
    ]
    return rows


def test_the_cost_of_a_search(tmp_path):
    assert times_page.section(times_page.load(tmp_path)) == ""
    write_csv(tmp_path / "search.csv", time_rows())
    text = times_page.section(times_page.load(tmp_path))
    words = " ".join(text.split())
    assert "seconds = 0.5 + 0.00025 * drawings * poses" in text
    assert "4,000 drawings take 1.5 times that in 1 pose and 1.5 times that in 16 poses" in words
    assert "`matchTemplate` takes 2.5 ms at full resolution, 10 times as long" in words
    assert "| photograph of 1024 x 800 | 2 times |" in text
    assert "| `levels=(8, 4, 2)` | 0.3 times |" in text
    assert "| the first photograph of its size | 2 times |" in text
    assert "| `fit` | 2 ms for each drawing |" in text
    assert "Looking for 16,753 drawings in 16 poses takes 51 seconds" in words


def test_times_are_measured():
    drawings = make_drawings(3, random_state=0).images
    photo = make_paper_scans(drawings[:1], random_state=0).images[0]
    [row] = times.points(drawings, {photo.shape: photo}, [(6, 2, photo.shape, (8, 4), 1)])
    assert (row["drawings"], row["poses"], row["photo"]) == (6, 2, "512 x 400")
    assert all(float(row[key]) > 0 for key in ("fit_s", "first_s", "further_s"))
