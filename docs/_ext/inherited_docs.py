"""What scikit-learn's own docstrings say, without references to its site."""

import re

REFERENCE = re.compile(r":(?:ref|term):`([^`<]+?)(?:\s*<[^`>]*>)?`")


def unlink(app, what, name, obj, options, lines):
    """Replace references to scikit-learn's user guide and glossary by their text."""
    if getattr(obj, "__module__", "").startswith("sklearn."):
        text = "\n".join(lines)
        # An example of scikit-learn's gallery is of no use without the link.
        text = re.sub(r"\s+and\s+:ref:`sphx_glr_[^`]*`\s+for an\s+example[^.]*", "", text)
        lines[:] = REFERENCE.sub(r"\1", text).split("\n")


def setup(app):
    """Take part in the build, before numpydoc does."""
    app.connect("autodoc-process-docstring", unlink, priority=100)
    return {"parallel_read_safe": True}
