"""
How sure is an answer?
======================

No catalogue is complete. A classifier that must name a class names a wrong one for every shape that
it does not know. :class:`~sklearn_nrcdt.ShapeClassifier` says how sure each answer is, and marks
shapes that it probably does not know. This page checks how far you can trust it.
"""

# %%
# A catalogue, and other hands
# ----------------------------
# There are 160 drawings. The catalogue has half of them, one picture of each. Somebody else has
# drawn all of them again, twice: lines run differently, a little or a lot, and each drawing is
# turned, scaled and sheared. So half of the new drawings have no right answer.
import matplotlib.pyplot as plt
import numpy as np

from sklearn_nrcdt import ShapeClassifier
from sklearn_nrcdt.datasets import random_affine, random_elastic, stack_images
from sklearn_nrcdt.search import make_drawings

originals = make_drawings(160, size=64, random_state=0)
drawings = stack_images(originals.images, shape=(120, 120))  # room to bend and turn
bent = np.concatenate(
    [
        random_elastic(drawings, displacement=displacement, width=0.15, random_state=k)
        for k, displacement in enumerate((0.04, 0.08))
    ]
)
queries = random_affine(bent, scale=(0.6, 1), shear=(-20, 20), random_state=0)
truth = np.tile(originals.target, 2)

known = originals.target[::2]
in_catalogue = np.isin(truth, known)
model = ShapeClassifier().fit(drawings[::2], known)
answers = model.identify(queries)
is_right = answers.labels == truth
print(f"right where there is a right answer: {is_right[in_catalogue].mean():.3f}")
print(f"templates that resemble each other: {model.twin_rate_:.0%}")

# %%
# The marks
# ---------
# "clear", "likely" and "doubtful" say how probable it is that the answer is right: at least 90 %,
# at least 50 %, or less. "unknown" means that the drawing is probably not in the catalogue. All of
# this is learned from the catalogue alone: what its own templates cost each other tells what a
# match with a stranger costs.
MARKS = ["clear", "likely", "doubtful", "unknown"]
outcomes = {
    "right": (is_right, "#2a9d5c"),
    "wrong": (in_catalogue & ~is_right, "#f2a541"),
    "not in the catalogue": (~in_catalogue, "#9a9a9a"),
}
figure, axis = plt.subplots(figsize=(7, 3.4), layout="constrained")
left = np.zeros(len(MARKS))
for name, (chosen, colour) in outcomes.items():
    counts = np.array([np.sum(chosen & (answers.marks == mark)) for mark in MARKS])
    axis.barh(MARKS, counts, left=left, color=colour, label=name)
    left += counts
    print(f"{name:22s}" + "".join(f"{n:6d} {m}" for n, m in zip(counts, MARKS, strict=True)))
axis.invert_yaxis()
axis.set_xlabel("drawings", fontsize=12)
axis.tick_params(axis="y", labelsize=12)
axis.legend(frameon=False, fontsize=11)
axis.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Reliability
# -----------
# ``right`` is the probability that an answer is right. If it is honest, then of all answers with a
# probability near 70 % about 70 % are right: the points lie on the diagonal. The numbers say how
# many drawings a point stands for, and the bars how far it may be off by chance.
edges = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.001]
group = np.digitize(answers.right, edges) - 1

figure, axis = plt.subplots(figsize=(5.2, 5), layout="constrained")
axis.plot([0, 1], [0, 1], color="grey", linestyle=":")
error = 0.0
for k in np.unique(group):
    n, said, seen = (
        (group == k).sum(),
        answers.right[group == k].mean(),
        is_right[group == k].mean(),
    )
    # One standard error; (a + 1) / (n + 2) keeps it above 0 where all answers are right.
    smoothed = (n * seen + 1) / (n + 2)
    bar = np.sqrt(smoothed * (1 - smoothed) / n)
    axis.errorbar(said, seen, bar, fmt="o", color="#3b7dd8", capsize=3)
    axis.annotate(str(n), (said, seen), (9, -11), textcoords="offset points", fontsize=11)
    error += n / len(group) * abs(said - seen)
axis.set_xlabel("probability that the answer is right", fontsize=12)
axis.set_ylabel("share of answers that are right", fontsize=12)
axis.set(xlim=(-0.03, 1.06), ylim=(-0.05, 1.05), aspect="equal")
plt.show()
print(f"mean difference between what is said and what is seen: {error:.3f}")
# sphinx_gallery_thumbnail_number = 2

# %%
# Let the classifier reject
# -------------------------
# With ``unknown_label``, ``predict`` gives this label to what is marked "unknown". Below the
# answers are the numbers of the drawings; only even ones are in the catalogue.
model.set_params(unknown_label=-1)
print(model.predict(queries[:12]))
print(truth[:12])

# %%
# What the numbers suppose
# ------------------------
# Points above the diagonal mean that the classifier is too careful. How careful depends on the
# data: the more the lines bend, the more it doubts right answers, and it trusts a catalogue less
# whose templates resemble each other (``twin_rate_``). The probabilities also suppose that half of
# all pictures show no class of the catalogue, as here. If you know that your catalogue is complete,
# use ``predict_proba``, which supposes just that.
#
# :class:`~sklearn_nrcdt.NearestTemplateClassifier`, for features of the paper, rejects by distance
# instead: see its parameter ``reject_distance``.
