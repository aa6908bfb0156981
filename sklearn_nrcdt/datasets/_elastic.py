"""Smooth random deformations: copies of a figure as another hand might have drawn it."""

import numpy as np
from sklearn.utils import check_random_state

from sklearn_nrcdt.datasets._checks import check_images, check_integer, check_number, check_option
from sklearn_nrcdt.datasets._sampling import bend_images

# Narrower bends would need a grid of more than a hundred points across the figure.
LEAST_WIDTH = 0.02
# Displacements beyond this many times the root mean square do not occur: 5.7 standard deviations.
LARGEST = 4


def random_elastic(
    images,
    *,
    displacement=0.1,
    width=0.2,
    order=2,
    cut="warn",
    random_state=None,
    n_jobs=None,
):
    """Bend each image by a smooth random field of its own.

    Add such copies to the training images if shapes vary within a class and you have one or few
    samples of each: a classifier that learns, such as linear discriminant analysis, then finds
    out which differences do not matter.

    Parameters
    ----------
    images : array-like of shape (n_images, height, width)
        Bright images on black.
    displacement : float, default=0.1
        How far pixels move, in the root mean square, as a share of the longer side of the
        figure's bounding box; 0 to 1.
    width : float, default=0.2
        Over which distance pixels move together, in the same unit: the displacement is white
        noise, smoothed by a Gaussian of this standard deviation. At least 0.02.
    order : int, default=2
        Order of the interpolating spline, 0 to 5. Negative values are set to zero.
    cut : {"warn", "ignore"}, default="warn"
        What to do about images that lose mass because it is moved off the canvas.
    random_state : int, RandomState instance or None, default=None
        Seed or generator of the draws.
    n_jobs : int, default=None
        Number of threads over the images. The result does not depend on it.

    Returns
    -------
    images : ndarray of shape (n_images, height, width)
        The bent images; float32 for float32 input, else float64.

    See Also
    --------
    random_affine : Random affine maps. Invariant features need no such copies.
    random_wave : The paper's non-affine deformation.

    Examples
    --------
    Five bent copies of each of twelve symbols, with their labels:

    >>> import numpy as np
    >>> from sklearn_nrcdt.datasets import load_symbols, random_elastic
    >>> symbols = load_symbols()
    >>> origin = np.repeat(np.arange(12), 5)
    >>> copies = random_elastic(symbols.images[origin], random_state=0)
    >>> copies.shape, symbols.target[origin].shape
    ((60, 256, 256), (60,))
    """
    images = check_images(images)
    displacement = check_number(displacement, "displacement", low=0, high=1)
    width = check_number(width, "width", low=LEAST_WIDTH)
    check_integer(order, "order", low=0, high=5)
    check_option(cut, "cut", ("warn", "ignore"))
    # One seed for each image: threads may draw the fields in any order, and few at a time.
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

    return bend_images(
        images, np.arange(len(images)), field_of, order=order, cut=cut, n_jobs=n_jobs
    )


def _smoothing(places, width):
    """Matrix from noise on a grid of spacing `width` to smooth noise of variance 1 at places.

    The sum of squared Gaussians around all points of the grid is ``sqrt(pi)`` at every place,
    up to 1e-4: a grid as coarse as this is as good as a fine one.
    """
    grid = np.arange(places[0] - 4 * width, places[-1] + 5 * width, width)
    return np.pi**-0.25 * np.exp(-0.5 * ((places[:, None] - grid) / width) ** 2)
