"""``nrcdt features``: what the public transformers give, with names."""

import csv
import json
import sys

import numpy as np
import pytest

from sklearn_nrcdt import InvariantHOG, MaxNRCDT
from sklearn_nrcdt.datasets import load_image_folder


@pytest.fixture(scope="module")
def folder(classes):
    return load_image_folder(classes, shape="own", invert="auto", background="otsu")


def test_npy_with_names_beside_it(classes, folder, nrcdt, tmp_path):
    status, output, _ = nrcdt("features", classes, tmp_path / "letters.npy")
    assert status == 0
    assert "12 rows of 3393 features" in output
    transformer = InvariantHOG().fit(folder.images)
    np.testing.assert_allclose(
        np.load(tmp_path / "letters.npy"), transformer.transform(folder.images), atol=1e-6
    )
    names = json.loads((tmp_path / "letters.names.json").read_text("utf-8"))
    assert names["files"] == folder.filenames.tolist()
    assert names["classes"] == folder.target_names[folder.target].tolist()
    assert names["columns"] == transformer.get_feature_names_out().tolist()
    assert {file.name for file in tmp_path.iterdir()} == {"letters.npy", "letters.names.json"}


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_tables_have_named_columns(suffix, classes, folder, nrcdt, tmp_path):
    file = tmp_path / f"letters{suffix}"
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is part of the parquet extra")
    assert nrcdt("features", classes, file, "--feature", "max")[0] == 0
    if suffix == ".csv":
        with open(file, newline="", encoding="utf-8") as lines:
            heads, *rows = csv.reader(lines)
    else:
        table = pytest.importorskip("pandas").read_parquet(file)
        heads, rows = list(table.columns), table.to_numpy().tolist()
    transformer = MaxNRCDT().fit(folder.images)
    assert heads == ["file", "class", *transformer.get_feature_names_out()]
    assert [row[0] for row in rows] == folder.filenames.tolist()
    assert [row[1] for row in rows] == folder.target_names[folder.target].tolist()
    numbers = np.array([row[2:] for row in rows], dtype=float)
    np.testing.assert_allclose(numbers, transformer.transform(folder.images), rtol=1e-6, atol=1e-6)


def test_a_parquet_table_is_made_of_the_same_columns(classes, folder, nrcdt, tmp_path, monkeypatch):
    """Called a method that was gone; without pyarrow nobody noticed."""
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr("sklearn_nrcdt._commands.features._check_parquet", lambda: None)
    tables = []
    monkeypatch.setattr(
        pandas.DataFrame,
        "to_parquet",
        lambda table, path, index: (tables.append(table), path.touch()),
    )
    assert nrcdt("features", classes, tmp_path / "a.parquet", "--feature", "max")[0] == 0
    [table] = tables
    transformer = MaxNRCDT().fit(folder.images)
    assert table.columns.tolist() == ["file", "class", *transformer.get_feature_names_out()]
    assert table["file"].tolist() == folder.filenames.tolist()
    numbers = table.iloc[:, 2:].to_numpy(float)
    np.testing.assert_allclose(numbers, transformer.transform(folder.images), atol=1e-6)


def test_flat_folder_has_no_column_of_classes(classes, nrcdt, tmp_path):
    nrcdt("features", classes / "A", tmp_path / "a.csv", "--feature", "max")
    with open(tmp_path / "a.csv", newline="", encoding="utf-8") as lines:
        heads, *rows = csv.reader(lines)
    assert heads[0] == "file"
    assert heads[1].startswith("maxnrcdt_q")
    assert [row[0] for row in rows] == ["0.png", "1.png", "2.png", "3.png"]


@pytest.mark.parametrize("package", ["pandas", "pyarrow"])
def test_parquet_names_the_extra_if_a_package_is_missing(
    package, classes, nrcdt, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, package, None)
    status, output, errors = nrcdt("features", classes, tmp_path / "a.parquet")
    assert status == 2
    assert not output
    assert "sklearn-nrcdt[parquet]" in errors
