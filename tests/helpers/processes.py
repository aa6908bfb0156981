"""Processes that tests start, and kill; the user who runs them."""

import contextlib
import os
import time

import pytest


@contextlib.contextmanager
def unprivileged(folder):
    """Be a user to whom modes apply; skip the test if that one cannot reach the folder."""
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


def gone(pid):
    """Whether a process ends within ten seconds."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
