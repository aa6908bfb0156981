"""The lines of the mould in photographs of paper, by which historians tell moulds apart."""

import math

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Bunch

from sklearn_nrcdt._support.images import check_image
from sklearn_nrcdt.search._kernels.pages import photograph_box
from sklearn_nrcdt.search._kernels.paper_lines import chain_lines, regular_lines
from sklearn_nrcdt.search._kernels.ridges import flatten_illumination, resize_photo
from sklearn_nrcdt.search._resolutions import WORKING_DPI, check_enlargement, zooms_of

MM = 25.4  # in an inch
# The highest peak in the spectrum of noise is some 15 times its mean.
LEAST_STRENGTH = 25
# Profiles of simulated paper reach 0.4 without chain lines, and at least 0.5 with them.
LEAST_CORRELATION = 0.45


def paper_lines(photos: list, *, dpi: ArrayLike = 100.0) -> Bunch:
    """Measure the laid and chain lines of paper.

    Laid lines are the dense ones, about a millimeter apart, chain lines the sparse ones across
    them. Both are prints of the mould. On simulated paper with all nuisances, distances are usually
    right within half a percent (``python -m benchmarks.accuracy lines``).

    Parameters
    ----------
    photos : list of array-like of shape (height, width)
        Photographs or scans of paper in grey, of any sizes.
    dpi : float or array-like of shape (n_photos,), default=100.0
        Dots per inch of the photographs. Laid lines need about 75.

    Returns
    -------
    lines : Bunch
        With the attributes, ndarrays of shape (n_photos,), NaN where no lines are visible,

        - laid_distance, chain_distance : mean distance of two lines in millimeters
        - laid_direction, chain_direction : in degrees, counterclockwise from horizontal, between
          -90 and 90

    See Also
    --------
    DrawingSearch : Finds drawings in such photographs.

    Examples
    --------
    >>> from sklearn_nrcdt.search import make_drawings, make_paper_scans, paper_lines
    >>> drawings = make_drawings(1, random_state=0).images
    >>> scans = make_paper_scans(drawings, snr=1, rotation=3, random_state=0)
    >>> lines = paper_lines(scans.images)
    >>> lines.laid_distance.round(2), lines.laid_direction.round(1)
    (array([1.29]), array([3.]))
    >>> (scans.lines.laid_distance / 100 * 25.4).round(2), scans.lines.laid_direction.round(1)
    (array([1.29]), array([2.8]))
    """
    photos = [_checked(photo, f"photos[{k}]") for k, photo in enumerate(photos)]
    if not photos:
        raise ValueError("photos is empty. Pass at least one photograph.")
    zooms = zooms_of(dpi, len(photos), "photos")
    check_enlargement(photos, zooms, "photos")
    rows = [_measure(photo, zoom) for photo, zoom in zip(photos, zooms, strict=True)]
    return lines_bunch(rows)


def lines_bunch(rows):
    """Name the columns of distances and directions, one row for each photograph."""
    names = ("laid_distance", "laid_direction", "chain_distance", "chain_direction")
    return Bunch(**dict(zip(names, np.array(rows, dtype=float).reshape(-1, 4).T, strict=True)))


def _checked(photo, name):
    photo = check_image(photo, name)
    if not np.isfinite(photo).all():
        raise ValueError(f"{name} must hold finite grey values, without NaN and infinity.")
    return photo.astype(np.float64) if photo.dtype == np.longdouble else photo


def _measure(photo, zoom):
    photo = photo[photograph_box(photo, zoom)]
    nothing = [math.nan] * 4
    if photo.min() == photo.max():
        return nothing
    flat = flatten_illumination(resize_photo(photo, zoom)[None])[0].astype(np.float64)
    laid, distance, strength = regular_lines(flat)
    if strength < LEAST_STRENGTH:
        return nothing
    chains, spacing, correlation = chain_lines(flat, laid)
    if correlation < LEAST_CORRELATION:
        chains = spacing = math.nan
    # Kernels count clockwise.
    mm = MM / WORKING_DPI
    return distance * mm, -math.degrees(laid), spacing * mm, -math.degrees(chains)
