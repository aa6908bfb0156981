"""OpenCV's way to find a drawing in a photograph, with the interface of our search."""

import cv2
import numpy as np
from scipy import ndimage

from sklearn_nrcdt._kernels.crops import filled_window

cv2.setNumThreads(1)  # the processes share the cores

WIRE = 1.3  # deviation that makes a stroke of two pixels as wide as a wire


def flat(photo):
    """Photograph without its uneven light: local mean 0, local deviation 1."""
    photo = np.asarray(photo, dtype=np.float32)
    ratio = photo - ndimage.gaussian_filter(photo, 12)
    return ratio / (np.sqrt(ndimage.gaussian_filter(ratio**2, 30)) + 1e-6)


def cut(drawing):
    """Drawing in [0, 1], cut to its strokes with a margin of four pixels."""
    part = filled_window(np.asarray(drawing, dtype=np.float32))
    return np.pad(part / part.max(), 4)


class TemplateMatching:
    """Highest normalized correlation (`cv2.matchTemplate`) with the drawing as wide as a wire.

    Or, with `our_score`, the height of the peak in deviations of the surface, as our search has
    it. The photographs' marks are dark.
    """

    def __init__(self, our_score=False):
        self.our_score = our_score

    def fit(self, drawings):
        self.catalogue = [ndimage.gaussian_filter(cut(drawing), WIRE) for drawing in drawings]
        return self

    def kneighbors(self, photos, n_neighbors=5):
        flattened = (np.clip(-flat(photo), -3, 3).astype(np.float32) for photo in photos)
        scores = np.array([[self.score(p, drawing) for drawing in self.catalogue]
                           for p in flattened])  # fmt: skip
        positions = np.argsort(-scores, axis=1, kind="stable")[:, :n_neighbors]
        return np.take_along_axis(scores, positions, axis=1), positions

    def score(self, photo, drawing):
        lacking = np.maximum(np.subtract(drawing.shape, photo.shape), 0)
        photo = np.pad(photo, [(0, int(side)) for side in lacking])
        surface = cv2.matchTemplate(photo, drawing, cv2.TM_CCOEFF_NORMED)
        if self.our_score:
            return (surface.max() - surface.mean()) / (surface.std() + 1e-6)
        return surface.max()
