"""Classes of warnings, and the line of the user's program that a warning points at."""

import sys
import warnings

# Any number of frames of these packages may lie between the user and us: `fit`, `fit_transform`,
# a pipeline in a grid search.
BETWEEN = {"sklearn_nrcdt", "sklearn", "joblib"}


class BlankImageWarning(UserWarning):
    """Some images have no mass: all their pixels are zero, and so are their features.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from sklearn_nrcdt import BlankImageWarning, MaxNRCDT
    >>> with warnings.catch_warnings():
    ...     warnings.filterwarnings("ignore", category=BlankImageWarning)
    ...     bool(MaxNRCDT().fit_transform(np.zeros((1, 8, 8))).any())
    False
    """


class BrightBorderWarning(UserWarning):
    """Most images have a bright border, like dark drawings on white paper.

    The paper would count as mass. If the figures really are bright up to the border, ignore it.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from sklearn_nrcdt import BrightBorderWarning, MaxNRCDT
    >>> holes = np.ones((1, 32, 32))
    >>> holes[0, 12:20, 10:22] = 0
    >>> with warnings.catch_warnings():
    ...     warnings.filterwarnings("ignore", category=BrightBorderWarning)
    ...     MaxNRCDT().fit_transform(holes).shape
    (1, 64)
    """


def warn(message, category=UserWarning):
    """Warn, and point at the user's line."""
    frame, level = sys._getframe(0), 1
    while frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        if frame.f_back is None:
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
