"""The test losses along the paths of the folds against fits at single regularizations, on random tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import ShuffleSplit

from optitree import Binarizer, OptimalTreeRegressor, OptimalTreeRegressorCV
from optitree.solver.solution import geometric_mean

TABLES = 25
TRIED = 6  # intervals of each table


def random_table(rng):
    """Numbers, whole numbers with ties, text and missing values; a target with ties or far from zero."""
    rows = int(rng.integers(12, 40))
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=rows).round(int(rng.integers(0, 3))),
            "b": rng.integers(0, 3, rows).astype(float),
            "c": rng.choice(["x", "y", "z"], rows),
        }
    )
    frame.loc[rng.random(rows) < 0.15, "a"] = np.nan
    frame.loc[rng.random(rows) < 0.15, "c"] = None
    y = frame["b"] + (frame["c"] == "x") + rng.normal(size=rows)
    y = [y, y.round(), y + 1e6][rng.integers(3)].to_numpy()
    weight = [None, rng.integers(1, 4, rows), rng.exponential(size=rows) + 0.01][rng.integers(3)]
    return frame, y, weight


@pytest.mark.parametrize("seed", range(TABLES))
def test_test_loss_path_is_what_naive_refits_give(seed):
    rng = np.random.default_rng(seed)
    X, y, weight = random_table(rng)
    splitter = ShuffleSplit(3, test_size=0.3, random_state=seed)
    parameters = {
        "max_depth": int(rng.integers(1, 4)),
        "min_samples_leaf": int(rng.integers(1, 3)),
        "binarizer": Binarizer(max_thresholds=int(rng.integers(1, 4))),
    }
    model = OptimalTreeRegressorCV(cv=splitter, **parameters).fit(X, y, sample_weight=weight)
    for at in rng.choice(len(model.regularizations_), min(TRIED, len(model.regularizations_)), replace=False):
        regularization = geometric_mean(*model.regularizations_[at])
        for k, (train, test) in enumerate(splitter.split(X)):
            depth = model.cv_results_["max_depth"][at]
            alone = OptimalTreeRegressor(regularization, **{**parameters, "max_depth": int(depth)})
            alone.fit(X.iloc[train], y[train], sample_weight=None if weight is None else weight[train])
            predicted = alone.predict(X.iloc[test])
            loss = mean_squared_error(y[test], predicted, sample_weight=None if weight is None else weight[test])
            assert model.test_loss_path_[at, k] == pytest.approx(loss, rel=1e-7, abs=1e-9)
    assert model.choice_status_ == model.status_ == "optimal"
    parameters["max_depth"] = model.best_estimator_.max_depth
    alone = OptimalTreeRegressor(model.regularization_, **parameters).fit(X, y, sample_weight=weight)
    assert model.objective_ == pytest.approx(alone.objective_, abs=1e-11)
