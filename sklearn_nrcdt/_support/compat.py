"""All private or version-dependent names of scikit-learn, in one place."""

from functools import wraps

from sklearn.base import _fit_context as fit_context
from sklearn.metrics.pairwise import _VALID_METRICS as PAIRWISE_METRICS
from sklearn.utils import validation
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions
from sklearn.utils._set_output import _wrap_data_with_container as wrap_output
from sklearn.utils.validation import _check_feature_names_in as check_feature_names_in

from sklearn_nrcdt._support.arrays import to_numpy

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stand-in: without callbacks there is nothing to support."""


def _for_arrays_of_all_kinds(validate):
    """Accept tensors, and raise a ValueError for integers too large for float64."""

    @wraps(validate)
    def wrapper(*args, **kwargs):
        try:
            return validate(*map(to_numpy, args), **kwargs)
        except OverflowError as error:
            raise ValueError(f"The input has numbers too large for float64: {error}.") from error

    return wrapper


check_array = _for_arrays_of_all_kinds(validation.check_array)
validate_data = _for_arrays_of_all_kinds(validation.validate_data)


def fit_progress(estimator, X, y, n_steps):
    """Report the steps of a fit to the estimator's callbacks (scikit-learn >= 1.9).

    Advance the returned iterator once before the first step and once after each step. Without
    callback support it does nothing.
    """
    if not hasattr(estimator, "_init_callback_context"):
        yield from [None] * (n_steps + 1)
        return
    root = estimator._init_callback_context(max_subtasks=n_steps)
    root.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    for _ in range(n_steps):
        step = root.subcontext(task_name="batch")
        step.call_on_fit_task_begin(estimator=estimator)
        yield
        step.call_on_fit_task_end(estimator=estimator)
    root.call_on_fit_task_end(estimator=estimator, X=X, y=y, reconstruction_attributes={})
    yield


__all__ = [
    "PAIRWISE_METRICS",
    "CallbackSupportMixin",
    "Interval",
    "RealNotInt",
    "StrOptions",
    "fit_context",
    "check_array",
    "check_feature_names_in",
    "fit_progress",
    "validate_data",
    "wrap_output",
]
