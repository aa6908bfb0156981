"""Nearest neighbours among very many drawings: our exact search beside approximate indexes.

Vectors are features of `InvariantHOG` of made-up drawings in random poses, shortened to 64 numbers
by PCA; large collections are mixtures of two of them. Queries are members, moved a little. One
thread, one query at a time. What is not installed is left out, and reported.
"""

import time
from functools import partial

import numpy as np
from sklearn.decomposition import PCA

from benchmarks.command import store
from sklearn_nrcdt import InvariantHOG, NearestTemplateClassifier
from sklearn_nrcdt.datasets import random_affine
from sklearn_nrcdt.search import make_drawings

N_NUMBERS, N_QUERIES, N_NEIGHBORS = 64, 100, 10
SIZES = (100_000, 1_000_000)


def vectors(n_drawings, n, rng):
    """Return a collection of n vectors, and queries."""
    drawings = make_drawings(n_drawings, size=64, random_state=0).images
    posed = random_affine(np.repeat(drawings, 4, axis=0), cut="ignore", random_state=0)
    short = PCA(min(N_NUMBERS, len(posed))).fit_transform(InvariantHOG().fit_transform(posed))
    first, second = rng.integers(0, len(short), (2, n))
    share = rng.random((n, 1), dtype=np.float32)
    found = short[first] * share
    found += short[second] * (1 - share)
    noise = 0.05 * np.linalg.norm(short, axis=1).mean() / np.sqrt(short.shape[1])
    found += rng.normal(0, noise, found.shape)
    queries = found[rng.choice(n, N_QUERIES, replace=False)]
    queries += rng.normal(0, noise, queries.shape)
    return found.astype(np.float32), queries.astype(np.float32)


def ours(collection):
    model = NearestTemplateClassifier().fit(collection, np.zeros(len(collection)))
    return lambda query: model.kneighbors(query, N_NEIGHBORS)[1]


def faiss(description, collection):
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.index_factory(collection.shape[1], description)
    if description.startswith("HNSW"):
        index.hnsw.efSearch = 64
    index.add(collection)
    return lambda query: index.search(query, N_NEIGHBORS)[1]


def usearch(collection):
    from usearch.index import Index

    index = Index(ndim=collection.shape[1], metric="l2sq")
    index.add(np.arange(len(collection)), collection, threads=1)
    return lambda query: index.search(query, N_NEIGHBORS, threads=1).keys.reshape(1, -1)


# Each takes the collection and returns the function from a query to its neighbours.
INDEXES = {
    "Faiss, exact": partial(faiss, "Flat"),
    "NearestTemplateClassifier": ours,
    "Faiss, HNSW": partial(faiss, "HNSW32,Flat"),
    "USearch": usearch,
}


def rows(args):
    for n in (2_000,) if args.quick else SIZES:
        collection, queries = vectors(20 if args.quick else 500, n, np.random.default_rng(0))
        exact = None
        for name, make in INDEXES.items():
            start = time.perf_counter()
            try:
                nearest = make(collection)
            except ImportError as error:
                print(f"{name} is left out: {error}")
                continue
            built, times, found = time.perf_counter() - start, [], []
            for query in queries:
                start = time.perf_counter()
                found.append(nearest(query[None])[0])
                times.append(time.perf_counter() - start)
            found = np.array(found)
            exact = found if exact is None else exact
            hits = [np.isin(some, right).mean() for some, right in zip(found, exact, strict=True)]
            yield {
                "index": name,
                "vectors": n,
                "build_s": f"{built:.3g}",
                "query_ms": f"{1000 * np.median(times):.3g}",
                "recall": f"{np.mean(hits):.2f}",
            }


def run(args):
    store(args, "indexes", rows(args))
