"""Features for many numbers of angles from one projection.

The angles of ``n_angles=64`` are every other one of ``n_angles=128``, and so on down to the
single angle 0. So the quantile functions are computed once, with the largest number of
angles, and pooled over every second, fourth, ... of them.
"""

from sklearn_nrcdt import RadonCDT


def curves(images, n_angles, n_radii):
    """R-CDT and NR-CDT of images, both of shape (n_images, n_angles, n_quantiles).

    The NR-CDT is normalised here: `NRCDT` would project the images a second time.
    """
    transformer = RadonCDT(n_angles, n_radii, quantiles="points")  # as in the paper
    rcdt = transformer.fit_transform(images).reshape(len(images), n_angles, -1)
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
