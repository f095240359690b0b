"""What cross-validation settles before it searches: folds, conditions, leaves; and when a greedy tree is chosen."""

import warnings

import numpy as np
import pandas as pd
import pytest

from optitree import Binarizer, LimitWarning, OptimalTreeRegressorCV, load
from optitree.conditions.rules import DEFAULT
from optitree.models.cv_settings import MIDDLES, Setting, Tried, settings_of, settle
from optitree.models.dealing import dealt_out
from optitree.models.validation_curve import first_good
from optitree.table.rows import read_rows


def table(rows=203):
    rng = np.random.default_rng(4)
    return pd.DataFrame({
        "a": rng.integers(0, 9, rows).astype(float),
        "b": rng.choice(["x", "y", "z"], rows),
        "c": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows)),
    })  # fmt: skip


def test_every_fold_has_its_share_of_low_and_high_targets():
    X, y = table(), np.sort(np.random.default_rng(0).lognormal(size=203))
    folds = dealt_out(read_rows(X, y, None, None), 5)
    np.testing.assert_array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(203))
    for train, test in folds:
        assert len(test) in (40, 41)
        assert not set(train) & set(test)
        assert len(train) + len(test) == 203
        for low in range(0, 200, 5):  # one of every five neighbours
            assert np.count_nonzero((test >= low) & (test < low + 5)) == 1


def test_the_order_of_the_rows_plays_no_part():
    X, y = table(), np.random.default_rng(0).integers(0, 6, 203).astype(float)  # with many ties
    order = np.random.default_rng(1).permutation(203)
    here = dealt_out(read_rows(X, y, None, None), 4)
    there = dealt_out(read_rows(X.iloc[order], y[order], None, None), 4)
    for (_, test), (_, shuffled) in zip(here, there, strict=True):
        np.testing.assert_array_equal(np.sort(test), np.sort(order[shuffled]))


def test_the_choice_does_not_depend_on_the_order_of_the_rows():
    X = table()
    y = X["a"] + 2.0 * (X["b"] == "x") + np.random.default_rng(0).normal(size=203)
    order = np.random.default_rng(1).permutation(203)
    here = OptimalTreeRegressorCV(max_depth=3).fit(X, y)
    there = OptimalTreeRegressorCV(max_depth=3).fit(X.iloc[order], y.iloc[order])
    assert here.regularization_ == there.regularization_
    assert here.min_samples_leaf_ == there.min_samples_leaf_
    assert [node.condition for node in here.tree_.nodes] == [node.condition for node in there.tree_.nodes]
    np.testing.assert_allclose(here.tree_.values, there.tree_.values, rtol=1e-12)


def test_too_few_rows_for_the_folds_are_refused():
    with pytest.raises(ValueError, match="n_splits=5 greater than the number of samples"):
        OptimalTreeRegressorCV().fit([[1.0], [2.0]], [1.0, 2.0])


def test_what_is_given_is_not_settled():
    fine = DEFAULT.__class__(max_thresholds=32)
    assert settings_of(DEFAULT, None, refine=True) == tuple(
        Setting(rules, rows) for rules in (DEFAULT, fine) for rows in (5, 10, 20, 2, 1)
    )
    assert settings_of(DEFAULT, 7, refine=False) == (Setting(DEFAULT, 7),)
    X, y = table(), np.arange(203.0)
    model = OptimalTreeRegressorCV(min_samples_leaf=9, binarizer=Binarizer(max_thresholds=3), max_depth=2).fit(X, y)
    assert model.min_samples_leaf_ == 9
    assert model.best_estimator_.binarizer_.max_thresholds == 3


def losses(*by_fold):
    """A setting whose best size loses so much on each fold."""
    return [np.where(np.arange(len(MIDDLES)) == 20, loss, 9.0) for loss in by_fold]


def attempts(*settings):
    return [Tried(np.stack(of_fold), 1.0) for of_fold in zip(*settings, strict=True)]


def test_the_first_setting_is_left_only_for_one_that_is_clearly_better():
    coarse, fine = settings_of(DEFAULT, 5, refine=True)
    answers = {coarse: losses(1.0, 1.1, 0.9), fine: losses(0.9, 1.2, 0.85)}
    assert settle((coarse, fine), lambda some: attempts(*(answers[s] for s in some)), 9) == coarse
    answers[fine] = losses(0.8, 0.9, 0.7)
    assert settle((coarse, fine), lambda some: attempts(*(answers[s] for s in some)), 9) == fine


