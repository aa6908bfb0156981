"""Catalogued drawings in photographs of paper: faint figures among lines, stains and writing.

Everything about this subject is here: filters of photographs, the search, its display and its
simulator. The mathematics is in `search._kernels`. A module here may import `_kernels`, `_support`
and `_estimators`; only `_commands` imports from here.
"""

from sklearn_nrcdt.search._display import SearchDisplay
from sklearn_nrcdt.search._drawing_search import DrawingSearch
from sklearn_nrcdt.search._drawings import make_drawings
from sklearn_nrcdt.search._filters import FlattenIllumination, OrientedRidges
from sklearn_nrcdt.search._paper_lines import paper_lines
from sklearn_nrcdt.search._paper_scans import make_paper_scans

__all__ = [
    "DrawingSearch",
    "FlattenIllumination",
    "OrientedRidges",
    "SearchDisplay",
    "make_drawings",
    "make_paper_scans",
    "paper_lines",
]
