"""The layer between the estimators and other libraries.

`images` and `arrays` validate input, `misreadings` warns of what looks wrong, `compat` holds all
private or version-dependent names of scikit-learn, `messages` has the warnings, `samples` picks and
names samples, `canvases` and `workers` share out images, `progress` reports on long runs, `figures`
wraps matplotlib, `types` names the types of the public API. A module here may import scikit-learn
and `_kernels`, but no estimator.
"""
