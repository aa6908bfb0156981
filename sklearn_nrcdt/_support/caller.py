"""Where in the user's program a warning belongs."""

import sys

# Frames of these packages are between the user and us, however many there are: `fit`,
# `fit_transform`, a pipeline in a grid search.
BETWEEN = {"sklearn_nrcdt", "sklearn", "joblib"}


def stacklevel_of_caller() -> int:
    """Return the `stacklevel` of `warnings.warn` that points at the user's line.

    To be called in the function that warns.
    """
    frame, level = sys._getframe(1), 1
    while frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        if frame.f_back is None:
            break
        frame, level = frame.f_back, level + 1
    return level
