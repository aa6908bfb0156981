"""Progress of a long run, in one line."""

import shutil
import sys
import time


class Progress:
    """Print the progress about once a second; on a terminal, rewrite the same line.

    Use it in a ``with`` statement, which completes the line at its end. The total is None if it is
    unknown; ``verbose=0`` prints nothing.
    """

    def __init__(self, total, verbose, what="images"):
        self.total = total
        self.verbose = verbose
        self.what = what
        self.done = self.shown = 0
        self.start = self.last = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.verbose and self.done != self.shown:
            self._print()
        if self.verbose and self.done and sys.stdout.isatty():
            print(flush=True)

    def show(self, done):
        """Record the number of finished items, and print it at most once a second."""
        self.done = done
        if self.verbose and time.monotonic() - self.last >= 1:
            self._print()

    def _print(self):
        self.shown, self.last = self.done, time.monotonic()
        if not sys.stdout.isatty():
            print(self._text(), flush=True)
            return
        # A line as wide as the terminal would wrap.
        width = max(shutil.get_terminal_size().columns - 1, 1)
        print("\r" + self._text()[:width].ljust(width), end="", flush=True)

    def _text(self):
        rate = self.done / max(self.last - self.start, 1e-9)
        speed = f"{rate:.0f} per second" if rate >= 10 else f"{rate:.2g} per second"
        if self.total is None:
            return f"{self.done} {self.what}, {speed}"
        bar = f"[{'#' * (20 * self.done // self.total):20s}] {100 * self.done // self.total:3d} %"
        left = (self.total - self.done) / max(rate, 1e-9)
        return f"{bar} {self.done} of {self.total} {self.what}, {speed}, {left:.0f} s left"
