"""Anti-aliased drawing of shapes and lines, given by distance functions, in pixels.

Points are a pair of arrays ``(x, y)`` that broadcast; y may point either way.
"""

import functools
import itertools

import numpy as np


def segment_distance(points, start, end):
    """Distance of points from a straight segment (a point, if both ends agree)."""
    x, y = points[0] - start[0], points[1] - start[1]
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy
    along = np.clip((x * dx + y * dy) / length, 0, 1) if length > 0 else 0.0
    return np.hypot(x - along * dx, y - along * dy)


def path_distance(points, vertices):
    """Distance of points from an open polygonal path."""
    sides = itertools.pairwise(vertices)
    return functools.reduce(np.minimum, (segment_distance(points, *side) for side in sides))


def circle_depth(points, center, radius):
    """Signed distance from a circle, positive inside."""
    return radius - np.hypot(points[0] - center[0], points[1] - center[1])


def polygon_depth(points, vertices):
    """Signed distance from a convex closed polygon, positive inside."""
    center = np.mean(vertices, axis=0)
    closed = np.vstack([vertices, vertices[:1]])
    inside = np.True_
    for start, end in itertools.pairwise(closed):
        normal = np.array([start[1] - end[1], end[0] - start[0]])
        side = (points[0] - start[0]) * normal[0] + (points[1] - start[1]) * normal[1]
        inside = inside & (side * np.dot(center - start, normal) >= 0)
    distance = path_distance(points, closed)
    return np.where(inside, distance, -distance)


def fill(depth):
    """Share of each pixel that a shape covers, from its signed distance."""
    return np.clip(depth + 0.5, 0, 1)


def stroke(distance, width):
    """Share of each pixel that a line of some width covers, from the distance to it."""
    # The second part is the far edge; it matters for lines thinner than a pixel only.
    return fill(width / 2 - distance) - fill(-width / 2 - distance)
