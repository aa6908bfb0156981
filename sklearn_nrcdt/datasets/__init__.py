"""Data sets: the paper's symbols, deformations and noise, and your own folders of images.

A module here may import `_kernels`, `_support`, `_estimators` and the public names of the package.
"""

from sklearn_nrcdt.datasets._affine import affine, random_affine
from sklearn_nrcdt.datasets._bending import random_elastic, random_wave
from sklearn_nrcdt.datasets._folder import (
    MixedFolderError,
    UnreadableImagesError,
    iter_image_folder,
    load_image_folder,
)
from sklearn_nrcdt.datasets._glyphs import make_glyphs
from sklearn_nrcdt.datasets._image_stacks import stack_images
from sklearn_nrcdt.datasets._linmnist import make_linmnist
from sklearn_nrcdt.datasets._noise import add_salt
from sklearn_nrcdt.datasets._symbols import load_symbols, make_symbols

__all__ = [
    "MixedFolderError",
    "UnreadableImagesError",
    "add_salt",
    "affine",
    "iter_image_folder",
    "load_image_folder",
    "load_symbols",
    "make_glyphs",
    "make_linmnist",
    "make_symbols",
    "random_affine",
    "random_elastic",
    "random_wave",
    "stack_images",
]
