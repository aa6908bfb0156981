"""The adversary: hostile images and states, met by every public estimator and function.

Nothing is named here: what is new in an ``__all__`` takes part. Each answer is a finite result or a
ValueError or TypeError that says something; anything else is a fault.
"""

import inspect
import pickle
from functools import cache

import hostile
import numpy as np
import pytest
from hostile import ordinary
from public import estimators
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sklearn_nrcdt._estimators.image_filter import ImageFilter

IMAGES, NOT_IMAGES = hostile.images(), hostile.not_images()
FUNCTIONS = hostile.functions()
every_estimator = pytest.mark.parametrize("kind", estimators().values(), ids=lambda k: k.__name__)
# Ours, about images that are blank, on bright paper, or of one colour; never NumPy's.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def answer(fitted, X):
    methods = ("transform", "decision_function", "predict")
    result = getattr(fitted, next(name for name in methods if hasattr(fitted, name)))(X)
    return result.toarray() if hasattr(result, "toarray") else np.asarray(result)


@cache
def takes_features(kind):
    """Classifiers of features refuse stacks; they get the pixels as features."""
    try:
        kind().fit(ordinary(), [0, 0, 0, 1, 1, 1])
    except ValueError:
        return True
    return False


def fits(kind, params, stack):
    """Return a fitted estimator and its input: the stack twice and more, with labels."""
    X = np.concatenate([stack, stack[::-1]])
    X = X.reshape(len(X), -1) if takes_features(kind) else X
    return kind(**params).fit(X, np.arange(len(X)) % 2), X


def attempt(call):
    """Return the result of a call, and what is wrong about it; an error that helps is fine."""
    try:
        return call(), None
    except (ValueError, TypeError) as error:
        return None, None if len(str(error)) > 15 else f"says only {error!r}"
    except Exception as error:
        return None, repr(error)


@every_estimator
def test_degenerate_images(kind):
    features = hasattr(kind, "transform") and not issubclass(kind, ImageFilter)
    wrong = {}
    for k, params in enumerate(hostile.variants(kind)):
        # Other options than the default ones meet a fourth of the images, each another one.
        some = slice(None) if k == 0 or hostile.EXTENDED else slice(k % 4, None, 4)
        for name, image in list(IMAGES.items())[some]:
            stack = np.stack([image, image[::-1, ::-1]])
            before = stack.copy()
            fitted, fault = attempt(lambda: fits(kind, params, stack))  # noqa: B023
            if fitted:
                model, X = fitted[0], fitted[1][:2]  # the others are the same
                result, fault = attempt(lambda: answer(model, X))  # noqa: B023
            if fitted and result is not None:
                if result.dtype.kind == "f" and not np.isfinite(result).all():
                    fault = "not finite"
                elif len(result) != 2:
                    fault = f"{len(result)} results for 2 images"
                elif not np.array_equal(stack, before):
                    fault = "changes its input"
                elif features and not np.array_equal(result.any(axis=1), X.any(axis=(1, 2))):
                    fault = "zeros that are not blank, or numbers that are"
            if fault:
                wrong[name, *params.items()] = fault
    assert not wrong


@every_estimator
def test_things_that_are_no_images(kind):
    features, wrong = takes_features(kind), {}
    fitted = fits(kind, {}, ordinary(3))[0]
    for name, thing in NOT_IMAGES.items():
        if features and name in ("negative", "sparse, negative"):
            continue
        for call in (lambda X: kind().fit(X, [0, 1, 0]), lambda X: answer(fitted, X)):
            result, fault = attempt(lambda: call(thing))  # noqa: B023
            if fault or result is not None:
                wrong[name] = fault or "is accepted"
    assert not wrong


@every_estimator
def test_all_that_can_be_asked(kind):
    """Methods besides the one of `answer`, fitted to ordinary images."""
    fitted, wrong = fits(kind, {}, ordinary(3))[0], {}
    left_out = {"fit", "fit_transform", "score", "inverse_transform"}
    left_out |= {"transform", "decision_function"}  # of `answer`
    for method, function in inspect.getmembers(kind, inspect.isfunction):
        names = list(inspect.signature(function).parameters)
        if method[0] == "_" or method in left_out or names[1:2] != ["X"]:
            continue
        things = {name: image[None] for name, image in IMAGES.items()} | NOT_IMAGES
        if takes_features(kind):
            things = {
                k: v.reshape(1, -1) for k, v in things.items() if k in IMAGES and v.size == 144
            }
        for name, thing in things.items():
            result, fault = attempt(lambda: getattr(fitted, method)(thing))  # noqa: B023
            parts = list(result.values()) if isinstance(result, dict) else result
            for part in parts if isinstance(parts, list | tuple) else [parts]:
                if name in NOT_IMAGES and result is not None:
                    fault = "is accepted"
                elif isinstance(part, np.ndarray) and part.dtype.kind == "f":
                    fault = fault or (None if np.isfinite(part).all() else "not finite")
            if fault:
                wrong[method, name] = fault
    assert not wrong


