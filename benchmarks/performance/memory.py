"""Memory of a transform above input and output: ``python -m benchmarks.memory``.

Each case runs in a process of its own, whose largest resident size is compared with the
size before `fit_transform`.
"""

import subprocess
import sys

PROBE = """
import resource, sys
import numpy as np
from sklearn_nrcdt import MaxNRCDT
size, n, density, dtype = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
rng = np.random.default_rng(0)
images = np.empty((n, size, size), dtype)
for row in images.reshape(n * size, size):  # row by row: nothing large to be freed
    row[:] = rng.random(size) < density
MaxNRCDT(4).fit_transform(np.ones((2, 8, 8)))  # what importing and warming up takes
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
MaxNRCDT().fit_transform(images)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def main():
    for size, n in ((256, 64), (1024, 8), (2048, 2)):
        for density in (0.03, 1.1):
            for dtype in ("float32", "float64"):
                args = [sys.executable, "-c", PROBE, str(size), str(n), str(density), dtype]
                done = subprocess.run(args, capture_output=True, text=True, check=True)
                filled = "dense" if density > 1 else f"{density:.0%}"
                megabytes = float(done.stdout)
                print(f"{size} x {size}, {filled:5s} {dtype}: {megabytes:6.0f} MB", flush=True)


if __name__ == "__main__":
    main()
