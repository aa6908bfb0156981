"""Fixtures shared by the tests."""

import functools
import os
import signal
import sys
import threading
import time

# Read by scipy when it is imported: without it scikit-learn skips a check.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pytest
from processes import gone
from sklearn.datasets import make_blobs
from sklearn.utils import estimator_checks
from threadpoolctl import threadpool_limits

from sklearn_nrcdt import MaxNRCDT

# A shell that starts the tests in the background makes them, and every process that they start,
# ignore Ctrl-C, which some of the tests send.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def one_blas_thread():
    """For matrices as small as ours, two threads wait for each other many times longer."""
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def downloads(tmp_path_factory):
    """Folder in which the browser saves files; who makes one removes it."""
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="session")
def browser(downloads):
    """The browser of all pages: its start and end take a second."""
    from browsing import open_browser

    browser = open_browser(downloads)
    yield browser
    browser.quit()


@pytest.fixture
def few_blobs(monkeypatch):
    """scikit-learn's checks with 12 samples where they take up to 300."""

    def few(n_samples, **options):
        return make_blobs(min(n_samples, 12), **options)

    monkeypatch.setattr(estimator_checks, "make_blobs", few)


@pytest.fixture
def shapes():
    """Six different figures of 48 x 48 pixels, asymmetric ones among them."""
    images = np.zeros((6, 48, 48))
    images[0, 14:34, 14:20] = images[0, 28:34, 14:34] = 1  # L
    images[1, 14:34, 21:27] = images[1, 14:20, 14:34] = 1  # T
    x, y = np.meshgrid(np.arange(48) - 23.5, np.arange(48) - 23.5)
    images[2] = np.hypot(x, y) < 12  # disc
    images[3] = (np.hypot(x, y) < 12) & (np.hypot(x, y) > 8)  # ring
    images[4] = (np.abs(x) < y + 8) & (y < 9)  # triangle
    images[5, 12:36, 16:20] = images[5, 22:26, 16:32] = images[5, 12:36, 28:32] = 1  # H
    return images


@pytest.fixture
def slow(rng, tmp_path):
    """A fitted transformer that tells by a file who is at work, and takes its time; images."""

    def slowly(images, inner):
        (tmp_path / str(os.getpid())).touch()
        time.sleep(0.05)
        return inner(images)

    class Slow(MaxNRCDT):  # local, hence sent to the workers as it is
        def _batch_function(self, dtype):
            return functools.partial(slowly, inner=super()._batch_function(dtype))

    images = rng.random((40, 32, 32))
    return Slow(16, n_jobs=2).fit(images), images


@pytest.fixture
def killed(tmp_path):
    """Kill the first worker that is at work; to be called when that has happened."""
    victims = []

    def kill():
        deadline = time.monotonic() + 120
        while not (at_work := list(tmp_path.iterdir())) and time.monotonic() < deadline:
            time.sleep(0.01)
        victims.append(int(at_work[0].name))
        os.kill(victims[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    yield lambda: killer.join() or gone(victims[0])
    killer.join()


def pytest_terminal_summary(terminalreporter):
    """Say how many random cases the property tests tried."""
    strategies = sys.modules.get("strategies")
    if strategies and strategies.CASES:
        terminalreporter.write_line(
            f"{strategies.CASES.total()} random cases of {len(strategies.CASES)} laws"
        )
