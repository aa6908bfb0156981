"""Linear discriminant analysis after a principal component analysis, as one linear map.

And how its scores join the costs of matches.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

# Share of the variance that the components keep, and of the identity in the covariance of
# features within classes: those of the recommended pipeline.
VARIANCE = 0.99
SHRINKAGE = 0.3
# Parts of the samples that are left out in turn.
N_FOLDS = 5
# Costs relative to scores, in units of their deviation; what a step away from the usual ratio
# must bring, in right answers; and weights of both together, as logarithms.
RATIOS = (0, 0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30)
USUAL_RATIO = 10
PREFERENCE = 1.5
LOG_WEIGHTS = (-3, 5)


def principal_components(features):
    """Mean, and the directions with most of the variance, of shape (n_features, n_components)."""
    mean = features.mean(axis=0)
    _, sizes, directions = np.linalg.svd(features - mean, full_matrices=False)
    shares = np.cumsum(sizes**2) / max(float(np.sum(sizes**2)), 1e-30)
    return mean, directions[: np.searchsorted(shares, VARIANCE, side="right") + 1].T


def linear_discriminant(features, codes, n_classes):
    """Slopes and intercepts of the scores of classes, with a shrunk common covariance."""
    counts = np.bincount(codes, minlength=n_classes)
    means = np.zeros((n_classes, features.shape[1]), features.dtype)
    np.add.at(means, codes, features)
    means /= counts[:, None]
    within = features - means[codes]
    covariance = within.T @ within * ((1 - SHRINKAGE) / len(codes))
    ridge = SHRINKAGE * float(np.square(within).sum()) / within.size
    covariance.flat[:: len(covariance) + 1] += max(ridge, 1e-12)
    slopes = np.linalg.solve(covariance, means.T)
    return slopes, np.log(counts / len(codes)) - 0.5 * np.einsum("ci,ic->c", means, slopes)


def learn_discriminant(features, codes, n_classes):
    """Return slopes and intercepts, and scores of samples that were left out.

    Scores are in units of their deviation; nan where a sample is the only one of its class.
    Returns None three times if features do not vary.
    """
    mean, directions = principal_components(features)
    reduced = (features - mean) @ directions
    slopes, intercepts = linear_discriminant(reduced, codes, n_classes)
    deviation = float(np.std(reduced @ slopes + intercepts))
    if not deviation > 1e-9:
        return None, None, None
    counts = np.bincount(codes)
    rank = np.arange(len(codes)) - (np.cumsum(counts) - counts)[codes]
    fold = np.where(counts[codes] > 1, (rank + codes) % N_FOLDS, -1)
    left_out = np.full((len(codes), n_classes), np.nan)
    for k in range(N_FOLDS):
        train = fold != k
        if train.sum() > n_classes:
            some = linear_discriminant(reduced[train], codes[train], n_classes)
            left_out[~train] = reduced[~train] @ some[0] + some[1]
    slopes = directions @ slopes / deviation
    return slopes, intercepts / deviation - mean @ slopes, left_out / deviation


def learn_weights(scores, costs, codes):
    """Return weights of scores and costs that answer best, and are as sure as they are right."""
    known = np.isfinite(scores[:, 0])
    scores, costs, codes = scores[known], costs[known], codes[known]
    # Their ratio: the one that is right most often, the usual one if that is as good.
    n_right = [np.sum((scores - ratio * costs).argmax(axis=1) == codes) for ratio in RATIOS]
    steps = np.abs(np.arange(len(RATIOS)) - RATIOS.index(USUAL_RATIO))
    ratio = RATIOS[int(np.argmax(np.array(n_right) - PREFERENCE * steps))]
    combined = scores - ratio * costs

    def loss(log_weight):
        logs = log_softmax(np.exp(log_weight) * combined, axis=1)
        # Beforehand, the logarithm is normal with mean 0 and deviation 1.
        return log_weight**2 / 2 - logs[np.arange(len(codes)), codes].sum()

    weight = np.exp(minimize_scalar(loss, bounds=LOG_WEIGHTS, method="bounded").x)
    return np.array([weight, weight * ratio])
