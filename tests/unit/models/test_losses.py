"""What the losses of the estimator mean."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, mean_pinball_loss

from optitree import Binarizer, OptimalTreeRegressor, export_text, load
from optitree.models.fitted import groups_of
from optitree.models.parameters import check_search
from optitree.solver.problem import Limits
from optitree.solver.solve import solve

QUANTILES = Binarizer("quantile", 4)
LOSSES = [("absolute_error", 0.5), ("quantile", 0.1), ("quantile", 0.8)]


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    return X, np.exp(X[:, 0] + (X[:, 1] > 0) + rng.normal(size=300)), rng.integers(1, 4, 300).astype(float)


def fit(data, **parameters):
    X, y, weight = data
    return OptimalTreeRegressor(0.02, max_depth=4, binarizer=QUANTILES, **parameters).fit(X, y, weight)


def test_loss_is_the_mean_absolute_error(data):
    X, y, weight = data
    model = fit(data, loss="absolute_error")
    assert model.status_ == "optimal"
    assert model.loss_ == pytest.approx(mean_absolute_error(y, model.predict(X), sample_weight=weight))
    order = np.argsort(y)
    median = y[order][np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)]
    assert model.tree_.nodes[0].value == median
    assert model.root_loss_ == pytest.approx(np.average(abs(y - median), weights=weight))
    assert model.objective_ == pytest.approx(model.loss_ / model.root_loss_ + 0.02 * model.n_leaves_)


@pytest.mark.parametrize("quantile", [0.05, 0.5, 0.9])
def test_loss_is_the_mean_pinball_loss(data, quantile):
    X, y, weight = data
    model = fit(data, loss="quantile", quantile=quantile)
    expected = mean_pinball_loss(y, model.predict(X), sample_weight=weight, alpha=quantile)
    assert model.loss_ == pytest.approx(expected)
    assert np.average(y <= model.predict(X), weights=weight) == pytest.approx(quantile, abs=0.05)


@pytest.mark.parametrize(("loss", "quantile"), LOSSES)
def test_leaves_predict_values_of_the_target(data, loss, quantile):
    X, y, _ = data
    assert set(fit(data, loss=loss, quantile=quantile).predict(X)) <= set(y)


def test_each_loss_is_smallest_where_it_is_asked_for(data):
    X, y, weight = data
    absolute, squared = fit(data, loss="absolute_error"), fit(data)
    assert absolute.objective_ <= 0.02 * squared.n_leaves_ + (
        mean_absolute_error(y, squared.predict(X), sample_weight=weight) / absolute.root_loss_
    )
    assert squared.tree_ != absolute.tree_


@pytest.mark.parametrize(("loss", "quantile"), LOSSES)
def test_a_constant_target_is_one_leaf(loss, quantile):
    model = OptimalTreeRegressor(0.02, loss=loss, quantile=quantile).fit(np.eye(6), np.full(6, 1e15 + 0.5))
    assert (model.n_leaves_, model.objective_, model.loss_) == (1, 0.02, 0)
    assert model.predict([[0] * 6]) == [1e15 + 0.5]


@pytest.mark.parametrize(("loss", "quantile"), LOSSES)
def test_threads_do_not_change_the_tree(data, loss, quantile):
    assert fit(data, loss=loss, quantile=quantile, n_jobs=2).tree_ == fit(data, loss=loss, quantile=quantile).tree_


@pytest.mark.parametrize(("loss", "quantile"), LOSSES)
def test_a_file_keeps_the_loss(data, tmp_path, loss, quantile):
    model = fit(data, loss=loss, quantile=quantile)
    model.save(tmp_path / "tree.json")
    again = load(tmp_path / "tree.json")
    assert (again.loss, again.quantile) == (loss, quantile)
    assert again.tree_ == model.tree_
    assert export_text(again) == export_text(model)


@pytest.mark.parametrize("share", [0, 0.1, 0.3, 0.6, 0.9])
@pytest.mark.parametrize(("loss", "quantile"), LOSSES)
def test_a_search_that_is_stopped_has_a_valid_tree_and_bound(loss, quantile, share):
    rng = np.random.default_rng(5)
    X = rng.random((500, 20)) < 0.3
    y = X[:, :5] @ rng.normal(size=5) + np.logical_xor(X[:, 5], X[:, 6]) + rng.normal(size=500)
    model = OptimalTreeRegressor(0.003, max_depth=4, loss=loss, quantile=quantile)
    groups, problem = groups_of(X, y, None, model), check_search(model).problem
    best = solve(groups, problem)
    assert best.status == "optimal"
    stopped = solve(groups, problem, Limits(seconds=share * best.seconds))
    assert stopped.status in ("time_limit", "optimal")
    assert stopped.lower_bound <= best.objective + 1e-9
    assert stopped.objective >= best.objective - 1e-9
    cost = stopped.loss / stopped.root_loss + 0.003 * stopped.tree.n_leaves
    assert stopped.objective == pytest.approx(cost, abs=1e-12)
    assert stopped.tree.depth <= 4


def test_a_quantile_may_be_any_real_number(data):
    third = fit(data, loss="quantile", quantile=Fraction(1, 3))
    assert third.objective_ == fit(data, loss="quantile", quantile=1 / 3).objective_


def test_a_quantile_as_small_as_is_allowed_predicts_the_lowest_target_of_a_leaf(sample):
    X, y = sample
    least, small = (OptimalTreeRegressor(loss="quantile", quantile=q, max_depth=3).fit(X, y) for q in (1e-100, 1e-6))
    assert least.tree_.values.tolist() == small.tree_.values.tolist()
    assert least.objective_ == pytest.approx(small.objective_, abs=1e-4)
    assert least.tree_.values[0] == y.min()
