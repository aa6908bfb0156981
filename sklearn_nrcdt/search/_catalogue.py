"""Line elements of a catalogue of drawings, and their spectra, computed once if there is room."""

import math
import os
import threading
import uuid
from pathlib import Path

import numpy as np
import scipy.fft

from sklearn_nrcdt._kernels.line_elements import draw_elements

N_ORIENTATIONS = 6
PART = 32  # drawings that are looked for at a time
KEPT_BYTES = 2**30  # of spectra that stay in memory
BATCH_BYTES = 2**22  # of spectra that are computed at a time


def spectra(elements, factor, shape):
    """Return the spectra of line elements turned by 180 degrees."""
    found = np.empty((len(elements), N_ORIENTATIONS, shape[0], shape[1] // 2 + 1), np.complex64)
    for part, out in zip(elements, found, strict=True):
        turned = part * np.array([-1, -1, 1], np.float32)
        out[:] = scipy.fft.rfft2(draw_elements(turned, N_ORIENTATIONS, factor, shape))
    return found


class CataloguePart:
    """Some drawings of a catalogue, of similar sizes, and what is kept of their spectra.

    Parameters
    ----------
    indices : ndarray of shape (n,)
        Their positions in the catalogue.
    elements : list of ndarray of shape (n_elements, 3)
        Line elements of each drawing.
    extent : float
        How far they reach from their centres, at most.
    factor : int
        Pixels between two points of the grids.
    kept_bytes : int
        Size of the spectra that may stay in memory.
    folder : str or path-like, default=None
        Where spectra go that are larger. Without it they are computed again each time.
    """

    def __init__(self, indices, elements, extent, factor, kept_bytes, folder=None):
        self.indices = indices
        self.elements = elements
        self.extent = extent
        self.factor = factor
        self.kept_bytes = kept_bytes
        self.folder = folder
        self.name = uuid.uuid4().hex
        self._forget()

    def __len__(self):
        return len(self.elements)

    def batches(self, shape):
        """Yield slices of the drawings and their spectra on a grid."""
        per_drawing = N_ORIENTATIONS * shape[0] * (shape[1] // 2 + 1) * 8
        size = max(1, BATCH_BYTES // per_drawing)
        rows = [slice(start, start + size) for start in range(0, len(self), size)]
        total = per_drawing * len(self)
        with self._lock:
            kept = self._kept.get(shape)
            if kept is None and (total <= self.kept_bytes or self.folder is not None):
                kept = self._compute(shape, rows, on_disk=total > self.kept_bytes)
        for part in rows:
            if kept is None:
                yield part, spectra(self.elements[part], self.factor, shape)
            else:
                yield part, kept[part]

    def _compute(self, shape, rows, on_disk):
        size = (len(self), N_ORIENTATIONS, shape[0], shape[1] // 2 + 1)
        if on_disk:
            self._kept[shape] = self._file(shape, rows, size)
            return self._kept[shape]
        while self._kept and self._bytes() + 8 * math.prod(size) > self.kept_bytes:
            del self._kept[next(iter(self._kept))]
        self._kept[shape] = np.empty(size, np.complex64)
        self._fill(self._kept[shape], shape, rows)
        return self._kept[shape]

    def _file(self, shape, rows, size):
        """Open the file with the spectra; write it, whole or not at all, if it is not there."""
        path = Path(self.folder) / f"{self.name}-{shape[0]}x{shape[1]}.npy"
        if not path.exists():
            part = path.with_suffix(f".{uuid.uuid4().hex}")
            self._fill(np.lib.format.open_memmap(part, "w+", np.complex64, size), shape, rows)
            os.replace(part, path)
        return np.lib.format.open_memmap(path, "r")

    def _fill(self, kept, shape, rows):
        for part in rows:
            kept[part] = spectra(self.elements[part], self.factor, shape)

    def _bytes(self):
        return sum(k.nbytes for k in self._kept.values() if not isinstance(k, np.memmap))

    def _forget(self):
        self._kept: dict = {}
        self._lock = threading.Lock()

    def __getstate__(self):
        # Spectra are quickly computed again, and larger than all the rest.
        return {k: v for k, v in self.__dict__.items() if k not in ("_kept", "_lock")}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._forget()


def catalogue(elements, factor, folder=None):
    """Return the parts of a catalogue for grids with so many pixels between two points.

    A large drawing needs a large FFT. Drawings are sorted by size, in few classes, so that it does
    not make those of the small ones large.
    """
    reach = np.array([np.abs(drawing[:, :2]).max() for drawing in elements])
    parts, waiting = [], np.array([], dtype=int)
    # Each class reaches half as far again as the one before, and makes up for its own FFTs of the
    # photograph, or waits for the next.
    classes = np.ceil(np.log(np.maximum(reach, 1)) / math.log(1.5))
    for size in np.unique(classes):
        waiting = np.append(waiting, np.flatnonzero(classes == size))
        if len(waiting) < PART and size < classes.max():
            continue
        extent = reach[waiting].max()
        for start in range(0, len(waiting), PART):
            indices = waiting[start : start + PART]
            kept_bytes = KEPT_BYTES * len(indices) // len(elements)
            group = [elements[i] for i in indices]
            parts.append(CataloguePart(indices, group, extent, factor, kept_bytes, folder))
        waiting = waiting[:0]
    return parts