@every_estimator
def test_things_that_are_no_labels(kind):
    if not hasattr(kind, "predict"):
        pytest.skip("it takes no labels")
    X, wrong = fits(kind, {}, ordinary(3))[1], {}
    for name, labels in hostile.not_labels().items():
        fitted, fault = attempt(lambda: kind().fit(X, labels))  # noqa: B023
        if fault or fitted is not None:
            wrong[name] = fault or "is accepted"
    assert not wrong


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_of_functions(name):
    function, good = FUNCTIONS[name]
    left_out = {*hostile.IMAGES, "path", "font", "transformer"}  # others tell what they are
    wrong = {}
    for parameter in inspect.signature(function).parameters.keys() - left_out:
        for value in hostile.values():
            _, fault = attempt(lambda: function(**good | {parameter: value}))  # noqa: B023
            if fault:
                wrong[parameter, str(value)] = fault
    assert not wrong


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_images(name):
    function, more = FUNCTIONS[name]
    given = next((k for k in inspect.signature(function).parameters if k in hostile.IMAGES), None)
    if given is None:
        pytest.skip("it takes no images")
    stacks = {name: np.stack([image, image[::-1]]) for name, image in IMAGES.items()}
    wrong = {}
    for case, thing in (hostile.not_images() | stacks).items():
        before = thing.copy() if isinstance(thing, np.ndarray) else None
        result, fault = attempt(lambda: function(**more | {given: thing}))  # noqa: B023
        if case not in stacks:
            if result is not None and case not in hostile.ACCEPTED.get(function.__name__, ()):
                fault = "is accepted"
        elif isinstance(result, np.ndarray) and not np.isfinite(result).all():
            fault = "not finite"
        elif not np.array_equal(thing, before):
            fault = "changes its input"
        if fault:
            wrong[case] = fault
    assert not wrong


# --- states -------------------------------------------------------------------------------


@every_estimator
def test_before_fit(kind):
    stateless = kind().__sklearn_tags__().requires_fit is False
    for estimator in (kind(), clone(kind()), pickle.loads(pickle.dumps(kind()))):
        X = ordinary()
        X = X.reshape(len(X), -1) if takes_features(kind) else X
        if stateless:
            answer(estimator, X)
        else:
            with pytest.raises(NotFittedError):
                answer(estimator, X)


@every_estimator
def test_a_failed_fit_changes_nothing(kind):
    fitted, X = fits(kind, {}, ordinary(3))
    expected, before = answer(fitted, X), set(vars(fitted))
    for bad in (X * np.nan, X[:, :0], "scans", X[:0]):
        with pytest.raises((ValueError, TypeError)):
            fitted.fit(bad, np.arange(len(X)) % 2)
    if hasattr(kind, "predict"):
        with pytest.raises((ValueError, TypeError)):
            fitted.fit(X, [0, 1])
    assert set(vars(fitted)) == before
    np.testing.assert_array_equal(answer(fitted, X), expected)


@every_estimator
def test_options_changed_after_fit(kind):
    fitted, X = fits(kind, {}, ordinary(3))
    used, wrong = "predict" if hasattr(kind, "predict") else "transform", {}
    for name, values in hostile.options(kind).items():
        for value in [*values, "nonsense", None, -1, [], np.nan]:
            changed = pickle.loads(pickle.dumps(fitted)).set_params(**{name: value})
            result, fault = attempt(lambda: answer(changed, X))  # noqa: B023
            if fault or (result is not None and not np.isfinite(result).all()):
                wrong[name, value] = fault or "not finite"
        with pytest.raises(ValueError, match=name):
            getattr(changed.set_params(**{name: "nonsense"}), used)(X)
    assert not wrong


@every_estimator
def test_parameters_of_other_kinds_are_refused_or_work(kind):
    X = fits(kind, {}, ordinary(3))[1]
    wrong = {}
    for name in set(kind().get_params()) - {"n_jobs", "verbose"}:
        for value in (*hostile.values(), 2**70):
            given = kind(**{name: value})
            y = np.arange(len(X)) % 2
            _, fault = attempt(lambda: answer(given.fit(X, y), X[:2]))  # noqa: B023
            if fault:
                wrong[name, str(value)] = fault
    assert not wrong


def test_the_adversary_is_awake():
    """What it would find: results that are not finite, that change, and that blame nobody."""
    assert len(IMAGES) > 30
    assert len(NOT_IMAGES) > 35
    assert len(estimators()) > 10
    assert len(FUNCTIONS) > 5
