"""Images to try the transforms on: the paper's data sets, and a user's own."""

from sklearn_nrcdt.datasets._folder import load_image_folder
from sklearn_nrcdt.datasets._glyphs import make_glyphs
from sklearn_nrcdt.datasets._mnist import make_linmnist
from sklearn_nrcdt.datasets._noise import add_salt
from sklearn_nrcdt.datasets._stack import stack_images
from sklearn_nrcdt.datasets._symbols import load_symbols, make_symbols
from sklearn_nrcdt.datasets._warp import affine, random_affine, random_wave

__all__ = [
    "add_salt",
    "affine",
    "load_image_folder",
    "load_symbols",
    "make_glyphs",
    "make_linmnist",
    "make_symbols",
    "random_affine",
    "random_wave",
    "stack_images",
]
