"""The version of the package, which saved estimators carry."""

__version__ = "0.1.0"
