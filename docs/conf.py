"""Configuration of the documentation: ``python -m sphinx -W -b html docs docs/_build/html``."""

import os
import sys
from pathlib import Path

# Before NumPy is loaded: examples run on one core, where threads would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from sphinx_gallery.sorting import ExplicitOrder

import sklearn_nrcdt

sys.path.insert(0, str(Path(__file__).parent / "_ext"))  # our own extensions

project = "sklearn-nrcdt"
author = "The sklearn-nrcdt developers"
copyright = "the sklearn-nrcdt developers, BSD-3-Clause"
version = release = sklearn_nrcdt.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "inherited_docs",
    "code_links",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]

# examples/ becomes auto_examples/, where each example is a page with its pictures.
exclude_patterns = ["_build", "_ext", "_tables", "examples"]
templates_path = ["_templates"]

# Names in single backticks are links where the name is ours, and code otherwise.
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!sklearn_nrcdt).*")]

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # the descriptions of the parameters have them
autodoc_preserve_defaults = True  # np.float32, not <class 'numpy.float32'>
# In the contents of a page, methods go without the name of their class, which would be cut.
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "pydata_sphinx_theme"
html_title = "sklearn-nrcdt"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_use_index = False  # no page links to it; the API reference lists everything
html_theme_options = {
    "logo": {"text": "sklearn-nrcdt"},
    "header_links_before_dropdown": 5,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
}
# Pages without others below them need no navigation on the left.
html_sidebars = {
    page: []
    for page in (
        "index",
        "install",
        "quickstart",
        "desk",
        "commands",
        "changelog",
        "contributing",
        "maintaining",
    )
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

ORDER = [
    "plot_tour.py",
    "plot_one_shot.py",
    "plot_contours.py",
    "plot_one_template.py",
    "plot_invariance.py",
    "plot_silhouettes.py",
    "plot_digits.py",
    "plot_swap.py",
    "plot_retrieval.py",
    "plot_catalogue.py",
    "plot_rejection.py",
    "plot_scans.py",
    "plot_clustering.py",
    "plot_grid_search.py",
    "plot_certificates.py",
    "plot_interpolation.py",
    "plot_morphometry.py",
]
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "auto_examples",
    "within_subsection_order": ExplicitOrder([*ORDER, "*"]),
    "doc_module": ("sklearn_nrcdt",),
    "backreferences_dir": "generated/backreferences",
    "reference_url": {"sklearn_nrcdt": None},
    "abort_on_example_error": True,
    "reset_modules": ("matplotlib", "strict_examples.reset"),
    "reset_modules_order": "both",
    "image_srcset": ["2x"],
    "remove_config_comments": True,
    "show_signature": False,
    "min_reported_time": float("inf"),
    "write_computation_times": False,
    "download_all_examples": False,
}
