"""When a value of the paper agrees with ours.

A published value is one draw of a data set. Ours are several draws, so they tell where one
further draw would fall: with a probability of 95 % in the interval computed here, the wider
of two. One follows from the spread over our data sets. The other one counts images: if k of
our N images were classified correctly, the number among n further images has a
beta-binomial distribution. It matters where all of our data sets give 1.0 or 0.0, so that
there is no spread.
"""

import numpy as np
from scipy.stats import betabinom


def interval(values, n_images):
    """Two-sided 95 % interval for the value of a further data set of `n_images` images."""
    values = np.asarray(values, dtype=float)
    n_seeds, mean = len(values), values.mean()
    total = n_seeds * n_images
    correct = mean * total
    low, high = (
        bound / n_images
        for bound in betabinom(n_images, correct + 0.5, total - correct + 0.5).interval(0.95)
    )
    if n_seeds > 1:
        half = 1.96 * values.std(ddof=1) * np.sqrt(1 + 1 / n_seeds)
        low, high = min(low, mean - half), max(high, mean + half)
    return max(low, 0.0), min(high, 1.0)


def is_misprint(paper, n_images):
    """Whether an accuracy of four digits, cut off or rounded, is no multiple of 1 / n_images."""
    paper = float(paper)
    return abs(round(paper * n_images + 1e-9) / n_images - paper) > 1.01e-4
