"""
Reject unknown shapes
=====================

No catalogue is complete. A classifier that must name a class names a wrong one for every shape that
is not in the catalogue. With ``reject_distance`` it can answer "unknown" instead. The price is that
it rejects some known shapes, too.
"""

# %%
# Eight classes of symbols are known, from one drawing each. The samples are deformed copies of all
# twelve, so a third of them are unknown shapes.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import InvariantHOG, MaxNRCDT, MeanNRCDT, NearestTemplateClassifier
from sklearn_nrcdt.datasets import make_symbols

symbols = make_symbols(30, random_state=0)
KNOWN = [1, 2, 4, 5, 7, 8, 10, 11]
is_known = np.isin(symbols.target, KNOWN)
target = np.where(is_known, symbols.target, -1)
in_catalogue = np.isin(symbols.template_target, KNOWN)
print(f"{is_known.sum()} samples of known shapes, {(~is_known).sum()} of unknown ones")

# %%
# A threshold without any tuning
# ------------------------------
# ``reject_distance="auto"`` needs nothing but the templates. With one template per class, nothing
# says how much a class varies, so the threshold is half the distance at which templates usually
# have their nearest neighbour.
features = {
    "max NR-CDT": MaxNRCDT(64),
    "precision mean": MeanNRCDT(64, weighting="precision"),
    "InvariantHOG": InvariantHOG(),
}
COLOURS = dict(zip(features, ("#f2a541", "#2a9d5c", "#3b7dd8"), strict=True))
models = {}
for name, feature in features.items():
    nearest = NearestTemplateClassifier(reject_distance="auto", unknown_label=-1)
    models[name] = make_pipeline(feature, nearest)
    models[name].fit(symbols.templates[in_catalogue], symbols.template_target[in_catalogue])
rows = {name: model[0].transform(symbols.images) for name, model in models.items()}


def shares(predicted, known=is_known, truth=target):
    """How many known shapes get their class, and how many unknown ones are rejected."""
    return np.mean((predicted == truth)[known]), np.mean((predicted == -1)[~known])


for name, model in models.items():
    right, rejected = shares(model[1].predict(rows[name]))
    threshold = model[1].reject_distance_
    print(f"{name:14s} {threshold:.3f}: {right:.3f} right, {rejected:.3f} rejected")

# %%
# Accuracy against rejection
# --------------------------
# You can change the threshold after ``fit``, so the whole curve needs only one fit. The circles,
# and the dotted line on the right, are the choice of "auto". Small thresholds reject everything,
# large ones nothing.
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for name, model in models.items():
    nearest, colour = model[1], COLOURS[name]
    chosen = nearest.reject_distance_
    thresholds = np.geomspace(0.1 * chosen, 10 * chosen, 60)
    curve = np.array(
        [shares(nearest.set_params(reject_distance=t).predict(rows[name])) for t in thresholds]
    )
    here = shares(nearest.set_params(reject_distance="auto").predict(rows[name]))
    left.plot(curve[:, 1], curve[:, 0], color=colour, label=name)
    left.plot(here[1], here[0], "o", color=colour, markersize=8, clip_on=False)
    right.plot(thresholds / chosen, curve.mean(axis=1), color=colour, label=name)
left.set(
    xlabel="share of unknown shapes that are rejected",
    ylabel="share of known shapes that are right",
    xlim=(-0.02, 1.02),
    ylim=(0.5, 1.02),
    title="rejecting unknown shapes costs known ones",
)
right.axvline(1, color="grey", linestyle=":", linewidth=1)
right.set(
    xscale="log",
    xlabel="threshold / that of 'auto'",
    ylabel="mean of both shares",
    title="choosing the threshold",
)
right.set_xticks([0.1, 0.3, 1, 3, 10], ["0.1", "0.3", "1", "3", "10"])
right.minorticks_off()
left.legend(frameon=False, loc="lower left")
plt.show()

# %%
# Tuning on unknown shapes
# ------------------------
# If you have unknown shapes to learn from, label them ``unknown_label`` and let a search find the
# threshold. They do not become templates, and they count as right when they are rejected. From
# several samples per class, "auto" learns how much a class varies: it leaves out templates in turn.
half = np.arange(len(target)) % 2 == 0
search = GridSearchCV(
    NearestTemplateClassifier(unknown_label=-1),
    {"reject_distance": np.geomspace(0.01, 1, 21).round(3)},
    scoring="balanced_accuracy",
)
search.fit(rows["max NR-CDT"][half], target[half])
for label in (None, "auto", search.best_params_["reject_distance"]):
    tried = search.best_estimator_.set_params(reject_distance=label)
    predicted = tried.predict(rows["max NR-CDT"][~half])
    right_share, rejected = shares(predicted, is_known[~half], target[~half])
    print(f"reject_distance={label}: {right_share:.3f} right, {rejected:.3f} rejected")

# %%
# Rejection asks how far the nearest template is. ``predict_proba`` asks how much nearer it is than
# those of other classes. These are different questions: an unknown shape can be much nearer to one
# class than to all others. So probabilities assume that the sample belongs to a known class, and
# ``reject_distance`` does not change them.
likeliest = models["max NR-CDT"][1].predict_proba(rows["max NR-CDT"]).max(axis=1)
for name, chosen in (("known", is_known), ("unknown", ~is_known)):
    low, middle, high = np.quantile(likeliest[chosen], [0, 0.5, 1])
    print(f"largest probability of {name} shapes: {low:.2f} to {high:.2f}, median {middle:.2f}")
