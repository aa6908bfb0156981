"""An R-CDT and what is made of it, written once more: slow, plain, by other formulas.

Nothing here knows the kernels. Pixels are polygons that a line cuts in two, every angle of the
circle is projected on its own, means over cells come from the clipped distribution function,
and all that follows is a loop over the definitions. What both have in common is the definition of
the discretisation: the distribution function is exact at the radii and linear between them.
"""

import math

import numpy as np


def share_below(corners, normal, s):
    """Share of a convex polygon on the side ``<x, normal> <= s``: cut it, then the shoelace."""
    kept = []
    for here, there in zip(corners, corners[1:] + corners[:1], strict=True):
        h, t = (p[0] * normal[0] + p[1] * normal[1] - s for p in (here, there))
        if h <= 0:
            kept.append(here)
        if (h < 0 < t) or (t < 0 < h):
            part = h / (h - t)
            kept.append(tuple(a + part * (b - a) for a, b in zip(here, there, strict=True)))
    return _area(kept) / _area(corners)


def _area(corners):
    if len(corners) < 3:
        return 0.0
    x0, y0 = corners[0]  # about a corner, so that little cancels
    moved = [(x - x0, y - y0) for x, y in corners]
    pairs = zip(moved, moved[1:] + moved[:1], strict=True)
    return abs(math.fsum(a[0] * b[1] - a[1] * b[0] for a, b in pairs)) / 2


def distribution(image, angle, radii):
    """Distribution function of the projection of an image, at the radii."""
    h, w = image.shape
    side = math.sqrt(2) / max(h, w)
    normal = (math.cos(angle), math.sin(angle))
    grey = image / image.max()
    total = math.fsum(grey.ravel())
    values = []
    for s in radii:
        parts = []
        for (r, c), value in np.ndenumerate(grey):
            if value:
                left, top = (c - w / 2) * side, (h / 2 - r) * side
                right, bottom = left + side, top - side
                corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
                parts.append(value * share_below(corners, normal, s))
        values.append(math.fsum(parts) / total)
    return np.array(values)


def cell_mean(cdf, radii, low, high):
    """Mean of the quantile function over levels, by the area above the clipped F.

    The integral of Q from a to b is ``b - a`` minus that of ``min(max(F - a, 0), b - a)`` over
    [-1, 1], since nothing lies beyond 1.
    """
    width = high - low

    def primitive(f):  # of the clipped function
        return 0.0 if f < 0 else f * f / 2 if f < width else width * f - width * width / 2

    area = 0.0
    for k in range(len(radii) - 1):
        step, f0, f1 = radii[k + 1] - radii[k], cdf[k] - low, cdf[k + 1] - low
        if f1 - f0 > 1e-7:
            area += step * (primitive(f1) - primitive(f0)) / (f1 - f0)
        else:
            area += step * min(max((f0 + f1) / 2, 0.0), width)
    return (radii[-1] * width - area) / width


def point(cdf, radii, level):
    """Value of the quantile function at a level that meets no gap, by bisection."""
    low, high = radii[0], radii[-1]
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if np.interp(middle, radii, cdf) < level else (low, middle)
    return (low + high) / 2


def quantile_function(image, angle, n_radii, n_quantiles, kind):
    radii = [2 * k / (n_radii - 1) - 1 for k in range(n_radii)]
    cdf = distribution(image, angle, radii)
    n = n_quantiles
    if kind == "points":
        return [point(cdf, radii, j / (n + 1)) for j in range(1, n + 1)]
    return [cell_mean(cdf, radii, j / (n + 2), (j + 1) / (n + 2)) for j in range(1, n + 1)]


def rcdt(image, n_angles, n_radii, n_quantiles, kind):
    """R-CDT, (n_angles, n_quantiles), every angle projected."""
    angles = [2 * math.pi * k / n_angles for k in range(n_angles)]
    return np.array([quantile_function(image, a, n_radii, n_quantiles, kind) for a in angles])


def nrcdt(functions):
    result = np.zeros_like(functions)
    for row, function in zip(result, functions, strict=True):
        deviation = function.std()
        if deviation > 1e-13:
            row[:] = (function - function.mean()) / deviation
    return result


def max_nrcdt(functions):
    return np.array([max(column) for column in nrcdt(functions).T])


def mean_nrcdt(functions, weighting):
    weights = [1 / f.var() if weighting == "precision" else 1.0 for f in functions]
    return np.array([np.dot(weights, column) for column in nrcdt(functions).T]) / sum(weights)


def spectrum(functions, n_harmonics, mirror):
    """Products of the harmonics, from the R-CDT at equispaced angles of the whole circle.

    None if few radii and levels leave no covariance that is positive: the kernels then take
    some other one.
    """
    n_angles, n_quantiles = functions.shape
    angles = [2 * math.pi * k / n_angles for k in range(n_angles)]
    variances = functions.var(axis=1)
    # The covariance: d' C d fits the variances, with squared relative errors over variance.
    rows = [[math.cos(a) ** 2, math.sin(2 * a), math.sin(a) ** 2] for a in angles]
    scale = variances**-1.5
    xx, xy, yy = np.linalg.lstsq(np.array(rows) * scale[:, None], variances * scale, rcond=None)[0]
    if xx * yy - xy * xy < 1e-3 * variances.min() * (xx + yy):
        return None
    # Square root of a 2 x 2 matrix by Cayley and Hamilton, up to a factor.
    shift = math.sqrt(xx * yy - xy * xy)
    seen = [
        math.atan2(
            xy * math.cos(a) + (yy + shift) * math.sin(a),
            (xx + shift) * math.cos(a) + xy * math.sin(a),
        )
        for a in angles
    ]
    weights = (1 / variances) / (1 / variances).sum()
    normal = nrcdt(functions)
    levels = range((n_quantiles + 1) // 2)
    real, imaginary = [], []
    for k in range(n_harmonics):
        turn = [complex(math.cos(k * e), -math.sin(k * e)) for e in seen]
        harmonic = [sum(weights * turn * normal[:, t]) for t in levels]
        size = math.sqrt(sum(abs(f) ** 2 for f in harmonic) / len(harmonic))
        for t in levels:
            for s in range(t, len(levels)):
                product = harmonic[t] * harmonic[s].conjugate() * math.sqrt(1 + k)
                product = product / size * (1 if s == t else math.sqrt(2)) if size > 1e-12 else 0j
                real.append(product.real)
                if k and s != t:
                    imaginary.append(product.imag)
    return np.array(real + imaginary if mirror else real)
