"""The adversary at the command line: names, folders, disks, signals, met by every command.

Commands and their arguments are read from the parser, so that new ones take part. A command ends
with status 0, or with one line that says why not; it never ends with a traceback, with a half
written file or with files that nobody asked for.
"""

import csv
import faulthandler
import gc
import itertools
import json
import os
import re
import resource
import signal
import sys
import threading
import time
import warnings
from pathlib import Path

import hostile
import numpy as np
import pytest
from PIL import Image

from sklearn_nrcdt import InvariantHOG, MaxNRCDT
from sklearn_nrcdt._commands import cli
from sklearn_nrcdt._kernels import footprints, radon
from sklearn_nrcdt.datasets import load_image_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")
PARSERS = dict(next(a.choices for a in cli._parser()._actions if a.dest == "command"))
del PARSERS["desk"]  # does not end by itself: tests/desk
every_command = pytest.mark.parametrize("command", PARSERS)
# Where pictures come from, by the name of the argument.
FOLDERS = {"templates": "classes", "drawings": "classes", "folder": "classes"}
FOLDERS |= {"queries": "flat", "photos": "few"}  # to search a photograph takes long
FOLDERS |= {"catalogue": "kept"}  # which is written
every_reader = pytest.mark.parametrize(
    "command", [c for c in PARSERS if any(a.dest in FOLDERS for a in PARSERS[c]._actions)]
)
# How files end.
ENDS = {"csv": ".csv", "report": ".html", "picture": ".png", "output": ".csv"}
# In any command that knows them.
QUICK = {"--samples": "1", "--angles": "4", "--n-jobs": "1"}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working directory with hostile names of pictures and of classes."""
    for name in ("<b>a", b"\xff"):
        folder = os.path.join(os.fsencode(tmp_path), b"classes", os.fsencode(name))
        hostile.write_pictures(folder, hostile.NAMES[5:8])
    hostile.write_pictures(tmp_path / "flat", hostile.NAMES[9:12])
    hostile.write_pictures(tmp_path / "few", hostile.NAMES[1:2])
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outputs(command):
    """Destination -> name of the file, of all that a command can write."""
    written = [a.dest for a in PARSERS[command]._actions if "FILE" in (a.metavar, a.dest)]
    written += ["output"] if any(a.dest == "output" for a in PARSERS[command]._actions) else []
    return {name: f"out/{command}-{name}{ENDS[name]}" for name in written}


def writers():
    """Commands that write all kinds of files: those of one kind are written by one function."""
    kinds = set()
    for command in PARSERS:
        if not kinds.issuperset(outputs(command)):
            kinds.update(outputs(command))
            yield command


def arguments(command, files=None, **folders):
    """All arguments of a command: every folder, every file that it can write."""
    files = outputs(command) if files is None else files
    words, actions = [command], PARSERS[command]._actions
    for action in actions:
        if not action.option_strings:
            known = {**FOLDERS, **folders, **files}
            assert action.dest in known, f"say in FOLDERS what {command} {action.metavar} is"
            words.append(os.fspath(known[action.dest]))
        elif action.dest in files:
            words += [action.option_strings[0], files[action.dest]]
        elif action.option_strings[0] in QUICK:
            words += [action.option_strings[0], QUICK[action.option_strings[0]]]
    return words


def check_outputs(command):
    """Whatever is in the folder of outputs was asked for, and is whole; return its names."""
    found = {f"out/{name}" for name in os.listdir("out")}
    assert found <= set(outputs(command).values())
    for name in found:
        with open(name, "rb") as file:
            content = file.read()
        if name.endswith(".png"):
            Image.open(name).load()
            continue
        text = content.decode("utf-8")
        if name.endswith(".csv"):
            rows = list(csv.reader(text.splitlines()))
            assert len(rows) > 1
            assert len({len(row) for row in rows}) == 1
            assert not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f]", text)
        else:
            data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
            json.loads(data[1])
            assert "<script>document" not in text
            assert "<img src=x" not in text
            assert text.rstrip().endswith("</html>")
    return found


def run(capsys, words):
    """Run a command here; return its status, after a look at what it said."""
    capsys.readouterr()
    status = cli.main(words)
    errors = capsys.readouterr().err
    assert status in (0, 2)
    assert errors.count("\n") == (1 if status else 0), errors
    return status


@every_reader
def test_names(command, place, capsys):
    hostile.write_pictures(place / "flat")
    hostile.write_pictures(place / "few", hostile.NAMES[2::4])
    for k, name in enumerate(["a", *hostile.NAMES[6:8], "two\nlines"]):
        folder = os.path.join(os.fsencode(place), b"classes", os.fsencode(name))
        hostile.write_pictures(folder, hostile.NAMES[k::12])
    assert run(capsys, arguments(command)) == 0
    assert check_outputs(command) == set(outputs(command).values())
    for name in outputs(command).values():
        if name.endswith(".csv"):
            with open(name, encoding="utf-8", newline="") as file:
                names = [row[0] for row in csv.reader(file)][1:]
            assert len(set(names)) == len(names) > 5


@every_reader
def test_folders(command, place, capsys):
    given = [a.dest for a in PARSERS[command]._actions if a.dest in FOLDERS]
    (place / "empty").mkdir()
    (place / "file").write_text("")
    hostile.write_hostile_folder(place / "hostile" / "a")
    os.symlink(place / "hostile", place / "hostile" / "a" / "b")
    skip = ["--skip-broken"] if "--skip-broken" in PARSERS[command].format_help() else []
    for folder in ("nowhere", "empty", "file", "hostile", "hostile/a", "", "x" * 300):
        for name in given:
            # With subfolders all that can be read is read, without them the first fault is named.
            more = skip if folder == "hostile" else []
            run(capsys, [*arguments(command, **{name: folder}), *more])
            check_outputs(command)


@every_command
def test_files_that_cannot_be_written(command, place, capsys):
    for name in outputs(command):
        end = ENDS[name]
        (place / f"folder{end}").mkdir()
        for bad in (f"nowhere/a{end}", f"folder{end}", "x" * 300 + end, f"classes/a/1{end}/b{end}",
                    "a", "", f"out/{'x' * 252}{end}"):  # fmt: skip
            words = arguments(command, {**outputs(command), name: bad})
            assert run(capsys, words) == 2
            assert not os.listdir("out")


@every_command
def test_values_of_options(command, place, capsys):
    for action in PARSERS[command]._actions:
        if not action.option_strings or action.nargs == 0 or action.dest in outputs(command):
            continue
        option = action.option_strings[-1]
        for value in ("nan", "1e300", "--", "", "\x00", "9" * 20):
            try:
                status = run(capsys, [*arguments(command), f"{option}={value}"])
            except SystemExit as end:  # of the parser, which has said why
                status = end.code
            # Of the best, there are as many as there are.
            assert status == (0 if (option, value) == ("--top", "9" * 20) else 2), (option, value)


# --- processes ----------------------------------------------------------------------------


def start(words, before=lambda: None):
    """Run a command in a copy of this process, which costs no imports; return its id."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer Pythons warn of threads
        pid = os.fork()
    if pid == 0:
        status = 99
        gc.freeze()  # to look through what the tests hold would copy it
        try:
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115
            sys.stderr = open("errors", "a", buffering=1)  # noqa: SIM115
            before()
            status = cli.main(words)
        except SystemExit as end:
            status = end.code
        except BaseException as error:
            print(f"Traceback {error!r}", file=sys.stderr)
        finally:
            os._exit(status)
    return pid


