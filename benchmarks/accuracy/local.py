"""Local features: RootSIFT, and the class whose training descriptors are nearest on the whole."""

import numpy as np

from benchmarks.accuracy.classics import crop
from benchmarks.accuracy.methods import Model

SIZE, BORDER = 128, 16  # of what the detector sees, in pixels


def methods():
    """Return the method (naive Bayes nearest neighbour of Boiman, Shechtman and Irani, 2008)."""
    return [
        Model(
            "RootSIFT",
            "classic",
            splits=2,
            most_tested=500,
            copies=12,
            needs=("cv2",),
            skip=lambda task: task.despeckled,
            make=lambda n_classes, upright, quick: NearestDescriptors(n_classes),
        )
    ]


def descriptors(images):
    """Return the descriptors of each image: arrays of shape (n_keypoints, 128), of norm 1."""
    import cv2

    cv2.setNumThreads(1)
    detector = cv2.SIFT_create(contrastThreshold=0.02)
    found = []
    for image in np.pad(crop(images, SIZE), ((0, 0), (BORDER, BORDER), (BORDER, BORDER))):
        _, rows = detector.detectAndCompute(np.uint8(255 * image), None)
        rows = np.zeros((0, 128), np.float32) if rows is None else rows
        found.append(np.sqrt(rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-9)))
    return found


class NearestDescriptors:
    """The class with the smallest sum of distances from the image's descriptors to its own."""

    def __init__(self, n_classes):
        self.n_classes = n_classes

    def fit(self, images, codes, seed):
        found = descriptors(images)
        owner = np.repeat(codes, [len(rows) for rows in found])
        order = np.argsort(owner, kind="stable")
        self.rows = np.concatenate(found)[order].T.copy()
        self.present, self.starts = np.unique(owner[order], return_index=True)

    def predict(self, images):
        predicted = np.zeros(len(images), int)
        for i, rows in enumerate(descriptors(images)):
            if len(rows):
                # Of vectors of norm 1 the squared distance is 2 - 2 * product.
                nearest = np.maximum.reduceat(rows @ self.rows, self.starts, axis=1)
                predicted[i] = self.present[nearest.sum(axis=0).argmax()]
        return predicted
