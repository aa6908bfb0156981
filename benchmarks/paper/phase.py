"""Figures 7 and 8: phase transitions of the accuracy under salt, and under waves and salt."""

import itertools

from benchmarks.paper.data import RIGID, symbols
from benchmarks.paper.fault import follow_rows
from benchmarks.paper.features import curves, pool
from sklearn_nrcdt import NearestTemplateClassifier

ANGLES = (16, 64, 256)
CLASSES = (1, 5, 12)
N_RADII = 850


def fig7(seed, *, quick=False):
    """Accuracy by number of salt discs (0 to 19) and their strength (1 to 20)."""
    return {"fig7": _grid(seed, quick, lambda x: {"strength": x})}


def fig8(seed, *, quick=False):
    """Accuracy by number of salt discs (0 to 19) and largest amplitude of waves (1 to 20)."""
    return {
        "fig8": _grid(
            seed, quick, lambda x: {"amplitude": (0, x), "frequency": (0, 2), "strength": 9}
        )
    }


def _grid(seed, quick, ranges_of):
    step, n_samples, angles = (9, 3, ANGLES[:2]) if quick else (1, 10, ANGLES)
    rows = []
    templates = None
    for x in range(1, 21, step):
        for n_discs in range(0, 20, step):
            data = symbols(
                n_samples,
                {**RIGID, **ranges_of(x), "n_discs": n_discs},
                random_state=100000 * seed + 100 * x + n_discs,
                classes=CLASSES,
            )
            if templates is None:
                templates = _variants(data.templates, max(angles))
            samples = _variants(data.images, max(angles))
            for variant, n_angles in itertools.product(samples, angles):
                fitted, tested = (pool(None, f[variant], n_angles) for f in (templates, samples))
                for feature in fitted:
                    model = NearestTemplateClassifier().fit(fitted[feature], data.template_target)
                    rows.append(
                        {
                            "variant": variant,
                            "angles": n_angles,
                            "feature": feature,
                            "x": x,
                            "n_discs": n_discs,
                            "value": model.score(tested[feature], data.target),
                            "n_images": len(data.images),
                            "n_predictions": len(data.images),
                        }
                    )
    return rows


def _variants(images, n_angles):
    _, right = curves(images, n_angles, N_RADII)
    _, wrong = follow_rows(images, None, right, N_RADII)
    return {"ours": right, "fault": wrong}
