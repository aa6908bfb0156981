"""OpenCV's ways to find a drawing in a photograph, with the interface of our search."""

import cv2
import numpy as np
from scipy import ndimage

cv2.setNumThreads(1)  # the processes share the cores

WIRE = 1.3  # deviation that makes a stroke of two pixels as wide as a wire


def flat(photo):
    """Photograph without its uneven light: local mean 0, local deviation 1."""
    photo = np.asarray(photo, dtype=np.float32)
    ratio = photo - ndimage.gaussian_filter(photo, 12)
    return ratio / (np.sqrt(ndimage.gaussian_filter(ratio**2, 30)) + 1e-6)


def cut(drawing, margin=4):
    """Drawing in [0, 1], cut to its strokes."""
    drawing = np.asarray(drawing, dtype=np.float32)
    rows, columns = np.nonzero(drawing)
    part = drawing[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    return np.pad(part / part.max(), margin)


def to_bytes(image, low, high):
    return np.uint8(np.clip(255 * (image - low) / (high - low), 0, 255))


class Peer:
    """Scores every drawing against every photograph; the photographs' marks are dark."""

    def fit(self, drawings):
        self.catalogue_ = [self.prepare_drawing(cut(drawing)) for drawing in drawings]
        return self

    def kneighbors(self, photos, n_neighbors=5):
        scores = np.array([self.scores(self.prepare_photo(flat(photo))) for photo in photos])
        positions = np.argsort(-scores, axis=1, kind="stable")[:, :n_neighbors]
        return np.take_along_axis(scores, positions, axis=1), positions

    def scores(self, photo):
        return [self.score(photo, drawing) for drawing in self.catalogue_]

    def prepare_photo(self, photo):
        return to_bytes(-photo, -3, 3)


class TemplateMatching(Peer):
    """Highest normalised correlation (`cv2.matchTemplate`) with the drawing as wide as a wire."""

    def prepare_drawing(self, drawing):
        return ndimage.gaussian_filter(drawing, WIRE)

    def prepare_photo(self, photo):
        return np.clip(-photo, -3, 3).astype(np.float32)

    def surface(self, photo, drawing):
        lacking = np.maximum(np.subtract(drawing.shape, photo.shape), 0)
        photo = np.pad(photo, [(0, int(side)) for side in lacking])
        return cv2.matchTemplate(photo, drawing, cv2.TM_CCOEFF_NORMED)

    def score(self, photo, drawing):
        return self.surface(photo, drawing).max()


class PeakHeight(TemplateMatching):
    """The same, but by the height of the peak in deviations of the surface, as our search."""

    def score(self, photo, drawing):
        surface = self.surface(photo, drawing)
        return (surface.max() - surface.mean()) / (surface.std() + 1e-6)


class SIFT(Peer):
    """Number of SIFT descriptors that agree on one similarity (ratio test, RANSAC)."""

    def __init__(self):
        self.sift = cv2.SIFT_create()
        self.matcher = cv2.BFMatcher()

    def prepare_drawing(self, drawing):
        return self.describe(to_bytes(ndimage.gaussian_filter(drawing, WIRE), 0, 0.6))

    def prepare_photo(self, photo):
        return self.describe(to_bytes(ndimage.gaussian_filter(-photo, 1), -2, 2))

    def describe(self, image):
        points, descriptors = self.sift.detectAndCompute(image, None)
        return np.array([point.pt for point in points], dtype=np.float32), descriptors

    def score(self, photo, drawing):
        if drawing[1] is None or photo[1] is None or len(photo[1]) < 2:
            return 0
        pairs = self.matcher.knnMatch(drawing[1], photo[1], k=2)
        good = [best for best, second in pairs if best.distance < 0.85 * second.distance]
        if len(good) < 3:
            return len(good) / 10
        source = drawing[0][[match.queryIdx for match in good]]
        goal = photo[0][[match.trainIdx for match in good]]
        _, agree = cv2.estimateAffinePartial2D(source, goal, ransacReprojThreshold=6)
        return 0 if agree is None else int(agree.sum())


class Hough(Peer):
    """Votes for the best position in Ballard's generalised Hough transform."""

    def prepare_drawing(self, drawing):
        hough = cv2.createGeneralizedHoughBallard()
        hough.setMinDist(10_000)
        hough.setLevels(90)
        hough.setDp(4)
        hough.setVotesThreshold(1)
        hough.setCannyLowThresh(60)
        hough.setCannyHighThresh(120)
        hough.setTemplate(to_bytes(ndimage.gaussian_filter(drawing, WIRE), 0, 0.6))
        return hough, np.sqrt((drawing > 0.5).sum())

    def prepare_photo(self, photo):
        return to_bytes(ndimage.gaussian_filter(-photo, 1.5), -1.5, 1.5)

    def score(self, photo, drawing):
        hough, size = drawing
        _, votes = hough.detect(photo)
        # Long drawings collect more votes by chance.
        return 0 if votes is None else votes[0, 0, 0] / size
