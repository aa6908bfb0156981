"""Every library side by side on the same images and angles: ``python -m benchmarks.speed``."""
