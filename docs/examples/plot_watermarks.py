"""
Find a watermark in a photograph
================================

Sixty drawings, and a photograph of old paper held against the light: which of them is in there,
and where? We look for each drawing *in* the photograph, because a feature of the whole picture
would describe the laid lines, folds and handwriting as well.
"""

# %%
# A catalogue
# -----------
# Made-up drawings, all different. Yours would come from
# :func:`~sklearn_nrcdt.datasets.load_image_folder`.
import matplotlib.pyplot as plt
import numpy as np

from sklearn_nrcdt.search import DrawingSearch, SearchDisplay, make_drawings, make_paper_scans

drawings = make_drawings(60, random_state=0)
figure, axis = plt.subplots(figsize=(8, 4.9), layout="constrained")
sheet = drawings.images.reshape(6, 10, 192, 192).swapaxes(1, 2).reshape(6 * 192, 10 * 192)
axis.imshow(sheet, cmap="gray")
axis.set_axis_off()
plt.show()

# %%
# A photograph
# ------------
# Simulated: the wire of a drawing leaves a line in the paper that is only 1.5 times as deep as the
# grain is rough. Laid lines, chain lines, a fold, stains and handwriting are on the same sheet.
hidden = drawings.images[[19]]
photo = make_paper_scans(hidden, snr=1.5, shape=(360, 300), random_state=3).images[0]
print("Somewhere in the sheet:", drawings.target_names[19])
figure, axis = plt.subplots(figsize=(4.5, 5.2), layout="constrained")
axis.imshow(photo, cmap="gray")
axis.set(xticks=[], yticks=[])
plt.show()

# %%
# The search
# ----------
# Nothing is trained. ``fit`` thins the drawings, and a search correlates them with the ridges of
# the photograph at all positions.
# :class:`~sklearn_nrcdt.search.SearchDisplay` shows the photograph, its ridges, and the best
# drawings over it. A score counts standard deviations: how far the best position stands out from
# all the others.
search = DrawingSearch(polarity="dark").fit(drawings.images, np.arange(60))
# sphinx_gallery_thumbnail_number = 3
display = SearchDisplay.from_estimator(search, photo, n_neighbors=2)
plt.show()
print("Found:", drawings.target_names[display.labels[0]])

# %%
# What is a high score?
# ---------------------
# Something always comes first. To see what a score means, search the same sheets without a
# drawing (``snr=0``): what is found there is chance. Trust answers above the dashed line; 19 of 20
# empty sheets stay below it.
shown = drawings.images[:20]
ratios = [0, 0.5, 0.7, 1, 2]
right, best = [], []
for snr in ratios:
    scans = make_paper_scans(shown, snr=snr, shape=(360, 300), random_state=3)
    scores, indices = search.kneighbors(scans.images, n_neighbors=1)
    best.append(scores[:, 0])
    right.append((indices[:, 0] == scans.target) & (snr > 0))
limit = np.quantile(best[0], 0.95)

figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
for k, (score, is_right) in enumerate(zip(best, right, strict=True)):
    place = k + np.linspace(-0.25, 0.25, len(score))
    for marked, style in ((is_right, "o"), (~is_right, "x")):
        axis.plot(
            place[marked], score[marked], style, color={"o": "#0072b2", "x": "#d55e00"}[style]
        )
axis.axhline(limit, color="#808080", linestyle="--")
axis.set(xlabel="signal-to-noise ratio", ylabel="score of the best drawing")
axis.set_xticks(range(len(ratios)), [str(ratio) for ratio in ratios])
axis.legend(axis.lines[-3:-1], ["right", "wrong"], frameon=False, loc="upper left")
axis.grid(alpha=0.3, axis="y")
plt.show()

for snr, is_right, score in zip(ratios[1:], right[1:], best[1:], strict=True):
    print(
        f"ratio {snr}: {is_right.mean():.2f} right, {(is_right & (score > limit)).mean():.2f} sure"
    )

# %%
# Turned sheets
# -------------
# If you do not know how a sheet lies before the camera, list the rotations. ``locate`` returns the
# one that fits best, together with position, scale and mirror image.
turned = make_paper_scans(shown[:3], snr=2, shape=(360, 360), rotation=(80, 100), random_state=4)
any_quarter = [quarter + turn for quarter in (0, 90, 180, 270) for turn in (-6, 0, 6)]
found = DrawingSearch(polarity="dark", rotations=any_quarter).fit(shown).locate(turned.images)
for k, rotation in enumerate(turned.poses.rotation):
    print(
        f"drawing {k}, rotated by {rotation:.0f} degrees: "
        f"found drawing {found.indices[k, 0]}, rotated by {found.rotations[k, 0]:.0f}"
    )
