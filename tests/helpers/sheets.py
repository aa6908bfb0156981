"""Small made-up paper: drawings as thin lines, and photographs of sheets with one of them."""

import numpy as np
from scipy import ndimage
from skimage.draw import line, polygon_perimeter


def random_drawings(n, rng, shape=(90, 70)):
    """Drawings of a polygon and some lines; the largest box is the whole image."""
    drawings = np.zeros((n, *shape), bool)
    for drawing in drawings:
        corners = rng.uniform(0, 1, (5, 2)) * (np.array(shape) - 1)
        corners[:2] = [[0, rng.uniform(0, shape[1] - 1)], [shape[0] - 1, shape[1] - 1]]
        corners[2, 1] = 0
        drawing[polygon_perimeter(*corners.T, shape=shape, clip=True)] = True
        for _ in range(2):
            start, end = rng.uniform(0, 1, (2, 2)) * (np.array(shape) - 1)
            drawing[line(*start.astype(int), *end.astype(int))] = True
    return drawings


def sheet(drawing, shape, corner, rng, *, depth=12.0, grain=6.0, sign=-1):
    """Photograph of paper with a drawing in it, its first pixel at `corner`.

    Light falls off to one side, and laid lines are as strong as the grain.
    """
    rows, columns = np.indices(shape)
    photo = 150 + 50 * columns / shape[1] + grain * rng.normal(size=shape)
    photo += grain * np.cos(2 * np.pi * rows / 5.3)
    wire = np.zeros(shape)
    points = np.argwhere(drawing) + corner
    inside = ((points >= 0) & (points < shape)).all(axis=1)
    wire[tuple(points[inside].T)] = 1
    away = ndimage.distance_transform_edt(wire == 0)
    return photo + sign * depth * np.exp(-0.5 * (away / 1.5) ** 2)
