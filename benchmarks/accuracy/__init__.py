"""What the features can and cannot tell apart: ``python -m benchmarks.accuracy``."""
