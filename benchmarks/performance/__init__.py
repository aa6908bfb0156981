"""Time and memory: ``python -m benchmarks.performance``."""

import os

# One core for each process; read when numpy is imported, here and in the processes.
for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
