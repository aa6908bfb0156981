"""Our public names in the text of the pages become links to the API reference."""

import re

from docutils import nodes
from sphinx import addnodes

import sklearn_nrcdt
from sklearn_nrcdt import datasets, display, guarantees, preprocessing, search

MODULES = (sklearn_nrcdt, preprocessing, guarantees, display, datasets, search)
TARGETS = {
    name: f"{module.__name__}.{name}"
    for module in MODULES
    for name in module.__all__
    if not name.startswith("_")
}
# `MeanNRCDT`, and `MeanNRCDT(weighting="precision")`, and `RadonCDT.inverse_transform`.
CODE = re.compile(r"(?P<name>\w+)(?P<method>\.\w+)?(\(.*\))?$", re.DOTALL)

LONG = 24  # characters


def link(app, doctree):
    """Wrap code that is one of our names into a reference."""
    page = app.env.docname
    for code in list(doctree.findall(nodes.literal)):
        found = CODE.match(code.astext())
        inside = isinstance(code.parent, nodes.reference | addnodes.pending_xref | nodes.title)
        if not found or inside or found["name"] not in TARGETS:
            continue
        target = TARGETS[found["name"]] + (found["method"] or "")
        reference = addnodes.pending_xref(
            "", refdomain="py", reftype="obj", reftarget=target, refdoc=page, refexplicit=True
        )
        code.replace_self(reference)
        reference += code


def mark(app, doctree):
    """Mark code with words that do not fit on a phone; site.css breaks them, and no others."""
    for code in doctree.findall(nodes.literal):
        if max(map(len, code.astext().split()), default=0) > LONG:
            code["classes"].append("long")


def setup(app):
    """Take part in the build."""
    app.connect("doctree-read", link)
    app.connect("doctree-read", mark)
    return {"parallel_read_safe": True}
