"""What all estimators share: checks of parameters, and saved files say which version made them."""

from sklearn import get_config
from sklearn.base import BaseEstimator

from sklearn_nrcdt._support.messages import warn
from sklearn_nrcdt._support.version import __version__

KEY = "_sklearn_nrcdt_version"


class Estimator(BaseEstimator):
    """Base class of our estimators."""

    # Parameters whose values in `fit` what is stored depends on.
    _fixed_by_fit: tuple[str, ...] = ()

    def _check_parameters(self):
        if not get_config()["skip_parameter_validation"]:
            self._validate_params()

    def _remember_parameters(self):
        self._fitted_with = {name: getattr(self, name) for name in self._fixed_by_fit}

    def _check_parameters_again(self):
        """Check parameters that may have changed since `fit`."""
        self._check_parameters()
        for name, value in self._fitted_with.items():
            if getattr(self, name) != value:
                raise ValueError(
                    f"{name} has changed since fit. Fit again, or set it to {value!r}."
                )

    def __getstate__(self):
        return {**super().__getstate__(), KEY: __version__}

    def __setstate__(self, state):
        state = dict(state)
        saved = state.pop(KEY, "before 0.1.0")
        if saved != __version__:
            warn(
                f"{type(self).__name__} was saved by sklearn-nrcdt {saved} and is loaded by "
                f"{__version__}: its results may differ. Fit it again."
            )
        super().__setstate__(state)
