"""One photograph and a catalogue: coarse to fine.

All drawings in all poses are looked for on the coarsest grid, in the photograph turned as the
poses say. The best are looked for again on finer grids, where the drawings are turned, in poses
between those given. Lengths are in working pixels: a stroke is four of them wide.
"""

import math
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sklearn_nrcdt._kernels.correlation import (
    correlate,
    fft_shape,
    pool_planes,
    pose_planes,
    whitened_spectrum,
)
from sklearn_nrcdt._kernels.line_elements import pose_elements, pose_matrix
from sklearn_nrcdt._kernels.paper import STROKE, flatten_illumination, pooled_ridges
from sklearn_nrcdt.search._catalogue import N_ORIENTATIONS, spectra

WINDOW = 640  # grid points of a fine level around a coarse hit; larger scans are cut to that
POSE_BYTES = 2**27  # of the spectra of a photograph in several poses
REFINED_TURN = 3.0  # degrees, tried to both sides of a rotation on the first finer level


@dataclass
class Matches:
    """What was found of each drawing in one photograph."""

    scores: np.ndarray  # (n,)
    poses: np.ndarray  # (n, 4): polarity, rotation, scale, mirror
    centres: np.ndarray  # (n, 2): y, x of the drawing's centre in the photograph
    blank: bool = False


def ridges_of(photo, stroke_width, polarity, factor):
    """Return the oriented ridges of a photograph on a grid."""
    zoom = STROKE / stroke_width
    grey = photo.astype(np.float32)
    if zoom != 1:
        from skimage.transform import resize  # fails under -OO

        shape = tuple(max(1, round(side * zoom)) for side in grey.shape)
        grey = resize(grey, shape, order=1, anti_aliasing=zoom < 1, preserve_range=True)
    flat = flatten_illumination(grey[None], polarity=polarity)[0]
    planes = pooled_ridges(flat, N_ORIENTATIONS, factor)
    # What lies around a photograph is as bright as its mean.
    planes -= planes.mean(axis=(1, 2), keepdims=True)
    return planes


