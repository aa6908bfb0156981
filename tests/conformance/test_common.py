"""scikit-learn's own checks, those of the common set and those that must be called by name."""

import pytest
from public import estimators
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_nrcdt import (
    MaxNRCDT,
    MeanNRCDT,
    NearestTemplateClassifier,
    ShapeClassifier,
)
from sklearn_nrcdt._estimators import shape_classifier
from sklearn_nrcdt.preprocessing import Invert

ELSEWHERE = {"DrawingSearch"}  # tests/search/test_drawing_search.py
# Fewer columns have names, types and containers just as well.
FEW = {"n_angles": 8, "n_quantiles": 4, "n_harmonics": 2}


def small(kind):
    params = {name: value for name, value in FEW.items() if name in kind().get_params()}
    return kind(**params)


# One of every class, and those that take other ways through the code.
ESTIMATORS = [small(kind) for name, kind in estimators().items() if name not in ELSEWHERE]
VARIANTS = [
    MaxNRCDT(n_angles=7, n_radii=50, n_quantiles=5, n_jobs=2),
    MeanNRCDT(8, weighting="precision"),
    NearestTemplateClassifier("manhattan"),
]
TRANSFORMERS = [estimator for estimator in ESTIMATORS if hasattr(estimator, "transform")]
CLASSIFIERS = [estimator for estimator in ESTIMATORS if hasattr(estimator, "predict")]

# The checks feed rows of 2, 3, 5 or 10 numbers and blank rows; both are reported.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Rows of .* pixels are not square images:UserWarning"),
    pytest.mark.filterwarnings("ignore::sklearn_nrcdt.BlankImageWarning"),
    # Of two features, two components are all.
    pytest.mark.filterwarnings("ignore:The subspaces of .* classes fill the space:UserWarning"),
    # Some checks mix data frames and arrays on purpose.
    pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning"),
    pytest.mark.filterwarnings("ignore:X has feature names, but:UserWarning"),
]


@pytest.fixture(autouse=True)
def _match_few_shapes(monkeypatch, few_blobs):
    """Fewer samples and candidates take the same way through the code."""
    monkeypatch.setattr(shape_classifier.matching, "N_CANDIDATES", 3)
    monkeypatch.setattr(shape_classifier, "N_PROBES_OF_CLASSES", 4)
    monkeypatch.setattr(shape_classifier, "N_SAMPLES", 20)


@parametrize_with_checks(ESTIMATORS + VARIANTS)
def test_common_checks(estimator, check):
    again = ("sparse_matrix", "array_api")
    if isinstance(estimator, ShapeClassifier) and any(kind in repr(check) for kind in again):
        pytest.skip("a second of what other checks pass: sparse arrays, and NumPy's own")
    check(estimator)


@pytest.mark.parametrize("estimator", TRANSFORMERS, ids=repr)
@pytest.mark.parametrize(
    "name",
    [
        "check_param_validation",
        "check_transformer_get_feature_names_out",
        "check_transformer_get_feature_names_out_pandas",
        "check_get_feature_names_out_error",
        "check_set_output_transform",
    ],
)
def test_further_transformer_checks(estimator, name):
    getattr(estimator_checks, name)(type(estimator).__name__, estimator)


# What the base classes do for all of their transformers.
@pytest.mark.parametrize("estimator", [MaxNRCDT(8), Invert()], ids=repr)
@pytest.mark.parametrize(
    "name",
    [
        "check_set_output_transform_pandas",
        "check_global_set_output_transform_polars",
        "check_dataframe_column_names_consistency",
    ],
)
def test_checks_of_base_classes(estimator, name):
    getattr(estimator_checks, name)(type(estimator).__name__, estimator)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_parameters_of_classifiers(estimator):
    estimator_checks.check_param_validation(type(estimator).__name__, estimator)


def test_columns_of_classifiers():
    name, estimator = "NearestTemplateClassifier", NearestTemplateClassifier()
    estimator_checks.check_dataframe_column_names_consistency(name, estimator)
