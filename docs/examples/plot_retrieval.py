"""
Find one of 1,000 glyphs
========================

You have a thousand characters of many scripts, one picture of each, and nothing else to learn from.
Which of them does a scaled, turned, sheared and shifted picture show?
"""

# %%
# A thousand templates
# --------------------
# The font comes with matplotlib. We take letters, digits and symbols. We leave out accented ones
# and those that are turned copies of others by name: no affine-invariant feature could tell them
# apart. For the same reason we take each picture once: a Latin A and a Greek Alpha look alike.
import unicodedata

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ft2font import FT2Font
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_nrcdt import InvariantHOG, MaxNRCDT, NearestTemplateClassifier
from sklearn_nrcdt.datasets import make_glyphs, make_symbols
from sklearn_nrcdt.display import TemplateMatchDisplay

font = matplotlib.get_data_path() + "/fonts/ttf/DejaVuSans.ttf"
COPIES = ("TURNED", "REVERSED", "INVERTED", "ROTATED", "SIDEWAYS", "ARROW", "SYLLABICS", "BRAILLE")
COPIES += ("BOX DRAWINGS", "HEXAGRAM", "TRIGRAM")


def is_wanted(character):
    name = unicodedata.name(character, "")
    is_sign = unicodedata.category(character)[0] in "LNS"
    accented = unicodedata.decomposition(character) != ""
    return is_sign and not accented and not any(word in name for word in COPIES)


characters = [chr(code) for code in sorted(FT2Font(font).get_charmap()) if code < 0x3000]
candidates = make_glyphs(filter(is_wanted, characters), font, canvas=96, errors="skip")
_, different = np.unique(candidates.data, axis=0, return_index=True)
rng = np.random.default_rng(0)
chosen = np.sort(rng.permutation(different)[:1000])
templates = candidates.images[chosen].astype(np.float32)
names = candidates.target_names[chosen]
print(f"{len(candidates.images)} characters, {len(different)} different, {len(templates)} taken")

figure, axis = plt.subplots(figsize=(10, 6.3), layout="constrained")
sheet = templates[:, 16:80, 16:80].reshape(25, 40, 64, 64).swapaxes(1, 2).reshape(1600, 2560)
axis.imshow(sheet, cmap="gray")
axis.set_axis_off()
plt.show()

# %%
# Samples and features
# --------------------
# One deformed picture of each template. ``fit`` computes the features of all templates once; a
# query then costs its own features and a thousand distances. "aligned" distances are those at the
# best rotation.
samples = make_symbols(
    1, templates=templates, scale=(0.6, 1.2), shear=(-20, 20), dtype=np.float32, random_state=0
)


def as_rows(images):
    return images.reshape(len(images), -1)


models = {
    "raw pixels": make_pipeline(FunctionTransformer(as_rows), NearestTemplateClassifier()),
    "max NR-CDT": make_pipeline(MaxNRCDT(), NearestTemplateClassifier()),
    "InvariantHOG": make_pipeline(
        InvariantHOG(keep="circle"), NearestTemplateClassifier("aligned")
    ),
}
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, model), colour in zip(models.items(), ("#808080", "#d55e00", "#0072b2"), strict=True):
    model.fit(templates, names)
    scores = model.decision_function(samples.images)
    own = np.searchsorted(model.classes_, names[samples.target])
    # Place of the right template among all, 1 if it is the nearest.
    rank = 1 + (scores > scores[np.arange(len(own)), own][:, None]).sum(axis=1)
    found = [(rank <= k).mean() for k in range(1, 21)]
    print(f"{name:12s} nearest: {found[0]:.3f}   among five: {found[4]:.3f}")
    axis.plot(range(1, 21), found, color=colour, marker="o", markersize=4, label=name)
axis.set(
    xlabel="templates you look at, nearest first",
    ylabel="share of samples found",
    ylim=(0, 1.02),
    xticks=[1, 5, 10, 15, 20],
)
axis.grid(alpha=0.3)
axis.legend(frameon=False, loc="center right")
plt.show()

# %%
# What is found
# -------------
# :class:`~sklearn_nrcdt.display.TemplateMatchDisplay` shows samples beside their nearest
# templates, with the distances.
model = models["InvariantHOG"]
# sphinx_gallery_thumbnail_number = 3
shown = [174, 202, 766, 774, 797]
TemplateMatchDisplay.from_estimator(
    model,
    samples.images[shown],
    templates=templates,
    y=names[samples.target[shown]],
    n_neighbors=4,
)
plt.show()

# %%
# And what is not
# ---------------
# Here the nearest template is another character. Judge for yourself how alike the two are when one
# may be scaled, turned and sheared.
wrong = np.flatnonzero(model.predict(samples.images) != names[samples.target])
print(f"{len(wrong)} of {len(samples.images)} samples are nearest to another template")
shown = wrong[:: len(wrong) // 5][:5]
TemplateMatchDisplay.from_estimator(
    model,
    samples.images[shown],
    templates=templates,
    y=names[samples.target[shown]],
    n_neighbors=4,
)
plt.show()
