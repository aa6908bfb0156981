"""Drawings that are kept: read once, asked many times, added to and removed one by one.

`_files` finds and reads the drawings, `_store` keeps rows of numbers safe in a folder, and
`_catalogue` fills it with what `ShapeClassifier` needs to know of each drawing. A module here may
import `_kernels`, `_support`, `_estimators`, `datasets` and the public names of the package.
"""

from sklearn_nrcdt.catalogue._catalogue import Catalogue, is_catalogue
from sklearn_nrcdt.catalogue._store import (
    BusyCatalogueError,
    CatalogueError,
    DamagedCatalogueError,
    OutdatedCatalogueError,
)

__all__ = [
    "BusyCatalogueError",
    "Catalogue",
    "CatalogueError",
    "DamagedCatalogueError",
    "OutdatedCatalogueError",
    "is_catalogue",
]
