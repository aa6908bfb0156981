"""Links from the HTML view of an estimator to its page in the API reference."""

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata


@cache
def documentation_url():
    """Return the address of the documentation from the package's metadata, or None.

    It is the entry "Documentation" of ``[project.urls]`` in ``pyproject.toml``.
    """
    try:
        entries = metadata("sklearn-nrcdt").get_all("Project-URL", [])
    except PackageNotFoundError:  # run from a folder, not installed
        return None
    urls = {label.strip().lower(): url for label, _, url in (e.partition(",") for e in entries)}
    return urls["documentation"].strip().rstrip("/") if "documentation" in urls else None


class DocLinkMixin:
    """Tell scikit-learn where the pages of our estimators are.

    In the HTML view, the question mark then leads to the estimator's page and the names of
    parameters lead to their descriptions. Without a known address there are no links.
    """

    @property
    def _doc_link_module(self):
        # scikit-learn makes links for classes of this module only.
        return "sklearn_nrcdt" if documentation_url() else "sklearn"

    @property
    def _doc_link_template(self):
        return f"{documentation_url()}/generated/{{estimator_module}}.{{estimator_name}}.html"
