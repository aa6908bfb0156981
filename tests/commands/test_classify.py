"""``nrcdt classify``: honest accuracy, mistakes in the open."""

import re
import shutil

import numpy as np
import pytest
from drawings import font, put_on_paper

from sklearn_nrcdt.datasets import make_glyphs, make_symbols


def test_tells_letters_apart(classes, nrcdt, tmp_path, page_data):
    page = tmp_path / "report.html"
    status, output, _ = nrcdt("classify", classes, "--report", page)
    assert status == 0
    assert "Right: 12 of 12 (100.0%)" in output
    assert "largest class would give 33.3%" in output
    assert "Tested: in 4 rounds" in output
    assert "Better" not in output
    n_marked = sum(map(int, re.findall(r"(\d+) of \1 (?:clear|likely|doubtful|unknown)", output)))
    assert n_marked == 12
    data = page_data(page.read_text("utf-8"))
    assert data["matrix"] == {
        "classes": ["A", "L", "R"],
        "counts": [[4, 0, 0], [0, 4, 0], [0, 0, 4]],
    }
    assert all(row[1] == "right" and row[2] == row[5] for row in data["rows"])
    for row in data["rows"]:
        assert row[0] not in [picture for picture, _ in row[4]]  # not beside itself


def test_random_labels_are_not_learned(tmp_path, nrcdt, page_data):
    # The same picture in two classes: whatever the answer, half of them are mistakes.
    rng = np.random.default_rng(0)
    for k in range(4):
        blobs = np.zeros((40, 40))
        blobs[8:32, 8:32] = rng.random((24, 24)) > 0.6
        for label in "ab":
            put_on_paper(tmp_path / "pictures" / label / f"{k}.png", blobs)
    page = tmp_path / "report.html"
    output = nrcdt("classify", tmp_path / "pictures", "--report", page)[1]
    rows = page_data(page.read_text("utf-8"))["rows"]
    wrong = [row for row in rows if row[1] == "wrong"]
    assert f"Right: {8 - len(wrong)} of 8" in output
    assert "Better" not in output
    assert len(wrong) >= 4
    # Mistakes come first, the surest at the top; nobody is sure here.
    assert rows[: len(wrong)] == wrong
    certainty = [row[3] for row in wrong]
    assert certainty == sorted(certainty, reverse=True)
    assert max(certainty) < 0.8
    assert "Worst mistakes (" in output


def test_few_pictures_of_a_class_are_templates(classes, nrcdt, tmp_path):
    folder = tmp_path / "few"
    for label in "ALR":
        (folder / label).mkdir(parents=True)
        for file in sorted((classes / label).iterdir())[: 1 if label == "R" else 2]:
            shutil.copy(file, folder / label)
    status, output, _ = nrcdt("classify", folder)
    assert status == 0
    assert "Tested: in 2 rounds" in output
    assert "Right: 4 of 4" in output
    assert "Untested: 1 class with a single picture" in output


def test_another_invariance_is_named_if_it_is_better(nrcdt, tmp_path):
    # Turned by 180 degrees, a 6 is a 9: only features of upright shapes tell them apart.
    pose = {"rotation": 0, "shear": (-8, 8), "scale": (0.7, 1), "shift": 0}
    sixes = make_symbols(
        16, templates=make_glyphs("6", font(), canvas=96), random_state=0, **pose
    ).images
    for k, image in enumerate(sixes):
        turned = image if k % 2 else image[::-1, ::-1]
        put_on_paper(tmp_path / "digits" / "96"[k % 2] / f"{k}.png", turned)
    output = nrcdt("classify", tmp_path / "digits")[1]
    assert "Better: --invariance s" in output
    assert "right 100.0% of the time instead of" in output


@pytest.mark.parametrize(
    ("n_classes", "message"), [(1, "only one class, 'A'"), (3, "needs two of some")]
)
def test_nothing_to_test(n_classes, message, classes, nrcdt, tmp_path):
    folder = tmp_path / "single"
    for label in "ALR"[:n_classes]:
        (folder / label).mkdir(parents=True)
        shutil.copy(min((classes / label).iterdir()), folder / label)
    status, output, errors = nrcdt("classify", folder)
    assert status == 2
    assert message in errors
    assert not output
