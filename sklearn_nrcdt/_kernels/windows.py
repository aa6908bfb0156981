"""Images within windows of their own: what lies around them costs nothing.

Features that no shift and no scale changes do not depend on the canvas. So an image may be
cut to the pixels that are not black, and put into the middle of a square window. There are two
sizes of windows in each octave: images of similar size share a table of footprints, and the
grid of radii is as fine as the image needs, however large its canvas was.
"""

import numpy as np
import scipy.sparse as sp

SMALLEST_SIDE = 16


def window_side(extent: int) -> int:
    """Return the smallest of the sides 16, 24, 32, 48, 64, ... that is not below an extent."""
    octave = SMALLEST_SIDE
    while octave < extent:
        if octave * 3 // 2 >= extent:
            return octave * 3 // 2
        octave *= 2
    return octave


def filled_box(image) -> tuple[int, int, int, int] | None:
    """Return first and last row, first and last column that are not black; None if all are."""
    rows, columns = (np.flatnonzero((image != 0).any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return None
    return int(rows[0]), int(rows[-1]), int(columns[0]), int(columns[-1])


def windows_of_images(images) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Put images of any shapes into windows.

    Parameters
    ----------
    images : iterable of ndarray of shape (height, width)
        Of one dtype.

    Returns
    -------
    windows : dict
        For each side of windows that occurs, the indices of the images, and the images as a
        stack of shape (n, side, side). Blank images are left out.
    """
    groups: dict[int, list] = {}
    for i, image in enumerate(images):
        box = filled_box(image)
        if box is not None:
            top, bottom, left, right = box
            cut = image[top : bottom + 1, left : right + 1]
            groups.setdefault(window_side(max(cut.shape)), []).append((i, cut))
    windows = {}
    for side, members in sorted(groups.items()):
        stack = np.zeros((len(members), side, side), members[0][1].dtype)
        for window, (_, cut) in zip(stack, members, strict=True):
            (h, w), (top, left) = cut.shape, _margins(side, cut.shape)
            window[top : top + h, left : left + w] = cut
        windows[side] = np.array([i for i, _ in members]), stack
    return windows


def windows_of_rows(rows, image_shape) -> dict[int, tuple[np.ndarray, sp.csr_array]]:
    """Put sparse rows, of shape (n, height * width), into windows, as sparse rows again.

    Returns what `windows_of_images` does, with arrays of shape (n, side * side).
    """
    groups: dict[int, list] = {}
    for i in range(rows.shape[0]):
        here = slice(rows.indptr[i], rows.indptr[i + 1])
        filled = rows.data[here] != 0
        if filled.any():
            r, c = np.divmod(rows.indices[here][filled].astype(np.int64), image_shape[1])
            r, c = r - r.min(), c - c.min()
            shape = (int(r.max()) + 1, int(c.max()) + 1)
            side = window_side(max(shape))
            top, left = _margins(side, shape)
            place = (r + top) * side + c + left
            groups.setdefault(side, []).append((i, place, rows.data[here][filled]))
    windows = {}
    for side, members in sorted(groups.items()):
        index, places, greys = zip(*members, strict=True)
        ends = np.cumsum([0, *map(len, places)])
        parts = (np.concatenate(greys), np.concatenate(places), ends)
        windows[side] = np.array(index), sp.csr_array(parts, shape=(len(index), side * side))
    return windows


def _margins(side, shape):
    """Return how many rows and columns lie before an image in the middle of a window."""
    return (side - shape[0]) // 2, (side - shape[1]) // 2
