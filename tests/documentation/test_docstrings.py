"""The documentation of all that is public."""

import inspect

import pytest
from public import things

# numpydoc checks that we do not follow: long summaries and See Also everywhere (ES01, SA01),
# return values without a name (RT02), where scikit-learn gives one, and an empty first line
# (GL01), which older versions of numpydoc ask for.
NO_RULES = {"ES01", "SA01", "RT02", "GL01"}


def public_methods():
    for name, thing in things().items():
        if inspect.isclass(thing):
            for method, function in inspect.getmembers(thing, callable):
                ours = str(getattr(function, "__module__", "")).startswith("sklearn_nrcdt")
                if ours and not method.startswith("_"):
                    yield f"{name}.{method}"


def complaints(name, no_rules):
    validate = pytest.importorskip("numpydoc.validate")
    errors = validate.validate(name)["errors"]
    return [f"{code}: {text}" for code, text in errors if code not in no_rules]


def test_everything_public_is_found():
    assert {"sklearn_nrcdt.MaxNRCDT", "sklearn_nrcdt.datasets.make_symbols"} <= set(things())
    assert "sklearn_nrcdt.MaxNRCDT.transform" in public_methods()
    assert "sklearn_nrcdt.search.DrawingSearch.kneighbors" in public_methods()


@pytest.mark.parametrize("name", list(things()))
def test_docstring(name):
    # Among other things: parameters are those of the signature, in order, and there is an
    # example; that examples run is a matter of doctest.
    assert complaints(name, NO_RULES) == []


@pytest.mark.parametrize("name", list(public_methods()))
def test_docstring_of_method(name):
    assert complaints(name, NO_RULES | {"EX01"}) == []
