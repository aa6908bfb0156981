"""Fixtures shared by the tests."""

import os
import sys

# Read by scipy when it is imported: without it scikit-learn skips a check.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(0)


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


def pytest_terminal_summary(terminalreporter):
    """Say how many random cases the property tests tried."""
    strategies = sys.modules.get("strategies")
    if strategies and strategies.CASES:
        terminalreporter.write_line(
            f"{strategies.CASES.total()} random cases of {len(strategies.CASES)} laws"
        )
