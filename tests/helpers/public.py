"""All that the package makes public: what is new takes part in the tests without being named."""

import importlib
import pkgutil

from sklearn.base import BaseEstimator

import sklearn_nrcdt


def modules():
    """The package and its public subpackages."""
    found = pkgutil.iter_modules(sklearn_nrcdt.__path__, "sklearn_nrcdt.")
    names = [module.name for module in found if not module.name.startswith("sklearn_nrcdt._")]
    return [sklearn_nrcdt, *map(importlib.import_module, names)]


def things():
    """Full names of all that can be called, and what they are."""
    return {
        f"{module.__name__}.{name}": thing
        for module in modules()
        for name in module.__all__
        if callable(thing := getattr(module, name))
    }


def estimators():
    """All estimator classes, by their names."""
    return {
        thing.__name__: thing
        for thing in things().values()
        if isinstance(thing, type) and issubclass(thing, BaseEstimator)
    }
