"""What all rooms of the benchmarks share: names, folders, kept text, what is missing."""

import importlib
import sys
from types import SimpleNamespace

import pytest

from benchmarks.command import ROOT, keep_text, parse, parser, run_room
from benchmarks.data import MissingData

ROOMS = [
    (room, name)
    for room in ("accuracy", "performance", "pictures")
    for name in importlib.import_module(f"benchmarks.{room}.__main__").EXPERIMENTS
]


@pytest.mark.parametrize(("room", "name"), ROOMS)
def test_each_name_is_a_module_that_runs(room, name):
    if name == "guarantees":
        pytest.importorskip("ot")
    assert callable(importlib.import_module(f"benchmarks.{room}.{name}").run)


@pytest.fixture
def called(monkeypatch):
    """Two experiments, the second without data, and what they were called with."""
    calls = []

    def first(args):
        print("a number")
        calls.append(("first", args))

    def second(args):
        calls.append(("second", args))
        raise MissingData("Pass --mnist.")

    first.__module__ = "benchmarks.paper.first"
    for name, run in (("first", keep_text(first)), ("second", second)):
        monkeypatch.setitem(sys.modules, f"benchmarks.paper.{name}", SimpleNamespace(run=run))
    return calls


NAMES = {"first": "one", "second": "two"}


def test_without_a_name_all_run_and_what_is_missing_is_said(called, tmp_path, capsys):
    assert run_room("paper", "", NAMES, argv=["--results", str(tmp_path)]) == 1
    assert [name for name, _ in called] == ["first", "second"]
    assert "second is missing. Pass --mnist." in capsys.readouterr().err
    assert (tmp_path / "first.txt").read_text() == "a number\n"


def test_names_are_run_and_unknown_ones_refused(called, tmp_path, capsys):
    assert run_room("paper", "", NAMES, argv=["first", "--results", str(tmp_path)]) == 0
    assert [name for name, _ in called] == ["first"]
    with pytest.raises(SystemExit):
        run_room("paper", "", NAMES, argv=["third"])
    assert "'third' is none of first, second" in capsys.readouterr().err


def test_only_a_full_run_writes_into_the_repository_s_pages(tmp_path):
    home = ROOT / "benchmarks" / "paper" / "results"
    args = {
        text: parse(parser("paper", "", NAMES), "paper", text.split())
        for text in ("", "--quick", f"--results {tmp_path}")
    }
    assert [(a.results, a.docs) for a in args.values()] == [
        (home, ROOT / "docs"),
        (home / "quick", home / "quick"),
        (tmp_path, tmp_path),
    ]
