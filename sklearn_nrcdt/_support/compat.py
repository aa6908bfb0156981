"""All private or version-dependent names of scikit-learn, in one place."""

# ruff: noqa: F401 (other modules import them from here)

from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any, TypeVar

from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.metrics.pairwise import _VALID_METRICS as PAIRWISE_METRICS
from sklearn.utils import validation
from sklearn.utils._param_validation import Interval, Options, RealNotInt, StrOptions
from sklearn.utils._param_validation import validate_params as _validate_params
from sklearn.utils._set_output import _wrap_data_with_container as wrap_output
from sklearn.utils.validation import _check_feature_names_in as check_feature_names_in

from sklearn_nrcdt._support.arrays import to_numpy

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # before scikit-learn 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stand-in: without callbacks there is nothing to support."""


def fit_context(*, prefer_skip_nested_validation: bool) -> Callable[[Function], Function]:
    """Like scikit-learn's, but a `fit` that fails leaves the estimator as it was.

    Type checkers still see the signature of the method.
    """

    def decorate(fit):
        checked = _fit_context(prefer_skip_nested_validation=prefer_skip_nested_validation)(fit)

        @wraps(fit)
        def wrapper(estimator, *args, **kwargs):
            before = dict(vars(estimator))
            try:
                return checked(estimator, *args, **kwargs)
            except BaseException:
                vars(estimator).clear()
                vars(estimator).update(before)
                raise

        return wrapper

    return decorate


def validate_params(
    constraints: dict[str, Any], *, prefer_skip_nested_validation: bool = True
) -> Callable[[Function], Function]:
    """Like scikit-learn's, but type checkers still see the signature of the function."""
    return _validate_params(
        constraints, prefer_skip_nested_validation=prefer_skip_nested_validation
    )


def _for_arrays_of_all_kinds(validate):
    """Accept tensors, and raise a ValueError for integers too large for float64."""

    @wraps(validate)
    def wrapper(*args, **kwargs):
        try:
            return validate(*map(to_numpy, args), **kwargs)
        except OverflowError as error:
            raise ValueError(f"The input has numbers too large for float64: {error}.") from error

    return wrapper


check_array: Callable[..., NDArray[Any]] = _for_arrays_of_all_kinds(validation.check_array)
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


def without_callbacks(estimator):
    """Return a copy for workers: the callbacks of a fit that goes on cannot always be pickled."""
    alone = copy(estimator)
    for name in [name for name in vars(alone) if "callback" in name]:
        delattr(alone, name)
    return alone
