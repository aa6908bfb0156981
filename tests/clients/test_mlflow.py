"""mlflow-skinny: models logged to a local folder and loaded, as scikit-learn's and as functions."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("mlflow", reason="mlflow-skinny is in the group 'clients'")
skops_io = pytest.importorskip("skops.io", reason="skops is in the group 'clients'")
import mlflow  # noqa: E402
import mlflow.sklearn  # noqa: E402


# About a function of its own.
@pytest.mark.filterwarnings("ignore:.*Any type hint is inferred as AnyType:UserWarning")
@pytest.mark.parametrize("form", ["skops", "cloudpickle"])
def test_log_and_load(digits, model, form, tmp_path, monkeypatch):
    X, y = digits
    model.fit(X, y)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # its authors prefer a database
    mlflow.set_tracking_uri((tmp_path / "store").as_uri())
    with mlflow.start_run():
        mlflow.log_metric("accuracy", model.score(X, y))
        logged = mlflow.sklearn.log_model(
            model,
            name="model",
            serialization_format=form,
            # What skops does not know, it wants to be told to trust.
            skops_trusted_types=skops_io.get_untrusted_types(data=skops_io.dumps(model)),
        )
    loaded = mlflow.sklearn.load_model(logged.model_uri)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    function = mlflow.pyfunc.load_model(logged.model_uri)
    np.testing.assert_array_equal(function.predict(pd.DataFrame(X)), model.predict(X))
