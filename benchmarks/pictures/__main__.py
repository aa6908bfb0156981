"""Pictures of the documentation, for docs/images. Without WHAT: all."""

import sys

from benchmarks.command import run_room

EXPERIMENTS = {
    "headline": ("headline:run", "that of README.md"),
    "guide": ("guide:run", "the user guide's, and the quick start's, which its own code draws"),
    "matching": ("matching:run", "what ShapeClassifier compares"),
    "hog": ("hog:run", "what InvariantHOG sees of a symbol and of an affine image of it"),
    "datasets": ("datasets:run", "contact sheets of symbols, deformations, noises and paper"),
    "preprocessing": ("preprocessing:run", "a scan before and after each step of cleaning"),
    "watermarks": ("watermarks:run", "a drawing found in simulated paper, and each step"),
    "desk": ("desk:run", "screenshots of nrcdt desk, if there is a Chromium"),
}

if __name__ == "__main__":
    sys.exit(run_room("pictures", __doc__, EXPERIMENTS))
