"""The words of the page on performance; the numbers and tables are put in by `page`."""

TEXT = """\
# Performance

{summary}

![Milliseconds per image of each library, for three kinds of images](images/performance_speed.png)

*Time per image on one core, 128 angles, logarithmic scale. Libraries with a star compute
projections only.*

{headline}

Milliseconds per image, 128 angles, float32 where the library has it. The last column compares
`MaxNRCDT` with the faster of torchcdt and PyTransKit, corners included. Measured on {machine}, with
{versions}.

:::{{dropdown}} How we measured
`python -m benchmarks.performance speed` runs all libraries in one go, on the same images and the
same angles, each in a process of its own on one core; `pip install "sklearn-nrcdt[bench]"`
installs the others. *n* angles on the full circle are *n* / 2 lines, and the other libraries get
those lines. The first call does not count. Later calls alternate between the libraries, and the
numbers are medians. PyTransKit knows float64 only and stops at the R-CDT. Torchcdt cuts off the
corners of the image by default (`circle=True`); "corners cut" is that default.

`python -m benchmarks.performance page` writes this page from `benchmarks/performance/results`.
:::

:::{{dropdown}} How many times faster, for 16, 128 and 256 angles and both precisions
`MaxNRCDT` against the faster of PyTransKit and torchcdt in the same precision; in brackets, with
torchcdt's corners cut.

{ratios}
:::

{tables}

:::{{dropdown}} The first image: what set-up costs
`fit` and the first image build the table of footprints, as far as the images reach. Equal
transformers share it. Extra milliseconds of the first image for `MaxNRCDT`:

{set_up}

One image to its features in a fresh process at 128 angles (`fit_transform` for us, imports not
counted), and the same once more:

{first_results}
:::

:::{{dropdown}} Distances: sliced Wasserstein-2 against POT
Two images to their distance over 128 angles: `RadonCDT(scaling="wasserstein")` and a Euclidean
distance, against `ot.sliced_wasserstein_distance` on the pixels that are not black. With more
images the gap widens, since we transform each image once and POT sorts for each pair.

{distances}
:::

## What do size and settings cost?

{doubling} Memory above input and output is at most {most_memory} MB in all of these
measurements and does not depend on the number of images.

:::{{dropdown}} Measured growth: side, pixels, angles, radii, levels, images
`python -m benchmarks.performance scaling` varies one quantity at a time, around 32 images of 256
x 256 pixels in float32 with 128 angles and 64 levels; 1 % (sparse) or all (dense) of the pixels
are not black. The exponent is that of time per image in the upper half of the range; its expected
value holds where that quantity dominates. "Error of a + b x" is the largest relative error of the
best straight line (in the square of the side). Memory is the largest resident size above input
and output.

{growth}

![Measured times and the model](images/performance_scaling.png)
:::

:::{{dropdown}} A model of the time per image
- Every pixel is read.
- A pixel adds to each bin that its square touches, on each line: with `n_radii` radii, to
  `1 + 0.9 * n_radii / side` bins on average. Dense images do this for all pixels of the smallest
  window around the centre that holds what is not black. Sparse ones, where less than 3 % of that
  window is not black (6 % in float64), do it for the pixels that are not black.
- The mass in every bin of every line is added up and inverted.
- Every level of every line is normalised and pooled.
- A call has a fixed cost, which a batch of images shares.

The costs, fitted to all measurements together (relative least squares, no cost negative; zero means
that the others explain the times without it):

{costs}
:::

## Which settings are worth their time?

Start from the defaults. If time counts, try fewer angles first: on our two tasks, {enough} were as
accurate as any number, within two standard errors. Let `GridSearchCV` decide on your own data.

:::{{dropdown}} Accuracy against time for each setting
`python -m benchmarks.performance tradeoff` varies one setting around the defaults. Symbols: one
template per class, any affine map, nearest template. LinMNIST: nearest neighbour of 25 samples
per class. "Best" is the highest accuracy of the range; the last column is the quickest setting
within two standard errors of it.

{tradeoffs}

![Accuracy and time over each parameter](images/performance_tradeoff.png)

The larger dots are the defaults.
:::

## How much do more workers help?

{workers}

Threads, the default, share the images but wait for each other between the steps of NumPy, most of
all with sparse images, whose steps are short. Processes
(`joblib.parallel_config(backend="loky")`) do not wait, but arrays are copied for them first. A
memory map, `np.load("scans.npy", mmap_mode="r")`, is not copied.

:::{{dropdown}} Speed-up of threads and processes
From one run of `python -m benchmarks.performance jobs`; the range is that of the repetitions.

{speed_up}
:::

## More images than memory

{streaming}

:::{{dropdown}} Memory of both ways
`python -m benchmarks.performance stream` sends images of 128 x 128 pixels from a memory map
through `MaxNRCDT`, with a progress bar. Pages of the map that were read stay resident until the
system wants them back; `transform_to_npy` gives them back itself. "Equal" compares 1,000 rows,
bit by bit, with images that were in memory, and all rows of the two ways with each other.

{stream}
:::

## Memory as a promise

Memory does not grow with the number of images: they are worked through in batches. How much each
estimator may take above input and output is promised in the table, and
`tests/benchmarks/test_memory.py` measures every row. The classifiers compute distances in chunks;
with many classes, or with equal templates, these fill scikit-learn's `working_memory`, 1,024 MB
if you do not set it: `sklearn.set_config(working_memory=64)`.

:::{{dropdown}} Promised and measured
From `python -m benchmarks.performance memory`: the largest resident size above input and output,
each row in a process of its own. Integers and float64 are computed in float64, which takes more
than float32. Tables of footprints go with the last transformer that uses them, but for 128 MB in
all.

{promises}
:::

## A million and a billion images

{large}

:::{{dropdown}} The estimate
Images are independent, so a job of *n* images takes

    core hours = n * milliseconds per image / 3,600,000 / efficiency

with the time from the model above (in brackets, the measured one) and, as efficiency, the
speed-up of processes on a memory map divided by their number. 128 angles, float32, one byte per
pixel, 64 features of four bytes. It assumes cores like this one and a scheduler that is not the
bottleneck, for which blocks of 1,000 images or more do.

{estimate}
:::
"""

CLUSTER = """
## On a cluster

A pickled transformer is a few numbers; every worker builds its own geometry once.

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
them again. Rows are never missing or wrong; the tests kill workers to check.

**ray**, `pip install "sklearn-nrcdt[ray]"`:

```python
import joblib
from ray.util.joblib import register_ray

register_ray()
with joblib.parallel_config(backend="ray"):
    features = MaxNRCDT(n_jobs=-1).fit_transform(images)
```

**Without an engine**: start one job for each part of a memory map, on as many machines as you
have.

```python
images = np.load("scans.npy", mmap_mode="r")
part = images[i * 100_000 : (i + 1) * 100_000]
transform_to_npy(MaxNRCDT(n_jobs=-1).fit(images[:1]), part, f"features_{i}.npy", verbose=1)
```
"""
