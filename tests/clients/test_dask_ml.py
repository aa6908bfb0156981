"""dask-ml: ParallelPostFit over blocks of images, and GridSearchCV."""

import numpy as np
import pytest

from sklearn_nrcdt import MaxNRCDT

pytest.importorskip("dask_ml", reason="dask-ml is in the group 'clients'")
import dask.array as da
from dask_ml.model_selection import GridSearchCV
from dask_ml.wrappers import ParallelPostFit


def test_features_and_labels_of_blocks(digits, model):
    X, y = digits
    # Without an example of the output, dask-ml transforms a blank image to get one: a warning.
    blocks = da.from_array(X, chunks=(40, 64))
    transformer = ParallelPostFit(MaxNRCDT(8, n_quantiles=4), transform_meta=np.empty((0, 4))).fit(
        X
    )
    np.testing.assert_array_equal(
        transformer.transform(blocks).compute(), MaxNRCDT(8, n_quantiles=4).fit_transform(X)
    )
    classifier = ParallelPostFit(
        model, predict_meta=np.empty(0, y.dtype), predict_proba_meta=np.empty((0, 3))
    ).fit(X, y)
    for method in ("predict", "predict_proba"):
        expected = getattr(model.fit(X, y), method)(X)
        result = getattr(classifier, method)(blocks).compute()
        np.testing.assert_array_equal(result, expected)


def test_search(digits, model):
    search = GridSearchCV(model, {"maxnrcdt__n_angles": [1, 16]}, cv=3, scheduler="threading")
    assert search.fit(*digits).best_score_ > 0.9
    assert search.best_params_ == {"maxnrcdt__n_angles": 16}
