"""Types of the public API, as type checkers show them to users."""

import os
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

# A stack, a list of images of different shapes, or rows, also sparse ones.
Images: TypeAlias = ArrayLike | sp.sparray | sp.spmatrix
FloatArray: TypeAlias = NDArray[np.floating[Any]]
IntArray: TypeAlias = NDArray[np.intp]
FloatType: TypeAlias = type[np.float32] | type[np.float64] | Literal["float32", "float64"]
Shape: TypeAlias = tuple[int, int]
# The ends of an interval from which a number is drawn.
Bounds: TypeAlias = tuple[float, float]
Seed: TypeAlias = int | np.random.RandomState | None
PathLike: TypeAlias = str | os.PathLike[str]

# Options that several functions share.
Invariance: TypeAlias = Literal["affine", "similarity", "slant", "scale"]
Keep: TypeAlias = Literal["spectrum", "circle"]
Reflection: TypeAlias = Literal["distinguish", "ignore"]
Quantiles: TypeAlias = Literal["means", "points"]
NumberOfRadii: TypeAlias = int | Literal["auto"]
Polarity: TypeAlias = Literal["dark", "bright"]
Errors: TypeAlias = Literal["raise", "skip"]

__all__ = ["ArrayLike", "NDArray"]
