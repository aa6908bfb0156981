"""Features that others have described by hand: pixels, HOG, moments, scattering."""

from functools import cache, partial
from math import factorial

import numpy as np
import scipy.special
from skimage.feature import hog

from benchmarks.accuracy.methods import Features, too_slow

DEGREE = 12  # of the Zernike moments
RADIUS = 2.5  # of their disc, in standard deviations of the shape


def methods():
    """Return the methods. Those that no affine map spares get copies of the training images."""
    fewer = {"splits": 2, "most_tested": 1000}
    copied = {"copies": 11, "never_bent": True, "needs": ("cv2",)}
    return [
        Features("raw pixels", "classic", make=lambda: pixels, **copied, **fewer),
        Features("HOG", "classic", make=lambda: plain_hog, **copied, **fewer),
        _moments("Hu moments", hu, nearest="scaled 1-NN"),
        _moments("affine moments", affine_moments, nearest="scaled 1-NN"),
        _moments("Zernike moments", partial(zernike, whiten=False)),
        _moments("whitened Zernike moments", partial(zernike, whiten=True)),
        Features(
            "scattering",
            "classic",
            copies=6,
            make=scattering,
            needs=("cv2", scattering_class),
            skip=too_slow,
            **fewer,
        ),
    ]


def _moments(name, function, **options):
    return Features(name, "classic", make=lambda: function, needs=("cv2",), **options)


def crop(images, size):
    """Return the smallest square around each shape, as size x size pixels from 0 to 1."""
    import cv2

    found = np.zeros((len(images), size, size), np.float32)
    for image, result in zip(images, found, strict=True):
        bright = image > 0.05 * image.max()
        if not bright.any():
            continue
        ends = [np.flatnonzero(bright.any(axis=axis))[[0, -1]] for axis in (1, 0)]
        (top, bottom), (left, right) = ends
        side = max(bottom - top, right - left) + 1
        corner = (top + bottom + 1 - side) // 2, (left + right + 1 - side) // 2
        square = np.zeros((side, side), np.float32)
        part = image[top : bottom + 1, left : right + 1]
        row, column = top - corner[0], left - corner[1]
        square[row : row + part.shape[0], column : column + part.shape[1]] = part
        way = cv2.INTER_AREA if side > size else cv2.INTER_LINEAR
        result[:] = cv2.resize(square, (size, size), interpolation=way) / image.max()
    return found


def pixels(images):
    return crop(images, 32).reshape(len(images), -1)


def plain_hog(images):
    return np.stack(
        [
            hog(image, orientations=9, pixels_per_cell=(8, 8), cells_per_block=(2, 2))
            for image in crop(images, 64)
        ]
    )


def compress(values):
    """Powers of moments span many orders of magnitude: their sign and their logarithm."""
    return np.sign(values) * np.log1p(np.abs(values) / 1e-12)


def hu(images):
    import cv2

    return compress(np.stack([cv2.HuMoments(cv2.moments(image))[:, 0] for image in images]))


def central_moments(images, order):
    """Central moments mu[p, q] of grey values of sum 1, x to the power of p and y of q."""
    found = np.zeros((order + 1, order + 1, len(images)))
    rows, columns = (np.arange(n, dtype=float) for n in images.shape[1:])
    for i, image in enumerate(images):
        image = image / max(image.sum(dtype=float), 1e-30)
        x = columns - image.sum(axis=0) @ columns
        y = rows - image.sum(axis=1) @ rows
        powers = np.arange(order + 1)
        found[:, :, i] = (y[:, None] ** powers).T @ image @ (x[:, None] ** powers)
    return found.transpose(1, 0, 2)


