"""
How many angles? A grid search
==============================

More angles capture more of the shape and take more time. How many you need depends on the shapes
and on how strongly they are deformed. Choose by :class:`~sklearn.model_selection.GridSearchCV`; the
transform is an ordinary pipeline step.
"""

# %%
# Two data sets of the twelve symbols: mild affine maps, close to similarities, and strong ones
# with shears of up to 45 degrees.
import matplotlib.pyplot as plt
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline

from sklearn_nrcdt import MaxNRCDT, MeanNRCDT, NearestTemplateClassifier
from sklearn_nrcdt.datasets import make_symbols

DATA = {
    "mild maps": make_symbols(6, scale=(0.75, 1.0), shear=(-5, 5), random_state=0),
    "strong maps": make_symbols(6, scale=(0.5, 1.25), shear=(-45, 45), random_state=0),
}

# %%
# The grid varies the number of angles and the transform itself. Training and test folds are
# swapped: we train on one sample of each class and test on the five others.
folds = [
    (train, test)
    for test, train in StratifiedKFold(6, shuffle=True, random_state=0).split(
        DATA["mild maps"].images, DATA["mild maps"].target
    )
]
pipeline = Pipeline([("nrcdt", MaxNRCDT()), ("nearest", NearestTemplateClassifier())])
grid = {
    "nrcdt": [MaxNRCDT(), MeanNRCDT(), MeanNRCDT(weighting="precision")],
    "nrcdt__n_angles": [4, 8, 16, 32, 64, 128],
}
searches = {}
for name, data in DATA.items():
    searches[name] = GridSearchCV(pipeline, grid, cv=folds).fit(data.images, data.target)
    best = searches[name].best_params_
    print(f"{name}: {best}, accuracy {searches[name].best_score_:.3f}")

# %%
# Accuracy and time against the number of angles. Bands are one standard deviation over the folds.
# The search measured the times along the way, on the machine that built this page; they include
# the classifier.
LABELS = {"MaxNRCDT": "max NR-CDT", "MeanNRCDT": "mean NR-CDT", "precision": "precision mean"}


def label_of(transform):
    return LABELS[
        "precision"
        if getattr(transform, "weighting", None) == "precision"
        else type(transform).__name__
    ]


# sphinx_gallery_thumbnail_number = 1
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
for axis, (name, search) in zip(axes, searches.items(), strict=False):
    results = search.cv_results_
    for transform, colour in zip(grid["nrcdt"], ("#3b7dd8", "#f2a541", "#2a9d5c"), strict=True):
        label = label_of(transform)
        chosen = [label_of(tried) == label for tried in results["param_nrcdt"]]
        angles = results["param_nrcdt__n_angles"][chosen].astype(int)
        mean = results["mean_test_score"][chosen]
        deviation = results["std_test_score"][chosen]
        axis.plot(angles, mean, "o-", color=colour, label=label, markersize=4)
        axis.fill_between(angles, mean - deviation, mean + deviation, color=colour, alpha=0.15)
        if name == "strong maps":
            milliseconds = 1000 * results["mean_score_time"][chosen] / len(folds[0][1])
            axes[2].plot(angles, milliseconds, "o-", color=colour, markersize=4)
    axis.axhline(1 / 12, color="grey", linestyle=":", linewidth=1)
    axis.set(ylim=(0, 1.03), ylabel="accuracy", title=name)
axes[0].legend(frameon=False, loc=(0.42, 0.12))
axes[2].set(ylabel="ms per image", title="time to classify", ylim=(0, None))
for axis in axes:
    axis.set(xscale="log", xlabel="number of angles")
    axis.set_xticks(grid["nrcdt__n_angles"], grid["nrcdt__n_angles"])
    axis.minorticks_off()
plt.show()

# %%
# The numbers of the left panel, for the max NR-CDT:
results = searches["mild maps"].cv_results_
for row in range(len(grid["nrcdt__n_angles"])):
    print(
        f"{results['param_nrcdt__n_angles'][row]:4d} angles: "
        f"{results['mean_test_score'][row]:.3f} +- {results['std_test_score'][row]:.3f}"
    )
