"""PyTransKit's classifiers: subspaces of R-CDTs, and the same with rotations searched for."""

import contextlib
import importlib
import io
import os
import tempfile
import warnings
from multiprocessing.pool import ThreadPool
from types import SimpleNamespace

import numpy as np

from benchmarks.accuracy.methods import Model, too_slow


def methods():
    """Return the methods; their transforms take tens of milliseconds for each image."""
    options = {"splits": 1, "most_tested": 100, "skip": too_slow}
    return [
        Model(
            "PyTransKit RCDT-NS",
            "classic",
            needs=("pytranskit.classification.rcdt_ns",),
            make=lambda n_classes, upright, quick: Peer("rcdt_ns", "RCDT_NS", n_classes),
            **options,
        ),
        Model(
            "PyTransKit invariance encoding",
            "classic",
            needs=("pytranskit.classification.inv_enc",),
            make=lambda n_classes, upright, quick: Peer("inv_enc", "INV_ENC", n_classes),
            **options,
        ),
    ]


class Peer:
    """A classifier in an empty directory, silently: it keeps files there and prints."""

    def __init__(self, module, name, n_classes):
        found = importlib.import_module(f"pytranskit.classification.{module}")
        # One core, as for all others, and no processes of processes.
        found.mp = SimpleNamespace(cpu_count=lambda: 1, Pool=ThreadPool)
        self.model = getattr(found, name)(n_classes)

    def fit(self, images, codes, seed):
        self.folder = tempfile.TemporaryDirectory()
        os.mkdir(os.path.join(self.folder.name, "metadata"))
        self._run(lambda: self.model.fit(images.astype(np.float64), codes))

    def predict(self, images):
        found = self._run(lambda: self.model.predict(images.astype(np.float64), use_gpu=False))
        self.folder.cleanup()
        return np.asarray(found)

    def _run(self, step):
        here = os.getcwd()
        os.chdir(self.folder.name)
        try:
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return step()
        finally:
            os.chdir(here)
