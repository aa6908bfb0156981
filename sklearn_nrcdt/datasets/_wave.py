"""Random waves, the paper's non-affine deformation."""

import numpy as np
from sklearn.utils import Bunch, check_random_state

from sklearn_nrcdt.datasets._checks import check_images, check_integer, check_option, check_range
from sklearn_nrcdt.datasets._sampling import bend_images


def random_wave(
    images,
    *,
    amplitude=(2.5, 7.5),
    frequency=(0.5, 2.0),
    order=2,
    cut="warn",
    return_params=False,
    random_state=None,
    n_jobs=None,
):
    """Bend each image by random waves, the paper's non-affine deformation.

    Pixel (j, k) of an image of height M and width N gets the interpolated value at
    ``(j + a1 sin(2 pi f1 k / N), k + a2 cos(2 pi f2 j / M))``. The amplitudes a1, a2 and
    the frequencies f1, f2 are drawn uniformly and independently for each image.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width)
        Bright images on black.
    amplitude : (float, float), default=(2.5, 7.5)
        Range of the amplitudes in pixels.
    frequency : (float, float), default=(0.5, 2.0)
        Range of the number of waves over the image.
    order : int, default=2
        Order of the interpolating spline, 0 to 5; 2 is the paper's bi-quadratic one.
        Negative values are set to zero.
    cut : {"warn", "ignore"}, default="warn"
        What to do about images that lose mass because it is moved off the canvas.
    return_params : bool, default=False
        If True, also return the parameters that were drawn.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draws.
    n_jobs : int, default=None
        Number of threads over the images. The result does not depend on it.

    Returns
    -------
    images : ndarray of shape (n_images, height, width)
        The bent images; float32 for float32 input, else float64.
    params : Bunch
        Only with ``return_params=True``. For each image ``amplitude`` (a1, a2) and
        ``frequency`` (f1, f2).

    See Also
    --------
    random_affine : Random affine maps.
    random_elastic : Smooth random deformations, for copies to learn from.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols, random_wave
    >>> bent = random_wave(load_symbols().images, random_state=0)
    >>> bent.shape
    (12, 256, 256)
    """
    images = check_images(images)
    ranges = check_wave(amplitude, frequency)
    check_integer(order, "order", low=0, high=5)
    check_option(cut, "cut", ("warn", "ignore"))
    rng = check_random_state(random_state)
    bent, params = random_wave_of(
        images, np.arange(len(images)), ranges, order=order, cut=cut, rng=rng, n_jobs=n_jobs
    )
    return (bent, params) if return_params else bent


def check_wave(amplitude, frequency):
    """Return the two ranges as pairs, or raise a ValueError."""
    return check_range(amplitude, "amplitude", low=0), check_range(frequency, "frequency", low=0)


def random_wave_of(images, index, ranges, *, order, cut, rng, n_jobs):
    """Randomly bend the images ``images[index]``."""
    drawn = rng.uniform(size=(len(index), 4))
    amplitude, frequency = (
        low + (high - low) * part
        for (low, high), part in zip(ranges, np.split(drawn, 2, axis=1), strict=True)
    )
    height, width = images.shape[1:]

    def field_of(position, source):
        (a1, a2), (f1, f2) = amplitude[position], 2 * np.pi * frequency[position]

        def field(rows, columns):
            return a1 * np.sin(f1 * columns / width), a2 * np.cos(f2 * rows / height)

        return amplitude[position], field

    bent = bend_images(images, index, field_of, order=order, cut=cut, n_jobs=n_jobs)
    return bent, Bunch(amplitude=amplitude, frequency=frequency)
