"""
How far may a template be perturbed?
====================================

For the features of the paper there are proofs: as long as no mass of a template moves farther than
a certified radius, and whatever affine map follows, the nearest template is the right one.
:func:`~sklearn_nrcdt.guarantees.certified_radius` computes these radii. :doc:`Guarantees
</guarantees>` has the theorems.
"""

# %%
# Radii of all pairs
# ------------------
# Two templates are separable as long as nothing moves farther than the number in their cell, in
# pixels.
import matplotlib.pyplot as plt
import numpy as np

from sklearn_nrcdt import MaxNRCDT, NearestTemplateClassifier
from sklearn_nrcdt.datasets import load_symbols, random_affine, random_wave
from sklearn_nrcdt.guarantees import certified_radius

symbols = load_symbols(size=128)
report = certified_radius(symbols.images, symbols.target)
print(report)
report.plot()
plt.show()

# %%
# The nearest of twelve
# ---------------------
# To be nearest among all templates is harder than to be separable from each. The certificate is a
# proof; the estimate beside it says roughly where the truth lies.
figure, axis = plt.subplots(figsize=(8, 3), layout="constrained")
places = np.arange(12)
axis.bar(places - 0.2, report.template_radius, 0.4, label="certified", color="#0072b2")
axis.bar(places + 0.2, report.template_estimate, 0.4, label="estimate", color="#b0b0b0")
axis.set(xticks=places, xticklabels=symbols.target, xlabel="symbol", ylabel="pixels")
axis.legend(frameon=False, loc="upper left")
axis.spines[["top", "right"]].set_visible(False)
plt.show()
# sphinx_gallery_thumbnail_number = 2

# %%
# Below the radius, and far above it
# ----------------------------------
# A wave that moves no pixel farther than the smallest radius causes no error. That is proved for
# exact features; here interpolation and the grid of angles join in. But these radii are made for
# the worst perturbation there is. Waves may be several times larger before the first templates are
# mixed up, and after ten times the radius most answers are still right.
model = NearestTemplateClassifier("chebyshev")
features = MaxNRCDT(256)
model.fit(features.fit_transform(symbols.images), symbols.target)
for amplitude in (report.template_radius.min() / np.sqrt(2), 1.0, 2.0, 4.0, 8.0):
    bent = random_wave(symbols.images, amplitude=(amplitude, amplitude), random_state=0)
    bent = random_affine(bent, scale=(0.7, 0.8), shear=(-20, 20), random_state=0)
    accuracy = model.score(features.transform(bent), symbols.target)
    print(f"waves of {amplitude:.2f} pixels: {accuracy:.2f}")
