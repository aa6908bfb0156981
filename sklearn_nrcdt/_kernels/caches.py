"""A cache bounded by bytes, and what threads share without a lock that a fork leaves locked."""

import os
import threading
from functools import wraps
from weakref import WeakSet, finalize

# Bytes of all tables that are kept for good. One larger table stays as long as it is used.
CACHE_BYTES = 2**26


def fork_safe_lock():
    """Return a lock that nobody holds in a new process, whoever was at work when it was forked.

    Its thread may take it again: the garbage collector runs code at any moment.
    """
    lock = threading.RLock()
    if hasattr(os, "register_at_fork"):  # not on Windows, which has no forks
        os.register_at_fork(
            before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
        )
    return lock


class built_once:
    """A property built when it is first asked for; two threads may both build it.

    `functools.cached_property` of Python 3.11 holds a lock meanwhile, for good in a process forked
    at that moment.
    """

    def __init__(self, build):
        self.build = build
        self.__doc__ = build.__doc__

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        value = instance.__dict__[self.name] = self.build(instance)
        return value


def bounded_cache(build):
    """Keep what a function returned, the most recently used of it, up to `CACHE_BYTES` in all.

    Beside these, one that is larger stays until another takes its place, or until something that
    was announced by `used_by` is deleted.
    """
    kept: dict = {}
    large: dict = {}
    users: WeakSet = WeakSet()
    lock = fork_safe_lock()

    @wraps(build)
    def look_up(*key):
        with lock:
            found = kept.pop(key, None) or large.get(key) or build(*key)
            if found.nbytes > CACHE_BYTES:
                large.clear()
                large[key] = found
                return found
            # Entries are in the order of their last use.
            kept[key] = found
            while sum(other.nbytes for other in kept.values()) > CACHE_BYTES:
                del kept[next(iter(kept))]
        return found

    def used_by(user):
        if user not in users:
            users.add(user)
            # Without the lock: the garbage collector may call it at any moment.
            finalize(user, large.clear)

    look_up.used_by = used_by  # type: ignore[attr-defined]
    return look_up
