"""What stands between us and the libraries that call us or that we call.

Here is what counts as images, whether they are dark on bright, what scikit-learn offers in some
versions only, which line of the user a warning belongs to, how far a run is, links to the
documentation, and matplotlib's figures. A module here may import scikit-learn and `_kernels`, but
no estimator.
"""
