"""What the interpreter does about us: without docstrings, and with our memory."""

import gc
import importlib
import sys
import tracemalloc
from importlib.machinery import PathFinder, SourceFileLoader

import numpy as np
import pytest
from public import estimators, things

from sklearn_nrcdt import MaxNRCDT
from sklearn_nrcdt._kernels import caches

ESTIMATORS = [name for name, thing in things().items() if thing in estimators().values()]


class OptimizingLoader(SourceFileLoader):
    """Compiles as ``python -OO`` does: without assertions and docstrings."""

    def get_code(self, fullname):
        return compile(self.get_data(self.path), self.path, "exec", optimize=2)


class OptimizingFinder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] != "sklearn_nrcdt":
            return None
        spec = PathFinder.find_spec(name, path)
        spec.loader = OptimizingLoader(name, spec.origin)
        return spec


@pytest.fixture
def without_docstrings(monkeypatch):
    """The package is imported anew; the others stay as they are, which would take seconds."""

    def forget():
        for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn_nrcdt"]:
            del sys.modules[name]

    before = dict(sys.modules)
    forget()
    monkeypatch.setattr(sys, "meta_path", [OptimizingFinder, *sys.meta_path])
    yield
    forget()
    sys.modules.update(before)


def test_it_works_without_docstrings_and_assertions(without_docstrings):
    rows = np.random.default_rng(0).random((6, 256)) ** 9
    for name in ESTIMATORS:
        module, _, name = name.rpartition(".")
        kind = getattr(importlib.import_module(module), name)
        assert kind.__doc__ is None
        fitted = kind().fit(rows, [0, 0, 0, 1, 1, 1])
        result = fitted.transform(rows) if hasattr(fitted, "transform") else fitted.predict(rows)
        assert len(result) == 6


@pytest.mark.parametrize("most", [3 * 10**6, 10**5], ids=["small", "large"])
def test_tables_of_ever_new_shapes_take_bounded_memory(monkeypatch, most):
    monkeypatch.setattr(caches, "CACHE_BYTES", most)
    transformers, kept = [], []
    gc.freeze()  # what was there before stays, and takes long to look through
    tracemalloc.start()

    def keep():
        gc.collect()
        kept.append(tracemalloc.get_traced_memory()[0])

    for side in range(80, 84):
        transformers.append(MaxNRCDT(32))
        transformers[-1].fit_transform(np.ones((1, side, side)))
        keep()
    del transformers
    keep()
    tracemalloc.stop()
    gc.unfreeze()
    assert kept[0] > 10**6  # the table is really there
    # Either as many as fit, or the last one alone, which goes with its transformer.
    assert max(kept) < 1.2 * max(most, kept[0])
    assert kept[-1] < 1.2 * most
