"""Accuracy and exactness, and the page docs/accuracy.md. Without WHAT: all.

What "comparison" has stored is not computed again, so that a run that was stopped goes on.
"""

import os
import sys

from benchmarks.command import run_room

EXPERIMENTS = {
    "comparison": "our features and what else a user could take, on the same images",
    "bending": "how smooth an elastic map must be (needs characters, logos)",
    "salt": "what makes features robust against salt",
    "spectrum": "how the defaults of SpectralNRCDT were chosen (needs MNIST)",
    "calibration": "how far the probabilities of the classifiers can be trusted",
    "limits": "what the features cannot do: covered, cluttered, tilted",
    "guarantees": "certified radii beside the smallest perturbations found (needs POT)",
    "radii": "how the features depend on n_radii",
    "roundtrip": "how good RadonCDT.inverse_transform is",
    "search": "drawings found in photographs of paper, beside OpenCV's searches",
    "marks": "how far the marks of nrcdt find can be trusted",
    "page": "docs/accuracy.md, and the numbers of README.md and docs/watermarks.md",
}


def add_options(parser):
    """Add what comparison and search take."""
    parser.add_argument("--force", action="store_true", help="compute again what is stored")
    parser.add_argument(
        "--n-jobs",
        type=int,
        default=os.cpu_count(),
        help="processes of comparison and search, of one thread each (default: one per core)",
    )


def main(argv=None):
    """Run the command line."""
    files = ["--mnist", "--characters", "--logos", "--watermarks"]
    return run_room("accuracy", __doc__, EXPERIMENTS, files, argv, add_options)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nStopped. The same command goes on where this one ended.")
