"""The words of the page on performance; the tables are put in by `page`."""

TEXT = """\
# Performance

This page is written by `python -m benchmarks.performance page` from tables in
`benchmarks/performance/results`; the commands that measured them are named below.
Measured on: {machine}.
Libraries: {versions}.

## Side by side

`python -m benchmarks.performance speed` (with `pip install "sklearn-nrcdt[bench]"` for the
peers): one run, the same images and the same angles for all, each library in a process of its own
on one core.
*n* angles on the full circle are *n* / 2 lines, and the peers are given those lines.
The first call does not count, later calls alternate between the libraries, and numbers are
their medians. Torchcdt's default, `circle=True`, cuts off the corners of the image; we and
the others see all of it.

How many times faster `MaxNRCDT` is than the faster of PyTransKit (which knows float64 only and
stops at the R-CDT) and torchcdt in the same precision; in brackets, if torchcdt may cut off
corners:

{ratios}

![Milliseconds per image at 128 angles, for each library and each kind of
images](images/performance_speed.png)

Time per image at 128 angles; * are projections only, without quantile functions.

All numbers, in milliseconds per image:

{tables}
### Set-up

What `fit` and the first image take `MaxNRCDT` beyond a later image, in milliseconds. The
table of footprints is built as far as the images reach; equal transformers share it.

{set_up}

### The first result

One image to its features in a fresh process, 128 angles, `fit_transform` for us: importing is
not part of it, set-up is. "Later" is the same once more, when what is done once is done.

{first_results}

### Distances

The sliced Wasserstein-2 distance of two images over 128 angles, images to number:
`RadonCDT(scaling="wasserstein")` and a Euclidean distance, against
`ot.sliced_wasserstein_distance` on the pixels that are not black. With more images the
advantage grows, since we transform each image once and POT sorts for each pair.

{distances}

## How time and memory grow

`python -m benchmarks.performance scaling`. The model that we expect, for each image:

- every pixel is read;
- a pixel adds to each bin that its square touches, on each line: with `n_radii` radii that is
  `1 + 0.9 * n_radii / side` bins on average. In dense images this is done for all pixels of
  the smallest window around the centre that holds what is not black; in sparse ones, where less
  than 3 % of that window is not black (6 % in float64), for the pixels that are not black;
- the mass in every bin of every line is added up and inverted;
- every level of every line is normalised and pooled;
- a call has a fixed cost, which a batch of images shares.

The cost of each, fitted to all measurements together (relative least squares, no cost
negative; zero means that the others explain the times without it):

{costs}

One quantity at a time, around 32 images of 256 x 256 pixels in float32, 1 % (sparse) or all of
them (dense) not black, 128 angles, 64 levels. The exponent is that of time per image in the
upper half of the range, and its expected value is what holds where that quantity dominates:
smaller exponents mean that other costs still count. "Error of a + b x" is the largest relative
error of the best straight line (in the square of the side). Memory is the largest
resident size above input and output.

{growth}

![Measured times and the model](images/performance_scaling.png)

### More workers

Speed-up over `n_jobs=1` in the same run of `python -m benchmarks.performance jobs`; range over the
repetitions:

{speed_up}

Threads, the default, share the images but wait for each other between the steps of NumPy, most
of all with sparse images, whose steps are short. Processes (`joblib.parallel_config(
backend="loky")`) do not wait, but arrays are copied for them first; a memory map,
`np.load("scans.npy", mmap_mode="r")`, is not.

## More images than memory

`python -m benchmarks.performance stream` sends images of 128 x 128 pixels from a memory map
through `MaxNRCDT`, with a progress bar:

{stream}

Pages of the memory map that were read are resident until the system wants them back;
`transform_to_npy` gives them back itself. "Equal" compares 1,000 rows, bit by bit, with images
that were in memory, and all rows of the two ways with each other.

## Memory as a promise

What is promised here is tested: `tests/benchmarks/test_memory.py` measures each row, and
`python -m benchmarks.performance memory` printed the last column from the same list. Memory is the
largest resident size above input and output, in a process of its own on Linux. Integers and
float64 are computed in float64; float32 takes about two thirds of that. More images take no more:
they are worked through in batches.

{promises}

The classifiers and `aligned_pairwise_distances` compute distances in chunks. With many classes, or
with equal templates, the chunks of the classifiers fill scikit-learn's `working_memory`, 1,024 MB
if you do not set it: `sklearn.set_config(working_memory=64)`. Tables of footprints go with the last
transformer that uses them, but for 128 MB in all.

## Choosing `n_angles`, `n_radii` and `n_quantiles`

`python -m benchmarks.performance tradeoff` varies one of them around the defaults. Symbols: one
template per class and any affine map, nearest template. LinMNIST: nearest neighbour of 25 samples
per class. "Best" is the highest accuracy of the range, and the last column the quickest setting
within two standard errors of it.

{tradeoffs}

![Accuracy and time over each parameter](images/performance_tradeoff.png)

The larger dots are the defaults.

So: start from the defaults. If time counts, the table of exponents says what each parameter
costs, the picture what it is worth, and `GridSearchCV` decides on your own data.

## A million and a billion images

Images are independent of each other, so a job of *n* images takes

    core hours = n * milliseconds per image / 3,600,000 / efficiency

with the time from the model above (in brackets, what was measured side by side for those very
images), and as efficiency the measured speed-up of processes on a memory map, divided by their
number on this machine. 128 angles, float32, images stored as one byte per pixel, 64 features
of four bytes. The last column is what each core reads from disk; times the number of cores, it
must not exceed what the storage delivers. An estimate, not a measurement: it assumes cores like
this one and a scheduler that is not the bottleneck, for which blocks of about 1,000 images or
more serve.

{estimate}
"""

CLUSTER = """
## On a cluster

A transformer is a few numbers when it is pickled; every worker builds its own geometry once.

**dask**, `pip install "sklearn-nrcdt[cluster]"`: the same call on the workers of a cluster,

```python
import joblib
from distributed import Client

client = Client("scheduler:8786")
with joblib.parallel_config(backend="dask"):
    features = MaxNRCDT(n_jobs=-1).fit_transform(images)
```

or, for images that are themselves spread over the cluster, block by block of a dask array.
Each block must hold whole images:

```python
transformer = MaxNRCDT().fit(np.ones((1, 256, 256)))
images = np.load("scans.npy", mmap_mode="r")
blocks = dask.array.from_array(images, chunks=(1024, 256, 256))
features = blocks.map_blocks(
    transformer.transform, dtype=float, drop_axis=2, chunks=(blocks.chunks[0], (64,))
)
dask.array.to_npy_stack("features", features)
```

If a worker dies, dask computes its blocks again; joblib's backend raises an error or computes
them again. Rows are never missing or wrong: the tests kill workers to see it.

**ray**, `pip install "sklearn-nrcdt[ray]"`:

```python
import joblib
from ray.util.joblib import register_ray

register_ray()
with joblib.parallel_config(backend="ray"):
    features = MaxNRCDT(n_jobs=-1).fit_transform(images)
```

**Without an engine**, one job per part of a memory map, each with `transform_to_npy`, on as
many machines as there are:

```python
images = np.load("scans.npy", mmap_mode="r")
part = images[i * 100_000 : (i + 1) * 100_000]
transform_to_npy(MaxNRCDT(n_jobs=-1).fit(images[:1]), part, f"features_{i}.npy", verbose=1)
```
"""
