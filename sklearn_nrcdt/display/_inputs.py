"""Checks of what displays are given: images, labels, estimators."""

import math

import numpy as np
import scipy.sparse as sp
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted


def check_one_image(image, name="image"):
    """Return one grey image as an array of shape (height, width)."""
    image = np.asarray(image)
    if image.ndim != 2 or image.dtype.kind not in "biuf":
        raise ValueError(
            f"{name} must be one grey image of shape (height, width), got an array of shape "
            f"{image.shape} and dtype {image.dtype}. Pass one image of a stack, such as X[0]."
        )
    return image


def check_stack(images, name, image_shape=None):
    """Return images as a stack; rows are reshaped if their shape is known or square."""
    images = np.asarray(images.toarray() if sp.issparse(images) else images)
    if images.ndim == 2:
        n_pixels = images.shape[1]
        side = math.isqrt(n_pixels)
        shape = image_shape if image_shape is not None else (side, side)
        if math.prod(shape) == n_pixels:
            return images.reshape(-1, *shape)
    if images.ndim != 3:
        raise ValueError(
            f"{name} must be images of shape (n_images, height, width), got an array of "
            f"shape {images.shape}. Pass a single image as {name}[None]."
        )
    return images


def check_labels(labels, n, name, what):
    """Return labels as an array, one for each of n things; None stays."""
    if labels is None:
        return None
    labels = np.asarray(labels)
    if labels.shape != (n,):
        raise ValueError(
            f"{name} must hold one label for each of the {n} {what}, got shape {labels.shape}."
        )
    return labels


def check_numbers(values, name, ndim):
    """Return real numbers as a float array of the given dimension."""
    values = np.asarray(values)
    if values.ndim != ndim or values.dtype.kind not in "biuf":
        raise ValueError(
            f"{name} must be an array of real numbers with {ndim} dimensions, got shape "
            f"{values.shape} and dtype {values.dtype}."
        )
    return values.astype(np.float64)


def fitted_steps(estimator):
    """Return the fitted estimators in order: the steps of a pipeline, or the only one.

    A search over parameters, such as `GridSearchCV`, stands for its best estimator.
    """
    check_is_fitted(estimator)
    estimator = getattr(estimator, "best_estimator_", estimator)
    if not isinstance(estimator, Pipeline):
        return [estimator]
    steps = [step for _, step in estimator.steps]
    return [step for step in steps if step is not None and step != "passthrough"]


def steps_to_quantiles(estimator):
    """Return the fitted steps up to the last transformer with quantile levels."""
    steps = fitted_steps(estimator)
    while steps and not hasattr(steps[-1], "quantile_levels_"):
        steps.pop()
    if not steps:
        raise ValueError(
            "estimator must be, or contain, one of the transformers of sklearn_nrcdt with "
            f"quantile levels such as MaxNRCDT, got {estimator!r}."
        )
    return steps


def transform_by(steps, X):
    """Return X after all steps."""
    for step in steps:
        X = step.transform(X)
    return X
