"""Compare files of features: python .ci/compare.py REFERENCE FILE ..."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "versions"))
from golden_features import TOLERANCE, differences, load

reference, *others = map(load, sys.argv[1:])
wrong = {}
for path, features in zip(sys.argv[2:], others, strict=True):
    wrong |= {f"{path}: {name}": what for name, what in differences(features, reference).items()}
if wrong:
    sys.exit("\n".join(f"{name} {what}" for name, what in wrong.items()))
for dtype, allowed in TOLERANCE.items():
    # Between any two files, the reference among them.
    spread = max(
        np.ptp([features[name] for features in [reference, *others]], axis=0).max()
        for name, values in reference.items()
        if values.dtype == dtype
    )
    print(
        f"{dtype} features of {1 + len(others)} files agree to {spread:.1e} (allowed: {allowed:g})"
    )
    if not spread <= allowed:
        sys.exit("They do not agree.")