def affine_moments(images):
    """Seven affine moment invariants of Flusser and Suk, up to order 4.

    Divided by the powers of the determinant of the covariance instead of the mass, so that
    brightness does not matter either.
    """
    m = central_moments(images, 4)
    area = np.sqrt(np.maximum(m[2, 0] * m[0, 2] - m[1, 1] ** 2, 1e-30))
    m20, m11, m02 = m[2, 0] / area, m[1, 1] / area, m[0, 2] / area
    m30, m21, m12, m03 = (m[3 - i, i] / area**1.5 for i in range(4))
    m40, m31, m22, m13, m04 = (m[4 - i, i] / area**2 for i in range(5))
    invariants = [
        -(m30**2) * m03**2
        + 6 * m30 * m21 * m12 * m03
        - 4 * m30 * m12**3
        - 4 * m21**3 * m03
        + 3 * m21**2 * m12**2,
        m20 * (m21 * m03 - m12**2) - m11 * (m30 * m03 - m21 * m12) + m02 * (m30 * m12 - m21**2),
        -(m20**3) * m03**2
        + 6 * m20**2 * m11 * m12 * m03
        - 3 * m20**2 * m02 * m12**2
        - 6 * m20 * m11**2 * (m21 * m03 + m12**2)
        + 12 * m20 * m11 * m02 * m21 * m12
        - 3 * m20 * m02**2 * m21**2
        + 2 * m11**3 * (m30 * m03 + 3 * m21 * m12)
        - 6 * m11**2 * m02 * (m30 * m12 + m21**2)
        + 6 * m11 * m02**2 * m30 * m21
        - m02**3 * m30**2,
        m40 * m04 - 4 * m31 * m13 + 3 * m22**2,
        m40 * m22 * m04 - m40 * m13**2 - m31**2 * m04 + 2 * m31 * m22 * m13 - m22**3,
        m20**2 * m04
        - 4 * m20 * m11 * m13
        + 2 * m20 * m02 * m22
        + 4 * m11**2 * m22
        - 4 * m11 * m02 * m31
        + m02**2 * m40,
        m20**2 * (m22 * m04 - m13**2)
        - 2 * m20 * m11 * (m31 * m04 - m22 * m13)
        + m20 * m02 * (m40 * m04 - 2 * m31 * m13 + m22**2)
        + 4 * m11**2 * (m31 * m13 - m22**2)
        - 2 * m11 * m02 * (m40 * m13 - m31 * m22)
        + m02**2 * (m40 * m22 - m31**2),
    ]
    degrees = np.array([4, 3, 5, 2, 3, 3, 4])[:, None]
    invariants = np.stack(invariants)
    return (np.sign(invariants) * np.abs(invariants) ** (1 / degrees)).T


@cache
def zernike_basis(size):
    """Return the functions on a grid of size x size cells, (size ** 2, n_moments)."""
    place = (np.arange(size) + 0.5) / size * 2 - 1
    x, y = np.meshgrid(place, place)
    radius, angle = np.hypot(x, y), np.arctan2(y, x)
    functions = []
    for n in range(DEGREE + 1):
        for m in range(n % 2, n + 1, 2):
            radial = sum(
                (-1) ** k
                * factorial(n - k)
                / (factorial(k) * factorial((n + m) // 2 - k) * factorial((n - m) // 2 - k))
                * radius ** (n - 2 * k)
                for k in range((n - m) // 2 + 1)
            )
            functions.append((n + 1) / np.pi * radial * np.exp(-1j * m * angle) * (radius <= 1))
    return np.stack([f.ravel() for f in functions], axis=1).astype(np.complex64)


def zernike(images, whiten, size=128):
    """Magnitudes of Zernike moments about the centre, at the scale or in the frame of the shape.

    The frame is the root of the covariance; with `whiten` false, only its size is taken.
    """
    import cv2

    m = central_moments(images, 2)
    basis = zernike_basis(size)
    found = np.zeros((len(images), basis.shape[1]), np.float32)
    for i, image in enumerate(images):
        mass = image.sum(dtype=float)
        if mass == 0:
            continue
        centre = np.array(
            [
                image.sum(axis=0, dtype=float) @ np.arange(image.shape[1]),
                image.sum(axis=1, dtype=float) @ np.arange(image.shape[0]),
            ]
        )
        scatter = np.array([[m[2, 0, i], m[1, 1, i]], [m[1, 1, i], m[0, 2, i]]]) + np.eye(2) / 12
        if not whiten:
            scatter = np.eye(2) * np.trace(scatter) / 2
        root = np.sqrt(np.linalg.det(scatter))
        frame = (scatter + root * np.eye(2)) / np.sqrt(np.trace(scatter) + 2 * root)
        matrix = frame * (2 * RADIUS / size)
        shift = centre / mass - matrix @ np.full(2, (size - 1) / 2)
        seen = cv2.warpAffine(
            image.astype(np.float32),
            np.column_stack([matrix, shift]),
            (size, size),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        )
        found[i] = np.abs(seen.ravel() @ basis) / max(seen.sum(), 1e-30)
    return found


def scattering_class():
    """Return kymatio's transform.

    Its version 0.3 imports a function that scipy 1.17 no longer has and that its transform of
    images does not use.
    """
    if not hasattr(scipy.special, "sph_harm"):
        scipy.special.sph_harm = None
    from kymatio.numpy import Scattering2D

    return Scattering2D


def scattering():
    transform = scattering_class()(J=4, shape=(64, 64), L=8)
    return lambda images: transform(crop(images, 64)).reshape(len(images), -1)
