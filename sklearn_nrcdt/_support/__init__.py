"""The layer between the estimators and other libraries.

`images` and `arrays` validate input, `polarity` detects dark drawings on white paper, `compat`
holds all private or version-dependent names of scikit-learn, `caller` finds the user's line for a
warning, `samples` picks and names samples, `progress` reports on long runs, `doclink` links to the
documentation, `figures` wraps matplotlib. A module here may import scikit-learn and `_kernels`, but
no estimator.
"""
