"""The line of the user's program that a warning points at."""

import sys

# Any number of frames of these packages may lie between the user and us: `fit`, `fit_transform`,
# a pipeline in a grid search.
BETWEEN = {"sklearn_nrcdt", "sklearn", "joblib"}


def stacklevel_of_caller() -> int:
    """Return the `stacklevel` of `warnings.warn` that points at the user's line.

    Call it in the function that warns.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        if frame.f_back is None:
            break
        frame, level = frame.f_back, level + 1
    return level
