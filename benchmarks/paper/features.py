"""Features for many numbers of angles from one projection.

The angles of ``n_angles=64`` are every other one of ``n_angles=128``, and so on down to the
single angle 0. So the quantile functions are computed once, with the largest number of
angles, and pooled over every second, fourth, ... of them.
"""

import numpy as np

from sklearn_nrcdt import RadonCDT


def curves(images, n_angles, n_radii):
    """R-CDT and NR-CDT of images, both of shape (n_images, n_angles, n_quantiles).

    The NR-CDT is normalised here: `NRCDT` would project the images a second time.
    """
    rcdt = RadonCDT(n_angles, n_radii).fit_transform(images).reshape(len(images), n_angles, -1)
    centred = rcdt - rcdt.mean(axis=2, keepdims=True)
    return rcdt, centred / centred.std(axis=2, keepdims=True)


def pool(rcdt, nrcdt, n_angles):
    """Features R-CDT, max and mean for a divisor of the number of angles."""
    step = nrcdt.shape[1] // n_angles
    kept = nrcdt[:, ::step]
    features = {"max": kept.max(axis=1), "mean": kept.mean(axis=1)}
    if rcdt is not None:
        features = {"R-CDT": rcdt[:, ::step].reshape(len(rcdt), -1), **features}
    return features


def spoil(rcdt, nrcdt):
    """Replace the projection at 270 degrees by a uniform one.

    The authors' code integrated rays with angles between 225 and 315 degrees wrongly until
    August 2025, after the paper. Walking column by column along rays of exactly 270 degrees,
    it would meet no pixel at all. What that would do to the tables is measured with this
    function, and the page shows where it explains a difference.
    """
    if rcdt is not None:
        rcdt = rcdt.copy()
        rcdt[:, 3 * rcdt.shape[1] // 4] = _uniform(rcdt.shape[2])
    nrcdt = nrcdt.copy()
    uniform = _uniform(nrcdt.shape[2])
    nrcdt[:, 3 * nrcdt.shape[1] // 4] = uniform / uniform.std()
    return rcdt, nrcdt


def _uniform(n_quantiles):
    return 2 * np.arange(1, n_quantiles + 1) / (n_quantiles + 1) - 1
