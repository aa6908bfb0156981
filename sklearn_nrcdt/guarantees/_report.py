"""The report of a certificate: numbers for all pairs, a text, a picture."""

from dataclasses import dataclass

import numpy as np

from sklearn_nrcdt._support.figures import one_axes

# What limits the radius of a pair; `RadiusReport.binding` holds positions in this dict.
CONDITIONS = {
    "row": "perturbations move the features of the first template farther",
    "column": "perturbations move the features of the second template farther",
    "std": "the perturbation could flatten a template",
    "anisotropy": "the affine maps alone use up the distance",
    "discretisation": "the distance is not larger than its numerical error",
    "distance": "the features of the two templates are equal",
    "none": "no condition: one class",
}


@dataclass(repr=False, eq=False)
class RadiusReport:
    """Certified radii of all pairs of templates.

    Made by `max_nrcdt_radius`, `mean_nrcdt_radius` and `weighted_mean_nrcdt_radius`.
    ``str(report)`` is a summary, `plot` a heat map. Lengths are in units of the disc's
    radius; divide by `pixel_side`, or use `radius_in_pixels`.

    Parameters
    ----------
    statement : str
        What is certified, with the number of the theorem in the paper.
    metric : str
        The Wasserstein distance in which perturbations are measured.
    radius : ndarray of shape (n, n)
        For each pair the largest perturbation up to which (this value excluded) the
        statement guarantees that the two classes are linearly separable. Infinite on the
        diagonal and within a class.
    template_radius : ndarray of shape (n,)
        Largest perturbation of a template up to which the nearest template is certainly one of
        its own class, in the norm of the statement.
    distance : ndarray of shape (n, n)
        Distances of the features, as computed.
    error : ndarray of shape (n,)
        Bound of the numerical error of the features.
    rigorous : bool
        Whether the error was subtracted from the distances before the radii were solved
        for.
    binding : ndarray of shape (n, n) of int8
        The condition that limits the radius, an index into ``conditions``.
    anisotropy : ndarray of shape (n, n)
        Admissible ``(sigma_max - sigma_min) / sigma_min`` of the affine maps. Infinite
        where all invertible maps are admitted.
    smallest_std : ndarray of shape (n,)
        Smallest standard deviation of a projection of each template.
    labels : ndarray of shape (n,)
        Class labels, or the numbers of the templates.
    pixel_side : float
        Side of a pixel in units of the disc's radius.

    Attributes
    ----------
    conditions : tuple of str
        Names of the conditions, in the order of `binding`.
    radius_in_pixels : ndarray of shape (n, n)
        The radii of the pairs in pixels.
    template_radius_in_pixels : ndarray of shape (n,)
        The radii of the templates in pixels.
    worst_pair : tuple of int
        Indices of the pair with the smallest radius; of equals, the closest one.

    Examples
    --------
    >>> from sklearn_nrcdt.datasets import load_symbols
    >>> from sklearn_nrcdt.guarantees import max_nrcdt_radius
    >>> report = max_nrcdt_radius(load_symbols(size=64).images[[0, 4, 11]])
    >>> report.worst_pair
    (0, 1)
    >>> report.condition(0, 1)
    'perturbations move the features of the second template farther'
    """

    statement: str
    metric: str
    radius: np.ndarray
    template_radius: np.ndarray
    distance: np.ndarray
    error: np.ndarray
    rigorous: bool
    binding: np.ndarray
    anisotropy: np.ndarray
    smallest_std: np.ndarray
    labels: np.ndarray
    pixel_side: float

    conditions = tuple(CONDITIONS)

    @property
    def radius_in_pixels(self):
        """The radii of the pairs in pixels."""
        return self.radius / self.pixel_side

    @property
    def template_radius_in_pixels(self):
        """The radii of the templates in pixels."""
        return self.template_radius / self.pixel_side

    @property
    def worst_pair(self):
        """Indices of the pair with the smallest radius; of equals, the closest one."""
        ties = np.where(self.radius == self.radius.min(), self.distance, np.inf)
        i, j = np.unravel_index(ties.argmin(), ties.shape)
        return int(i), int(j)

    def condition(self, i, j):
        """Say in words what limits the radius of a pair.

        Parameters
        ----------
        i, j : int
            Indices of the two templates.

        Returns
        -------
        condition : str
            The condition that binds.
        """
        return CONDITIONS[self.conditions[self.binding[i, j]]]

    def __repr__(self):
        return f"<RadiusReport of {len(self.radius)} templates: {self.statement}>"

    def __str__(self):
        pairs = self.radius[self.radius < np.inf]
        i, j = self.worst_pair
        rows = [
            ("separable pairs, smallest", pairs.min()),
            ("separable pairs, median", np.median(pairs)),
            ("separable pairs, largest", pairs.max()),
            ("nearest template, smallest", self.template_radius.min()),
            ("nearest template, median", np.median(self.template_radius)),
        ]
        lines = [
            f"{self.statement}",
            f"{len(self.radius)} templates, certified radii in the {self.metric} distance",
            f"{'':28s}{'disc':>12s}{'pixels':>12s}",
            *(f"{name:28s}{r:12.3g}{r / self.pixel_side:12.3g}" for name, r in rows),
            f"worst pair: {self.labels[i]} and {self.labels[j]} (rows {i} and {j}), feature "
            f"distance {self.distance[i, j]:.3g}",
            f"  what limits it: {self.condition(i, j)}",
        ]
        if np.isfinite(self.anisotropy[i, j]):
            lines.append(f"  admissible anisotropy of the affine maps: {self.anisotropy[i, j]:.3g}")
        largest = self.error.max()
        lines.append(
            f"numerical error of the features: proved to be at most {largest:.2g}, and subtracted"
            if self.rigorous
            else f"numerical error of the features: not accounted for (proved to be at most "
            f"{largest:.2g}; see rigorous=True)"
        )
        return "\n".join(lines)

    def plot(self, ax=None, *, unit="pixels"):
        """Draw a heat map of the radii of all pairs.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        unit : {"pixels", "disc"}, default="pixels"
            Unit of the radii.

        Returns
        -------
        ax : matplotlib Axes
            Where it was drawn.
        """
        if unit not in ("pixels", "disc"):
            raise ValueError(f"unit must be 'pixels' or 'disc', got {unit!r}.")
        ax = one_axes("RadiusReport.plot", ax, figsize=(6.4, 5.4))
        values = self.radius / (self.pixel_side if unit == "pixels" else 1)
        shown = np.ma.masked_invalid(values)
        image = ax.imshow(shown, cmap="viridis", interpolation="nearest", vmin=0)
        ax.figure.colorbar(image, ax=ax, label=f"certified radius ({unit})")
        n = len(values)
        if n <= 30:
            ax.set_xticks(range(n), self.labels, rotation=90 if n > 15 else 0)
            ax.set_yticks(range(n), self.labels)
        i, j = self.worst_pair
        for x, y in ((i, j), (j, i)):
            ax.plot(x, y, "s", mfc="none", mec="red", ms=max(3, 220 / n))
        ax.set(title=f"{self.statement}\nred: worst pair", xlabel="template", ylabel="template")
        ax.title.set_fontsize(9)
        return ax
