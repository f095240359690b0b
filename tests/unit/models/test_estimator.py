"""What a fitted model says of itself is true."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import r2_score

from optitree import Binarizer, OptimalTreeRegressor


@pytest.mark.parametrize("regularization", [0, 0.001, 0.02, 0.3, 5])
@pytest.mark.parametrize("max_depth", [0, 1, 2, 3])
def test_objective_is_scaled_loss_plus_the_price_of_the_leaves(sample, regularization, max_depth):
    model = OptimalTreeRegressor(regularization, max_depth=max_depth).fit(*sample)
    loss = np.mean((sample.y - model.predict(sample.X)) ** 2)
    assert model.loss_ == pytest.approx(loss, rel=1e-12)
    assert model.root_loss_ == pytest.approx(np.var(sample.y), rel=1e-12)
    penalty = regularization * model.n_leaves_
    assert model.objective_ == pytest.approx(model.loss_ / model.root_loss_ + penalty, rel=1e-12)
    assert model.status_ == "optimal"
    assert model.lower_bound_ == model.objective_
    assert model.gap_ == 0
    assert model.depth_ <= max_depth


def test_leaves_predict_the_mean_of_their_rows(sample, fitted):
    leaves = fitted.apply(sample.X)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        node = fitted.tree_.nodes[leaf]
        assert node.is_leaf
        assert node.rows == rows.sum()
        assert node.value == pytest.approx(sample.y[rows].mean(), rel=1e-12)
        assert node.loss == pytest.approx(((sample.y[rows] - node.value) ** 2).sum(), rel=1e-9)
    assert len(np.unique(leaves)) == fitted.n_leaves_


def test_leaves_predict_the_weighted_mean(sample):
    weight = np.random.default_rng(3).exponential(size=60)
    model = OptimalTreeRegressor(max_depth=2).fit(*sample, weight)
    leaves = model.apply(sample.X)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        mean = np.average(sample.y[rows], weights=weight[rows])
        assert model.tree_.nodes[leaf].value == pytest.approx(mean, rel=1e-12)
        assert model.tree_.nodes[leaf].weight == pytest.approx(weight[rows].sum(), rel=1e-12)
    squares = (sample.y - model.predict(sample.X)) ** 2
    assert model.loss_ == pytest.approx(np.average(squares, weights=weight), rel=1e-12)


def test_decision_path_marks_the_nodes_from_root_to_leaf(sample, fitted):
    path = fitted.decision_path(sample.X)
    assert path.shape == (60, len(fitted.tree_))
    leaves = fitted.apply(sample.X)
    for row, leaf in enumerate(leaves):
        nodes = path[[row]].indices
        assert set(nodes) == set(fitted.tree_.ancestors[leaf])
    assert path.sum(axis=0).A1[0] == 60


def test_score_is_r_squared_and_one_minus_the_scaled_loss(sample, fitted):
    score = fitted.score(*sample)
    assert score == pytest.approx(r2_score(sample.y, fitted.predict(sample.X)))
    assert score == pytest.approx(1 - fitted.loss_ / fitted.root_loss_)


def test_shape_is_told_in_two_ways(fitted):
    assert fitted.get_depth() == fitted.depth_ == fitted.tree_.depth
    assert fitted.get_n_leaves() == fitted.n_leaves_ == fitted.tree_.n_leaves


def test_importances_are_shares_of_the_columns_used(fitted):
    importances = fitted.feature_importances_
    assert importances.shape == (3,)
    assert importances.sum() == pytest.approx(1)
    assert (importances >= 0).all()
    used = {node.condition.column for node in fitted.tree_.nodes if node.condition}
    assert set(np.flatnonzero(importances)) == used


@pytest.mark.parametrize("least", [1, 2, 7, 25, 30, 31, 1000])
def test_no_leaf_has_fewer_rows_than_asked(sample, least):
    model = OptimalTreeRegressor(0, max_depth=3, min_samples_leaf=least).fit(*sample)
    rows = [node.rows for node in model.tree_.nodes if node.is_leaf]
    assert model.n_leaves_ == 1 or min(rows) >= least
    assert sum(rows) == 60


@pytest.mark.parametrize("level", [0.0, -3.5, 1e100, 0.1])
def test_a_constant_target_needs_one_leaf(sample, level):
    model = OptimalTreeRegressor(0.02).fit(sample.X, np.full(60, level))
    assert model.n_leaves_ == 1
    assert model.status_ == "optimal"
    assert model.objective_ == model.lower_bound_ == 0.02
    assert model.loss_ == model.root_loss_ == 0
    assert model.feature_importances_.tolist() == [0, 0, 0]
    np.testing.assert_array_equal(model.predict(sample.X), level)


def test_a_single_row_is_its_own_prediction():
    model = OptimalTreeRegressor().fit([[1.0, 2.0]], [5.0])
    assert model.predict([[9.0, 9.0]]).tolist() == [5.0]
    assert (model.n_leaves_, model.depth_, model.objective_) == (1, 0, 0.01)


def test_a_table_without_conditions_has_one_leaf(sample):
    model = OptimalTreeRegressor().fit(np.ones((60, 2)), sample.y)
    assert model.n_leaves_ == 1
    assert model.objective_ == pytest.approx(1.01, rel=1e-12)


def test_predictions_keep_their_precision_when_the_target_is_far_from_zero(sample):
    near = OptimalTreeRegressor(max_depth=3).fit(*sample)
    far = OptimalTreeRegressor(max_depth=3).fit(sample.X, sample.y + 1e9)
    np.testing.assert_allclose(far.predict(sample.X) - 1e9, near.predict(sample.X), atol=1e-6)
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-6)


@pytest.mark.parametrize("scale", [1e-95, 1e-9, 1e9, 1e95])
def test_the_unit_of_the_target_does_not_matter(sample, scale):
    expected = OptimalTreeRegressor(max_depth=3).fit(*sample)
    model = OptimalTreeRegressor(max_depth=3).fit(sample.X, sample.y * scale)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-9)
    np.testing.assert_array_equal(model.apply(sample.X), expected.apply(sample.X))


@pytest.mark.parametrize(("unit", "scale"), [(1e-95, 1e-45), (1e95, 1e45)])
def test_extreme_targets_and_weights_go_together(sample, unit, scale):
    expected = OptimalTreeRegressor(max_depth=3).fit(*sample)
    model = OptimalTreeRegressor(max_depth=3).fit(sample.X, sample.y * unit, np.full(60, scale))
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-9)
    np.testing.assert_array_equal(model.apply(sample.X), expected.apply(sample.X))


@pytest.mark.parametrize("scale", [1e-45, 1e-3, 7, 1e45])
def test_only_the_proportions_of_weights_matter(sample, scale):
    weight = np.random.default_rng(3).exponential(size=60)
    expected = OptimalTreeRegressor(max_depth=3).fit(*sample, weight)
    model = OptimalTreeRegressor(max_depth=3).fit(*sample, weight * scale)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-9)
    np.testing.assert_array_equal(model.apply(sample.X), expected.apply(sample.X))


def test_rows_of_weight_zero_are_as_good_as_absent(sample):
    weight = np.tile([1.0, 0.0, 2.0], 20)
    kept = weight > 0
    model = OptimalTreeRegressor(max_depth=3, min_samples_leaf=3).fit(*sample, weight)
    expected = OptimalTreeRegressor(max_depth=3, min_samples_leaf=3).fit(sample.X[kept], sample.y[kept], weight[kept])
    assert model.tree_ == expected.tree_


def test_the_order_of_the_rows_does_not_matter(sample):
    expected = OptimalTreeRegressor(max_depth=3).fit(*sample)
    order = np.random.default_rng(4).permutation(60)
    model = OptimalTreeRegressor(max_depth=3).fit(sample.X[order], sample.y[order])
    assert model.tree_ == expected.tree_


def test_no_depth_limit_is_at_least_as_good_as_any(sample):
    free = OptimalTreeRegressor(0.02).fit(*sample)
    deep = OptimalTreeRegressor(0.02, max_depth=10**30).fit(*sample)
    shallow = OptimalTreeRegressor(0.02, max_depth=2).fit(*sample)
    assert free.status_ == deep.status_ == "optimal"
    assert free.tree_ == deep.tree_
    assert free.objective_ <= shallow.objective_


def test_limits_beyond_any_machine_are_no_limits(sample):
    model = OptimalTreeRegressor(max_depth=2, memory_limit=1e300, min_samples_leaf=10**400)
    assert model.fit(*sample).n_leaves_ == 1


def test_the_given_binarizer_is_used_and_left_unfitted(sample):
    binarizer = Binarizer(thresholds="quantile", max_thresholds=1)
    model = OptimalTreeRegressor(binarizer=binarizer).fit(*sample)
    assert not hasattr(binarizer, "conditions_")
    assert len(model.binarizer_.conditions_) == 3


def test_fitting_again_forgets_the_first_table(sample, fitted):
    again = fitted.fit(sample.X[:30, :1], sample.y[:30])
    assert again is fitted
    assert again.n_features_in_ == 1
    assert again.tree_ == clone(fitted).fit(sample.X[:30, :1], sample.y[:30]).tree_


def test_a_pickled_model_is_the_same_model(sample, fitted):
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.solution_ == fitted.solution_
    np.testing.assert_array_equal(copy.predict(sample.X), fitted.predict(sample.X))


def test_verbose_prints_progress_to_standard_error_only(capsys):
    rng = np.random.default_rng(0)
    table, target = rng.random((500, 30)) < 0.5, rng.normal(size=500)
    model = OptimalTreeRegressor(1e-4, time_limit=0.3, verbose=True)
    with pytest.warns(UserWarning, match="time limit"):
        model.fit(table, target)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "lower bound" in printed.err
    assert "lower bound" in printed.err


def test_quiet_is_the_default(sample, capsys):
    OptimalTreeRegressor(max_depth=3).fit(*sample)
    printed = capsys.readouterr()
    assert printed.out == printed.err == ""


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    frame = pd.DataFrame({"a": np.arange(100.0), "b": -np.arange(100.0)})
    y = (frame["a"] > 50) * 1.0
    model = OptimalTreeRegressor(0.1).fit(frame, y)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(frame[["b", "a"]], y.where(y > 0))
    assert model.score(frame, y) == 1
