"""The documentation of all that is public, and the links to it."""

import importlib
import inspect
from email.message import Message
from importlib.metadata import PackageNotFoundError

import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr
from sklearn.utils.fixes import parse_version

from sklearn_nrcdt import MaxNRCDT, NearestTemplateClassifier
from sklearn_nrcdt._support import doclink
from sklearn_nrcdt.preprocessing import Despeckle

MODULES = [
    "sklearn_nrcdt",
    "sklearn_nrcdt.datasets",
    "sklearn_nrcdt.preprocessing",
    "sklearn_nrcdt.search",
    "sklearn_nrcdt.guarantees",
    "sklearn_nrcdt.display",
]
# What of numpydoc's checks is no rule here: long summaries and See Also everywhere (ES01,
# SA01), return values without a name (RT02), where scikit-learn gives one, and an empty first
# line (GL01), which older versions of numpydoc ask for.
NO_RULES = {"ES01", "SA01", "RT02", "GL01"}


def public():
    """Full names of all public classes and functions, and what they are."""
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing):
                yield f"{module.__name__}.{name}", thing


def public_methods():
    for name, thing in public():
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
    names = [name for name, _ in public()]
    assert "sklearn_nrcdt.MaxNRCDT" in names
    assert "sklearn_nrcdt.guarantees.RadiusReport" in names
    assert "sklearn_nrcdt.MaxNRCDT.transform" in public_methods()
    assert "sklearn_nrcdt.display.HeatmapDisplay.from_search" in public_methods()


@pytest.mark.parametrize("name", [name for name, _ in public()])
def test_docstring(name):
    # Among other things: parameters are those of the signature, in order, and there is an
    # example; that examples run is a matter of doctest.
    assert complaints(name, NO_RULES) == []


@pytest.mark.parametrize("name", list(public_methods()))
def test_docstring_of_method(name):
    assert complaints(name, NO_RULES | {"EX01"}) == []


# The HTML view of estimators


def estimators():
    return [
        thing
        for _, thing in public()
        if inspect.isclass(thing) and issubclass(thing, BaseEstimator)
    ]


@pytest.fixture
def site(monkeypatch):
    monkeypatch.setattr(doclink, "documentation_url", lambda: "https://docs.invalid/nrcdt")


@pytest.mark.parametrize("estimator", estimators())
def test_link_to_the_api_page(estimator, site):
    name = next(name for name, thing in public() if thing is estimator)
    assert estimator()._get_doc_link() == f"https://docs.invalid/nrcdt/generated/{name}.html"


def test_html_view_links_and_explains_parameters(site):
    steps = {
        "preprocessing.Despeckle": Despeckle(),
        "MaxNRCDT": MaxNRCDT(),
        "NearestTemplateClassifier": NearestTemplateClassifier(),
    }
    html = estimator_html_repr(make_pipeline(*steps.values()))
    for name, step in steps.items():
        page = f'href="https://docs.invalid/nrcdt/generated/sklearn_nrcdt.{name}.html'
        assert f'{page}"' in html
        if parse_version(sklearn.__version__) >= parse_version("1.8"):
            # A link to the very line of the docstring, and the docstring's text as a hint.
            for parameter in step.get_params():
                assert f"{page}#:~:text={parameter},-" in html
    if parse_version(sklearn.__version__) >= parse_version("1.8"):
        assert "What to do about blank images." in html


def test_no_address_no_link(monkeypatch):
    monkeypatch.setattr(doclink, "documentation_url", lambda: None)
    html = estimator_html_repr(make_pipeline(MaxNRCDT(), NearestTemplateClassifier()))
    assert "sklearn_nrcdt.MaxNRCDT.html" not in html
    assert "None/" not in html


@pytest.mark.parametrize(
    ("entries", "url"),
    [
        (None, None),
        ([], None),
        (["Homepage, https://a.invalid"], None),
        (
            ["Homepage, https://a.invalid", "Documentation, https://b.invalid/c/"],
            "https://b.invalid/c",
        ),
    ],
)
def test_address_is_that_of_the_metadata(monkeypatch, entries, url):
    def metadata(name):
        assert name == "sklearn-nrcdt"
        if entries is None:
            raise PackageNotFoundError
        message = Message()
        for entry in entries:
            message["Project-URL"] = entry
        return message

    monkeypatch.setattr(doclink, "metadata", metadata)
    # Without the cache, which belongs to the real metadata.
    assert doclink.documentation_url.__wrapped__() == url


def test_subclasses_of_users_have_no_page(site):
    class Own(MaxNRCDT):
        pass

    assert Own()._get_doc_link() == ""
