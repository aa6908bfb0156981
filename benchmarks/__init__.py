"""Measurements and experiments: each room is a command, ``python -m benchmarks.ROOM``."""
