"""The paper's features and ours."""

from benchmarks.accuracy.methods import Features
from sklearn_nrcdt import InvariantHOG, MaxNRCDT, MeanNRCDT, SpectralNRCDT

# Bent copies of each training image, which help where shapes vary within a class.
COPIES = 50


def _features(name, family, estimator, **options):
    return Features(name, family, make=lambda: estimator.fit_transform, **options)


def methods():
    """Return the methods, each an estimator of the package."""
    aligned = {"nearest": "aligned 1-NN"}
    copies = {"copies": COPIES, "only_bent": True}
    return [
        _features("MaxNRCDT", "paper", MaxNRCDT()),
        _features("MeanNRCDT", "paper", MeanNRCDT()),
        _features("MeanNRCDT, precision", "ours", MeanNRCDT(weighting="precision")),
        _features("SpectralNRCDT", "ours", SpectralNRCDT()),
        _features("SpectralNRCDT, aligned", "ours", SpectralNRCDT(keep="circle"), **aligned),
        _features("InvariantHOG", "ours", InvariantHOG()),
        _features("InvariantHOG, copies", "ours", InvariantHOG(), skip=_solved, **copies),
        _features("InvariantHOG, filters", "ours", InvariantHOG(keep="filters")),
        _features("InvariantHOG, aligned", "ours", InvariantHOG(keep="circle"), **aligned),
        _features("InvariantHOG, similarity", "ours", InvariantHOG("similarity")),
        _features("InvariantHOG, slant", "ours", InvariantHOG("slant"), skip=_not_upright),
        _features(
            "InvariantHOG, slant, copies",
            "ours",
            InvariantHOG("slant"),
            skip=_not_upright,
            **copies,
        ),
        _features("InvariantHOG, scale", "ours", InvariantHOG("scale"), skip=_not_upright),
    ]


def _not_upright(task):
    return not task.upright


def _solved(task):
    """Tasks that our features solve without copies."""
    return task.despeckled or (task.many_classes and not task.bends)
