"""How far probabilities can be trusted.

scikit-learn's digits in random poses, 1 to 20 training samples of each class, 3 splits. For
our classifiers and scikit-learn's: accuracy, log loss, Brier score (the sum of squares over the
classes) and the expected calibration error of the likeliest class in ten bins; small is good,
but for the accuracy.
"""

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.command import keep_text
from benchmarks.data import splits
from sklearn_nrcdt import (
    MaxNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    SpectralNRCDT,
)
from sklearn_nrcdt.datasets import make_linmnist

# Without the scaler its scores are so large that nothing can calibrate them.
LDA = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1))
# Name, classifier, least number of samples of each class.
MODELS = [
    ("nearest template", NearestTemplateClassifier(), 1),
    ("nearest subspace", NearestSubspaceClassifier(), 1),
    ("KNeighborsClassifier(5)", KNeighborsClassifier(weights="distance"), 5),
    ("LDA", LDA, 2),
    ("calibrated nearest template", CalibratedClassifierCV(NearestTemplateClassifier()), 5),
    ("calibrated LDA", CalibratedClassifierCV(LDA), 5),
]


def expected_calibration_error(target, probabilities):
    """Mean difference between how sure a model is and how often it is right."""
    sure, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == target
    bins = np.minimum((10 * sure).astype(int), 9)
    sums = np.bincount(bins, weights=sure - right, minlength=10)
    return np.abs(sums).sum() / len(target)


def scores(target, probabilities):
    """Accuracy, log loss, Brier score and calibration error."""
    truth = np.eye(probabilities.shape[1])[target]
    return (
        np.mean(probabilities.argmax(axis=1) == target),
        log_loss(target, probabilities),
        np.square(probabilities - truth).sum(axis=1).mean(),
        expected_calibration_error(target, probabilities),
    )


@keep_text
def run(args):
    digits = load_digits()
    posed = make_linmnist(
        digits.images,
        digits.target,
        n_samples_per_class=20 if args.quick else 100,
        zoom=3,
        size=48,
        scale=(0.75, 1.25),
        shear=(-20, 20),
        shift=(-5, 5),
        cut="redraw",
        random_state=0,
    )
    target = posed.target.astype(int)
    for transformer in (SpectralNRCDT(), MaxNRCDT()):
        features = transformer.fit_transform(posed.images)
        print(f"\n{transformer!r}")
        print("samples  classifier                    accuracy  log loss  Brier    ECE")
        for n in (1, 5) if args.quick else (1, 2, 5, 20):
            for name, model, least in MODELS:
                if n < least:
                    continue
                found = []
                for train, test in splits(target, n, 3):
                    model.fit(features[train], target[train])
                    found.append(scores(target[test], model.predict_proba(features[test])))
                accuracy, loss, brier, error = np.mean(found, axis=0)
                print(
                    f"{n:7d}  {name:28s} {accuracy:9.3f} {loss:9.3f} {brier:6.3f} {error:6.3f}",
                    flush=True,
                )
