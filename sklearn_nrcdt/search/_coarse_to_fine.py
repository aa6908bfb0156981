"""The drawings of a catalogue in one photograph: coarse to fine.

All drawings in all poses are looked for by segments, the best of them again by segments on a finer
grid, and the best of these by all of their line elements, in poses between those given. Lengths are
in working pixels: a stroke is four of them wide.
"""

import math
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import scipy.fft

from sklearn_nrcdt._support.workers import run_batches
from sklearn_nrcdt.search._kernels import correlation
from sklearn_nrcdt.search._kernels.line_elements import pose_elements, pose_matrix
from sklearn_nrcdt.search._kernels.pages import photograph_box
from sklearn_nrcdt.search._kernels.ridges import N_ORIENTATIONS, block_mean, ridges_of
from sklearn_nrcdt.search._kernels.segments import best_of_part, parts_of, segment_planes

COARSE, FINE = 4, 2  # pixels between two grid points
# Segments on the finer grid: so many times as many drawings as are compared by all of their lines,
# or this share of all. Photographs of more grid points would need too much memory.
MORE, SHARE, MAX_POINTS = 5, 0.02, 2**21
WINDOW = 640  # grid points searched around a coarse hit: bounds the memory for large scans
REFINED_TURN = 3.0  # degrees tried to both sides of a rotation; the search tolerates as many
# Mirror images that are so much like the drawing, up to 1, do not say what is chance. How far lines
# may be apart to be alike: a deviation in grid points.
SYMMETRIC, ALIKE = 0.85, 2.0


@dataclass
class Matches:
    """What was found of each drawing in one photograph."""

    scores: np.ndarray  # (n,)
    poses: np.ndarray  # (n, 4): polarity, rotation, scale, mirror
    centers: np.ndarray  # (n, 2): y, x of the drawing's center in the photograph
    chance: float = 0.0  # score that the best drawing reaches by chance
    blank: bool = False


