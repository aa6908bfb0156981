"""Pictures of the documentation, for docs/images. Without WHAT: all."""

import sys

from benchmarks.command import run_room

EXPERIMENTS = {
    "guide": "the user guide's, and the quick start's, which its own code draws",
    "hog": "what InvariantHOG sees of a symbol and of an affine image of it",
    "datasets": "contact sheets of symbols, deformations, noises, glyphs, digits and paper",
    "preprocessing": "a scan before and after each step of cleaning",
    "watermarks": "a drawing found in simulated paper, and each step of the way",
}

if __name__ == "__main__":
    sys.exit(run_room("pictures", __doc__, EXPERIMENTS))
