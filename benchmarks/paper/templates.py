"""Nearest templates: Tables 2 and 3, for many numbers of angles, and Figures 7 and 8.

The angles of ``n_angles=64`` are every other one of ``n_angles=128``, and so on down to the
single angle 0. So the quantile functions are computed once, with the largest number of
angles, and pooled over every second, fourth, ... of them.
"""

from benchmarks.paper.data import RIGID, TABLE2, TABLE3, symbols
from sklearn_nrcdt import NearestTemplateClassifier, RadonCDT

ANGLES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
PHASE_ANGLES = (16, 64, 256)
N_RADII = 850


def curves(images, n_angles, n_radii=N_RADII):
    """R-CDT and NR-CDT of images, both of shape (n_images, n_angles, n_quantiles).

    The NR-CDT is normalized here: `NRCDT` would project the images a second time.
    """
    transformer = RadonCDT(n_angles, n_radii, quantiles="points")  # as in the paper
    rcdt = transformer.fit_transform(images).reshape(len(images), n_angles, -1)
    centered = rcdt - rcdt.mean(axis=2, keepdims=True)
    return rcdt, centered / centered.std(axis=2, keepdims=True)


def pool(rcdt, nrcdt, n_angles):
    """Features R-CDT, max and mean for a divisor of the number of angles."""
    step = nrcdt.shape[1] // n_angles
    kept = nrcdt[:, ::step]
    return {
        "R-CDT": rcdt[:, ::step].reshape(len(rcdt), -1),
        "max": kept.max(axis=1),
        "mean": kept.mean(axis=1),
    }


def table2(seed, quick):
    """Accuracies under affine maps, for both norms."""
    return _data_sets(TABLE2, seed, quick, ("chebyshev", "euclidean"))


def table3(seed, quick):
    """Accuracies under waves and affine maps, Euclidean norm."""
    return _data_sets(TABLE3, seed, quick, ("euclidean",))


def _data_sets(data_sets, seed, quick, norms):
    n_samples, angles = (2, ANGLES[:-2]) if quick else (10, ANGLES)
    for number, (name, ranges) in enumerate(data_sets.items()):
        # Every data set has draws of its own.
        data = symbols(n_samples, ranges, random_state=1000 * seed + number)
        for row in accuracies(data, angles, norms):
            if len(norms) == 1:
                del row["norm"]
            yield {"dataset": name, **row}


def accuracies(data, angles, norms, n_radii=N_RADII):
    """Yield the accuracies of all features, numbers of angles and norms on one data set."""
    both = data.templates, data.images
    full = [curves(images, max(angles), n_radii) for images in both]
    found = {("", "euclidean-image"): [images.reshape(len(images), -1) for images in both]}
    for n_angles in angles:
        fitted, tested = (pool(*one, n_angles) for one in full)
        found |= {(n_angles, name): (fitted[name], tested[name]) for name in fitted}
    for (n_angles, feature), (templates, samples) in found.items():
        for norm in norms:
            model = NearestTemplateClassifier(norm).fit(templates, data.template_target)
            yield {
                "angles": n_angles,
                "feature": feature,
                "norm": norm,
                "value": model.score(samples, data.target),
                "n_images": len(samples),
                "n_predictions": len(samples),
            }


def fig7(strength, quick):
    """Accuracy by number of salt discs (0 to 19), for a strength (1 to 20)."""
    return _column(strength, quick, {"strength": strength})


def fig8(amplitude, quick):
    """Accuracy by number of salt discs (0 to 19), for a largest amplitude of waves (1 to 20)."""
    waves = {"amplitude": (0, amplitude), "frequency": (0, 2), "strength": 9}
    return _column(amplitude, quick, waves)


def _column(x, quick, ranges):
    step, n_samples, angles = (9, 3, PHASE_ANGLES[:2]) if quick else (1, 10, PHASE_ANGLES)
    for n_discs in range(0, 20, step):
        data = symbols(
            n_samples,
            {**RIGID, **ranges, "n_discs": n_discs},
            random_state=100 * x + n_discs,
            classes=(1, 5, 12),
        )
        for row in accuracies(data, angles, ("euclidean",)):
            if row["feature"] in ("max", "mean"):
                yield {"n_discs": n_discs, **row}
