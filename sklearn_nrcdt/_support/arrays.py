"""Arrays of other libraries: tensors, array-API arrays, labelled arrays."""

import numpy as np
import scipy.sparse as sp


def to_numpy(X):
    """Return X as a NumPy array, if it is an array of another library; else X as it is.

    Data frames stay, since scikit-learn reads the names of their columns.
    """
    if isinstance(X, np.ndarray | np.generic | list | tuple | str | bytes) or sp.issparse(X):
        return X
    if hasattr(X, "columns") or not (hasattr(X, "__array__") or hasattr(X, "__dlpack__")):
        return X
    try:
        return np.asarray(X) if hasattr(X, "__array__") else np.from_dlpack(X)
    except (TypeError, RuntimeError, BufferError, ValueError) as error:
        device = getattr(X, "device", None)
        raise TypeError(
            f"X is a {type(X).__module__}.{type(X).__name__}"
            + (f" on device {device}" if device is not None else "")
            + ", which NumPy cannot read. Move it to the CPU and detach it from any graph first, "
            "for example with X.detach().cpu() in PyTorch."
        ) from error
