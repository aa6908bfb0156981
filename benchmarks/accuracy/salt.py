"""What makes features robust against salt.

On Table 4's row 3 (affine maps, then salt), 10 training samples per class, 5 splits: the
nearest neighbour on all features for several numbers of quantile levels; on single orders
of the spectrum, with how far salt moves each relative to the distance between classes; and
SVMs with and without imaginary parts and standardisation.
"""

from functools import partial

import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.command import keep_text
from benchmarks.data import splits
from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, SpectralNRCDT
from sklearn_nrcdt.datasets import add_salt, make_symbols


def accuracy(model, features, target):
    scores = []
    for train, test in splits(target, 10, 5):
        scores.append(model.fit(features[train], target[train]).score(features[test], target[test]))
    return np.mean(scores)


@keep_text
def run(args):
    clean = make_symbols(15 if args.quick else 50, scale=(0.75, 1), shear=(-5, 5), random_state=0)
    salted = add_salt(clean.images, n_discs=(4, 7), strength=9, random_state=0)
    target = clean.target
    nearest = KNeighborsClassifier(1)

    counts = (8, 16, 32, 64, 128)
    print("1-NN, salted, by n_quantiles      " + "".join(f"{count:8d}" for count in counts))
    for label, make in {
        "max NR-CDT": MaxNRCDT,
        "mean NR-CDT": MeanNRCDT,
        "precision mean": partial(MeanNRCDT, weighting="precision"),
        "spectrum": SpectralNRCDT,
    }.items():
        scores = [
            accuracy(nearest, make(n_quantiles=count).fit_transform(salted), target)
            for count in counts
        ]
        print(f"{label:34s}" + "".join(f"{score:8.3f}" for score in scores), flush=True)

    transformer = SpectralNRCDT().fit(clean.images)
    before, after = transformer.transform(clean.images), transformer.transform(salted)
    names = transformer.get_feature_names_out()
    order = np.array([int(name.split("_")[1][2:]) for name in names])
    real = np.array([name.split("_")[1].startswith("re") for name in names])

    print("\norders     1-NN, salted   moved by salt / distance of classes")
    classes = np.unique(target)
    for label, chosen in [
        ("all", order >= 0),
        ("0", order == 0),
        ("1 to 7", order > 0),
        *((str(k), order == k) for k in range(1, 8)),
    ]:
        moved = np.median(np.linalg.norm((after - before)[:, chosen], axis=1))
        means = np.array([before[target == c][:, chosen].mean(axis=0) for c in classes])
        gaps = np.linalg.norm(means[:, None] - means, axis=2)
        gap = np.median(gaps[gaps > 0])
        score = accuracy(nearest, after[:, chosen], target)
        print(f"{label:10s} {score:12.3f}   {moved / gap:.2f}")

    print("\nSVM                              clean   salted")
    for label, chosen in (
        ("all parts", real | True),
        ("real parts", real),
        ("imaginary parts", ~real),
    ):
        for scaled in (True, False):
            model = make_pipeline(StandardScaler(), SVC(C=10)) if scaled else SVC(C=10)
            scores = [accuracy(model, x[:, chosen], target) for x in (before, after)]
            kind = "standardised" if scaled else "as they are"
            print(f"{label:16s} {kind:14s} {scores[0]:7.3f}  {scores[1]:7.3f}")
