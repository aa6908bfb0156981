"""Warnings point at the line of the user, not at one of ours."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import MaxNRCDT, NearestTemplateClassifier
from sklearn_nrcdt.guarantees import certified_radius
from sklearn_nrcdt.preprocessing import Invert, RemoveBackground

ROWS = np.arange(1.0, 31).reshape(3, 10)
BLANK = np.zeros((4, 6, 6))
BLANK[:2, 2:4, 1:3] = 1
MODEL = make_pipeline(MaxNRCDT(4), NearestTemplateClassifier())


@pytest.mark.parametrize(
    "call",
    [
        lambda: MaxNRCDT(4).fit(ROWS),
        lambda: MaxNRCDT(4).fit_transform(ROWS),
        lambda: MODEL.fit(ROWS, [0, 1, 2]),
        lambda: Invert().fit_transform(ROWS),
        lambda: RemoveBackground(0.5).fit(ROWS),
        lambda: certified_radius(ROWS, n_angles=4),
    ],
)
def test_rows_that_are_no_squares(call):
    with pytest.warns(UserWarning, match="not square images") as caught:
        call()
    assert caught[0].filename == __file__
    assert caught[0].lineno == call.__code__.co_firstlineno


@pytest.mark.parametrize(
    "call",
    [
        lambda: MaxNRCDT(4).fit_transform(BLANK),
        lambda: MaxNRCDT(4).fit(BLANK).transform(BLANK),
        lambda: MODEL.fit(BLANK, [0, 1, 0, 1]),
        lambda: GridSearchCV(MODEL, {"maxnrcdt__n_angles": [4]}, cv=2).fit(BLANK, [0, 1, 0, 1]),
    ],
)
def test_blank_images(call):
    with pytest.warns(UserWarning, match="have no mass") as caught:
        call()
    assert {warning.filename for warning in caught} == {__file__}
    assert {warning.lineno for warning in caught} == {call.__code__.co_firstlineno}
