"""The peers' own classifiers on a task of `comparison`."""

import contextlib
import io
import os
import tempfile
import warnings

import numpy as np

from benchmarks.data import splits

# Their transforms take tens of milliseconds for each image, their searches longer.
MOST_TESTED = 100
MOST_CLASSES = 100


def peers(task, quick):
    """Yield rows like those of `comparison`, or one row that says what is missing."""
    own = {
        "PyTransKit R-CDT + nearest subspace": _subspace,
        "PyTransKit invariance encoding": _encoding,
        "PyTransKit invariance encoding, 360 degrees": _wide_encoding,
    }
    for name, make in list(own.items())[: 1 if quick else None]:  # the others take minutes
        if make is _wide_encoding and len(np.unique(task.target)) > MOST_CLASSES:
            yield _missing(task, name, f"its search takes too long for over {MOST_CLASSES} classes")
            continue
        try:
            factory = make()
        except Exception as error:  # an import that fails in any way is a missing peer
            yield _missing(task, name, error)
            continue
        yield from _evaluate(task, name, factory, quick)
    try:
        from kymatio.sklearn import Scattering2D  # noqa: F401
    except Exception as error:
        yield _missing(task, "kymatio scattering", error)


def _missing(task, name, error):
    # Python adds the file in parentheses, which is nobody's business.
    return [task.name, name, "own", "-", f"missing: {str(error).split(' (')[0]}", "", 0, 0]


def _evaluate(task, name, factory, quick):
    most = 20 if quick else MOST_TESTED
    if task.templates is not None:
        chosen = np.random.default_rng(0).permutation(len(task.images))[:most]
        jobs = [(1, task.templates, task.template_target, chosen)]
    else:
        jobs = []
        for n_train in task.train_sizes:
            train, test = next(splits(task.target, n_train, 1))
            test = np.random.default_rng(0).permutation(test)[:most]
            jobs.append((n_train, task.images[train], task.target[train], test))
    for n_train, images, target, test in jobs:
        # They take labels 0, 1, ... only.
        classes, codes = np.unique(target, return_inverse=True)
        predicted = classes[_predict(factory(len(classes)), images, codes, task.images[test])]
        score = np.mean(predicted == task.target[test])
        spread = np.sqrt(score * (1 - score) / len(test))
        yield [task.name, name, "own", n_train, score, spread, 1, len(test)]


def _predict(model, images, codes, tested):
    """Predict in an empty directory, silently: the peer keeps files there and prints."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        os.mkdir("metadata")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(images.astype(np.float64), codes)
                return np.asarray(model.predict(tested.astype(np.float64), use_gpu=False))
        finally:
            os.chdir(here)


def _subspace():
    from pytranskit.classification.rcdt_ns import RCDT_NS

    return RCDT_NS


def _encoding():
    from pytranskit.classification.inv_enc import INV_ENC

    return INV_ENC


def _wide_encoding():
    from pytranskit.classification.inv_enc import INV_ENC

    def make(n_classes):
        model = INV_ENC(n_classes)
        model.rcdt_permut = _all_rotations  # not only those up to 40 degrees
        return model

    return make


def _all_rotations(features):
    # Half a turn further, a projection is mirrored: reversed and negated.
    circle = np.concatenate([features, -features[:, ::-1]], axis=2)
    n_angles = features.shape[2]
    turned = [np.roll(circle, k, axis=2)[:, :, :n_angles] for k in range(2 * n_angles)]
    return np.stack(turned).astype(np.float32)
