"""All methods by their names, in the order of the tables."""

from functools import lru_cache

from benchmarks.accuracy import classics, embedding, local, network, ours, transport


@lru_cache
def all_methods():
    rooms = (ours, classics, local, transport, embedding, network)
    return {method.name: method for room in rooms for method in room.methods()}
