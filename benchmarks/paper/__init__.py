"""The tables and figures of the paper, from one command: ``python -m benchmarks.paper``."""
