"""What the interpreter does about us: without docstrings, and with our memory."""

import subprocess
import sys

import pytest

WITHOUT_DOCSTRINGS = """
import numpy as np
import sklearn_nrcdt
import sklearn_nrcdt.datasets, sklearn_nrcdt.guarantees, sklearn_nrcdt.preprocessing
import sklearn_nrcdt.display, sklearn_nrcdt.search
images = sklearn_nrcdt.datasets.load_symbols(size=32).images
features = [
    getattr(sklearn_nrcdt, name)(16).fit_transform(images)
    for name in ("RadonCDT", "NRCDT", "MaxNRCDT", "MeanNRCDT", "SpectralNRCDT")
]
y = np.arange(len(images))
for name in ("NearestTemplateClassifier", "NearestSubspaceClassifier"):
    getattr(sklearn_nrcdt, name)().fit(features[0], y).predict(features[0])
sklearn_nrcdt.guarantees.max_nrcdt_radius(images)
sklearn_nrcdt.preprocessing.Despeckle().fit_transform(images)
print(*(array.shape[1] for array in features))
"""

AFTER_DELETION = """
import gc
import numpy as np
from sklearn_nrcdt import MaxNRCDT

def memory():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 2**20

MaxNRCDT(4).fit_transform(np.eye(8)[None])
before = memory()
images = np.ones((1, 1024, 1024), np.float32)
transformer = MaxNRCDT(256).fit(images)
transformer.transform(images)
del images
during = memory()
del transformer
print(during - before, memory() - before)
"""


def run(code, *options):
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("option", ["-O", "-OO"])
def test_it_works_without_docstrings_and_assertions(option):
    assert run(WITHOUT_DOCSTRINGS, option) == ["1024", "1024", "64", "64", "484"]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_tables_go_with_the_last_estimator():
    during, after = map(float, run(AFTER_DELETION))
    assert during > 150  # MB: the table is really there
    assert after < 80
