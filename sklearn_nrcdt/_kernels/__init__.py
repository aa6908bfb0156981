"""The mathematics: plain functions on arrays.

Here are projections, quantile functions, frames and what is left of the circle of directions.
A kernel gets arrays that are known to be fine and returns arrays: no estimators, no validation,
no warnings. It may import NumPy, SciPy and scikit-image, and other kernels.
"""
