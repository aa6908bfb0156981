"""The line that says how far a run is."""

import io
import sys

import pytest

from sklearn_nrcdt._support import progress
from sklearn_nrcdt._support.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def open_terminal(monkeypatch):
    """A terminal of forty columns, and a clock that goes on by two seconds at every look."""
    monkeypatch.setenv("COLUMNS", "40")
    clock = iter(range(0, 10**6, 2))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))

    def opened():
        monkeypatch.setattr(sys, "stdout", Terminal())
        return sys.stdout

    return opened


@pytest.mark.parametrize("total", [None, 5])
def test_a_terminal_has_one_line_which_ends_when_the_run_does(open_terminal, total):
    terminal = open_terminal()
    with Progress(total, verbose=1) as shown:
        for done in range(1, 6):
            shown.show(done)
            assert "\n" not in terminal.getvalue()
    out = terminal.getvalue()
    assert out.count("\n") == 1
    assert out.endswith("\n")
    lines = out[:-1].split("\r")[1:]
    assert len(lines) == 5
    assert {len(line) for line in lines} == {39}  # the longest one is wiped out
    assert lines[-1].startswith("5 images, " if total is None else f"[{'#' * 20}] 100 % 5 of")


def test_an_error_does_not_start_in_the_middle_of_the_line(open_terminal):
    terminal = open_terminal()

    def run():
        with Progress(None, verbose=1) as shown:
            shown.show(3)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run()
    assert terminal.getvalue().endswith("\n")


def test_the_last_number_is_shown_of_runs_shorter_than_a_second(capsys):
    for total, expected in [(None, "7 images, "), (7, f"[{'#' * 20}] 100 % 7 of 7 images, ")]:
        with Progress(total, verbose=1) as shown:
            shown.show(3)
            shown.show(7)
        out = capsys.readouterr().out
        assert out.startswith(expected)
        assert out.count("\n") == 1


def test_nothing_is_shown_unasked_or_of_nothing(open_terminal):
    terminal = open_terminal()
    with Progress(9, verbose=0) as shown:
        shown.show(9)
    with Progress(None, verbose=1):
        pass
    assert terminal.getvalue() == ""
