"""Pictures of the documentation: ``python -m benchmarks.pictures``."""
