"""Time of classifiers of images: a thousand templates, one query at a time, on one core.

Ours beside the nearest features, RootSIFT and a small network. The network trains for a second
only: this is about the time of its answers. What is not installed is left out, and reported.
"""

import time

from threadpoolctl import threadpool_limits

from benchmarks.accuracy.models import NearestDescriptors, Network, Shapes
from benchmarks.accuracy.tasks import shapes
from benchmarks.command import store
from benchmarks.data import MissingData
from sklearn_nrcdt import InvariantHOG, NearestTemplateClassifier

REPETITIONS = 3


class NearestFeatures:
    """The nearest template by `InvariantHOG` at the best rotation."""

    def fit(self, images, codes, seed):
        self.transformer = InvariantHOG(keep="circle").fit(images)
        self.model = NearestTemplateClassifier("aligned")
        self.model.fit(self.transformer.transform(images), codes)

    def predict(self, images):
        return self.model.predict(self.transformer.transform(images))


def rows(args):
    if not args.characters:
        raise MissingData("Give --characters FILE.")
    n, n_queries = (20, 4) if args.quick else (1000, 100)
    data = shapes(args.characters, n, 1)
    queries = data.images[:: max(1, n // n_queries)]
    for name, make in (
        ("ShapeClassifier", lambda: Shapes("affine", n, False, False)),
        ("ShapeClassifier, scale", lambda: Shapes("scale", n, True, False)),
        ("InvariantHOG, aligned", NearestFeatures),
        ("RootSIFT", NearestDescriptors),
        ("small CNN", lambda: Network(n, 180, 1)),
    ):
        try:
            model, times = make(), []
            start = time.process_time()
            model.fit(data.templates, data.template_target, 0)
            fitted = time.process_time() - start
        except ImportError as error:
            print(f"{name} is left out: {error}")
            continue
        for _ in range(REPETITIONS):
            start = time.process_time()
            model.predict(queries)
            times.append(time.process_time() - start)
        yield {
            "classifier": name,
            "templates": n,
            "fit_ms_per_template": f"{1e3 * fitted / n:.2f}",
            "ms_per_query": f"{1e3 * min(times) / len(queries):.2f}",
        }


def run(args):
    with threadpool_limits(1):
        store(args, "classifiers", rows(args))
