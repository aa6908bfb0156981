"""The estimators of the top level, and the functions that go with them.

Classes are thin: parameters, their constraints, names of features. They call `_kernels` in
batches. A module here may import `_kernels` and `_support`, but no public room.
"""
