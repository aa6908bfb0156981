"""Time and memory of classifiers of images: a thousand templates, one query at a time, on one core.

Ours beside the nearest features, RootSIFT and a small network. The network trains for a second
only: this is about the time of its answers. What is not installed is left out, and reported.
"""

import pickle
import time
from functools import partial

from sklearn.pipeline import make_pipeline

from benchmarks.accuracy.models import NearestDescriptors, Network
from benchmarks.accuracy.tasks import shapes
from benchmarks.command import store
from benchmarks.data import MissingData
from benchmarks.performance.images import processor_seconds
from sklearn_nrcdt import InvariantHOG, NearestTemplateClassifier, ShapeClassifier


def rows(args):
    if not args.characters:
        raise MissingData("Give --characters FILE.")
    n, n_queries = (20, 4) if args.quick else (1000, 100)
    data = shapes(args.characters, n, 1)
    aligned = make_pipeline(InvariantHOG(keep="circle"), NearestTemplateClassifier("aligned"))
    queries = data.images[:: max(1, n // n_queries)]
    for name, make in (
        ("ShapeClassifier", ShapeClassifier),
        ("ShapeClassifier, scale", partial(ShapeClassifier, "scale")),
        ("InvariantHOG, aligned", lambda: aligned),
        ("RootSIFT", NearestDescriptors),
        ("small CNN", partial(Network, n, 180, 1, seed=0)),
    ):
        try:
            model = make()
            start = time.process_time()
            model.fit(data.templates, data.template_target)
            fitted = time.process_time() - start
        except ImportError as error:
            print(f"{name} is left out: {error}")
            continue
        seconds = processor_seconds(partial(model.predict, queries))
        yield {
            "classifier": name,
            "templates": n,
            "fit_ms_per_template": f"{1e3 * fitted / n:.2f}",
            "ms_per_query": f"{1e3 * seconds / len(queries):.2f}",
            "kb_per_template": f"{len(pickle.dumps(model)) / n / 1e3:.1f}",
        }


def run(args):
    store(args, "classifiers", rows(args))
