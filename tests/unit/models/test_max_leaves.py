"""A limit on the number of leaves, from the estimator's side; tests/property compares with every tree there is."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from optitree import LimitWarning, OptimalTreeRegressor, load

from ..endless import endless, run


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    return X[["bmi", "bp", "s5", "age"]], y


def test_the_loss_falls_with_the_leaves_and_the_limit_is_kept(diabetes):
    models = [OptimalTreeRegressor(0, max_leaves=k, max_depth=4).fit(*diabetes) for k in range(1, 8)]
    assert [model.n_leaves_ for model in models] == list(range(1, 8))
    assert all(model.status_ == "optimal" and model.gap_ == 0 for model in models)
    losses = [model.loss_ for model in models]
    assert losses == sorted(losses, reverse=True)


def test_a_limit_that_does_not_bind_changes_nothing(diabetes):
    free = OptimalTreeRegressor(0.02).fit(*diabetes)
    for limit in (free.n_leaves_, free.n_leaves_ + 3, 10**12):
        limited = OptimalTreeRegressor(0.02, max_leaves=limit).fit(*diabetes)
        assert limited.tree_ == free.tree_
        assert limited.objective_ == pytest.approx(free.objective_)


def test_the_price_of_a_leaf_counts_within_the_limit(diabetes):
    model = OptimalTreeRegressor(0.03, max_leaves=3).fit(*diabetes)
    assert model.n_leaves_ <= 3
    assert model.objective_ == pytest.approx(model.loss_ / model.root_loss_ + 0.03 * model.n_leaves_)


def test_threads_change_nothing(diabetes):
    one, two = (OptimalTreeRegressor(0, max_leaves=9, max_depth=5, n_jobs=n).fit(*diabetes) for n in (1, 2))
    assert one.tree_ == two.tree_


def test_the_limit_is_saved_with_the_model(diabetes, tmp_path):
    model = OptimalTreeRegressor(0, max_leaves=4).fit(*diabetes)
    model.save(tmp_path / "tree.json")
    assert load(tmp_path / "tree.json").get_params()["max_leaves"] == 4


@pytest.mark.parametrize("regularization", [0, 1e-4])
def test_a_time_limit_leaves_a_tree_within_the_limit_and_a_valid_bound(regularization):
    X, y = endless()
    model = OptimalTreeRegressor(regularization, max_leaves=12, time_limit=0.5)
    with pytest.warns(LimitWarning):
        model.fit(X, y)
    assert model.status_ == "time_limit"
    assert 1 < model.n_leaves_ <= 12
    assert 0 <= model.lower_bound_ < model.objective_
    cost = np.mean((y - model.predict(X)) ** 2) / np.var(y) + regularization * model.n_leaves_
    assert model.objective_ == pytest.approx(cost)


@pytest.mark.alone
def test_ctrl_c_leaves_a_fitted_model_within_a_second():
    told = run(
        """
import json, os, signal, threading, time
from optitree import OptimalTreeRegressor
model = OptimalTreeRegressor(0, max_leaves=12, time_limit=30)
asked = []
def interrupt():
    asked.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(1, interrupt).start()
model.fit(X, y)
print(json.dumps({"seconds": time.monotonic() - asked[0], "status": model.status_, "leaves": model.n_leaves_}))
"""
    )
    assert told["status"] == "interrupted"
    assert told["seconds"] < 1
    assert told["leaves"] <= 12
