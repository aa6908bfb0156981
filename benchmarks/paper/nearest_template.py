"""Tables 2 and 3: nearest template, for many numbers of angles."""

from benchmarks.paper.data import TABLE2, TABLE3, symbols
from benchmarks.paper.fault import follow_rows
from benchmarks.paper.features import curves, pool
from sklearn_nrcdt import NearestTemplateClassifier

ANGLES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
N_RADII = 850
NORMS = ("chebyshev", "euclidean")


def table2(seed, *, quick=False):
    """Accuracies under affine maps, for both norms."""
    return {"table2": _all_data_sets(TABLE2, seed, quick, NORMS)}


def table3(seed, *, quick=False):
    """Accuracies under waves and affine maps, Euclidean norm."""
    return {"table3": _all_data_sets(TABLE3, seed, quick, ("euclidean",))}


def _all_data_sets(data_sets, seed, quick, norms):
    n_samples, angles = (2, ANGLES[:-2]) if quick else (10, ANGLES)
    rows = []
    for number, (name, ranges) in enumerate(data_sets.items()):
        # Every data set has draws of its own.
        data = symbols(n_samples, ranges, random_state=1000 * seed + number)
        for row in accuracies(data, angles, norms):
            if len(norms) == 1:
                del row["norm"]
            rows.append({"dataset": name, **row})
    return rows


def accuracies(data, angles, norms, n_radii=N_RADII):
    """Accuracies of all features, numbers of angles and norms on one data set."""
    score = Scorer(data, norms)
    pixels = [images.reshape(len(images), -1) for images in (data.templates, data.images)]
    yield from score("ours", "", "euclidean-image", *pixels)
    right, wrong = [], []
    for images in (data.templates, data.images):
        full = curves(images, max(angles), n_radii)
        right.append(full)
        wrong.append(follow_rows(images, *full, n_radii))
    for variant, both in (("ours", right), ("fault", wrong)):
        for n_angles in angles:
            fitted, tested = (pool(*full, n_angles) for full in both)
            for feature in fitted:
                yield from score(variant, n_angles, feature, fitted[feature], tested[feature])


class Scorer:
    """Rows of results of the nearest template, one for each norm."""

    def __init__(self, data, norms):
        self.data = data
        self.norms = norms

    def __call__(self, variant, n_angles, feature, templates, samples):
        for norm in self.norms:
            model = NearestTemplateClassifier(norm).fit(templates, self.data.template_target)
            yield {
                "angles": n_angles,
                "feature": feature,
                "norm": norm,
                "variant": variant,
                "value": model.score(samples, self.data.target),
                "n_images": len(samples),
                "n_predictions": len(samples),
            }
