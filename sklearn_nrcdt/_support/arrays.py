"""Arrays of other libraries: tensors, array-API arrays, labelled arrays."""

import numpy as np
import scipy.sparse as sp


def to_numpy(X):
    """Return an array of another library as a NumPy array, and anything else unchanged.

    Data frames stay as they are: scikit-learn reads their column names.
    """
    if isinstance(X, np.ndarray | np.generic | list | tuple | str | bytes) or sp.issparse(X):
        return X
    if hasattr(X, "columns") or not (hasattr(X, "__array__") or hasattr(X, "__dlpack__")):
        return X
    try:
        return np.asarray(X) if hasattr(X, "__array__") else np.from_dlpack(X)
    except (TypeError, RuntimeError, BufferError, ValueError) as error:
        device = getattr(X, "device", None)
        where = f" on device {device}" if device is not None else ""
        raise TypeError(
            f"NumPy cannot read a {type(X).__module__}.{type(X).__name__}{where}: "
            f"{str(error).rstrip('.')}. Pass a dense array of ordinary numbers on the CPU, for "
            "example X.detach().cpu().float() in PyTorch."
        ) from error
