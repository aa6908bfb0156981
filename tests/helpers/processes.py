"""Processes that tests start, and kill."""

import os
import time


def gone(pid):
    """Whether a process ends within ten seconds."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
