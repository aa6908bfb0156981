"""Time and memory, ours and the peers', and the page docs/performance.md. Without WHAT: all."""

import sys

from benchmarks.command import run_room

EXPERIMENTS = {
    "speed": "milliseconds per image, side by side with the peers",
    "scaling": "how time and memory grow with each quantity, and the model of it",
    "jobs": "speed-up over the number of workers, threads and processes",
    "stream": "100,000 images from a memory map, and the memory that this takes (Linux)",
    "memory": "what is promised about memory, and what was measured (Linux)",
    "tradeoff": "accuracy against time, for choosing the discretisation",
    "datasets": "time of the deformations, and mass that leaves the canvas",
    "preprocessing": "time of the filters for scans",
    "search": "time of DrawingSearch, and what its coarse levels lose",
    "page": "docs/performance.md and its pictures, from the tables that are stored",
}

if __name__ == "__main__":
    sys.exit(run_room("performance", __doc__, EXPERIMENTS, ["--mnist"]))
