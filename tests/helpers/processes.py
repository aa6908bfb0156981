"""Processes that tests start, and kill; the user who runs them."""

import contextlib
import io
import multiprocessing
import os
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor

# New processes are copies of one that has imported what they need.
FRESH = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
if sys.platform == "linux":
    FRESH.set_forkserver_preload(
        ["sklearn_nrcdt._commands.cli", "sklearn_nrcdt._desk.app", "distributed"]
    )


def start_server():
    """Start the process that new ones are copies of, before others say what it has to import."""
    if sys.platform == "linux":
        multiprocessing.forkserver.ensure_running()


def start_command(words, output, environment):
    """Run a command of ours in a process of its own, which prints into a file; return it."""
    process = FRESH.Process(target=_run, args=(words, output, environment), daemon=True)
    process.start()
    return process


def _run(words, output, environment):
    from sklearn_nrcdt._commands.cli import main

    os.environ.update(environment)
    try:
        with open(output, "w", encoding="utf-8", buffering=1) as sys.stdout:
            sys.exit(main(words))
    finally:
        # Such a process ends without the interpreter's own end, which would save what was covered.
        if (coverage := sys.modules.get("coverage")) and (running := coverage.Coverage.current()):
            running.save()


@contextlib.contextmanager
def unprivileged(folder):
    """Be a user to whom modes apply; skip the test if that one cannot reach the folder."""
    import pytest  # here, as it takes new processes a while

    if os.name != "posix":
        pytest.skip("modes of POSIX")
    superuser = os.geteuid() == 0
    if superuser:
        os.seteuid(65534)
    try:
        try:
            os.listdir(folder)
        except PermissionError:
            pytest.skip(f"only the superuser can reach {folder}")
        yield
    finally:
        if superuser:
            os.seteuid(0)


def printed(code, *words):
    """Run a script with arguments in a process of its own; return what it prints."""
    with ProcessPoolExecutor(1, FRESH) as executor:
        return executor.submit(_printed, code, words).result(timeout=120)


def _printed(code, words):
    sys.argv[1:] = words
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(code, {"__name__": "__main__"})
    return output.getvalue()


def run_script(code, folder):
    """Run a script in a session and a folder of its own, which prints into files beside that."""
    os.setsid()
    os.chdir(folder)
    for number, end in ((1, ".out"), (2, ".err")):
        os.dup2(os.open(folder.with_suffix(end), os.O_WRONLY | os.O_CREAT), number)
    warnings.simplefilter("error", RuntimeWarning)
    exec(code, {"__name__": "__main__"})


def gone(pid):
    """Whether a process ends within ten seconds."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
