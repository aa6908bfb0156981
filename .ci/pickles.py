"""Save fitted estimators with their results, or load them elsewhere and compare the results.

python .ci/pickles.py save FILE
python .ci/pickles.py load FILE ...

Our own estimators only: scikit-learn promises nothing about pickles of another version.
"""

import pickle
import sys

import numpy as np

from sklearn_nrcdt import MaxNRCDT, NearestTemplateClassifier, RadonCDT, SpectralNRCDT
from sklearn_nrcdt.datasets import load_symbols
from sklearn_nrcdt.preprocessing import Invert

symbols = load_symbols(size=24)


def results(estimator):
    method = "transform" if hasattr(estimator, "transform") else "decision_function"
    return getattr(estimator, method)(symbols.data)


if sys.argv[1] == "save":
    estimators = [Invert(), RadonCDT(16), MaxNRCDT(16), SpectralNRCDT(16)]
    estimators.append(NearestTemplateClassifier())
    fitted = [estimator.fit(symbols.data, symbols.target) for estimator in estimators]
    with open(sys.argv[2], "wb") as file:
        pickle.dump([(estimator, results(estimator)) for estimator in fitted], file)
else:
    for path in sys.argv[2:]:
        with open(path, "rb") as file:
            for estimator, expected in pickle.load(file):
                np.testing.assert_allclose(results(estimator), expected, rtol=0, atol=1e-6)
