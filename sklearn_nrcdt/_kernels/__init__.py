"""The mathematics: plain functions on arrays.

Projections, quantile functions, frames, and invariants of functions on a circle. A kernel takes
validated arrays and returns arrays: no estimators, no validation, no warnings. It may import
NumPy, SciPy, scikit-image and other kernels.
"""
