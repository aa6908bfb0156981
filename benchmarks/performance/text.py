"""The words of the page on performance; the numbers and tables are put in by `page`."""

TEXT = """\
# Performance

{summary}

![Milliseconds per image of each library, for three kinds of images](images/performance_speed.png)

*Time per image on one core, 128 angles, logarithmic scale. Libraries with a star compute
projections only.*

{headline}

*Columns are kinds of images and their sides in pixels: digits, digits on a canvas, symbols, noise
without a black pixel (dense), and scans. 128 angles, float32 where the library has it. Bold lines
are ratios; the best peer is the faster of torchcdt and PyTransKit, corners included.*

:::{{dropdown}} All libraries, and how we measured
`python -m benchmarks.performance speed` runs all libraries on the same images, each in a process of
its own on one core; `pip install ".[bench]"` installs them. *n* angles on the full
circle are *n* / 2 lines, and the other libraries get those lines; HOG and `InvariantHOG` have no
angles. The first call does not count, later calls alternate between the libraries, and the numbers
are medians. PyTransKit knows float64 only and stops at the R-CDT; skimage.radon,
imops and ASTRA compute projections only. Torchcdt cuts off the corners of
the image by default; "corners cut" is that default.

{all_libraries}

[speed.csv](../benchmarks/performance/results/speed.csv) has 16, 128 and 256 angles, both
precisions, ranges and set-up times. Measured on {machine}, with {versions}.
:::

{first_image}

{distances}

## What do size and settings cost?

{doubling}

{most_memory}

:::{{dropdown}} Measured growth: side, pixels, angles, radii, levels, images
`python -m benchmarks.performance scaling` varies one quantity at a time, around 32 images of 256
x 256 pixels in float32 with 128 angles and 64 levels; 1 % (sparse) or all (dense) of the pixels
are not black. The exponent is that of time per image in the upper half of the range.
[scaling.csv](../benchmarks/performance/results/scaling.csv) has every point, with memory.

{growth}

![Measured times and the model](images/performance_scaling.png)
:::

:::{{dropdown}} A model of the time per image
- Every pixel is read.
- A pixel adds to each bin that its square touches, on each line: with `n_radii` radii, to
  `1 + 0.9 * n_radii / side` bins on average. Dense images do this for all pixels of the smallest
  window around the centre that holds what is not black; sparse ones, where less than 3 % of that
  window is not black (6 % in float64), only for the pixels that are not black.
- The mass in every bin of every line is added up and inverted.
- Every level of every line is normalised and pooled.
- A call has a fixed cost, which a batch of images shares.

The costs are fitted to all measurements together (relative least squares, none negative). Zero
means that the other terms explain the times.

{costs}
:::

## Which settings are worth their time?

Start from the defaults. If time counts, try fewer angles first: on our two tasks, {enough} were as
accurate as any number, within two standard errors. Let `GridSearchCV` decide on your own data.

:::{{dropdown}} Accuracy against time for each setting
`python -m benchmarks.performance tradeoff` varies one setting around the defaults. Symbols: one
template per class, any affine map. LinMNIST: nearest neighbour of 25 samples per class. Cells, for
`MaxNRCDT`, are *value: accuracy, time per image*; the last column is the quickest value within two
standard errors of the best. [tradeoff.csv](../benchmarks/performance/results/tradeoff.csv) has all
values, and `MeanNRCDT`.

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
From `python -m benchmarks.performance jobs`; the range is that of the repetitions.

{speed_up}
:::

## More images than memory

{streaming}
Run `python -m benchmarks.performance stream` to measure this yourself.

## Memory as a promise

Memory does not grow with the number of images, because they are worked through in batches. For each
estimator we promise how much it takes above input and output, and `tests/benchmarks/test_memory.py`
measures every promise. The classifiers compute distances in chunks; with many classes, or with
equal templates, these fill scikit-learn's `working_memory`, 1,024 MB unless you change it:
`sklearn.set_config(working_memory=64)`.

:::{{dropdown}} Promised and measured
The largest resident size above input and output, each row in a process of its own. Integers are
computed in float64, which takes more than float32. All {n_promises} promises are in
[memory.csv](../benchmarks/performance/results/memory.csv), from
`python -m benchmarks.performance memory`.

{promises}
:::

## A billion images

{large}

:::{{dropdown}} The estimate
Images are independent, so *n* images take

    core hours = n * milliseconds per image / 3,600,000 / efficiency

with the time from the model above (in brackets, the measured one). The efficiency is the measured
speed-up of processes on a memory map, divided by their number. 128 angles, float32, one byte per
pixel. It assumes cores like this one, and blocks of 1,000 images or more, so that the scheduler is
not the bottleneck.

{estimate}
:::
"""

CLUSTER = """
## On a cluster

A pickled transformer is a few numbers; every worker builds its own geometry once.

**dask**, `pip install ".[cluster]"`: the same call on the workers of a cluster,

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

If a worker dies, dask computes its blocks again; joblib's backend raises an error or computes them
again. Rows are never missing or wrong: the tests kill workers to check.

**ray**, `pip install ".[ray]"`:

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
