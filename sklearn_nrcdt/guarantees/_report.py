"""The report of a certificate: numbers for all pairs, a text, a picture."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_nrcdt._support.figures import many_axes

STATEMENTS = {
    "max": "max NR-CDT, all affine maps",
    "mean": "mean NR-CDT",
    "weighted_mean": "precision-weighted mean NR-CDT, all affine maps",
}


@dataclass(repr=False, eq=False)
class RadiusReport:
    """Certified radii of all pairs of templates, made by `certified_radius`.

    ``str(report)`` is a summary, `plot` a heat map. Lengths are in pixels.

    Parameters
    ----------
    feature : str
        The feature that is certified.
    order : float
        Order of the Wasserstein distance that measures perturbations, 2 or infinity.
    radius : ndarray of shape (n, n)
        Perturbations up to which pairs are certainly linearly separable; infinite within a class.
    template_radius : ndarray of shape (n,)
        Perturbations up to which the nearest template is certainly one of the same class.
    estimate : ndarray of shape (n, n)
        First-order estimates of the true radii of pairs: no certificates.
    template_estimate : ndarray of shape (n,)
        First-order estimates of the true radii of templates: no certificates.
    anisotropy : ndarray of shape (n,)
        The same for ``(sigma_max - sigma_min) / sigma_min`` of affine maps without a perturbation.
        Infinite for features that admit all invertible maps.
    rigorous : bool
        Whether the radii count the numerical error of the features.
    labels : ndarray of shape (n,)
        Class labels, or the numbers of the templates.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> from sklearn_nrcdt.guarantees import certified_radius
    >>> report = certified_radius(load_symbols(size=64).images[[0, 4, 11]])
    >>> report.worst_pair
    (0, 1)
    """

    feature: str
    order: float
    radius: np.ndarray
    template_radius: np.ndarray
    estimate: np.ndarray
    template_estimate: np.ndarray
    anisotropy: np.ndarray
    rigorous: bool
    labels: np.ndarray

    @property
    def worst_pair(self):
        """Indices of the pair with the smallest radius; of equals, of the smallest estimate."""
        ties = np.where(self.radius == self.radius.min(), self.estimate, np.inf)
        i, j = np.unravel_index(ties.argmin(), ties.shape)
        return int(i), int(j)

    def __repr__(self):
        return f"<RadiusReport of {len(self.radius)} templates: {STATEMENTS[self.feature]}>"

    def __str__(self):
        counted = self.radius < np.inf
        radii, estimates = self.radius[counted], self.estimate[counted]
        near, near_estimates = self.template_radius, self.template_estimate
        rows = [
            ("separable pairs, smallest", radii.min(), estimates.min()),
            ("separable pairs, median", np.median(radii), np.median(estimates)),
            ("separable pairs, largest", radii.max(), estimates.max()),
            ("nearest template, smallest", near.min(), near_estimates.min()),
            ("nearest template, median", np.median(near), np.median(near_estimates)),
        ]
        i, j = self.worst_pair
        distance = "Wasserstein-2" if self.order == 2 else "Wasserstein-infinity"
        lines = [
            f"{STATEMENTS[self.feature]}: {len(self.radius)} templates",
            f"radii in the {distance} distance, in pixels",
            f"{'':28s}{'certified':>12s}{'estimate':>12s}",
            *(f"{name:28s}{r:12.3g}{e:12.2g}" for name, r, e in rows),
            f"worst pair: {self.labels[i]} and {self.labels[j]} (rows {i} and {j})",
        ]
        if self.feature == "mean":
            lines.append(f"admissible anisotropy of affine maps: {self.anisotropy.min():.3g}")
        if not self.rigorous:
            lines.append("numerical error: not counted, see rigorous=True")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw a heat map of the radii of all pairs, in pixels.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        ax : matplotlib Axes
            Where it was drawn.
        """
        ax = many_axes("RadiusReport.plot", ax, (1, 1), figsize=(6.4, 5.4))[0, 0]
        shown = np.ma.masked_invalid(self.radius)
        image = ax.imshow(shown, cmap="viridis", interpolation="nearest", vmin=0)
        ax.figure.colorbar(image, ax=ax, label="certified radius (pixels)")
        n = len(shown)
        if n <= 30:
            ax.set_xticks(range(n), self.labels, rotation=90 if n > 15 else 0)
            ax.set_yticks(range(n), self.labels)
        i, j = self.worst_pair
        for x, y in ((i, j), (j, i)):
            ax.plot(x, y, "s", mfc="none", mec="red", ms=max(3, 220 / n))
        title = f"{STATEMENTS[self.feature]}\nred: worst pair"
        ax.set(title=title, xlabel="template", ylabel="template")
        ax.title.set_fontsize(9)
        return ax