def find_drawings(
    photo,
    elements,
    segments,
    *,
    zoom,
    polarities,
    poses,
    n_kept,
    workers,
    compiled=False,
    pages=False,
    fragments=False,
    with_chance=False,
):
    """Look for all drawings of a catalogue in a photograph, and return `Matches`.

    `segments` cover the line `elements`, for each `scale_class`, of each drawing and as a list of
    `Part`. A pixel of the photograph is `zoom` working pixels, `poses` are tuples of rotation,
    scale and mirror. `n_kept` drawings are compared by all of their lines; `workers` share them.
    Loops are `compiled` if numba is installed. With `pages`, the photograph may be on a white page;
    with `fragments`, a part of a drawing may be all that is in it. Chance is 0 unless asked for.
    """
    n = len(elements)
    box = photograph_box(photo, zoom) if pages else (slice(None), slice(None))
    corner = np.array([side.start or 0 for side in box])
    photo = photo[box]
    if photo.min() == photo.max():
        return Matches(np.zeros(n), np.tile([0, *poses[0]], (n, 1)), np.zeros((n, 2)), blank=True)
    planes = [ridges_of(photo, zoom, polarity, FINE) for polarity in polarities]
    coarse = [block_mean(ridges, COARSE // FINE) for ridges in planes]
    options = segments, workers, compiled, fragments
    scores, found, centers = _search_coarse(coarse, n, poses, *options)
    more = np.argsort(-scores, kind="stable")[: max(MORE * n_kept, math.ceil(SHARE * n))]
    if len(more) > n_kept and planes[0][0].size <= MAX_POINTS:
        scores = _first(scores, more, _search_again(planes, found, centers, more, *options))
    kept = np.argsort(-scores, kind="stable")[:n_kept]
    finer = _search_finer(planes, elements, kept, found, centers, _steps(poses), workers, fragments)
    chance = 0.0
    if with_chance:
        best = kept[np.argmax(finer)]
        chance = _chance(planes, elements[best], found[best], centers[best], max(finer), fragments)
    return Matches(_first(scores, kept, finer), found, centers / zoom + corner, chance)


def _first(scores, kept, better):
    """Return scores with better ones of some drawings; the others rank behind."""
    # Scores of two grids cannot be compared.
    scores = np.minimum(scores, np.nextafter(np.min(better), -np.inf))
    scores[kept] = better
    return scores


def scale_class(scale):
    """Return the class of a scale: drawings are covered anew for each factor of 1.4."""
    return round(2 * math.log2(scale))


def _steps(poses):
    """Return how far to go from a rotation, in degrees, and from a scale, in its logarithm."""
    rotations = np.unique([rotation % 360 for rotation, _, _ in poses])
    gaps = np.diff(np.append(rotations, rotations[0] + 360))
    turn = min(REFINED_TURN, gaps.min() / 2) if len(rotations) > 1 else 0.0
    scales = np.unique([math.log(scale) for _, scale, _ in poses])
    return turn, np.diff(scales).min() / 2 if len(scales) > 1 else 0.0


def _filtered(ridges, factor):
    """Return a photograph's ridges, whitened and filtered with segments."""
    inside = ridges.shape[1:]
    shape = correlation.fft_shape(inside, np.full(2, correlation.WHITENING_RANGE / factor))
    spectrum = correlation.whitened_spectrum(ridges, shape, factor)
    return segment_planes(spectrum, shape, inside, factor)


def _search_coarse(planes, n, poses, segments, workers, compiled, fragments):
    """Return the best score, pose and center of each drawing by segments."""
    scores, found, centers = np.full(n, -np.inf), np.zeros((n, 4)), np.zeros((n, 2))
    for k, ridges in enumerate(planes):
        filtered = _filtered(ridges, COARSE)
        for scale, (_, parts) in segments.items():
            own = np.array([(k, *pose) for pose in poses if scale_class(pose[1]) == scale])
            if not len(own):
                continue
            matrices = [pose_matrix(*pose[1:]) for pose in own]
            given = [(filtered, part, matrices, COARSE, fragments, compiled) for part in parts]
            results = run_batches(best_of_part, given, workers)
            for part, (score, pose, center) in zip(parts, results, strict=True):
                better = score > scores[part.indices]
                i = part.indices[better]
                scores[i], found[i], centers[i] = score[better], own[pose[better]], center[better]
    return scores, found, centers


def _search_again(planes, poses, centers, kept, segments, workers, compiled, fragments):
    """Return the scores of some drawings in their poses on a finer grid; improve their centers."""
    scores = np.zeros(len(poses))
    scales = np.array([scale_class(scale) for scale in poses[kept, 2]])
    polarities = poses[kept, 0].astype(int)
    filtered = {k: _filtered(planes[k], FINE) for k in np.unique(polarities)}
    given = []
    for scale, polarity in sorted({*zip(scales, polarities, strict=True)}):
        members = kept[(scales == scale) & (polarities == polarity)]
        for part in parts_of(segments[scale][0], members):
            matrices = np.stack([pose_matrix(*poses[i, 1:]) for i in part.indices], axis=2)
            given.append((filtered[polarity], part, [matrices], FINE, fragments, compiled))
    results = run_batches(best_of_part, given, workers)
    for (_, part, *_), (score, _, center) in zip(given, results, strict=True):
        scores[part.indices], centers[part.indices] = score, center
    return scores[kept]


def _search_finer(planes, elements, kept, poses, centers, steps, workers, fragments):
    """Return the scores of some drawings by all lines, and improve their poses and centers."""
    reach = np.array([np.hypot(*elements[i][:, :2].T).max() for i in kept]) * poses[kept, 2]
    reach *= math.exp(steps[1]) / FINE
    # Small drawings are not to pay for the FFTs of large ones.
    sizes = np.ceil(np.log2(np.maximum(reach / max(np.median(reach), 1e-9), 2)))
    inside, corners = _windows(planes, centers[kept])
    windows: dict = {}
    for i, size, corner in zip(kept, sizes, corners.tolist(), strict=True):
        windows.setdefault((size, int(poses[i, 0]), *corner), []).append(i)
    tries = list(product(*([-step, 0.0, step] if step else [0.0] for step in steps)))
    scores = {}
    for (size, polarity, top, left), members in windows.items():
        extent = reach[sizes == size].max()
        part = planes[polarity][:, top : top + inside[0], left : left + inside[1]]
        spectrum, mask, shape = _window_spectrum(part, extent, fragments)
        run = partial(_best_try, spectrum, mask, shape, inside, tries=tries)
        results = run_batches(run, [(elements[i], poses[i]) for i in members], workers)
        for i, (score, pose, position) in zip(members, results, strict=True):
            scores[i], poses[i] = score, pose
            centers[i] = (position + 0.5 + [top, left]) * FINE
    return [scores[i] for i in kept]


def _windows(planes, centers):
    """Return the shape of the part of a photograph around centers, and its corners."""
    sides = np.array(planes[0].shape[1:])
    inside = tuple(np.minimum(sides, WINDOW).tolist())
    corners = np.clip(np.rint(centers / FINE - np.array(inside) / 2), 0, sides - inside)
    return inside, corners.astype(int)


def _window_spectrum(part, extent, fragments):
    """Return the spectrum of a part of a photograph, that of its mask, and the shape of both."""
    inside = part.shape[1:]
    # If centers are inside, what is farther away than the picture is large is never in it.
    far = [2 * extent] * 2 if fragments else np.minimum(extent, inside)
    shape = correlation.fft_shape(inside, far)
    mask = scipy.fft.rfft2(np.ones(inside, np.float32), shape) if fragments else None
    return correlation.whitened_spectrum(part, shape, FINE), mask, shape


def _chance(planes, elements, pose, center, score, fragments):
    """Return the score that a drawing reaches by chance, NaN if it is too symmetric to tell.

    That is the best score of its mirror images, which have as many lines as it has, of the same
    shapes, less what they share with it.
    """
    polarity, rotation, scale, mirror = pose
    inside, (top, left) = _windows(planes, center)
    extent = np.hypot(*elements[:, :2].T).max() * scale / FINE
    part = planes[int(polarity)][:, top : top + inside[0], left : left + inside[1]]
    spectrum, mask, shape = _window_spectrum(part, extent, fragments)
    visible = None if mask is None else (mask, np.array([len(elements)]))

    def spectrum_of(*signs):
        posed = pose_elements(elements, pose_matrix(rotation, scale, mirror) @ np.diag(signs))
        return correlation.element_spectrum(posed, N_ORIENTATIONS, FINE, shape)

    by_chance = []
    own = spectrum_of(1, 1)
    for signs in ((1, -1), (-1, 1), (-1, -1)):
        image = spectrum_of(*signs)
        [reached], _ = correlation.correlate(spectrum, image[None], shape, inside, visible)
        alike = correlation.likeness(own, image, shape, ALIKE)
        if alike < SYMMETRIC:
            by_chance.append((reached - alike * score) / (1 - alike))
    return max(0.0, *by_chance) if by_chance else math.nan


def _best_try(spectrum, mask, shape, inside, elements, pose, tries):
    """Return the best score, pose and grid point of a drawing near a pose."""
    polarity, rotation, scale, mirror = pose
    best = None
    for turn, stretch in tries:
        tried = rotation + turn, scale * math.exp(stretch), mirror
        posed = pose_elements(elements, pose_matrix(*tried))
        drawing = correlation.element_spectrum(posed, N_ORIENTATIONS, FINE, shape)[None]
        visible = None if mask is None else (mask, np.array([len(posed)]))
        score, position = correlation.correlate(spectrum, drawing, shape, inside, visible)
        if best is None or score[0] > best[0]:
            best = score[0], (polarity, *tried), position[0]
    return best
