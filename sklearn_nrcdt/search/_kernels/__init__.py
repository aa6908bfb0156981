"""The mathematics of the search: plain functions on arrays.

From a photograph to oriented ridges, from a drawing to line elements, and how well the two agree.
Modules here import NumPy, SciPy, scikit-image and each other; no scikit-learn, no validation.
"""