def finish(pid, seconds=120):
    """Wait for a process; return its status, negative for a signal."""
    for _ in range(100 * seconds):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise TimeoutError("it hangs")


def slowly():
    """Let the work take long enough to be interrupted."""
    opened = Image.open

    def slow(*args, **kwargs):
        time.sleep(0.1)
        return opened(*args, **kwargs)

    Image.open = slow
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Each command gets one of the signals: all are met in the same place, whatever the command.
@pytest.mark.parametrize(
    ("command", "number"),
    list(zip(PARSERS, itertools.cycle([signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))),
)
def test_signals(command, number, place):
    for name in outputs(command).values():
        (place / name).write_text("of before")
    for attempt in range(3):
        pid = start(arguments(command), slowly)
        time.sleep(0.3)
        os.kill(pid, number)
        try:
            assert finish(pid, 30) in (128 + number, 0)
            break
        except TimeoutError:  # the fork may have got a lock that a thread of the tests held
            if attempt == 2:
                raise
    assert "Traceback" not in (place / "errors").read_text()
    for name in os.listdir("out"):
        assert f"out/{name}" in outputs(command).values()


@pytest.mark.parametrize("command", [*writers(), "catalogue"])
def test_two_at_once_write_the_same_files(command, place):
    pids = [start(arguments(command)) for _ in range(2)]
    # Whoever comes second to a catalogue is told so.
    assert sorted(map(finish, pids)) in ([0, 0], [0, 2] if command == "catalogue" else [0, 0])
    assert check_outputs(command) == set(outputs(command).values())


@pytest.mark.parametrize("command", list(writers()))
def test_a_full_disk(command, place):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    assert finish(start(arguments(command), limit)) == 2
    assert "could not be written" in (place / "errors").read_text()
    assert check_outputs(command) < set(outputs(command).values())


def test_files_that_inflate_fit_into_little_memory(place):
    hostile.write_hostile_folder(place / "hostile")

    def read():
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        size = pages * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (size + 2**28, size + 2**28))
        folder = load_image_folder(place / "hostile", errors="skip", shape="own")
        assert len(folder.images) + len(folder.skipped) >= len(hostile.files())
        assert not any("MemoryError" in why for why in folder.skipped.values()), folder.skipped
        os._exit(0)

    assert finish(start([], read)) == 0, (place / "errors").read_text()


def test_a_fork_in_the_middle_of_a_transform(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # As DataLoader and multiprocessing do: a lock that another thread holds stays locked for ever.
    stop = threading.Event()

    def slowed_down(work):
        def slowly(*args, **kwargs):
            time.sleep(0.03)  # so that a fork comes in the middle of it
            return work(*args, **kwargs)

        return slowly

    def work():
        for n_angles in itertools.count(2):
            if stop.is_set():
                break
            MaxNRCDT(n_angles).fit_transform(np.eye(9)[None])

    for owner, name in ((radon.Projector, "__init__"), (footprints.FootprintTable, "shell_of")):
        monkeypatch.setattr(owner, name, slowed_down(getattr(owner, name)))

    def child():
        faulthandler.dump_traceback_later(25, exit=True, file=sys.stderr)  # says where it hangs
        MaxNRCDT(16).fit_transform(np.eye(9)[None])
        InvariantHOG(n_jobs=2).fit_transform(np.stack([np.eye(12)] * 5))
        os._exit(0)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(8):
            time.sleep(0.02)
            assert finish(start([], child), 60) == 0, Path("errors").read_text()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