def test_a_setting_for_which_there_was_no_time_on_a_fold_does_not_count():
    coarse, fine = settings_of(DEFAULT, 5, refine=True)
    answers = {coarse: attempts(losses(1.0, 1.0)), fine: [attempts(losses(0.1))[0], None]}
    assert settle((coarse, fine), lambda some: answers[some[0]], 9) == coarse
    answers[coarse] = [None, None]
    assert settle((coarse, fine), lambda some: answers[some[0]], 9) == coarse


def test_clearly_better_is_by_more_than_the_standard_error_of_the_difference():
    weight = np.array([1.0, 1.0, 2.0])
    assert first_good(np.array([[3.0, 3.0, 3.0], [1.0, 1.0, 1.0]]), weight) == 1
    assert first_good(np.array([[3.0, 3.0, 3.0], [1.0, 9.0, 2.0]]), weight) == 0
    assert first_good(np.array([[1 / 3] * 5, [1 / 3] * 4 + [0.3]]), np.ones(5)) == 0  # a single fold
    assert first_good(np.array([[1 / 7] * 5, [0.1] + [1 / 7] * 4]), np.ones(5)) == 0
    assert first_good(np.array([[3.0, 3.0, 3.0], [2.0, 2.0, 9.0], [3.0, 3.0, 3.0]]), weight) == 0


def test_leaves_of_one_row_are_taken_where_single_rows_matter():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (120, 3)).astype(float)
    y = X @ [16.0, 4.0, 1.0] + 40 * (X[:, 0] == X[:, 1])  # every combination has its own target, and few rows
    assert OptimalTreeRegressorCV(max_depth=6, time_limit=20).fit(X, y).min_samples_leaf_ == 1
    noise = rng.normal(size=120)
    assert OptimalTreeRegressorCV(max_depth=2).fit(X, noise).min_samples_leaf_ == 5


def test_finer_conditions_are_taken_where_a_target_rises_with_a_column():
    rng = np.random.default_rng(0)
    X = rng.random((600, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        model = OptimalTreeRegressorCV(time_limit=300).fit(X, 100 * X[:, 0] + rng.normal(size=600))
    assert model.binarizer_.max_thresholds == 32
    assert model.best_estimator_.binarizer.max_thresholds == 32


@pytest.fixture(scope="module")
def many_small_steps():
    """Five questions whose answers all count, alone and in pairs: many leaves, none of which is worth .001."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (1500, 9)).astype(bool), columns=[f"q{k}" for k in range(9)])
    y = X.to_numpy() @ (3.0 ** -np.arange(9)) + 0.01 * rng.normal(size=1500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        return X, y, OptimalTreeRegressorCV(time_limit=6).fit(X, y)


def test_a_greedy_tree_is_chosen_where_it_predicts_clearly_better(many_small_steps, tmp_path):
    X, y, model = many_small_steps
    assert model.greedy_
    assert model.cv_results_["greedy"][model.best_index_]
    assert model.regularization_ < model.min_regularization_ <= 0.001
    assert model.status_ in ("near_optimal", "optimal", "time_limit")
    assert model.lower_bound_ <= model.objective_
    assert model.n_leaves_ > 20
    # The tree is the one whose kind was compared: what it loses on all rows is no more than on rows it had not seen.
    assert np.mean((y - model.predict(X)) ** 2) < -model.best_score_
    model.save(tmp_path / "tree.json")
    np.testing.assert_array_equal(load(tmp_path / "tree.json").predict(X), model.predict(X))


def test_greedy_trees_are_no_candidates_where_anything_is_said_about_the_size(many_small_steps):
    X, y, _ = many_small_steps
    for said in ({"max_depth": 2}, {"max_leaves": 3}, {"min_regularization": 0.01}, {"loss": "absolute_error"}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitWarning)
            model = OptimalTreeRegressorCV(**said, cv=2, time_limit=2).fit(X[:200], y[:200])
        assert not model.cv_results_["greedy"].any()
        assert not model.greedy_
