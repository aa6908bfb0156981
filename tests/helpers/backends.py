"""A backend of joblib that sends what it would send to other processes."""

import pickle

import cloudpickle
from joblib.parallel import ThreadingBackend


class PicklingBackend(ThreadingBackend):
    """Threads that get what a process would get."""

    def apply_async(self, func, callback=None):
        return super().apply_async(pickle.loads(cloudpickle.dumps(func)), callback)

    def submit(self, func, callback=None):  # as joblib has called it since 1.5
        return super().submit(pickle.loads(cloudpickle.dumps(func)), callback)
