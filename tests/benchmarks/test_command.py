"""What all rooms of the benchmarks share: names, folders, stored rows, jobs that go on."""

import importlib
from argparse import Namespace
from pkgutil import resolve_name

import pytest

from benchmarks.command import ROOT, Job, parse, run_jobs, run_room, store
from benchmarks.data import MissingData
from benchmarks.tables import read_csv

ROOMS = {
    room: importlib.import_module(f"benchmarks.{room}.__main__").EXPERIMENTS
    for room in ("paper", "accuracy", "performance", "pictures")
}


@pytest.mark.parametrize("room", ROOMS)
def test_each_name_is_a_function(room):
    for target, _ in ROOMS[room].values():
        assert callable(resolve_name(f"benchmarks.{room}.{target}"))


NAMES = {"first": ("first:run", "one"), "second": ("second:run", "two")}


@pytest.fixture
def called(monkeypatch):
    """Two experiments, the second without data, and the names of those that were called."""
    calls = []

    def second(args):
        calls.append("second")
        raise MissingData("Pass --mnist.")

    runs = {"benchmarks.paper.first:run": lambda args: calls.append("first")}
    runs["benchmarks.paper.second:run"] = second
    monkeypatch.setattr("benchmarks.command.resolve_name", runs.get)
    return calls


def test_without_a_name_all_run_and_what_is_missing_is_said(called, tmp_path, capsys):
    assert run_room("paper", "", NAMES, ["--results", str(tmp_path)]) == 1
    assert called == ["first", "second"]
    assert "second is missing. Pass --mnist." in capsys.readouterr().err


def test_names_are_run_and_unknown_ones_refused(called, tmp_path, capsys):
    assert run_room("paper", "", NAMES, ["first", "--results", str(tmp_path)]) == 0
    assert called == ["first"]
    with pytest.raises(SystemExit):
        run_room("paper", "", NAMES, ["third"])
    assert "'third' is none of first, second" in capsys.readouterr().err


def test_only_a_full_run_writes_into_the_repository_s_pages(tmp_path):
    home = ROOT / "benchmarks" / "paper" / "results"
    args = [parse("paper", "", NAMES, text.split()) for text in ("", "--quick")]
    args.append(parse("paper", "", NAMES, ["--results", str(tmp_path)]))
    assert [(a.results, a.docs) for a in args] == [
        (home, ROOT / "docs"),
        (home / "quick", home / "quick"),
        (tmp_path, tmp_path),
    ]


def test_rows_are_stored(tmp_path):
    rows = [{"a": 1, "b": "x, y"}, {"a": 2, "c": 3}]
    store(Namespace(results=tmp_path), "some", iter(rows))
    assert read_csv(tmp_path / "some.csv") == [
        {"a": "1", "b": "x, y", "c": ""},
        {"a": "2", "b": "", "c": "3"},
    ]


def square(n):
    return [{"square": n * n}]


def fail():
    raise RuntimeError("this one fails")


def test_jobs_go_on_where_they_were_stopped(tmp_path, capsys):
    args = Namespace(results=tmp_path, n_jobs=1, force=False, quick=False)
    path = tmp_path / "squares.csv"
    jobs = [Job({"n": n, "of": "two, words"}, square, (n,)) for n in range(4)]
    run_jobs(args, path, jobs[:2])
    path.write_text(path.read_text().replace(",1\n", ",stored\n"))
    rows = run_jobs(args, path, jobs)
    assert "4 jobs, 2 of them done before" in capsys.readouterr().out
    assert [row["square"] for row in rows] == ["0", "stored", "4", "9"]
    assert len(read_csv(tmp_path / "wall.csv")) == 2
    args.force = True
    assert [row["square"] for row in run_jobs(args, path, jobs)] == ["0", "1", "4", "9"]
    assert [row["item"] for row in read_csv(tmp_path / "wall.csv")] == ["squares"]


def test_a_failure_does_not_stop_the_others(tmp_path):
    args = Namespace(results=tmp_path, n_jobs=1, force=False, quick=False)
    jobs = [Job({"n": 0}, fail), Job({"n": 3}, square, (3,))]
    with pytest.raises(MissingData, match="this one fails"):
        run_jobs(args, tmp_path / "squares.csv", jobs)
    assert read_csv(tmp_path / "squares.csv") == [{"n": "3", "square": "9"}]
