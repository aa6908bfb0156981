"""Accuracy and exactness, and the page docs/beyond.md. Without WHAT: all."""

import sys

from benchmarks.command import run_room

EXPERIMENTS = {
    "comparison": "all features with the same classifiers on the same images, and the peers'",
    "salt": "what makes features robust against salt",
    "spectrum": "how the defaults of SpectralNRCDT were chosen (needs MNIST)",
    "calibration": "how far the probabilities of the classifiers can be trusted",
    "limits": "what the features cannot do: covered, cluttered, tilted",
    "guarantees": "certified radii beside the smallest perturbations found (needs POT)",
    "radii": "how the features depend on n_radii",
    "roundtrip": "how good RadonCDT.inverse_transform is",
    "search": "drawings found in photographs of paper, beside OpenCV's searches",
    "page": "docs/beyond.md, from what comparison and salt stored",
}

if __name__ == "__main__":
    files = ["--mnist", "--characters", "--logos", "--watermarks"]
    sys.exit(run_room("accuracy", __doc__, EXPERIMENTS, files))