def search(photo, parts, *, stroke_width, polarities, poses, levels, n_kept, workers):
    """Look for all drawings of a catalogue in a photograph.

    Parameters
    ----------
    photo : ndarray of shape (height, width)
        Grey values.
    parts : list of CataloguePart
        The catalogue.
    stroke_width : float
        Width of the strokes in the photograph, in its pixels.
    polarities : tuple of {"dark", "bright"}
        What the strokes may be in the photograph.
    poses : list of (rotation, scale, mirror)
        Poses of the drawings.
    levels : tuple of int
        Pixels between two grid points, the coarsest first.
    n_kept : list of int
        Drawings that are looked for again on each level but the first.
    workers : int or None
        Threads or processes that share the drawings.

    Returns
    -------
    matches : Matches
    """
    n = sum(map(len, parts))
    if photo.min() == photo.max():
        return Matches(np.zeros(n), np.tile([0, *poses[0]], (n, 1)), np.zeros((n, 2)), True)
    zoom = STROKE / stroke_width
    planes = [ridges_of(photo, stroke_width, polarity, levels[-1]) for polarity in polarities]
    coarse = _pooled(planes, levels[0] // levels[-1])
    scores, found, centres = _coarse(coarse, levels[0], parts, poses, workers)
    elements = all_elements(parts)
    all_poses = [(k, *pose) for k in range(len(planes)) for pose in poses]
    pose_of = np.array([all_poses[k] for k in found], dtype=float)
    turn, stretch = _steps(poses)
    for factor, count in zip(levels[1:], n_kept, strict=True):
        kept = np.argsort(-scores, kind="stable")[:count]
        pooled = _pooled(planes, factor // levels[-1])
        finer = _finer(pooled, elements, kept, pose_of, centres, factor, turn, stretch, workers)
        rest = np.setdiff1d(np.arange(n), kept)
        for i, (score, pose, centre) in zip(kept, finer, strict=True):
            scores[i], pose_of[i], centres[i] = score, pose, centre
        # Scores of different levels are no measure of each other: those left behind stay so.
        scores[rest] = np.minimum(scores[rest], np.nextafter(scores[kept].min(), -np.inf))
        turn, stretch = turn / 2, stretch / 2
    return Matches(scores, pose_of, centres / zoom)


def _share(function, given, workers):
    """Call a function with each of some tuples of arguments, shared by the workers."""
    if workers == 1:
        # Photographs may be shared by threads already. Scikit-learn's workers reset the filters
        # of warnings, which is not safe in several threads at once.
        return [function(*arguments) for arguments in given]
    run = Parallel(n_jobs=workers, prefer="threads")
    return run(delayed(function)(*arguments) for arguments in given)


def _steps(poses):
    """Return how far to go from a rotation, in degrees, and from a scale, in its logarithm."""
    rotations = np.unique([rotation % 360 for rotation, _, _ in poses])
    gaps = np.diff(np.append(rotations, rotations[0] + 360))
    turn = min(REFINED_TURN, gaps.min() / 2) if len(rotations) > 1 else 0.0
    scales = np.unique([math.log(scale) for _, scale, _ in poses])
    return turn, np.diff(scales).min() / 2 if len(scales) > 1 else 0.0


def all_elements(parts):
    """Return the line elements of the drawings in the order of the catalogue."""
    found = {i: e for part in parts for i, e in zip(part.indices, part.elements, strict=True)}
    return [found[i] for i in range(len(found))]


def _pooled(planes, factor):
    return planes if factor == 1 else [pool_planes(part, factor) for part in planes]


def _coarse(planes, factor, parts, poses, workers):
    """Return the best score, pose and centre of each drawing on the coarsest grid."""
    n = sum(map(len, parts))
    scores, found, centres = np.full(n, -np.inf), np.zeros(n, int), np.zeros((n, 2))
    tasks = [(k, pose_matrix(*pose)) for k in range(len(planes)) for pose in poses]
    canvas = np.max([_canvas(planes[0].shape[1:], matrix) for _, matrix in tasks], axis=0)
    extents = sorted({part.extent for part in parts})
    shapes = {extent: fft_shape(canvas, np.full(2, extent / factor)) for extent in extents}
    largest = shapes[extents[-1]]
    size = max(1, POSE_BYTES // (N_ORIENTATIONS * largest[0] * (largest[1] // 2 + 1) * 8))
    for start in range(0, len(tasks), size):
        views = [(planes[k], matrix) for k, matrix in tasks[start : start + size]]
        posed = _share(_posed, views, workers)
        for extent, shape in shapes.items():
            members = [part for part in parts if part.extent == extent]
            pictures = _share(_picture, [(view, shape, factor) for view in posed], workers)
            given = [(part, pictures, shape) for part in members]
            results = _share(_best_of_part, given, workers)
            for part, (score, pose, centre) in zip(members, results, strict=True):
                better = score > scores[part.indices]
                i = part.indices[better]
                scores[i], found[i] = score[better], pose[better] + start
                centres[i] = centre[better]
    return scores, found, centres


def _canvas(shape, matrix):
    inverse = np.abs(np.linalg.inv(matrix))
    return np.ceil(inverse @ np.array(shape) - 1e-9).astype(int)


def _extent(elements):
    return np.max([np.abs(drawing[:, :2]).max(axis=0) for drawing in elements], axis=0)


def _posed(planes, matrix):
    posed, corner = pose_planes(planes, matrix)
    area = math.prod(planes.shape[1:]) / abs(np.linalg.det(matrix))
    return posed, posed.shape[1:], area, matrix, corner


def _picture(view, shape, factor):
    return whitened_spectrum(view[0], shape, factor), *view[1:]


def _best_of_part(part, pictures, shape):
    n = len(part)
    scores, poses, centres = np.full(n, -np.inf), np.zeros(n, int), np.zeros((n, 2))
    for rows, drawings in part.batches(shape):
        for k, (spectrum, inside, area, matrix, corner) in enumerate(pictures):
            score, position = correlate(spectrum, drawings, shape, inside, area)
            better = np.flatnonzero(score > scores[rows])
            i = better + rows.start
            scores[i], poses[i] = score[better], k
            centres[i] = (position[better] + 0.5 + corner) @ matrix.T * part.factor
    return scores, poses, centres


def _finer(planes, elements, kept, poses, centres, factor, turn, stretch, workers):
    """Return the best score, pose and centre of some drawings on a finer grid."""
    extent = _extent([elements[i] for i in kept]).max() * math.sqrt(2) * poses[kept, 2].max()
    inside = tuple(min(side, WINDOW) for side in planes[0].shape[1:])
    shape = fft_shape(inside, np.full(2, extent * math.exp(stretch) / factor))
    windows: dict = {}
    for i in kept:
        corner = _window(centres[i] / factor, planes[0].shape[1:], inside)
        windows.setdefault((int(poses[i, 0]), *corner), []).append(i)
    tries = list(product(*([-step, 0.0, step] if step else [0.0] for step in (turn, stretch))))
    found = {}
    for (polarity, top, left), members in windows.items():
        part = planes[polarity][:, top : top + inside[0], left : left + inside[1]]
        run = partial(
            _best_try, whitened_spectrum(part, shape, factor), shape, inside, factor, tries=tries
        )
        results = _share(run, [(elements[i], poses[i]) for i in members], workers)
        for i, (score, pose, position) in zip(members, results, strict=True):
            found[i] = score, pose, (position + 0.5 + [top, left]) * factor
    return [found[i] for i in kept]


def _window(centre, shape, inside):
    """Return the corner of the window around a centre that lies in the photograph."""
    corner = (
        min(max(0, round(c - part / 2)), side - part)
        for c, side, part in zip(centre, shape, inside, strict=True)
    )
    return tuple(corner)


def _best_try(spectrum, shape, inside, factor, elements, pose, tries):
    polarity, rotation, scale, mirror = pose
    best = None
    for turn, stretch in tries:
        tried = rotation + turn, scale * math.exp(stretch), mirror
        posed = pose_elements(elements, pose_matrix(*tried))
        score, position = correlate(
            spectrum, spectra([posed], factor, shape), shape, inside, math.prod(inside)
        )
        if best is None or score[0] > best[0]:
            best = score[0], (polarity, *tried), position[0]
    return best
