"""Ours against what else a user could take: every method on every task, in one table."""

import importlib
import sys

from benchmarks.accuracy import features, models
from benchmarks.accuracy.tasks import all_tasks
from benchmarks.command import Job, run_jobs


def all_methods():
    """All methods by their names, in the order of the tables."""
    return {method.name: method for method in [*features.methods(), *models.methods()]}


def available(methods):
    """Yield the methods whose packages can be had, and name the others."""
    for method in methods:
        try:
            for needed in method.needs:
                importlib.import_module(needed)
        except Exception as error:  # an import that fails in any way
            print(f"{method.name} cannot be had: {error}", file=sys.stderr)
        else:
            yield method


def run(args):
    """Compute what is missing."""
    methods = list(available(all_methods().values()))
    jobs = (
        Job(
            {"task": task.name, "method": method.name, "train": size},
            method.rows,
            (task, size, args.quick),
        )
        for task in all_tasks(args)
        for method in methods
        if not method.skip(task)
        for size in task.train_sizes
    )
    run_jobs(args, args.results / "comparison.csv", jobs)
