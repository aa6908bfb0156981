"""scikit-learn's own checks, those of the common set and those that must be called by name."""

import pytest
from sklearn.base import clone
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_nrcdt import (
    NRCDT,
    InvariantHOG,
    MaxNRCDT,
    MeanNRCDT,
    NearestSubspaceClassifier,
    NearestTemplateClassifier,
    RadonCDT,
    SpectralNRCDT,
)
from sklearn_nrcdt.preprocessing import (
    Despeckle,
    FlattenIllumination,
    Invert,
    OrientedRidges,
    RemoveBackground,
    SuppressLines,
)

TRANSFORMERS = [
    RadonCDT(),
    RadonCDT(scaling="wasserstein"),
    NRCDT(),
    MaxNRCDT(),
    MaxNRCDT(n_angles=7, n_radii=50, n_quantiles=5),
    MaxNRCDT(n_jobs=2),
    MeanNRCDT(),
    MeanNRCDT(weighting="precision"),
    SpectralNRCDT(keep="circle"),
    SpectralNRCDT(),
    SpectralNRCDT(reflection="ignore"),
    InvariantHOG(),
    InvariantHOG("similarity", keep="filters", n_filters=50, reflection="ignore"),
    InvariantHOG("slant", n_jobs=2),
    InvariantHOG("scale", keep="circle", n_cells=16),
    Despeckle(),
    Despeckle(2, threshold=0.3, connectivity=1, n_jobs=2),
    Invert(),
    Invert(3.5),
    RemoveBackground(),
    RemoveBackground("median", subtract=True),
    RemoveBackground(0.2),
    FlattenIllumination(),
    SuppressLines(),
    SuppressLines(30.0, deskew=True),
    OrientedRidges(),
    OrientedRidges(keep="all", n_orientations=2),
]
CLASSIFIERS = [
    NearestTemplateClassifier(),
    NearestTemplateClassifier("chebyshev"),
    NearestTemplateClassifier("manhattan", n_jobs=2),
    NearestSubspaceClassifier(),
    NearestSubspaceClassifier(1),
    NearestSubspaceClassifier(0.9),
    NearestSubspaceClassifier(None),
]

# The checks feed rows of 2, 3, 5 or 10 numbers and blank rows; both are reported.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Rows of .* pixels are not square images:UserWarning"),
    pytest.mark.filterwarnings("ignore:.* of the images have no mass:UserWarning"),
    # Of two features, two components are all.
    pytest.mark.filterwarnings("ignore:The subspaces of .* classes fill the space:UserWarning"),
    # Some checks mix data frames and arrays on purpose.
    pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning"),
    pytest.mark.filterwarnings("ignore:X has feature names, but:UserWarning"),
]


@parametrize_with_checks(TRANSFORMERS + CLASSIFIERS)
def test_common_checks(estimator, check):
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
        "check_set_output_transform_pandas",
        "check_set_output_transform_polars",
        "check_global_output_transform_pandas",
        "check_global_set_output_transform_polars",
        "check_dataframe_column_names_consistency",
    ],
)
def test_further_transformer_checks(estimator, name):
    if hasattr(estimator, "n_angles"):
        # Fewer columns have names and containers just as well.
        estimator = clone(estimator).set_params(n_angles=min(estimator.n_angles, 8))
    getattr(estimator_checks, name)(type(estimator).__name__, estimator)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
@pytest.mark.parametrize(
    "name", ["check_param_validation", "check_dataframe_column_names_consistency"]
)
def test_further_classifier_checks(estimator, name):
    getattr(estimator_checks, name)(type(estimator).__name__, estimator)
