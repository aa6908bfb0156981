"""Time and memory, ours and the peers', and tables of docs/performance.md. Without WHAT: all."""

import sys

from benchmarks.command import run_room

EXPERIMENTS = {
    "speed": ("speed:run", "milliseconds per image, side by side with the peers"),
    "latency": ("speed:latency", "milliseconds for one image at a time"),
    "scaling": ("scaling:run", "how time and memory grow with each quantity"),
    "jobs": ("jobs:run", "speed-up over the number of workers, threads and processes"),
    "classifiers": ("classifiers:run", "time of a query against a thousand templates"),
    "memory": ("memory:run", "what is promised about memory, and what was measured (Linux)"),
    "preprocessing": ("filters:preprocessing", "time of the filters for scans"),
    "search": ("search:run", "time of DrawingSearch and of its sums, beside OpenCV's"),
    "catalogue": ("catalogue:run", "time and room of kept catalogues"),
    "indexes": ("indexes:run", "neighbours among a million vectors, beside Faiss and USearch"),
    "tables": ("tables:run", "tables and pictures of docs/performance.md, from what is stored"),
}

if __name__ == "__main__":
    sys.exit(run_room("performance", __doc__, EXPERIMENTS))
