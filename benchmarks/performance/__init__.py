"""How time and memory grow, and what more workers give: ``python -m benchmarks.scaling``."""

import os

# One core for each worker; read when numpy is imported, here and in the processes.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
