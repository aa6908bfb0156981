"""A model of the fault in the code behind the paper's numbers.

The authors' code integrated rays with angles between 225 and 315 degrees wrongly until August
2025. The model: such rays, which run along the columns' direction rather than across, were
still followed column by column, and in every column only pixels within 1.5 pixels of the
place where the ray crosses its middle were looked at. Near 270 degrees most of a pixel's
projection is lost then; at exactly 270 degrees all is, and the small constant background makes
the projection uniform. `benchmarks.paper.features.spoil` is that last case alone, which needs
no images and explains most; the whole model also explains why the paper's maximum falls again
from 128 to 256 angles in the Chebyshev norm.
"""

import numpy as np

REACH = 1.5
BACKGROUND = 1e-15


def follow_columns(images, nrcdt, n_radii):
    """Replace the NR-CDT at the angles where the model loses mass."""
    spoiled = nrcdt.copy()
    degrees = 360 * np.arange(nrcdt.shape[1]) / nrcdt.shape[1]
    # Where |tan| < 2, three pixels in each column are all that a ray meets.
    for k in np.flatnonzero(np.abs(degrees - 270) < np.rad2deg(np.arctan(0.5))):
        for i, image in enumerate(images):
            spoiled[i, k] = _normalized_quantiles(
                _line_integrals(image, degrees[k], n_radii), nrcdt.shape[2]
            )
    return spoiled


def _line_integrals(image, degrees, n_radii):
    """Integrals along rays at equispaced radii, with the fault."""
    if degrees == 270:
        return np.zeros(n_radii)
    side = np.sqrt(2) / max(image.shape)
    cos, sin = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    rows, columns = np.nonzero(image)
    # Their pixels sit half a pixel beside the centre, which decides what the radii meet.
    centre = ((columns - image.shape[1] / 2 + 1) * cos + (image.shape[0] / 2 - rows) * sin) * side
    step = 2 / (n_radii - 1)
    first = np.floor((centre + 1) / step).astype(int)
    reach = REACH * abs(cos) * side
    integrals = np.zeros(n_radii)
    for offset in range(-int(reach / step) - 1, int(reach / step) + 3):
        radius = np.clip(first + offset, 0, n_radii - 1)
        distance = np.abs(radius * step - 1 - centre)
        # The chord of a pixel: constant in the middle, falling to zero over its corners.
        chord = np.clip((0.5 * (abs(cos) + abs(sin)) * side - distance) / (abs(cos) * side), 0, 1)
        seen = image[rows, columns] * chord * (distance <= reach)
        integrals += np.bincount(radius, seen, n_radii)
    return integrals


def _normalized_quantiles(integrals, n_quantiles):
    density = integrals / (integrals.sum() or 1) + BACKGROUND
    levels = np.arange(1, n_quantiles + 1) / (n_quantiles + 1)
    cumulated = np.cumsum(density) / density.sum()
    quantiles = np.interp(levels, cumulated, np.linspace(-1, 1, len(integrals)))
    return (quantiles - quantiles.mean()) / quantiles.std()
