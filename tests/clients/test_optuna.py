"""optuna, optuna-integration: a study with a custom objective, and OptunaSearchCV."""

import pytest
from sklearn.model_selection import cross_val_score

optuna = pytest.importorskip("optuna", reason="optuna is in the group 'clients'")


@pytest.fixture(autouse=True)
def quiet():
    optuna.logging.set_verbosity(optuna.logging.WARNING)


def test_study(digits, model):
    def objective(trial):
        model.set_params(
            maxnrcdt__n_angles=trial.suggest_int("n_angles", 1, 16, log=True),
            nearesttemplateclassifier__metric=trial.suggest_categorical(
                "metric", ["euclidean", "manhattan"]
            ),
        )
        return cross_val_score(model, *digits, cv=3, error_score="raise").mean()

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=6)
    assert study.best_value > 0.9
    assert len(study.trials) == 6


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.filterwarnings("ignore:`optuna:FutureWarning")
def test_search(digits, model):
    integration = pytest.importorskip(
        "optuna_integration", reason="optuna-integration is in the group 'clients'"
    )
    search = integration.OptunaSearchCV(
        model,
        {"maxnrcdt__n_angles": optuna.distributions.IntDistribution(1, 16)},
        cv=3,
        n_trials=4,
        random_state=0,
        error_score="raise",
    )
    X, y = digits
    assert search.fit(X, y).best_score_ > 0.9
    assert search.predict(X).shape == y.shape
