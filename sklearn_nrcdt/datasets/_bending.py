"""Random deformations that are not affine: the paper's waves, and smooth fields."""

from numbers import Real
from typing import Literal

import numpy as np
from sklearn.utils import Bunch, check_random_state

from sklearn_nrcdt._support.compat import Interval, validate_params
from sklearn_nrcdt._support.ranges import check_range
from sklearn_nrcdt._support.types import ArrayLike, Bounds, FloatArray, Seed
from sklearn_nrcdt.datasets._image_stacks import check_images
from sklearn_nrcdt.datasets._sampling import CUT, SPLINE_MARGIN, look_up, sources, warn_cut

# Shares of mass that leave the canvas up to this one are not worth a warning.
TOLERANCE = 1e-3
# Narrower bends would need a grid of more than a hundred points across the figure.
LEAST_WIDTH = 0.02
# Amplitudes in pixels, waves over an image and widths beyond this bend nothing that is left.
MOST = 1000
# Displacements beyond this many times the root mean square do not occur: 5.7 standard deviations.
LARGEST = 4


@validate_params({"cut": CUT, "random_state": ["random_state"]})
def random_wave(
    images: ArrayLike,
    *,
    amplitude: Bounds = (2.5, 7.5),
    frequency: Bounds = (0.5, 2.0),
    cut: Literal["warn", "ignore"] = "warn",
    random_state: Seed = None,
) -> FloatArray:
    """Bend each image by random waves, the paper's non-affine deformation.

    Pixel (j, k) of an image of height M and width N gets the interpolated value at
    ``(j + a1 sin(2 pi f1 k / N), k + a2 cos(2 pi f2 j / M))``. The amplitudes a1, a2 and
    the frequencies f1, f2 are drawn uniformly and independently for each image.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width)
        Bright images on black.
    amplitude : (float, float), default=(2.5, 7.5)
        Range of the amplitudes in pixels, at most 1000.
    frequency : (float, float), default=(0.5, 2.0)
        Range of the number of waves over the image, at most 1000.
    cut : {"warn", "ignore"}, default="warn"
        What to do about images that lose mass because it is moved off the canvas.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draws.

    Returns
    -------
    images : ndarray of shape (n_images, height, width)
        The bent images; float32 for float32 input, else float64.

    See Also
    --------
    random_affine, random_elastic : Other random deformations.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols, random_wave
    >>> bent = random_wave(load_symbols().images, random_state=0)
    >>> bent.shape
    (12, 256, 256)
    """
    images = check_images(images)
    ranges = check_wave(amplitude, frequency)
    rng = check_random_state(random_state)
    return random_wave_of(images, np.arange(len(images)), ranges, cut=cut, rng=rng)[0]


def check_wave(amplitude, frequency):
    allowed = Interval(Real, 0, MOST, closed="both")
    ranges = {"amplitude": amplitude, "frequency": frequency}
    return [check_range(values, name, allowed) for name, values in ranges.items()]


def random_wave_of(images, index, ranges, *, cut, rng):
    """Randomly bend the images ``images[index]``, and say how."""
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

    bent = _bend_images(images, index, field_of, cut=cut)
    return bent, Bunch(amplitude=amplitude, frequency=frequency)


@validate_params(
    {
        "cut": CUT,
        "displacement": [Interval(Real, 0, 1, closed="both")],
        "width": [Interval(Real, LEAST_WIDTH, MOST, closed="both")],
        "random_state": ["random_state"],
    }
)
def random_elastic(
    images: ArrayLike,
    *,
    displacement: float = 0.1,
    width: float = 0.2,
    cut: Literal["warn", "ignore"] = "warn",
    random_state: Seed = None,
) -> FloatArray:
    """Bend each image by a smooth random field of its own.

    Add such copies to few training images if shapes vary within a class: a classifier that learns,
    such as linear discriminant analysis, then finds out which differences do not matter.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width)
        Bright images on black.
    displacement : float, default=0.1
        How far pixels move, in the root mean square, in units of the longer side of the figure's
        bounding box; 0 to 1.
    width : float, default=0.2
        The displacement is white noise, smoothed by a Gaussian of this standard deviation, in the
        same unit; 0.02 to 1000.
    cut : {"warn", "ignore"}, default="warn"
        What to do about images that lose mass because it is moved off the canvas.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draws.

    Returns
    -------
    images : ndarray of shape (n_images, height, width)
        The bent images; float32 for float32 input, else float64.

    See Also
    --------
    random_wave : The paper's non-affine deformation.

    Examples
    --------
    Five bent copies of each of twelve symbols:

    >>> from sklearn_nrcdt.datasets import load_symbols, random_elastic
    >>> images = load_symbols().images
    >>> random_elastic(images.repeat(5, axis=0), random_state=0).shape
    (60, 256, 256)
    """
    images = check_images(images)
    # One seed for each image: the size of its figure does not change the fields of the others.
    seeds = check_random_state(random_state).randint(2**31 - 1, size=len(images))

    def field_of(position, source):
        size = (source.box[:, 1] - source.box[:, 0]).max() + 1
        rms, smooth = displacement * size, width * size
        rng = np.random.RandomState(seeds[position])

        def field(rows, columns):
            down, across = _smoothing(rows.ravel(), smooth), _smoothing(columns.ravel(), smooth)
            noise = rng.standard_normal((2, down.shape[1], across.shape[1]))
            return rms / np.sqrt(2) * (down @ noise @ across.T)

        return [LARGEST * rms, LARGEST * rms], field

    return _bend_images(images, np.arange(len(images)), field_of, cut=cut)


def _smoothing(places, width):
    """Matrix from noise on a grid of spacing `width` to smooth noise of variance 1 at places."""
    # The squared Gaussians around all points of so coarse a grid add up to sqrt(pi) within 1e-4.
    grid = np.arange(places[0] - 4 * width, places[-1] + 5 * width, width)
    return np.pi**-0.25 * np.exp(-0.5 * ((places[:, None] - grid) / width) ** 2)


def _bend_images(images, index, field_of, *, cut):
    """Look up the images ``images[index]`` at displaced places.

    ``field_of(position, source)`` returns the largest displacements, down and across, and a
    function of rows and columns that returns both displacements there.
    """
    bent = np.zeros((len(index), *images.shape[1:]), dtype=images.dtype)
    lost = np.zeros(len(index))
    height, width = images.shape[1:]
    for position, source in sources(images, index):
        largest, field = field_of(position, source)
        margin = np.ceil(np.add(largest, SPLINE_MARGIN)).astype(int)[:, None]
        (top, bottom), (left, right) = source.box + margin * [-1, 1]
        rows, columns = np.arange(top, bottom + 1)[:, None], np.arange(left, right + 1)[None, :]
        down, across = field(rows, columns)
        values = look_up(source, rows + down, columns + across)
        inside = values[max(-top, 0) : max(height - top, 0), max(-left, 0) : max(width - left, 0)]
        top, left = max(top, 0), max(left, 0)
        bent[position, top : top + inside.shape[0], left : left + inside.shape[1]] = inside
        if values.any():
            lost[position] = 1 - inside.sum() / values.sum()
    if cut == "warn":
        warn_cut(np.where(lost > TOLERANCE, lost, 0))
    return bent
