"""Warnings in an example are faults of the example: they stop the build, as its errors do."""

import warnings

_inside = []


def reset(gallery_conf, name, when):
    """Called by sphinx-gallery before and after each example."""
    if when == "before":
        _inside.append(warnings.catch_warnings())
        _inside[-1].__enter__()
        warnings.simplefilter("error")
        # What plt.show() says where there is no screen.
        warnings.filterwarnings("ignore", message=".*is non-interactive")
    elif _inside:
        _inside.pop().__exit__(None, None, None)
