"""skops: a saved ensemble; only our and scikit-learn's types need to be trusted."""

import numpy as np
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.pipeline import make_pipeline

from sklearn_nrcdt import InvariantHOG, NearestSubspaceClassifier

skops_io = pytest.importorskip("skops.io", reason="skops is in the group 'clients'")


def test_an_ensemble(digits, model, tmp_path):
    X, y = digits
    other = make_pipeline(InvariantHOG(), NearestSubspaceClassifier(2))
    voters = VotingClassifier([("templates", model), ("hog", other)], voting="soft").fit(X, y)
    file = tmp_path / "model.skops"
    skops_io.dump(voters, file)
    unknown = skops_io.get_untrusted_types(file=file)
    assert all(name.startswith(("sklearn_nrcdt.", "sklearn.")) for name in unknown)
    loaded = skops_io.load(file, trusted=unknown)
    np.testing.assert_array_equal(loaded.predict_proba(X), voters.predict_proba(X))
